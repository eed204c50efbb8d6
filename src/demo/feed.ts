/** Writes the demo's readings: two years of history into an empty database, then whatever is missing up to now. */
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

type LoadOptions = { now: Date; seed: number; log: Log; terminal: boolean; since?: Date };

/**
 * Loads the history with COPY, since a new installation waits for it. Run it as the owner. Continues after the newest reading, so an
 * interrupted load can simply be repeated. Returns the number of readings loaded.
 */
export async function loadDemoReadings(
  sql: Sql,
  { now, seed, log, terminal, since = startOfHistory(now) }: LoadOptions,
): Promise<number> {
  const network = demoNetwork(await demoTimeZone(sql));
  const from = (await newestReading(sql)) ?? since;
  const total = [...demoInstants(from, now)].length;
  const progress = makeProgress('loading the demo readings', log, terminal);
  const instants = demoReadings({ network, seed, from, to: now });
  const done = { rows: 0, instants: 0 };
  while (done.instants < total) {
    await copyIn(sql, `copy raw.readings (${COPY_COLUMNS}) from stdin`, nextBatch(instants, done));
    progress.show(done.rows, done.instants / total);
  }
  progress.hide();
  log.info({ readings: done.rows }, 'demo readings loaded');
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
