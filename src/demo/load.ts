/** Fills an empty database with the history of the demo, as fast as a database takes it: a fresh machine waits for this. */
import type { Sql } from '../database/client.ts';
import { copyIn } from '../database/copyIn.ts';
import type { Log } from '../log.ts';
import { makeProgress } from '../progress.ts';
import { demoNetwork } from './network.ts';
import { COPY_COLUMNS, copyLines, type DemoReading, demoBeginning, demoInstants, demoReadings } from './readings.ts';
import { demoTimeZone, newestReading } from './state.ts';

/** A batch is a transaction and costs about 0.1 s whatever its size; in smaller ones little is lost when the load is interrupted. */
const BATCH_ROWS = 100_000;
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
  const enough = done.rows + BATCH_ROWS;
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
