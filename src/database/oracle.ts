/**
 * The oracle: `rollup.differences(since, until)` asks every aggregate's question of raw.readings directly and returns the buckets
 * whose stored answer differs (equal as rule A10 says). It is one statement, so it sees one snapshot; buckets that touch a change
 * which no refresh has seen yet are left out. It looks at whole months, because a month's value needs all its hours, and not further
 * back than there are readings.
 */
import type { Level } from './rollups.ts';
import { body, LEVELS } from './rollups.ts';

/** The columns of each level as the database has them. */
export type Columns = Readonly<Record<string, readonly { name: string; type: string }[]>>;

export function buildOracle(zone: string, columns: Columns): string {
  const expected = LEVELS.map((level, index) => {
    const text = body(level, zone, index === 0 ? 'parameters' : 'all').replace(
      /rollup\.(\w+_(hourly|daily|monthly))\b/g,
      '$1',
    );
    return `${level.name} as materialized (\n${text}\n)`;
  });
  const compared = LEVELS.map((level) => comparison(level, columns[level.name] ?? []));
  return `
create or replace function rollup.differences_of_months(timestamptz, timestamptz)
returns table (level text, bucket timestamptz, place text, columns text[]) language sql stable
set search_path = rollup, public as $oracle$
with ${expected.join(',\n')}
${compared.join('\nunion all\n')}
$oracle$;

create or replace function rollup.differences(since timestamptz, until timestamptz)
returns table (level text, bucket timestamptz, place text, columns text[]) language sql stable as $oracle$
  select d.* from rollup.differences_of_months(
    rollup.bucket_start('month', greatest(since, (select dropped_before from raw.installation))), -- a month begins there
    rollup.bucket_add('month', rollup.bucket_start('month', until - interval '1 microsecond'), 1)) d
  where not exists (
    select from rollup.pending p
    where p.until > d.bucket
      and p.since < rollup.bucket_add(case split_part(d.level, '_', 2) when 'hourly' then 'hour' when 'daily' then 'day' else 'month' end, d.bucket, 1))
$oracle$;`;
}

function comparison(level: Level, columns: readonly { name: string; type: string }[]): string {
  const keys = ['bucket', ...level.keys];
  const values = columns.filter(({ name }) => !keys.includes(name));
  const same = ({ name, type }: { name: string; type: string }) =>
    type === 'double precision' ? `rollup.same(s.${name}, e.${name})` : `s.${name} is not distinct from e.${name}`;
  const place = level.keys.map((key) => `coalesce(s.${key}, e.${key})`).join(', ');
  return `select '${level.name}', coalesce(s.bucket, e.bucket), concat_ws('/', ${place}),
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}' else array_remove(array[
    ${values.map((column) => `case when not (${same(column)}) then '${column.name}' end`).join(',\n    ')}
  ], null) end
from (select * from rollup.${level.name} where bucket >= $1 and bucket < $2) s
full join ${level.name} e on ${keys.map((key) => `s.${key} = e.${key}`).join(' and ')}
where s.bucket is null or e.bucket is null or not (
  ${values.map(same).join('\n  and ')})`;
}
