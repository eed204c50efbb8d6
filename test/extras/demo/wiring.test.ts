/** The configuration of the demo, by its effects on a service. */
import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { NOW } from '../../support/clock.ts';
import { engines, onEveryEngineInAll } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import { type Installation, install } from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { until } from '../../support/patience.ts';

const BASE = '/en/air-quality-app/v1';
const EMPTY = { time_zone: 'Asia/Yerevan', providers: [], regions: [], stations: [] };

/** An empty database whose cutoff is this many days ago: as far as the history of the demo goes. */
async function emptyFor(days: number, engine = engines[0] ?? 'plain'): Promise<Installation> {
  const here = await install(engine, EMPTY);
  onTestFinished(() => here.close());
  await here.database.as()`
    update raw.installation set ingest_cutoff = ${NOW}::timestamptz - ${`${days} days`}::interval`;
  return here;
}

it('DEMO=on loads the demo into an empty database, and without DEMO a named database stays empty', async () => {
  const stations = async (config: Partial<Config>) => {
    const { port, stop } = await launch(await emptyFor(2), config);
    const { body } = await httpGet(port.public, `${BASE}/stations.json`);
    await stop();
    return JSON.parse(body).stations.length;
  };
  expect(await stations({})).toBe(0); // a database named by an operator
  expect(await stations({ demo: 'on' })).toBeGreaterThan(10);
});

onEveryEngineInAll('a service with the demo', (engine) => {
  it('the demo has values of the last month once it is ready, and older ones once the history is loaded', async () => {
    const here = await emptyFor(40, engine);
    const sql = here.database.as();
    const { port, errors, stop } = await launch(here, { demo: 'on' });
    const [atOnce] = await sql<{ hours: number; regions: number }[]>`
      select (select count(*)::int from rollup.region_hourly) as hours,
        (select count(*)::int from rollup.digest) as regions`;
    expect(atOnce?.hours).toBeGreaterThan(30 * 24);
    expect(atOnce?.regions).toBeGreaterThan(5);
    expect((await httpGet(port.public, '/en/')).body).toMatch(/data-ground="[^"]+ground\.json"/);
    const showsHistory = async () =>
      (
        await sql`
          select from rollup.station_daily where bucket < ${NOW}::timestamptz - interval '33 days'`
      ).length > 0;
    await until(showsHistory, 'the history shows');
    await stop();
    expect(errors()).toEqual([]);
    expect(await sql`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
  });
});

it('a service with the demo stops loading the history when it stops', async () => {
  const here = await emptyFor(200);
  const superuser = here.database.superuser();
  const loading = async () =>
    (
      await superuser`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'airseries demo'`
    ).length;
  const { stop } = await launch(here, { demo: 'on' });
  await until(async () => (await loading()) > 0, 'it loads its history');
  await stop();
  expect(await loading()).toBe(0);
});
