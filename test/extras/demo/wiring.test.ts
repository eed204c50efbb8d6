/** The configuration of the demo, by its effects on a service. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { engines, testDatabase } from '../../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../../support/installation.ts';
import { address, LAUNCHED_AT as NOW, running } from '../../support/launch.ts';
import { httpGet } from '../../support/service.ts';

const BASE = '/en/air-quality-app/v1';
const engine = engines[0] ?? 'plain';

let here: Installation;
beforeAll(async () => {
  here = await install(engine, citiesOfOneStation(['town']));
  return () => here.close();
});

it('DEMO=on loads the demo into an empty database, and without DEMO a named database stays empty', async () => {
  const stations = async (config: Partial<Config>) => {
    const empty = await testDatabase(engine);
    onTestFinished(() => empty.drop());
    // the history goes this far back
    await empty.as()`update raw.installation set ingest_cutoff = ${NOW}::timestamptz - interval '2 days'`;
    const { service, ports } = await running(here, {
      databaseUrl: address(empty.target),
      ...config,
    });
    const { body } = await httpGet(ports.port, `${BASE}/stations.json`);
    await service.stop(0);
    return JSON.parse(body).stations.length;
  };
  expect(await stations({})).toBe(0); // a database named by an operator
  expect(await stations({ demo: 'on' })).toBeGreaterThan(10);
});

it('a service with the demo shows its map, loads its history though no job runs, and stops loading when it stops', async () => {
  const empty = await testDatabase(engine);
  onTestFinished(() => empty.drop());
  await empty.as()`update raw.installation set ingest_cutoff = ${NOW}::timestamptz - interval '200 days'`;
  const { service, ports } = await running(here, {
    databaseUrl: address(empty.target),
    demo: 'on',
  });
  expect((await httpGet(ports.port, '/en/')).body).toMatch(/data-ground="[^"]+ground\.json"/);
  const oldest = async () => {
    const [row] = await empty.as()`
      select min(measured_at) < ${NOW}::timestamptz - interval '40 days' as is_old from raw.readings`;
    return row?.is_old;
  };
  await expect.poll(oldest).toBe(true);
  await service.stop(0);
  const sessions = await empty.superuser()`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'airseries demo'`;
  expect([...sessions]).toEqual([]);
});
