/** Of several processes one works; when its connection goes, another takes over. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeLog } from '../../src/log.ts';
import { becomeLeader } from '../../src/worker/leader.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

const log = makeLog('silent');

onEveryEngine('worker', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
  });
  afterAll(() => database.drop());

  const candidate = (name: string, working: Set<string>, onBegin: () => void = () => undefined) =>
    becomeLeader(
      database.target,
      log,
      async () => {
        working.add(name);
        onBegin();
        return async () => void working.delete(name);
      },
      { tryEveryMs: 20 },
    );
  const until = async (condition: () => boolean) => {
    const deadline = performance.now() + 10_000;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error('it did not come to that');
      await database.superuser().unsafe('select 1');
    }
  };

  it('is one at a time, and is succeeded when it stops', async () => {
    const working = new Set<string>();
    const first = await candidate('first', working);
    const second = await candidate('second', working);
    expect([...working]).toEqual(['first']);
    await first.stop();
    await until(() => working.has('second'));
    expect([...working]).toEqual(['second']);
    await second.stop();
    expect([...working]).toEqual([]);
  });

  it('stops working when its connection is ended, and somebody works again', async () => {
    const working = new Set<string>();
    let begun = 0;
    const onBegin = () => void begun++;
    const first = await candidate('first', working, onBegin);
    const second = await candidate('second', working, onBegin);
    await database.superuser()`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'airseries worker'`;
    await until(() => begun === 2);
    await until(() => working.size === 1); // the first may learn a moment after the second
    await Promise.all([first.stop(), second.stop()]);
    expect([...working]).toEqual([]);
  });

  it('gives the lock back when its work cannot begin', async () => {
    const failing = becomeLeader(database.target, log, () => Promise.reject(new Error('cannot begin')), {
      tryEveryMs: 20,
    });
    await expect(failing).rejects.toThrow('cannot begin');
    const working = new Set<string>();
    const next = await candidate('next', working);
    expect([...working]).toEqual(['next']);
    await next.stop();
  });
});
