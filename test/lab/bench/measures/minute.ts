/**
 * B15: what each minute's refresh costs in a network of 2,000 stations: seconds, and the largest
 * memory of the database's process.
 */
import { connect } from '../../../../src/database/client.ts';
import { memoryOf } from '../load/memory.ts';
import type { Context, Measure, Row } from '../run/measure.ts';
import { bootstrap } from '../run/statistics.ts';
import { addReadings, daysAgo, makeWorld, NOW } from '../run/world.ts';

async function run(context: Context): Promise<Row[]> {
  const stations = context.quick ? 200 : 2_000;
  context.progress(`B15 setting up ${stations} stations`);
  const cityOf = (id: number) => `city-${'abcdefghij'[id % 10]}`;
  const pace = { from: daysAgo(context.quick ? 10 : 90), to: daysAgo(0), every: '1 hour' };
  const { database } = await makeWorld(context.targets, context.engine, { stations, cityOf }, [
    pace,
  ]);
  const took: number[] = [];
  const peaks: number[] = [];
  try {
    for (let minute = 0; minute < (context.quick ? 5 : 15); minute++) {
      const to = new Date(NOW.getTime() + minute * 60_000);
      await addReadings(database.superuser(), stations, {
        from: new Date(to.getTime() - 1_000),
        to,
        every: '1 hour',
      });
      // a connection of its own, as in the service, so its memory is used by one refresh only
      const sql = connect(database.target, { role: 'airseries_owner', name: 'bench refresh' });
      const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, memoryOf(row?.pid ?? 0, 'RssAnon'));
      }, 5);
      const begun = performance.now();
      await sql`call rollup.refresh(${to})`;
      took.push((performance.now() - begun) / 1_000);
      peak = Math.max(peak, memoryOf(row?.pid ?? 0, 'RssAnon'));
      clearInterval(watch);
      await sql.end();
      peaks.push(peak);
    }
  } finally {
    await database.drop();
  }
  const title = `a minute's refresh, ${stations.toLocaleString('en')} stations`;
  const judged = { id: 'B15', title, better: 'lower' } as const;
  const detail = `longest ${Math.max(...took).toFixed(2)} s, one reading a station and minute`;
  return [
    { ...judged, value: bootstrap(took), unit: 's', must: 2, goal: 1, detail },
    {
      ...judged,
      title: `${title}: memory`,
      value: bootstrap(peaks),
      unit: 'MiB',
      must: 256,
      goal: 128,
      detail: 'private',
    },
  ];
}

export const minute: Measure = { ids: ['B15'], title: 'the refresh of each minute', run };
