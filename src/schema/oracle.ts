/**
 * The oracle: `logic.differences(since, until)` recomputes every aggregate directly from the
 * readings and the network's periods (from sensor hours where the readings were deleted) and
 * returns the stored buckets that differ, with equality as in rule A10. It is one statement, so it
 * sees one snapshot. Buckets with a change that no refresh has seen yet are left out. It covers
 * whole days, and the months they are in: of these the other days are taken as they are stored.
 */
import { type Calendar, LEVELS, type Level, selectOf, wordsOf } from './aggregates.ts';
import type { Definitions } from './template.ts';

/** The columns of each level, by its name, as the database has them. */
export type Columns = Readonly<Record<string, readonly { name: string; type: string }[]>>;

/** The SQL that creates the functions of the oracle. */
export function buildOracle(
  definitions: Definitions,
  calendar: Calendar,
  columns: Columns,
): string {
  const expected = LEVELS.map(
    (level) =>
      `${level.name} as materialized (\n${recomputed(level, definitions, calendar, columns)}\n)`,
  );
  const compared = LEVELS.flatMap((level) => [
    comparison(level, columns[level.name] ?? []),
    doubled(level),
  ]);
  return `
-- True if nothing in a bucket waits for a refresh, or for rules of the zone by which it can be computed (Z5).
create function logic.is_up_to_date(level text, bucket timestamptz) returns boolean language sql stable as $oracle$
  select not exists (
    select from logic.pending p
    where p.until > bucket and p.since < rollup.bucket_add(l.unit, bucket, 1))
    and not logic.refused_buckets(l.unit) @> bucket
  from logic.level l where l.name = is_up_to_date.level
$oracle$;

-- Which of these columns differ, by the equality of rule A10. Naming them in the statement below took 8 ms of the 28 of a small audit, to plan it.
create function logic.differing_columns(columns text[], stored json, expected json) returns text[] language sql immutable as $oracle$
  select array_agg(columns[s.position] order by s.position)
  from json_each_text(stored) with ordinality s(name, value, position)
  join json_each_text(expected) e(name, value) using (name)
  where case when s.value is distinct from e.value then logic.same(s.value::float8, e.value::float8) is not true end
$oracle$;

-- Compares whole days. It is in PL/pgSQL so that it is planned with the period. The planner can't know how large the parts are: what it takes for a few rows
-- would be looped over.
create function logic.differences_of_days(timestamptz, timestamptz)
returns table (level text, bucket timestamptz, subject text, columns text[]) language plpgsql stable
set search_path = rollup, public set plan_cache_mode = force_custom_plan set enable_nestloop = off set jit = off as $oracle$
#variable_conflict use_column
declare
  readings_since constant timestamptz := greatest($1, (select i.retained_from from raw.installation i));
  month_since constant timestamptz := bucket_start('month', $1);
  month_until constant timestamptz := bucket_add('month', bucket_start('month', $2 - interval '1 microsecond'), 1);
begin
  return query
  with placement as materialized (select * from logic.placement), membership as materialized (select * from logic.membership),
  ${expected.join(',\n')},
  difference(level, bucket, subject, columns) as materialized (
${compared.join('\nunion all\n')}
  )
  -- a doubled bucket is found once as doubled, and once or twice as what its rows differ in. As surplus it must not be repaired unasked
  select distinct on (d.level, d.bucket, d.subject) d.*
  from difference d
  where logic.is_up_to_date(d.level, d.bucket)
  order by d.level, d.bucket, d.subject, d.columns = '{surplus}' desc, d.columns = '{doubled}' desc;
end $oracle$;

-- The whole days of a period, as far as they have readings or buckets: month by month, or in pieces of about half a million sensor hours, which
-- take less memory and time.
create function logic.audited_days(since timestamptz, until timestamptz) returns table (since timestamptz, until timestamptz) language sql stable as $oracle$
  select piece.since, piece.until
  from (select e.low, e.high from logic.extent() e where e.low is not null) extent
  cross join logic.pieces('month', 1, logic.widen('day', tstzmultirange(tstzrange(extent.low, extent.high + interval '1 microsecond'))
    * tstzmultirange(tstzrange(audited_days.since, audited_days.until)))) month
  cross join logic.pieces('day', greatest(20000 / greatest((select count(*) from raw.sensor), 1), 1)::int, tstzmultirange(tstzrange(month.since, month.until))) piece
  order by 1
$oracle$;

create function logic.differences(since timestamptz, until timestamptz)
returns table (level text, bucket timestamptz, subject text, columns text[]) language sql stable as $oracle$
  select * from logic.differences_of_days(
    rollup.bucket_start('day', since),
    rollup.bucket_add('day', rollup.bucket_start('day', until - interval '1 microsecond'), 1))
$oracle$;

-- The periods by which readings count for stations, and stations for regions, that differ from those that the network gives.
create function logic.period_differences() returns table (level text, bucket timestamptz, subject text, columns text[]) language sql stable as $oracle$
  select 'placement', coalesce(s.since, e.since), coalesce(s.sensor_id, e.sensor_id)::text,
    case when s is null then '{missing}' when e is null then '{surplus}' else '{station_id,formula,until}' end::text[]
  from raw.placement s full join logic.placement e on e.sensor_id = s.sensor_id and e.since = s.since
  where (s.station_id, s.formula, s.until) is distinct from (e.station_id, e.formula, e.until)
  union all
  select 'membership', coalesce(s.since, e.since), coalesce(s.station_id, e.station_id) || ' ' || coalesce(s.region_slug, e.region_slug),
    case when s is null then '{missing}' when e is null then '{surplus}' else '{is_flagged,is_pm_suspect,until}' end::text[]
  from raw.membership s full join logic.membership e on e.station_id = s.station_id and e.region_slug = s.region_slug and e.since = s.since
  where (s.is_flagged, s.is_pm_suspect, s.until) is distinct from (e.is_flagged, e.is_pm_suspect, e.until)
  union all
  select 'flagged', coalesce(s.since, e.since), coalesce(s.station_id, e.station_id) || ' ' || coalesce(s.kind, e.kind),
    case when s is null then '{missing}' when e is null then '{surplus}' else '{until}' end::text[]
  from raw.flagged s
  full join (select f.station_id, f.kind, lower(part) as since, upper(part) as until from logic.flagged f cross join unnest(f.left_out) part) e
    on e.station_id = s.station_id and e.kind = s.kind and e.since = s.since
  where s.until is distinct from e.until
$oracle$;

revoke all on function logic.period_differences, logic.differing_columns, logic.differences_of_days, logic.is_up_to_date, logic.audited_days, logic.differences from public;`;
}

