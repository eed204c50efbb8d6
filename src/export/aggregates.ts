/** The aggregates of the open data: what is asked, and the files that it fills. */
import { type CompiledQuery, sql } from 'kysely';
import { arrayLiteral, type Sql } from '../database/client.ts';
import type { ApiDb } from '../database/pools.ts';
import { type CsvFile, openCsvFile, type Row } from './csvFile.ts';
import type { Layout } from './layouts.ts';

/** A bucket of a place; `stamp` is its start as the zone's clocks show it. */
export type Bucket = { stamp: string; place: string | number } & Record<string, string | number | null>;

export type Piece = { since: string; until: string };

const BATCH = 2_000;
/** How many buckets of each place one question is about. */
const PIECE_BUCKETS = 750;

/** Closed buckets only, as in the history windows (H1): what begins before the running hour or local day. */
export async function planPieces(
  db: ApiDb,
  { view, unit }: Layout,
  { now, from, to }: { now: Date; from?: Date | undefined; to?: Date | undefined },
): Promise<Piece[]> {
  const step = sql`${PIECE_BUCKETS}::int * ${`1 ${unit}`}::text::interval`;
  const closed = await sql<Piece>`
    select piece::text as since, least(piece + ${step}, extent.until)::text as until
    from (
      select
        greatest(min(b.timestamp), ${from?.toISOString() ?? '-infinity'}::text::timestamptz) as since,
        least(max(b.timestamp) + interval '1 second', ${to?.toISOString() ?? 'infinity'}::text::timestamptz,
          date_trunc(${unit}::text, ${now.toISOString()}::text::timestamptz)) as until
      from ${sql.table(`api.${view}`)} b
      having min(b.timestamp) is not null -- else the periods would be infinite
    ) extent
    cross join lateral generate_series(extent.since, extent.until, ${step}) piece
    where piece < extent.until
    order by piece`.execute(db);
  return closed.rows;
}

/**
 * The statement for the buckets of some places, in order of time, then of place. Compiled and not executed: it is read with the driver's
 * cursor, because the pool of reads has two seconds for a statement and no streams, and Kysely's stream() gives rows one by one.
 */
export function bucketsOf(
  db: ApiDb,
  { view, place, columns }: Layout,
  { since, until }: Piece,
  places: readonly (number | string)[],
): CompiledQuery<Bucket> {
  const key = sql.ref(`b.${place.source}`);
  const isNumber = place.source === 'station_id';
  return db
    .selectFrom(sql<{ timestamp: string }>`${sql.table(`api.${view}`)}`.as('b')) // of four views, what they have in common
    .select([
      sql<string>`to_char(b.timestamp, 'YYYY-MM-DD HH24:MI:SS')`.as('stamp'),
      sql<string | number>`${key}`.as('place'),
      ...columns.map(({ source }) => sql<number | null>`${sql.ref(`b.${source}`)}`.as(source)),
    ])
    .where('b.timestamp', '>=', since)
    .where('b.timestamp', '<', until)
    .where(sql<boolean>`${key} = any (${arrayLiteral(places)}::text::${sql.raw(isNumber ? 'int[]' : 'text[]')})`)
    .orderBy('b.timestamp')
    .orderBy(isNumber ? key : sql`${key} collate "C"`)
    .compile();
}

/** The rows of a statement in batches, within the transaction of the connection. Rejects with the server's error. */
export function inBatches<Row extends object>(
  connection: Sql,
  { sql: text, parameters }: CompiledQuery<Row>,
): AsyncIterable<Row[]> {
  return connection.unsafe<Row[]>(text, [...parameters] as never[]).cursor(BATCH);
}

export type AggregateFiles = {
  write(buckets: readonly Bucket[]): Promise<void>;
  /** The last file is whole. */
  keep(): Promise<void>;
  discard(): Promise<void>;
};

const YEAR = '{year}';

/** `counts` gets the number of lines of each file. */
export function makeAggregateFiles(folder: string, layout: Layout, counts: Record<string, number>): AggregateFiles {
  const { file, place, columns } = layout;
  const header = [place.name, 'timestamp', ...columns.map(({ name }) => name)];
  let open: { name: string; csv: CsvFile } | undefined;

  const turnTo = async (name: string): Promise<CsvFile> => {
    if (open?.name === name) return open.csv;
    await open?.csv.keep();
    open = undefined;
    const csv = await openCsvFile(folder, name, header);
    open = { name, csv };
    counts[name] = 0;
    return csv;
  };

  return {
    async write(buckets) {
      for (const [name, rows] of byFile(layout, buckets)) {
        const csv = await turnTo(name);
        await csv.write(rows);
        counts[name] = (counts[name] ?? 0) + rows.length;
      }
    },
    async keep() {
      // without a bucket there is no year to name a file of, but a table of days is there, if empty
      const csv = file.includes(YEAR) ? open?.csv : await turnTo(file);
      await csv?.keep();
    },
    async discard() {
      await open?.csv.discard();
    },
  };
}

function byFile({ file, columns }: Layout, buckets: readonly Bucket[]): Map<string, Row[]> {
  const files = new Map<string, Row[]>();
  for (const bucket of buckets) {
    const name = file.replace(YEAR, bucket.stamp.slice(0, 4));
    const values = columns.map(({ source, digits }) => asPublished(bucket[source] as number | null, digits));
    const rows = files.get(name) ?? [];
    rows.push([bucket.place, bucket.stamp, ...values]);
    files.set(name, rows);
  }
  return files;
}

/** Rounded already, in the database; but the files say 2.0 where JSON says 2. */
function asPublished(value: number | null, digits: number): string | null {
  return value === null ? null : value.toFixed(digits);
}
