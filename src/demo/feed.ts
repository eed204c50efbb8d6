/** Writes the demo's readings: the last 31 days into an empty database, the two years before them, and whatever is missing up to now. */
import { PARAMETER_NAMES } from '../contract/parameters.ts';
import { arrayLiteral, type Sql, textParameters } from '../database/client.ts';
import { copyIn } from '../database/copyIn.ts';
import type { Log } from '../log.ts';
import { makeProgress } from '../progress.ts';
import { DEMO_PROVIDER, demoNetwork } from './network.ts';
import { COPY_COLUMNS, copyLines, type DemoReading, demoInstants, demoReadings, startOfHistory } from './readings.ts';
import { demoTimeZone, isDemo, newestReading } from './state.ts';

/** A batch is a transaction and costs about 0.1 s at any size; small batches lose less when the load is interrupted. */
const COPY_ROWS = 100_000;
const CHUNK_CHARACTERS = 256 * 1024;

/** A new installation waits for these; the rest of the history follows while it serves requests. */
const RECENT_DAYS = 31;
const HISTORY_PIECE_DAYS = 60;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type LoadOptions = { now: Date; seed: number; log: Log; terminal: boolean };

/** Loads the readings of the last 31 days with COPY, after the newest one if there are some. Run it as the owner. Returns their number. */
export async function loadRecentReadings(sql: Sql, { now, seed, log, terminal }: LoadOptions): Promise<number> {
  const from = (await newestReading(sql)) ?? new Date(now.getTime() - RECENT_DAYS * DAY);
  const network = demoNetwork(await demoTimeZone(sql));
  const progress = makeProgress('loading the demo readings', log, terminal);
  const readings = await copySpan(sql, { network, seed, from, to: now, now }, progress.show);
  progress.hide();
  log.info({ readings }, 'the last 31 days of the demo are loaded');
  return readings;
}

/**
 * Loads what is missing of the two years before `now`, or of what is kept, backwards from the oldest reading. An interrupted load continues
 * where it was; an aborted one ends with the piece it is at. Run it as the owner. Returns the number of readings.
 */
export async function loadHistory(
  sql: Sql,
  { now, seed, log, terminal, signal }: LoadOptions & { signal?: AbortSignal | undefined },
): Promise<number> {
  const { oldest, start } = await missingHistory(sql, now);
  if (oldest.getTime() - start.getTime() < 2 * HOUR) return 0; // the first hour may have no reading
  const network = demoNetwork(await demoTimeZone(sql));
  const progress = makeProgress('loading the history of the demo', log, terminal);
  const whole = oldest.getTime() - start.getTime();
  let rows = 0;
  for (let until = new Date(oldest.getTime() - 1); until > start && signal?.aborted !== true; ) {
    const from = new Date(Math.max(start.getTime(), until.getTime() - HISTORY_PIECE_DAYS * DAY));
    const span = { network, seed, from, to: until, now };
    rows += await copySpan(sql, span, (n, part) =>
      progress.show(rows + n, (oldest.getTime() - until.getTime() + part * (until.getTime() - from.getTime())) / whole),
    );
    until = from;
  }
  progress.hide();
  log.info({ readings: rows }, 'the history of the demo is loaded');
  return rows;
}

async function missingHistory(sql: Sql, now: Date): Promise<{ oldest: Date; start: Date }> {
  const [row] = await sql<{ oldest: string | null; start: string }[]>`
    select (select min(measured_at) from raw.readings) as oldest, greatest(ingest_cutoff, ${startOfHistory(now)}) as start
    from raw.installation`;
  if (row?.oldest == null) return { oldest: now, start: now }; // nothing to continue from
  return { oldest: new Date(row.oldest), start: new Date(row.start) };
}

type ReadingSpan = Required<Parameters<typeof demoReadings>[0]>;

/** `onBatch`: the rows so far, and the part of the span that is done. */
async function copySpan(sql: Sql, span: ReadingSpan, onBatch: (rows: number, part: number) => void): Promise<number> {
  const total = [...demoInstants(span)].length;
  const instants = demoReadings(span);
  const done = { rows: 0, instants: 0 };
  while (done.instants < total) {
    if (!(await copyIn(sql, `copy raw.readings (${COPY_COLUMNS}) from stdin`, nextBatch(instants, done)))) {
      throw new Error('the database refused the readings; its log says why');
    }
    onBatch(done.rows, done.instants / total);
  }
  return done.rows;
}

/** The text of the next batch in chunks: whole instants only, which are counted in `done`. */
function* nextBatch(instants: Generator<DemoReading[]>, done: { rows: number; instants: number }): Generator<string> {
  const enough = done.rows + COPY_ROWS;
  let text = '';
  while (done.rows < enough) {
    const { value, done: isLast } = instants.next();
    if (isLast) break;
    text += copyLines(value);
    done.rows += value.length;
    done.instants += 1;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Bounds memory and the length of a transaction after a long pause. */
const INSERT_ROWS = 20_000;

/**
 * Adds the readings after the newest stored one, up to `now`; returns how many. Can be called at any time, also concurrently; does nothing
 * in a database without the demo.
 */
export async function feedDemo(sql: Sql, { now, seed }: { now: Date; seed: number }): Promise<number> {
  if (!(await isDemo(sql))) return 0;
  const from = (await newestReading(sql)) ?? startOfHistory(now); // none: the load was interrupted before its first batch
  const network = demoNetwork(await demoTimeZone(sql));
  let added = 0;
  let batch: DemoReading[] = [];
  // whole instants in order of time: if this is interrupted, no reading before the newest is missing
  for (const readings of demoReadings({ network, seed, from, to: now })) {
    batch.push(...readings);
    if (batch.length < INSERT_ROWS) continue;
    added += await insert(sql, batch);
    batch = [];
  }
  if (batch.length > 0) added += await insert(sql, batch);
  return added;
}

/** Waits for the lock of deleteDemo before it looks for the provider, so that nothing is added after the demo was removed. */
async function insert(sql: Sql, readings: readonly DemoReading[]): Promise<number> {
  const columns = [
    arrayLiteral(readings.map(({ at }) => new Date(at).toISOString())),
    arrayLiteral(readings.map(({ sensor }) => sensor.id)),
    ...PARAMETER_NAMES.map((name) =>
      arrayLiteral(
        readings.map(({ sensor, values }) => {
          const index = sensor.channels.findIndex((channel) => channel.name === name);
          return values[index] ?? 'null';
        }),
      ),
    ),
  ];
  const types = ['timestamptz[]', 'int[]', ...PARAMETER_NAMES.map(() => 'real[]')];
  const result = await sql.unsafe(
    `insert into raw.readings (${COPY_COLUMNS})
     select * from unnest(${textParameters(types)}) where exists (select from raw.provider where id = $${types.length + 1})
     on conflict do nothing`,
    [...columns, DEMO_PROVIDER],
  );
  return result.count;
}
