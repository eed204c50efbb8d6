/** Hours and days as open data: the queries that read them, and the files they are written to. */
import { type CompiledQuery, sql } from 'kysely';
import { arrayLiteral, type Sql } from '../database/client.ts';
import type { ApiDb } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';
import { type CsvFile, openCsvFile, type Row } from './csvFile.ts';
import { fieldsOf, type Layout } from './layouts.ts';

/** Lines written by file name, without headers; and the names of the files whose content changed. */
export type Exported = { files: Record<string, number>; rewritten: string[] };

/** A bucket of a sensor, station or city, with the columns of its layout by their names in api. `localStart`: its start in the network's zone. */
export type Bucket = { localStart: string; subject: string | number } & Record<string, string | number | null>;

/** Half-open, as text with an offset. */
type TimeRange = { since: string; until: string };

/** What is published: sensors that stand, or stood last, at a listed station, listed stations, and cities. */
export type Subjects = { sensor_id: readonly number[]; station_id: readonly number[]; region_slug: readonly string[] };

/** Rows fetched from the cursor at a time. */
const BATCH_ROWS = 2_000;
const YEAR = '{year}';

/**
 * Splits what is written of a layout into ranges, one per query. Closed buckets only, as in the history windows (H1): without the current
 * hour or day. A file that is written is written from its beginning, so `from` leaves out whole years of files by year, and nothing else.
 */
export async function splitPeriod(
  db: ApiDb,
  { file, extent, unit, rangeBuckets }: Layout,
  { now, from, to }: { now: Date; from?: Date | undefined; to?: Date | undefined },
): Promise<TimeRange[]> {
  const step = sql`${rangeBuckets}::int * ${`1 ${unit}`}::text::interval`;
  const since = from === undefined || !file.includes(YEAR) ? '-infinity' : from.toISOString();
  const ranges = await sql<TimeRange>`
    select start::text as since, least(start + ${step}, extent.until)::text as until
    from (
      select
        greatest(min(b.timestamp), date_trunc('year', ${since}::text::timestamptz)) as since,
        least(max(b.timestamp) + interval '1 second', ${to?.toISOString() ?? 'infinity'}::text::timestamptz,
          date_trunc(${unit}::text, ${now.toISOString()}::text::timestamptz)) as until
      from ${sql.table(`api.${extent}`)} b
      having min(b.timestamp) is not null -- or the extent would be infinite
    ) extent
    cross join lateral generate_series(extent.since, extent.until, ${step}) start
    where start < extent.until
    order by start`.execute(db);
  return ranges.rows;
}

/**
 * The query for the buckets of what is published, ordered by time, then by sensor, station or city. It is compiled but not executed, to be
 * read through the driver's cursor (`inBatches`): the pool limits statements to two seconds, and Kysely's stream() yields single rows.
 */
export function bucketsQuery(
  db: ApiDb,
  { source, subject, columns }: Layout,
  { since, until }: TimeRange,
  { now, subjects }: { now: Date; subjects: Subjects },
): CompiledQuery<Bucket> {
  const id = sql.ref(`b.${subject.source}`);
  const isNumber = subject.type === 'integer';
  const buckets =
    source === 'sensor_daily'
      ? apiRows(source, { at: now, since: new Date(since), until: new Date(until) })
      : sql.table(`api.${source}`);
  // as a subquery, which is hashed; a list that is cast from text would be searched from its beginning for every row
  const isAmong = (column: keyof Subjects, type: string) =>
    sql<boolean>`${sql.ref(`b.${column}`)} in (select unnest(${arrayLiteral(subjects[column])}::text::${sql.raw(type)}))`;
  const query = db
    .selectFrom(sql<{ timestamp: string }>`${buckets}`.as('b')) // typed as what all of them have in common
    .select([
      sql<string>`to_char(b.timestamp, 'YYYY-MM-DD HH24:MI:SS')`.as('localStart'),
      sql<string | number>`${id}`.as('subject'),
      ...columns.map(({ source: name }) => sql<number | null>`${sql.ref(`b.${name}`)}`.as(name)),
    ])
    .where('b.timestamp', '>=', since)
    .where('b.timestamp', '<', until)
    .where(isAmong(subject.source, isNumber ? 'int[]' : 'text[]'))
    .orderBy('b.timestamp')
    .orderBy(isNumber ? id : sql`${id} collate "C"`);
  // a sensor may have stood at a station that is hidden now
  return (source === 'sensor_hourly' ? query.where(isAmong('station_id', 'int[]')) : query).compile();
}

/** The rows of a query in batches, within the transaction of the connection. Rejects with the server's error. */
export function inBatches<Row extends object>(
  connection: Sql,
  { sql: text, parameters }: CompiledQuery<Row>,
): AsyncIterable<Row[]> {
  return connection.unsafe<Row[]>(text, [...parameters] as never[]).cursor(BATCH_ROWS);
}

/** The file of a layout or, with `{year}` in its name, one file per year. Call `commit` or `discard`, once, at the end. */
export type AggregateFiles = {
  /** Buckets in order of time. A new year commits the file of the previous one. */
  write(buckets: readonly Bucket[]): Promise<void>;
  commit(): Promise<void>;
  discard(): Promise<void>;
};

/** `exported` receives the number of lines of each file, and which of them were rewritten. */
export function makeAggregateFiles(folder: string, layout: Layout, exported: Exported): AggregateFiles {
  const { file } = layout;
  const header = fieldsOf(layout).map(({ name }) => name);
  let current: { name: string; csv: CsvFile } | undefined;

  const commitCurrent = async () => {
    if (current !== undefined && (await current.csv.commit())) exported.rewritten.push(current.name);
    current = undefined;
  };
  const switchTo = async (name: string): Promise<CsvFile> => {
    if (current?.name === name) return current.csv;
    await commitCurrent();
    const csv = await openCsvFile(folder, name, header);
    current = { name, csv };
    exported.files[name] = 0;
    return csv;
  };

  return {
    async write(buckets) {
      for (const [name, rows] of rowsByFile(layout, buckets)) {
        const csv = await switchTo(name);
        await csv.write(rows);
        exported.files[name] = (exported.files[name] ?? 0) + rows.length;
      }
    },
    async commit() {
      // without buckets there is no year to name a file after, but the table of days is written, if empty
      if (!file.includes(YEAR)) await switchTo(file);
      await commitCurrent();
    },
    async discard() {
      await current?.csv.discard();
    },
  };
}

function rowsByFile({ file, columns }: Layout, buckets: readonly Bucket[]): Map<string, Row[]> {
  const files = new Map<string, Row[]>();
  for (const bucket of buckets) {
    const name = file.replace(YEAR, bucket.localStart.slice(0, 4));
    const values = columns.map(({ source, digits }) => withDigits(bucket[source] as number | null, digits));
    const rows = files.get(name) ?? [];
    rows.push([bucket.subject, bucket.localStart, ...values]);
    files.set(name, rows);
  }
  return files;
}

/** The database has rounded already, but the files contain 2.0 where JSON has 2. */
function withDigits(value: number | null, digits: number): string | null {
  return value === null ? null : value.toFixed(digits);
}
