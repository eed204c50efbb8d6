/**
 * A database that stops responding without closing its connections: the network is cut, or the
 * server froze. Everything that waits for it gives up in time, and continues when it is back.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { refresh } from '../../../../src/aggregate/refresh.ts';
import { Unavailable } from '../../../../src/base/unavailable.ts';
import type { Sql } from '../../../../src/database/client.ts';
import { openIngestPool } from '../../../../src/database/pools.ts';
import { NOW } from '../../../support/clock.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../../../support/database.ts';
import { openWire, type Wire } from '../../../support/wire.ts';

async function seconds(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return (performance.now() - began) / 1_000;
}

onOneEngine('a silent database', (engine) => {
  let database: TestDatabase;
  let blocker: Sql;
  let wire: Wire;
  beforeAll(async () => {
    database = await testDatabase(engine);
    blocker = database.superuser();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    wire = await openWire(database.target);
    return () => wire.close();
  });

  const waiting = (name: string, event: string) => async () => {
    const [row] = await blocker`select from pg_stat_activity
      where datname = current_database() and application_name = ${name} and wait_event_type = ${event}`;
    return row !== undefined;
  };
  const until = async (condition: () => boolean | Promise<boolean>) => {
    while (!(await condition())) await blocker`select pg_sleep(0.01)`;
  };

  it('a running refresh fails within ten seconds after the network is cut, and the next one gets its lock', async ({
    annotate,
  }) => {
    await blocker`call raw.acquire_lock('rollup.refresh')`;
    const refreshing = refresh(wire.target, () => NOW);
    const ended = expect(refreshing).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await until(waiting('airseries refresh', 'Lock'));
    wire.cut(true);
    const took = await seconds(ended);
    await blocker`select raw.release_lock('rollup.refresh')`;
    expect(took).toBeLessThan(10);
    await annotate(`row 5, ${engine}: a refresh on a cut network ended after ${took.toFixed(1)} s`);
    await refresh(database.target, () => NOW);
  });

  it('a statement of 3.5 seconds is not given up while the server is working', async () => {
    const writes = openIngestPool(database.target, { timeZone: 'UTC', max: 1 });
    expect(await writes.query('select pg_sleep(3.5)', [])).toHaveLength(1);
    await writes.close();
  });

  it('readings are refused within three seconds, also while they wait for a connection', async ({
    annotate,
  }) => {
    const writes = openIngestPool(wire.target, { timeZone: 'UTC', max: 4 });
    await writes.query('select 1', []);
    wire.cut(true);
    const all = Array.from({ length: 20 }, () =>
      seconds(expect(writes.query('select 1', [])).rejects.toBeInstanceOf(Unavailable)),
    );
    const slowest = Math.max(...(await Promise.all(all)));
    expect(slowest).toBeLessThan(3);
    await annotate(
      `row 5, ${engine}: ingest was refused ${slowest.toFixed(1)} s after the network was cut`,
    );
    wire.join();
    expect(await seconds(writes.query('select 1', []))).toBeLessThan(3);
    await writes.close();
  });
});
