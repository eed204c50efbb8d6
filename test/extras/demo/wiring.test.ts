/** What the configuration of the demo does to a service. */
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

it('DEMO: on loads the demo into an empty database, unset leaves one of an operator empty', async () => {
  const stations = async (config: Partial<Config>) => {
    const empty = await testDatabase(engine);
    onTestFinished(() => empty.drop());
    // as far as its history goes
    await empty.as()`update raw.installation set ingest_cutoff = ${NOW}::timestamptz - interval '2 days'`;
    const { service, ports } = await running(here, {
      databaseUrl: address(empty.target),
      ...config,
    });
    const { body } = await httpGet(ports.port, `${BASE}/stations.json`);
    await service.stop(0);
    return JSON.parse(body).stations.length;
  };
  expect(await stations({})).toBe(0); // it is an operator's
  expect(await stations({ demo: 'on' })).toBeGreaterThan(10);
});
