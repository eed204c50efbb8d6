/**
 * How many connections each pool of a started service opens when more statements hang than it has
 * connections. Sessions stay open for a minute afterwards, and are counted in the database.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine } from '../support/database.ts';
import { beginBatch, httpGet } from '../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { type Launched, launch } from '../support/launch.ts';
import { openTransaction } from '../support/openTransaction.ts';

const BASE = '/en/air-quality-app/v1';
const STATIONS = [...'abcdefghijklmnop'];

type Hanging = {
  /** The table that is locked meanwhile. */
  table: string;
  /** The pool, as metrics name it. */
  pool: string;
  /** How many statements are with the pool before they may go on: more than it has connections. */
  statements: number;
  requests: () => Promise<unknown>[];
};

onOneEngine('connections of a service', (engine) => {
  let here: Installation;
  let superuser: Sql;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(STATIONS));
    superuser = here.database.superuser();
    return () => here.close();
  });

  async function hang({ port }: Launched, { table, pool, statements, requests }: Hanging) {
    const withPool = async () => {
      const { body } = await httpGet(port.admin, '/metrics');
      const count = (name: string) =>
        Number(new RegExp(`_pool_${name}\\{pool="${pool}"\\} (\\d+)`).exec(body)?.[1]);
      return count('in_use') + count('waiting');
    };
    await withPool(); // the collectors of metrics ask the database before it hangs
    // repeated if requests gave up, after two seconds, before enough of them hung
    let hung = false;
    for (let round = 0; !hung && round < 10; round += 1) {
      const end = await openTransaction(superuser, `lock table ${table} in access exclusive mode`);
      let answered = false;
      const answers = Promise.all(requests()).then(() => {
        answered = true;
      });
      while (!hung && !answered) hung = (await withPool()) >= statements;
      await end('rollback');
      await answers;
    }
    expect(hung, `${statements} statements hang`).toBe(true);
  }

  /**
   * Without the one that probes the server while statements take long. Polled, because a pool
   * replaces its connections where this machine is too busy to answer the probe in a second.
   */
  const sessions = async (application: string) =>
    (
      await superuser`
        select from pg_stat_activity
        where datname = current_database() and application_name = ${application}
          and query not in ('', 'select 1')`
    ).length;

  it('the pool of the public API opens 10 connections at most', async () => {
    const service = await launch(here, { role: 'api', responseCacheMb: 0 });
    await hang(service, {
      table: 'api.station',
      pool: 'read',
      statements: 11,
      requests: () =>
        STATIONS.map((_, n) => httpGet(service.port.public, `${BASE}/station/${n + 1}.json`)),
    });
    await expect.poll(() => sessions('airseries read')).toBe(10);
  });

  it('the pool of the list of stations opens 5 connections at most', async () => {
    const service = await launch(here, { role: 'api', responseCacheMb: 0 });
    await hang(service, {
      table: 'raw.station',
      pool: 'read_all',
      statements: 6,
      requests: () =>
        ['en', 'ru', 'hy'].map((locale) =>
          httpGet(service.port.public, `/${locale}/air-quality-app/v1/stations.json`),
        ),
    });
    await expect.poll(() => sessions('airseries read all')).toBe(5);
  });

  it('the pool of ingestion opens 4 connections at most', async () => {
    const owner = here.database.as();
    // a token may send four batches at once
    const tokens = await Promise.all(
      ['one', 'two'].map((name) =>
        createToken(owner, { name, provider: 'us', stations: null, now: NOW }),
      ),
    );
    const service = await launch(here, { role: 'worker' });
    const readings = [{ sensor_id: 1, time: NOW.toISOString(), pm25: 10 }];
    await hang(service, {
      table: 'raw.readings',
      pool: 'write',
      statements: 6,
      requests: () =>
        [...tokens, ...tokens, ...tokens].map(({ token }) =>
          beginBatch({ port: service.port, token }, readings).finish(']'),
        ),
    });
    await expect.poll(() => sessions('airseries ingest')).toBe(4);
  });

  it('the pool of readiness opens 2 connections at most, in a process without the public API', async () => {
    const service = await launch(here, { role: 'worker' });
    await hang(service, {
      table: 'rollup.freshness',
      pool: 'read',
      statements: 3,
      requests: () => STATIONS.map(() => httpGet(service.port.admin, '/readyz')),
    });
    await expect.poll(() => sessions('airseries read')).toBe(2);
  });

  it('all pools are closed when the service stops', async () => {
    const owner = here.database.as();
    const about = { name: 'feed', provider: 'us', stations: null, now: NOW };
    const { token } = await createToken(owner, about);
    const { port, stop } = await launch(here);
    await httpGet(port.public, `${BASE}/stations.json`);
    await beginBatch({ port, token }, []).finish(']');
    const open = () => superuser`
      select from pg_stat_activity
      where datname = current_database() and application_name like 'airseries %'`;
    expect((await open()).length).toBeGreaterThan(2);
    await stop();
    // sooner than idle connections are closed, which takes a minute
    await expect.poll(open, { timeout: 20_000 }).toHaveLength(0);
  });
});
