/** Writes the demo's readings: the last 31 days into an empty database, the two years before them, and whatever is missing up to now. */
import type { ReservedSql } from 'postgres';
import type { Progress } from '../../base/progress.ts';
import type { Sql } from '../../database/client.ts';
import { copyRows, inTransaction } from '../../database/copyIn.ts';
import { DEMO_PROVIDER, demoNetwork } from './network.ts';
import { COPY_COLUMNS, copyLines, demoReadings } from './readings.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A new installation waits for these; the rest of the history follows while it serves requests. */
const RECENT = 31 * DAY;
/** Each piece is a transaction, so that an interrupted load leaves no gap. */
const HISTORY_PIECE = 60 * DAY;
const CHUNK_CHARACTERS = 256 * 1024;

type Show = Progress['show'];

/**
 * Adds the readings after the newest stored one, or of the last 31 days, up to `now`; returns how many. Can be called at any time, also
 * concurrently; does nothing in a database without the demo.
 */
export async function feedDemo(sql: Sql, now: Date, show: Show = () => undefined): Promise<number> {
  return await inTransaction(sql, async (connection) => {
    // the lock: one feed at a time, and none while the demo is removed
    const [provider] =
      await connection`select from raw.provider where id = ${DEMO_PROVIDER} for no key update`;
    if (provider === undefined) return 0;
    const [stored] = await connection<{ zone: string; from: string }[]>`
      select time_zone as zone, coalesce(
        (select max(measured_at) from raw.readings),
        greatest(${new Date(now.getTime() - RECENT)}, epoch::timestamp at time zone time_zone)) as from
      from raw.installation`;
    const { zone, from } = stored as NonNullable<typeof stored>; // the provider is of a network
    return await copySpan(
      connection,
      { network: demoNetwork(zone), from: new Date(from), to: now, now },
      show,
    );
  });
}

/**
 * Loads what is missing of the two years before `now`, or of what is kept, backwards from the oldest reading. An interrupted load continues
 * where it was; an aborted one ends with the piece it is at. Run it as the owner. Returns the number of readings.
 */
export async function loadHistory(
  sql: Sql,
  now: Date,
  { show = () => undefined, signal }: { show?: Show; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const [stored] = await sql<{ zone: string; oldest: string | null; start: string }[]>`
    select time_zone as zone, (select min(measured_at) from raw.readings) as oldest,
      greatest(ingest_cutoff, epoch::timestamp at time zone time_zone, ${now}::timestamptz - interval '2 years') as start
    from raw.installation`;
  if (stored?.oldest == null) return 0; // nothing to continue from
  const [oldest, start] = [Date.parse(stored.oldest), Date.parse(stored.start)];
  if (oldest - start < 2 * HOUR) return 0; // the first hour may have no reading
  const network = demoNetwork(stored.zone);
  let rows = 0;
  for (let until = oldest - 1; until > start && signal?.aborted !== true; until -= HISTORY_PIECE) {
    const from = Math.max(start, until - HISTORY_PIECE);
    const span = { network, from: new Date(from), to: new Date(until), now };
    const showWhole: Show = (n, part = 0) =>
      show(rows + n, (oldest - until + part * (until - from)) / (oldest - start));
    rows += await inTransaction(sql, (connection) => copySpan(connection, span, showWhole));
  }
  return rows;
}

type Span = Required<Parameters<typeof demoReadings>[0]>;

/** Copies the readings of the span, and returns how many. */
async function copySpan(connection: ReservedSql, span: Span, show: Show): Promise<number> {
  let rows = 0;
  function* chunks(): Generator<string> {
    const [from, to] = [span.from.getTime(), span.to.getTime()];
    let text = '';
    for (const readings of demoReadings(span)) {
      text += copyLines(readings);
      rows += readings.length;
      show(rows, ((readings[0]?.at ?? from) - from) / (to - from));
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
  await copyRows(connection, `copy raw.readings (${COPY_COLUMNS}) from stdin`, chunks());
  return rows;
}
