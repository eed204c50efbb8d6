/** B6: each window of a history with 10 and 100 times the readings: what is served must not depend on how often stations report. */
import { connect } from '../../../src/database/client.ts';
import { type Context, type Measure, type Row, ratioRow } from '../run/measure.ts';
import { compare } from '../run/rounds.ts';
import { median } from '../run/statistics.ts';
import { daysAgo, makeWorld, NOW, TIME_ZONE, type World } from '../run/world.ts';

const STATIONS = 10;
const WINDOWS = ['24h', '7d', '30d', '1y', '2y'];

/** Median milliseconds of one window of one station. */
function timed({ database }: World, window: string, times: number) {
  const sql = connect(database.target, { role: 'airseries_reader', timeZone: TIME_ZONE, max: 1 });
  const text = `select * from api.station_history($1, $2) where series = '${window}' order by timestamp`;
  const ask = () => sql.unsafe(text, [NOW, 3] as never[], { prepare: true });
  const variant = async () => {
    const took: number[] = [];
    for (let turn = 0; turn < times; turn++) {
      const begun = performance.now();
      await ask();
      took.push(performance.now() - begun);
    }
    return median(took);
  };
  return { variant, rows: async () => (await ask()).length, close: () => sql.end() };
}

async function run(context: Context): Promise<Row[]> {
  const { targets, engine, quick } = context;
  const days = quick ? 60 : 730;
  const worlds: World[] = [];
  const rows: Row[] = [];
  try {
    for (const every of ['1 hour', '6 minutes', ...(quick ? [] : ['36 seconds'])]) {
      context.progress(`B6 setting up ${STATIONS} stations, a reading each ${every}`);
      worlds.push(await makeWorld(targets, engine, { stations: STATIONS }, [{ from: daysAgo(days), to: NOW, every }]));
    }
    const [once, ...more] = worlds as [World, ...World[]];
    for (const [index, world] of more.entries()) {
      for (const window of WINDOWS) {
        const [ours, reference] = [timed(world, window, quick ? 20 : 60), timed(once, window, quick ? 20 : 60)];
        if ((await ours.rows()) !== (await reference.rows()))
          throw new Error(`${window} has another number of buckets`);
        const compared = await compare({ ours: ours.variant, reference: reference.variant, rounds: quick ? 3 : 9 });
        await ours.close();
        await reference.close();
        const title = `window ${window}, ${10 ** (index + 1)} times the readings ÷ hourly`;
        rows.push(ratioRow(compared, { id: 'B6', title, unit: 'ms', better: 'lower', must: 1.25, goal: 1.05 }));
      }
    }
  } finally {
    for (const { database } of worlds) await database.drop();
  }
  return rows;
}

export const density: Measure = { ids: ['B6'], title: 'windows with many times the readings', run };
