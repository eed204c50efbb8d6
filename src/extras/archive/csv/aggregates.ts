/**
 * Hours and days in the layout of airquality.am: which files there are, and the query that the
 * server writes each from.
 */
import type { Sql } from '../../../database/client.ts';
import { fileOf, isFlagged, type Layout } from './layouts.ts';

/**
 * A file, relative to the folder, and the query of its lines from a time on, whose columns are the
 * header. `since`: the beginning of its period.
 */
type CsvFile = { name: string; since: string; select(since: string): string };

/** `from`: a local time; files of earlier years are left as they are. */
type Period = { now: Date; from: string | undefined };

/**
 * The files of a layout. Closed buckets only, as in the history windows (H1): without the current
 * hour or day. The file of days is written even if it is empty; without hours there is no year to
 * name a file after.
 */
export async function filesOf(
  connection: Sql,
  layout: Layout,
  { now, from }: Period,
): Promise<CsvFile[]> {
  const { extent, unit } = layout;
  const first = from === undefined || unit === 'day' ? '-infinity' : from;
  const years = await connection<{ year: string; since: string; until: string }[]>`
    select to_char(start, 'YYYY') as year, start::text as since,
      least(start + interval '1 year', extent.until)::text as until
    from (
      select date_trunc('year', greatest(min(b.timestamp), ${first}::text::timestamptz)) as since,
        least(max(b.timestamp) + interval '1 second',
          date_trunc(${unit}::text, ${now.toISOString()}::text::timestamptz)) as until
      from ${connection(`api.${extent}`)} b
      having min(b.timestamp) is not null -- or the extent would be infinite
    ) extent
    cross join lateral generate_series(extent.since, extent.until, interval '1 year') start
    where start < extent.until
    order by start`;
  if (unit === 'hour') {
    return years.map(({ year, since, until }) => ({
      name: fileOf(layout, year),
      since,
      select: (from) => selectBuckets(layout, now, from, until),
    }));
  }
  const since = years[0]?.since ?? now.toISOString();
  const until = years.at(-1)?.until ?? since;
  const select = (from: string) => selectBuckets(layout, now, from, until);
  return [{ name: fileOf(layout, ''), since, select }];
}

/**
 * Buckets of what is published, ordered by time, then by sensor, station or city. COPY takes no
 * parameters; the instants are the server's and the clock's. The database has rounded already, and
 * numeric keeps 2.0 where JSON has 2.
 */
function selectBuckets(layout: Layout, now: Date, since: string, until: string): string {
  const { source, subject, columns } = layout;
  const id = `b.${subject.source}`;
  const at = literal(now.toISOString());
  const start = literal(since);
  const end = literal(until);
  const isDaysOfSensors = source === 'sensor_daily'; // of listed stations only, and of this period
  const values = columns.map(
    ({ name, source: column, digits }) => `round(b.${column}::numeric, ${digits}) as "${name}"`,
  );
  const fields = [
    `${id} as ${subject.name}`,
    "to_char(b.timestamp, 'YYYY-MM-DD HH24:MI:SS') as timestamp",
    ...values,
    ...(isFlagged(layout) ? [flag(layout)] : []),
  ];
  return `
    select ${fields.join(', ')}
    from api.${source}${isDaysOfSensors ? `(${at}, ${start}, ${end})` : ''} b
    where b.timestamp >= ${start} and b.timestamp < ${end}
      and ${isDaysOfSensors ? 'true' : isPublished(layout, at)}
    order by b.timestamp, ${subject.type === 'integer' ? id : `${id} collate "C"`}`;
}

/** The kinds of flags in the bucket of a station. */
const flag = ({ unit }: Layout) => `
  (select string_agg(distinct f.kind, ' ' order by f.kind) from api.station_flag f where f.station_id = b.station_id
    and coalesce(f.since < b.timestamp + interval '1 ${unit}', true) and coalesce(f.until > b.timestamp, true)) as flag`;

/** True for the buckets of cities and of listed stations, and of the sensors there. */
const isPublished = ({ subject }: Layout, at: string) =>
  subject.source === 'region_slug'
    ? "b.region_slug in (select slug from api.region where kind = 'city')"
    : `b.station_id in (select id from api.station_current(${at}) where is_listed)`;

const literal = (instant: string) => `'${instant}'::timestamptz`;
