/** Hours and days as open data: the queries that read them, and the files they are written to. */
import { type CompiledQuery, sql } from 'kysely';
import { arrayLiteral, type Sql } from '../database/client.ts';
import type { ApiDb } from '../database/pools.ts';
import { type CsvFile, openCsvFile, type Row } from './csvFile.ts';
import type { Layout } from './layouts.ts';

/** A bucket of a station or city, with the columns of its layout by their names in api. `localStart`: its start in the network's zone. */
export type Bucket = { localStart: string; subject: string | number } & Record<string, string | number | null>;

/** Half-open, as text with an offset. */
export type TimeRange = { since: string; until: string };

/** Rows fetched from the cursor at a time. */
const BATCH_ROWS = 2_000;
/** Buckets per station or city in one query. */
const RANGE_BUCKETS = 750;

/** Splits a period into ranges, one per query. Closed buckets only, as in the history windows (H1): without the current hour or day. */
export async function splitPeriod(
  db: ApiDb,
  { view, unit }: Layout,
  { now, from, to }: { now: Date; from?: Date | undefined; to?: Date | undefined },
): Promise<TimeRange[]> {
  const step = sql`${RANGE_BUCKETS}::int * ${`1 ${unit}`}::text::interval`;
  const ranges = await sql<TimeRange>`
    select start::text as since, least(start + ${step}, extent.until)::text as until
    from (
      select
        greatest(min(b.timestamp), ${from?.toISOString() ?? '-infinity'}::text::timestamptz) as since,
        least(max(b.timestamp) + interval '1 second', ${to?.toISOString() ?? 'infinity'}::text::timestamptz,
          date_trunc(${unit}::text, ${now.toISOString()}::text::timestamptz)) as until
      from ${sql.table(`api.${view}`)} b
      having min(b.timestamp) is not null -- or the extent would be infinite
    ) extent
    cross join lateral generate_series(extent.since, extent.until, ${step}) start
    where start < extent.until
    order by start`.execute(db);
  return ranges.rows;
}

/**
 * The query for the buckets of some stations or cities, ordered by time, then by station or city. It is compiled but not executed, to be
 * read through the driver's cursor (`inBatches`): the pool limits statements to two seconds, and Kysely's stream() yields single rows.
 */
export function bucketsQuery(
  db: ApiDb,
  { view, subject, columns }: Layout,
  { since, until }: TimeRange,
  ids: readonly (number | string)[],
): CompiledQuery<Bucket> {
  const id = sql.ref(`b.${subject.source}`);
  const isNumber = subject.source === 'station_id';
  return db
    .selectFrom(sql<{ timestamp: string }>`${sql.table(`api.${view}`)}`.as('b')) // typed as what the four views have in common
    .select([
      sql<string>`to_char(b.timestamp, 'YYYY-MM-DD HH24:MI:SS')`.as('localStart'),
      sql<string | number>`${id}`.as('subject'),
      ...columns.map(({ source }) => sql<number | null>`${sql.ref(`b.${source}`)}`.as(source)),
    ])
    .where('b.timestamp', '>=', since)
    .where('b.timestamp', '<', until)
    .where(sql<boolean>`${id} = any (${arrayLiteral(ids)}::text::${sql.raw(isNumber ? 'int[]' : 'text[]')})`)
    .orderBy('b.timestamp')
    .orderBy(isNumber ? id : sql`${id} collate "C"`)
    .compile();
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

const YEAR = '{year}';

/** `counts` receives the number of lines of each file, by file name. */
export function makeAggregateFiles(folder: string, layout: Layout, counts: Record<string, number>): AggregateFiles {
  const { file, subject, columns } = layout;
  const header = [subject.name, 'timestamp', ...columns.map(({ name }) => name)];
  let current: { name: string; csv: CsvFile } | undefined;

  const switchTo = async (name: string): Promise<CsvFile> => {
    if (current?.name === name) return current.csv;
    await current?.csv.commit();
    current = undefined;
    const csv = await openCsvFile(folder, name, header);
    current = { name, csv };
    counts[name] = 0;
    return csv;
  };

  return {
    async write(buckets) {
      for (const [name, rows] of rowsByFile(layout, buckets)) {
        const csv = await switchTo(name);
        await csv.write(rows);
        counts[name] = (counts[name] ?? 0) + rows.length;
      }
    },
    async commit() {
      // without buckets there is no year to name a file after, but the table of days is written, if empty
      const csv = file.includes(YEAR) ? current?.csv : await switchTo(file);
      await csv?.commit();
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
