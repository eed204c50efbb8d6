/** Keeps the demo alive: brings its readings from the newest stored one up to now, whether that is ten minutes or a year. */
import { PARAMETER_NAMES } from '../contract/parameters.ts';
import { arrayLiteral, type Sql, textParameters } from '../database/client.ts';
import { copyIn } from '../database/copyIn.ts';
import type { Log } from '../log.ts';
import { makeProgress } from '../progress.ts';
import { demoTimeZone, isDemo, newestReading } from './lifecycle.ts';
import { DEMO_PROVIDER, demoNetwork } from './network.ts';
import { COPY_COLUMNS, copyLines, type DemoReading, demoBeginning, demoInstants, demoReadings } from './readings.ts';

/** Bounds memory and the length of a transaction after a long pause. */
const BATCH_ROWS = 20_000;

/** Returns the rows added. May be called at any time and by two at once; does nothing in a database without the demo. */
export async function feedDemo(sql: Sql, { now, seed }: { now: Date; seed: number }): Promise<number> {
  if (!(await isDemo(sql))) return 0;
  const from = (await newestReading(sql)) ?? demoBeginning(now); // none: the load was interrupted before its first batch
  const network = demoNetwork(await demoTimeZone(sql));
  let added = 0;
  let batch: DemoReading[] = [];
  // whole instants in the order of time: wherever this is interrupted, nothing before the newest reading is left out
  for (const readings of demoReadings({ network, seed, from, to: now })) {
    batch.push(...readings);
    if (batch.length < BATCH_ROWS) continue;
    added += await insert(sql, batch);
    batch = [];
  }
  if (batch.length > 0) added += await insert(sql, batch);
  return added;
}

/** The lock on readings that removeDemo holds is awaited before the provider is looked for, so nothing is added behind its back. */
async function insert(sql: Sql, readings: readonly DemoReading[]): Promise<number> {
  const columns = [
    arrayLiteral(readings.map(({ at }) => new Date(at).toISOString())),
    arrayLiteral(readings.map(({ sensor }) => sensor.id)),
    ...PARAMETER_NAMES.map((name) =>
      arrayLiteral(
        readings.map(({ sensor, values }) => {
          const place = sensor.outputs.findIndex((output) => output.name === name);
          return values[place] ?? 'null';
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

/** Fills an empty database with the history of the demo, as fast as a database takes it: a fresh machine waits for this. */

/** A batch is a transaction and costs about 0.1 s whatever its size; in smaller ones little is lost when the load is interrupted. */
const COPY_ROWS = 100_000;
const CHUNK_CHARACTERS = 256 * 1024;

type Options = { now: Date; seed: number; log: Log; terminal: boolean; since?: Date };

/** As the owner. Goes on after the newest reading, so an interrupted load can simply be called again. Returns the rows loaded. */
export async function loadDemoReadings(
  sql: Sql,
  { now, seed, log, terminal, since = demoBeginning(now) }: Options,
): Promise<number> {
  const network = demoNetwork(await demoTimeZone(sql));
  const from = (await newestReading(sql)) ?? since;
  const total = [...demoInstants(from, now)].length;
  const progress = makeProgress('loading the demo readings', log, terminal);
  const instants = demoReadings({ network, seed, from, to: now });
  const done = { rows: 0, instants: 0 };
  while (done.instants < total) {
    await copyIn(sql, `copy raw.readings (${COPY_COLUMNS}) from stdin`, batchOf(instants, done));
    progress.show(done.rows, done.instants / total);
  }
  progress.hide();
  log.info({ readings: done.rows }, 'demo readings loaded');
  return done.rows;
}

/** The text of the next batch, whole instants only, in chunks; counts them in `done`. */
function* batchOf(instants: Generator<DemoReading[]>, done: { rows: number; instants: number }): Generator<string> {
  const enough = done.rows + COPY_ROWS;
  let text = '';
  while (done.rows < enough) {
    const { value, done: over } = instants.next();
    if (over) break;
    text += copyLines(value);
    done.rows += value.length;
    done.instants += 1;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield text;
}