/**
 * The select of a level over the recomputed level below, and over placements and memberships
 * derived from the periods.
 */
function recomputed(
  level: Level,
  definitions: Definitions,
  calendar: Calendar,
  columns: Columns,
): string {
  const { below } = level;
  if (below === undefined) {
    const fromReadings = selectOf(level, definitions, wordsOf(calendar), {
      range: (at) => `${at} >= readings_since and ${at} < $2`,
    });
    return `${fromReadings}\nunion all select * from rollup.sensor_hourly where bucket >= $1 and bucket < least($2, readings_since)`;
  }
  const isMonth = level.unit === 'month';
  return selectOf(level, definitions, wordsOf(calendar), {
    from: {
      below: isMonth ? `(${wholeMonths(below, columns[below] ?? [])})` : below,
      placement: 'placement',
      membership: 'membership',
    },
  });
}

/**
 * The recomputed days, and the other days of their months as stored, without values that would
 * overflow.
 */
function wholeMonths(days: string, columns: readonly { name: string; type: string }[]): string {
  const stored = columns.map(({ name, type }) =>
    type === 'double precision' ? `logic.possible(${name})` : name,
  );
  return `select * from ${days} union all select ${stored.join(', ')} from rollup.${days}
    where (bucket >= month_since and bucket < $1 or bucket >= $2 and bucket < month_until) and hours > 0`;
}

/** Where a level is compared. */
const comparedTime = ({ unit }: Level) =>
  unit === 'month'
    ? 'bucket >= month_since and bucket < month_until'
    : 'bucket >= $1 and bucket < $2';

/** The buckets that are stored more than once: the storage of TimescaleDB's aggregates has no unique key. */
const doubled = (level: Level) =>
  `select '${level.name}', bucket, ${level.id}::text, '{doubled}'::text[]
from rollup.${level.name} where ${comparedTime(level)}
group by bucket, ${level.id} having count(*) > 1`;

function comparison(level: Level, columns: readonly { name: string; type: string }[]): string {
  const values = columns.filter(({ name }) => name !== 'bucket' && name !== level.id);
  const same = ({ name, type }: { name: string; type: string }) =>
    // most are the same bit for bit
    type === 'double precision'
      ? `(s.${name} is not distinct from e.${name} or logic.same(s.${name}, e.${name}))`
      : `s.${name} is not distinct from e.${name}`;
  const names = values.map(({ name }) => name);
  const rowOf = (side: string) =>
    `to_json(row(${names.map((name) => `${side}.${name}`).join(', ')}))`;
  return `select '${level.name}', coalesce(s.bucket, e.bucket), coalesce(s.${level.id}, e.${level.id})::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}'
    else logic.differing_columns('{${names}}', ${rowOf('s')}, ${rowOf('e')}) end
from (select * from rollup.${level.name} where ${comparedTime(level)}) s
full join ${level.name} e on s.bucket = e.bucket and s.${level.id} = e.${level.id}
where s.bucket is null or e.bucket is null or not (
  ${values.map(same).join('\n  and ')})`;
}
