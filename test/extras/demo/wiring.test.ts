/** The configuration of the demo, by its effects on a service. */
import { expect, it, onTestFinished } from 'vitest';
import { NOW } from '../../support/clock.ts';
import { engines, onEveryEngineInAll } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import { type Installation, install } from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { until } from '../../support/patience.ts';
import { needs } from '../../support/tools.ts';

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
const stations = async (port: number) =>
  JSON.parse((await httpGet(port, `${BASE}/stations.json`)).body).stations.length;

it('without DEMO a database that an operator named stays empty', async () => {
  const { port } = await launch(await emptyFor(2));
  expect(await stations(port.public)).toBe(0);
});

onEveryEngineInAll('a service with the demo', (engine) => {
  it('the demo has values once the service is ready', async () => {
    const here = await emptyFor(3, engine);
    const { port, errors } = await launch(here, { demo: 'on' });
    expect(await stations(port.public)).toBeGreaterThan(10);
    const [atOnce] = await here.database.as()<{ hours: number; regions: number }[]>`
      select (select count(*)::int from rollup.region_hourly) as hours,
        (select count(*)::int from rollup.digest) as regions`;
    expect(atOnce?.hours).toBeGreaterThan(2 * 24);
    expect(atOnce?.regions).toBeGreaterThan(5);
    expect((await httpGet(port.public, '/en/')).body).toMatch(/data-ground="[^"]+ground\.json"/);
    expect(errors()).toEqual([]);
  });

  // in npm test: readings.test.ts: what the history consists of
  it(
    'the history of the demo is loaded behind a service that is ready, and no longer when it stops',
    needs('all'),
    async () => {
      const here = await emptyFor(155, engine); // four pieces, the last of four days
      const [sql, superuser] = [here.database.as(), here.database.superuser()];
      const { errors, stop } = await launch(here, { demo: 'on' });
      const copying = () => superuser`
        select from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and l.relation = 'raw.readings'::regclass
          and l.mode = 'RowExclusiveLock'`;
      await until(async () => (await copying()).length > 0, 'the second piece is copied');
      // the second piece is loaded before it has the lock, and the third waits for it
      const end = await openTransaction(superuser, 'lock table raw.readings in share mode');
      const isShown = async () => {
        const days = await sql`
          select from rollup.station_daily where bucket < ${NOW}::timestamptz - interval '33 days'`;
        return days.length > 0;
      };
      await until(isShown, 'the history shows');
      const stopped = stop();
      await end('rollback');
      await stopped;
      const loading = await superuser`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'airseries demo'`;
      expect([loading, errors()]).toEqual([[], []]);
      expect(
        await sql`select * from logic.differences(${NOW}::timestamptz - interval '40 days', 'infinity')`,
      ).toEqual([]);
      expect(
        await sql`select from raw.readings where measured_at < ${NOW}::timestamptz - interval '152 days'`,
      ).toEqual([]);
    },
  );
});
