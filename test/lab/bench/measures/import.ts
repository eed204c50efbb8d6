/**
 * B7: how fast a file of readings comes in, and until it shows in every window, next to the best
 * that the same server does with the same rows: a COPY into a plain table with the same key.
 */
import { gzipSync } from 'node:zlib';
import { refresh } from '../../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../../src/base/log.ts';
import { importReadings } from '../../../../src/ingest/importReadings.ts';
import { importNetwork } from '../../../../src/network/importNetwork.ts';
import { copyIn } from '../../../database/copyIn.ts';
import { READING_FORMATS } from '../../../support/formats.ts';
import { makeDatabase } from '../../../support/makeDatabase.ts';
import { HEADER, linesOf, writeTemporary } from '../run/files.ts';
import { type Context, type Measure, type Row, ratioRow } from '../run/measure.ts';
import { networkOf, TIME_ZONE } from '../run/network.ts';
import { comparisonOf } from '../run/rounds.ts';
import { seconds } from '../run/statistics.ts';
import { NOW } from '../run/world.ts';

const STATIONS = 20;
const log = makeLog('silent');

function* chunks(lines: readonly string[]): Generator<string> {
  for (let from = 0; from < lines.length; from += 5_000)
    yield `${lines.slice(from, from + 5_000).join('\n')}\n`;
}

/**
 * Seconds of an import between two copies, in a fresh database each time: a second import of the
 * same readings changes nothing.
 */
async function round({ targets, engine }: Context, file: string, lines: readonly string[]) {
  const database = await makeDatabase(targets, engine, TIME_ZONE);
  const owner = database.as();
  await importNetwork(owner, JSON.stringify(networkOf({ stations: STATIONS })), { log });
  const copy = async (table: string) => {
    await owner.unsafe(`create table ${table} (sensor_id int, time timestamptz, pm25 real,
      pm10 real, temperature real, humidity real, pressure real, primary key (sensor_id, time))`);
    const into = `copy ${table} from stdin (format csv)`;
    return await seconds(() => copyIn(owner, into, chunks(lines)));
  };
  const first = await copy('rollup.plain');
  const options = { formats: READING_FORMATS, now: NOW, log, terminal: false };
  const ingest = database.as('airseries_ingest');
  const imported = await seconds(() => importReadings(ingest, [file], options));
  const refreshed = await seconds(() => refresh(database.target, () => NOW));
  const second = await copy('rollup.again');
  const [row] = await owner`select count(*)::int as count from raw.readings`;
  if (row?.count !== lines.length)
    throw new Error(`${row?.count} of ${lines.length} readings were imported`);
  await database.drop();
  return { first, second, imported, visible: imported + refreshed };
}

async function run(context: Context): Promise<Row[]> {
  const steps = context.quick ? 5_000 : 48_000;
  // every 145 s, as the most common firmware reports
  const lines = linesOf(STATIONS, NOW.getTime(), steps, 145_000);
  const text = gzipSync(`${HEADER}\n${lines.join('\n')}\n`);
  const file = writeTemporary(context, 'readings.csv.gz', text);
  const rounds: Awaited<ReturnType<typeof round>>[] = [];
  for (let n = 0; n < (context.quick ? 2 : 5); n++) {
    context.progress(`B7 round ${n + 1}`);
    rounds.push(await round(context, file, lines));
  }
  const rates = (of: keyof (typeof rounds)[number]) => rounds.map((one) => lines.length / one[of]);
  const row = (title: string, of: 'imported' | 'visible', must: number, goal: number): Row => {
    const compared = comparisonOf(rates(of), rates('first'), rates('second'));
    const judged = { id: 'B7', title, must, goal, better: 'higher' } as const;
    return ratioRow(compared, { ...judged, unit: 'readings/s' });
  };
  return [
    // a binary COPY into raw.readings by itself reaches 0.5
    row('import ÷ COPY into a plain table', 'imported', 0.4, 0.5),
    row('import until everything shows ÷ COPY', 'visible', 0.2, 0.3),
  ];
}

export const imported: Measure = { ids: ['B7'], title: 'import next to COPY', run };
