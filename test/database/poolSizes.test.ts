/**
 * How many connections each pool of a started service opens when more statements hang than it has
 * connections. Sessions stay open for a minute afterwards, and are counted in the database.
 */

import { beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { onOneEngine } from '../support/database.ts';
import { beginBatch, httpGet } from '../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { launch, LAUNCHED_AT as NOW } from '../support/launch.ts';
import { lockWaits } from '../support/lockWaits.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { until } from '../support/patience.ts';

const BASE = '/en/air-quality-app/v1';
/** More than any pool has connections. */
const STATIONS = [...'abcdefghijklmnop'];

onOneEngine('under more statements than it has connections', (engine) => {
  let here: Installation;
  let superuser: Sql;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(STATIONS));
    superuser = here.database.superuser();
    return () => here.close();
  });

  /** Sends requests while nobody may read or write the table; resolves once all are answered. */
  async function whileLocked(
    table: string,
    application: string,
    requests: () => Promise<unknown>[],
  ) {
    const end = await openTransaction(superuser, `lock table ${table} in access exclusive mode`);
    const answers = requests();
    const isWaiting = async () => (await lockWaits(superuser, { of: application })).length > 1;
    await until(isWaiting, 'statements wait');
    // others connect meanwhile; a public request gives up after two seconds
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await end('rollback');
    await Promise.all(answers);
  }

  const sessions = async (application: string) =>
    (
      await superuser`
        select from pg_stat_activity
        where datname = current_database() and application_name = ${application}`
    ).length;

  it('the public API opens 10', async () => {
    const { port } = await launch(here, { role: 'api' });
    await whileLocked('api.station', 'airseries read', () =>
      STATIONS.map((_, n) => httpGet(port.public, `${BASE}/station/${n + 1}.json`)),
    );
    expect(await sessions('airseries read')).toBe(10);
  });

  it('the list of stations and the collectors of metrics open 5, and one that probes', async () => {
    const { port } = await launch(here, { role: 'api' });
    await whileLocked('raw.station', 'airseries read all', () =>
      ['en', 'ru', 'hy'].map((locale) =>
        httpGet(port.public, `/${locale}/air-quality-app/v1/stations.json`),
      ),
    );
    expect(await sessions('airseries read all')).toBe(6);
  });

  it('ingestion opens 4, and one that probes', async () => {
    const { port } = await launch(here, { role: 'worker' });
    const owner = here.database.as();
    // a token may send four batches at once
    const tokens = await Promise.all(
      ['one', 'two'].map((name) =>
        createToken(owner, { name, provider: 'us', stations: null, now: NOW }),
      ),
    );
    const readings = [{ sensor_id: 1, time: NOW.toISOString(), pm25: 10 }];
    await expect.poll(async () => (await httpGet(port.ingest, '/')).status).toBe(404);
    await whileLocked('raw.readings', 'airseries ingest', () =>
      [...tokens, ...tokens, ...tokens].map(({ token }) =>
        beginBatch({ port, token }, readings).finish(']'),
      ),
    );
    expect(await sessions('airseries ingest')).toBe(5);
  });

  it('readiness opens 2, in a process that answers no other requests', async () => {
    const { port } = await launch(here, { role: 'worker' });
    await whileLocked('rollup.freshness', 'airseries read', () =>
      STATIONS.map(() => httpGet(port.admin, '/readyz')),
    );
    expect(await sessions('airseries read')).toBe(2);
  });
});
