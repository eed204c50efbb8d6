/** Which connections a pool uses. How it behaves without its database is in test/serve/away.test.ts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { arrayLiteral } from '../../src/database/client.ts';
import { openQueryPool, type QueryPool } from '../../src/database/queryPool.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';

onOneEngine('a pool', (engine) => {
  let database: TestDatabase;
  let pool: QueryPool;
  const open = () =>
    openQueryPool(database.target, {
      ...{ role: 'airseries_reader', name: 'airseries read', timeZone: 'UTC', max: 3 },
      ...{ statementTimeoutMs: 20_000, totalTimeoutMs: 30_000, maxWaiting: 10 },
    });
  beforeAll(async () => {
    database = await testDatabase(engine);
    pool = open();
  });
  afterAll(async () => {
    await pool.close();
    await database.drop();
  });

  const backend = async (of = pool) => {
    const [row] = (await of.query('select pg_backend_pid() as pid from pg_sleep(0.05)', [])) as {
      pid: number;
    }[];
    return row?.pid;
  };

  it('opens a connection when it has none that is idle, up to its size', async () => {
    const first = await backend();
    expect(await backend()).toBe(first);
    const all = await Promise.all(Array.from({ length: 6 }, () => backend()));
    expect(new Set(all).size).toBe(3);
    expect(all).toContain(first);
  });

  it('uses the connection again that was used last', async () => {
    await Promise.all(Array.from({ length: 3 }, () => backend()));
    const last = await backend();
    for (let n = 0; n < 5; n++) expect(await backend()).toBe(last);
  });

  it('closes all of its connections', async () => {
    const other = open();
    const backends = await Promise.all(Array.from({ length: 3 }, () => backend(other)));
    await other.close();
    const left = () =>
      database.superuser()`select from pg_stat_activity where pid = any (${arrayLiteral(backends as number[])}::int[])`;
    await expect.poll(left).toHaveLength(0);
  });
});
