/**
 * B15: what each minute's refresh costs in a network of 2,000 stations: seconds, and the largest
 * memory of the database's process.
 */
import { connect } from '../../../../src/database/client.ts';
import { memoryOf } from '../load/system.ts';
import { type Context, figureRow, type Measure, type Row } from '../run/measure.ts';
import { addReadings } from '../run/network.ts';
import { seconds } from '../run/statistics.ts';
import { daysAgo, makeWorld, NOW } from '../run/world.ts';

async function run(context: Context): Promise<Row[]> {
  const stations = context.quick ? 200 : 2_000;
  context.progress(`B15 setting up ${stations} stations`);
  const shape = { stations, stationsOfACity: stations / 10 };
  const pace = { from: daysAgo(context.quick ? 10 : 90), to: daysAgo(0), every: '1 hour' };
  const { database } = await makeWorld(context, shape, pace);
  const took: number[] = [];
  const peaks: number[] = [];
  for (let minute = 0; minute < (context.quick ? 5 : 15); minute++) {
    const to = new Date(NOW.getTime() + minute * 60_000);
    const from = new Date(to.getTime() - 1_000);
    await addReadings(database.superuser(), shape, { from, to, every: '1 hour' });
    // a connection of its own, as in the service, so its memory is used by one refresh only
    const sql = connect(database.target, { role: 'airseries_owner', name: 'bench refresh' });
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const used: number[] = [];
    const look = () => used.push(memoryOf(row?.pid ?? 0, 'RssAnon'));
    const watch = setInterval(look, 5);
    took.push(await seconds(() => sql`call rollup.refresh(${to})`));
    look();
    peaks.push(Math.max(...used));
    clearInterval(watch);
    await sql.end();
  }
  const title = `a minute's refresh, ${stations.toLocaleString('en')} stations`;
  const memory = { title: `${title}: private memory`, unit: 'MiB', must: 256, goal: 128 };
  return [
    figureRow(took, { id: 'B15', title, unit: 's', must: 2, goal: 1 }),
    figureRow(peaks, { id: 'B15', ...memory }),
  ];
}

export const minute: Measure = { ids: ['B15'], title: 'the refresh of each minute', run };
