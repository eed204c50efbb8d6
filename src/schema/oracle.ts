/**
 * The oracle: `logic.differences(since, until)` recomputes every aggregate directly from the readings and the network's periods (from
 * sensor hours where the readings were deleted) and returns the stored buckets that differ, with equality as in rule A10. It is one
 * statement, so it sees one snapshot. Buckets with a change that no refresh has seen yet are left out. It covers whole months, because a
 * month's value needs all its hours.
 */
import { type Calendar, LEVELS, type Level, selectOf } from './aggregates.ts';
import type { Definitions } from './template.ts';

/** The columns of each level, by its name, as the database has them. */
export type Columns = Readonly<Record<string, readonly { name: string; type: string }[]>>;

const RETAINED = '(select retained_from from raw.installation)';

/** The SQL that creates the functions of the oracle. */
export function buildOracle(definitions: Definitions, calendar: Calendar, columns: Columns): string {
  const expected = LEVELS.map(
    (level) => `${level.name} as materialized (\n${recomputed(level, definitions, calendar)}\n)`,
  );
  const compared = LEVELS.map((level) => comparison(level, columns[level.name] ?? []));
  return `
create function logic.differences_of_months(timestamptz, timestamptz)
returns table (level text, bucket timestamptz, subject text, columns text[]) language sql stable
set search_path = rollup, public as $oracle$
with placement as materialized (select * from logic.placement), membership as materialized (select * from logic.membership),
${expected.join(',\n')}
${compared.join('\nunion all\n')}
$oracle$;

-- The months of a period that have readings or buckets.
create function logic.audited_months(since timestamptz, until timestamptz) returns table (since timestamptz, until timestamptz) language sql stable as $oracle$
  select p.since, p.until
  from logic.extent() extent
  cross join logic.pieces('month', 1, logic.widen('month', tstzmultirange(tstzrange(extent.low, extent.high + interval '1 microsecond'))
    * tstzmultirange(tstzrange(audited_months.since, audited_months.until)))) p
$oracle$;

create function logic.differences(since timestamptz, until timestamptz)
returns table (level text, bucket timestamptz, subject text, columns text[]) language sql stable as $oracle$
  select d.* from logic.differences_of_months(
    rollup.bucket_start('month', since),
    rollup.bucket_add('month', rollup.bucket_start('month', until - interval '1 microsecond'), 1)) d
  where not exists (
    select from logic.pending p
    where p.until > d.bucket
      and p.since < rollup.bucket_add(case split_part(d.level, '_', 2) when 'hourly' then 'hour' when 'daily' then 'day' else 'month' end, d.bucket, 1))
$oracle$;

-- The periods by which readings count for stations, and stations for regions, that differ from those that the network gives.
create function logic.period_differences() returns table (level text, bucket timestamptz, subject text, columns text[]) language sql stable as $oracle$
  select 'placement', coalesce(s.since, e.since), coalesce(s.sensor_id, e.sensor_id)::text,
    case when s is null then '{missing}' when e is null then '{surplus}' else '{station_id,formula,until}' end::text[]
  from raw.placement s full join logic.placement e on e.sensor_id = s.sensor_id and e.since = s.since
  where (s.station_id, s.formula, s.until) is distinct from (e.station_id, e.formula, e.until)
  union all
  select 'membership', coalesce(s.since, e.since), coalesce(s.station_id, e.station_id) || ' ' || coalesce(s.region_slug, e.region_slug),
    case when s is null then '{missing}' when e is null then '{surplus}' else '{is_flagged,until}' end::text[]
  from raw.membership s full join logic.membership e on e.station_id = s.station_id and e.region_slug = s.region_slug and e.since = s.since
  where (s.is_flagged, s.until) is distinct from (e.is_flagged, e.until)
$oracle$;

revoke all on function logic.period_differences, logic.differences_of_months, logic.audited_months, logic.differences from public;`;
}

/** The select of a level over the recomputed level below, and over placements and memberships derived from the periods. */
function recomputed(level: Level, definitions: Definitions, calendar: Calendar): string {
  if (level.name === 'sensor_hourly') {
    const fromReadings = selectOf(
      level,
      definitions,
      calendar,
      (at) => `${at} >= greatest($1, ${RETAINED}) and ${at} < $2`,
    );
    return `${fromReadings}\nunion all select * from rollup.sensor_hourly where bucket >= $1 and bucket < least($2, ${RETAINED})`;
  }
  return selectOf(level, definitions, calendar, () => 'true')
    .replace(/\brollup\.(\w+_(hourly|daily|monthly))\b/g, '$1')
    .replace(/\braw\.(placement|membership)\b/g, '$1');
}

function comparison(level: Level, columns: readonly { name: string; type: string }[]): string {
  const values = columns.filter(({ name }) => name !== 'bucket' && name !== level.id);
  const same = ({ name, type }: { name: string; type: string }) =>
    type === 'double precision' ? `logic.same(s.${name}, e.${name})` : `s.${name} is not distinct from e.${name}`;
  return `select '${level.name}', coalesce(s.bucket, e.bucket), coalesce(s.${level.id}, e.${level.id})::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}' else array_remove(array[
    ${values.map((column) => `case when not (${same(column)}) then '${column.name}' end`).join(',\n    ')}
  ], null) end
from (select * from rollup.${level.name} where bucket >= $1 and bucket < $2) s
full join ${level.name} e on s.bucket = e.bucket and s.${level.id} = e.${level.id}
where s.bucket is null or e.bucket is null or not (
  ${values.map(same).join('\n  and ')})`;
}
