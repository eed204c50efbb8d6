/** One of several processes is the worker; when it stops or loses its connection, another takes over. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { becomeLeader, IDLE_TIMEOUT_MS, TRY_EVERY_MS } from '../../src/aggregate/leader.ts';
import { makeLog } from '../../src/base/log.ts';
import { keepingLog } from '../ingest/support.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { until } from '../support/service.ts';

const log = makeLog('silent');

onOneEngine('worker', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
  });
  afterAll(() => database.drop());

  const candidate = (name: string, working: Set<string>, onStart: () => void = () => undefined) =>
    becomeLeader(
      database.target,
      log,
      async () => {
        working.add(name);
        onStart();
        return async () => void working.delete(name);
      },
      { tryEveryMs: 20 },
    );
  it('is one at a time, and is replaced when it stops', async () => {
    const working = new Set<string>();
    const first = await candidate('first', working);
    const second = await candidate('second', working);
    expect([...working]).toEqual(['first']);
    await first.stop();
    await until(() => working.has('second'), 'the second is the worker');
    expect([...working]).toEqual(['second']);
    await second.stop();
    expect([...working]).toEqual([]);
  });

  it('stops when its connection is terminated, and one takes over', async () => {
    const working = new Set<string>();
    let starts = 0;
    const onStart = () => void starts++;
    const first = await candidate('first', working, onStart);
    const second = await candidate('second', working, onStart);
    await database.superuser()`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'airseries worker'`;
    await until(() => starts === 2, 'another has started');
    await until(() => working.size === 1, 'one is left'); // the first may notice after the second has started
    await Promise.all([first.stop(), second.stop()]);
    expect([...working]).toEqual([]);
  });

  it('stops its work before it begins again', async () => {
    const events: string[] = [];
    const start = async () => {
      events.push('start');
      return async () => void events.push('stop');
    };
    const only = await becomeLeader(database.target, log, start, { tryEveryMs: 20 });
    await database.superuser()`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'airseries worker'`;
    await until(
      () => events.filter((event) => event === 'start').length === 2,
      'it has started again',
    );
    await only.stop();
    expect(events).toEqual(['start', 'stop', 'start', 'stop']);
  });

  it('is replaced when it is frozen, within ten seconds: the server ends its session', async () => {
    const frozen = await becomeLeader(database.target, log, async () => async () => undefined, {
      tryEveryMs: 3_600_000,
      idleTimeoutMs: 100,
    });
    const working = new Set<string>();
    const next = await candidate('next', working);
    await until(() => working.has('next'), 'the next is the worker');
    await Promise.all([frozen.stop(), next.stop()]);
    expect(IDLE_TIMEOUT_MS + TRY_EVERY_MS).toBeLessThan(10_000);
  });

  it('says what to do when its work cannot start again, but not at each try', async () => {
    const kept = keepingLog();
    let tries = 0;
    const start = async () => {
      tries += 1;
      if (tries > 1)
        throw Object.assign(new Error('relation "raw.sensor" does not exist'), { code: '42P01' });
      return async () => undefined;
    };
    const leader = await becomeLeader(database.target, kept, start, { tryEveryMs: 20 });
    await database.superuser()`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and application_name = 'airseries worker'`;
    await until(() => tries >= 12, 'it has failed eleven times');
    await leader.stop();
    const errors = kept.lines.filter(({ level }) => level === 'error');
    expect(errors.length).toBe(Math.ceil((tries - 1) / 10)); // the first try succeeded
    expect(errors[0]?.fields).toMatchObject({ remedy: expect.stringMatching(/only a backup/) });
  });

  it('releases the lock when its work cannot start', async () => {
    const failing = becomeLeader(
      database.target,
      log,
      () => Promise.reject(new Error('cannot start')),
      {
        tryEveryMs: 20,
      },
    );
    await expect(failing).rejects.toThrow('cannot start');
    const working = new Set<string>();
    const next = await candidate('next', working);
    expect([...working]).toEqual(['next']);
    await next.stop();
  });
});
