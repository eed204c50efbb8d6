/** Hours and days as open data: the queries that read them, and their lines. */
import { sql } from 'kysely';
import { arrayLiteral, type Sql } from '../../database/client.ts';
import type { ApiDb } from '../../database/pools.ts';
import type { Row } from './csv.ts';
import { fileOf, isFlagged, type Layout } from './layouts.ts';
import { textCell } from './textCell.ts';

/** A bucket of a sensor, station or city, with the columns of its layout by their names in api. `localStart`: its start in the network's zone. */
type Bucket = { localStart: string; subject: string | number } & Record<
  string,
  string | number | null
>;

/** Half-open, as text with an offset, and the file that its buckets go to. */
type Part = { since: string; until: string; file: string };

/** The published part: listed stations, with the hours and days that sensors stood there, and cities. */
export type Subjects = { station_id: readonly number[]; region_slug: readonly string[] };

/** Rows fetched from the cursor at a time. */
const BATCH_ROWS = 2_000;

/**
 * Splits what is written of a layout into parts, one per query. Closed buckets only, as in the history windows (H1): without the current
 * hour or day. A file that is written is written from its beginning, so `from` leaves out whole years of files by year, and nothing else.
 */
export async function splitPeriod(
  db: ApiDb,
  layout: Layout,
  { now, from, to }: { now: Date; from?: Date | undefined; to?: Date | undefined },
): Promise<Part[]> {
  const { extent, unit, step } = layout;
  const each = sql`${`1 ${step}`}::text::interval`;
  const first = from === undefined || unit === 'day' ? '-infinity' : from.toISOString();
  const { rows } = await sql<{ year: string; since: string; until: string }>`
    select to_char(start, 'YYYY') as year, start::text as since, least(start + ${each}, extent.until)::text as until
    from (
      select
        date_trunc(${step}::text, greatest(min(b.timestamp), date_trunc('year', ${first}::text::timestamptz))) as since,
        least(max(b.timestamp) + interval '1 second', ${to?.toISOString() ?? 'infinity'}::text::timestamptz,
          date_trunc(${unit}::text, ${now.toISOString()}::text::timestamptz)) as until
      from ${sql.table(`api.${extent}`)} b
      having min(b.timestamp) is not null -- or the extent would be infinite
    ) extent
    cross join lateral generate_series(extent.since, extent.until, ${each}) start
    where start < extent.until
    order by start`.execute(db);
  return rows.map(({ year, ...range }) => ({ ...range, file: fileOf(layout, year) }));
}

/**
 * The buckets of what is published, in batches, ordered by time, then by sensor, station or city. They are read with a cursor within the
 * transaction of the connection. Rejects with the server's error.
 */
export function readBuckets(
  connection: Sql,
  layout: Layout,
  { since, until }: Part,
  { now, subjects }: { now: Date; subjects: Subjects },
): AsyncIterable<Bucket[]> {
  const { source, subject, columns, unit } = layout;
  const id = connection(`b.${subject.source}`);
  const order = subject.type === 'integer' ? id : connection`${id} collate "C"`;
  const buckets =
    source === 'sensor_daily'
      ? connection`api.sensor_daily(${now}, ${since}, ${until})`
      : connection(`api.${source}`);
  return connection<Bucket[]>`
    select to_char(b.timestamp, 'YYYY-MM-DD HH24:MI:SS') as "localStart", ${id} as subject,
      ${connection(columns.map(({ source: name }) => `b.${name}`))}, ${isFlagged(layout) ? flag() : connection`null`} as flag
    from ${buckets} b
    where b.timestamp >= ${since} and b.timestamp < ${until} and ${isPublished()}
    order by b.timestamp, ${order}`.cursor(BATCH_ROWS);

  /** The kinds of flags in the bucket. */
  function flag() {
    return connection`(select string_agg(distinct f.kind, ' ' order by f.kind) from api.station_flag f where f.station_id = ${id}
      and coalesce(f.since < b.timestamp + ${`1 ${unit}`}::text::interval, true) and coalesce(f.until > b.timestamp, true))`;
  }

  /** As a subquery, which is hashed; a list that is cast from text would be searched from its beginning for every row. */
  function isPublished() {
    if (source === 'sensor_daily') return connection`true`; // of listed stations only
    return subject.source === 'region_slug'
      ? connection`b.region_slug in (select unnest(${arrayLiteral(subjects.region_slug)}::text::text[]))`
      : connection`b.station_id in (select unnest(${arrayLiteral(subjects.station_id)}::text::int[]))`;
  }
}

/** The same batches: while one is written, the next is already under way. */
export async function* ahead<T>(batches: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = batches[Symbol.asyncIterator]();
  let next = Promise.resolve(iterator.next());
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = Promise.resolve(iterator.next()); // the driver's may be none
      next.catch(() => undefined); // it is reported when its turn comes
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** A bucket as a line of its file. The database has rounded already, but the files contain 2.0 where JSON has 2. */
export function bucketRow(layout: Layout, bucket: Bucket): Row {
  const values = layout.columns.map(
    ({ source, digits }) => (bucket[source] as number | null)?.toFixed(digits) ?? null,
  );
  const { subject } = bucket;
  const flag = isFlagged(layout) ? [bucket.flag ?? null] : [];
  return [
    typeof subject === 'string' ? textCell(subject) : subject,
    bucket.localStart,
    ...values,
    ...flag,
  ];
}
