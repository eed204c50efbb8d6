/** Several workers schedule every job, and each run is claimed by one of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimsOn } from '../../src/aggregate/claims.ts';
import { runJob } from '../../src/aggregate/schedule.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { observeJobs } from '../../src/metrics/recorders.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';

onOneEngine('claims of job runs', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
  });
  afterAll(() => database.drop());
  beforeEach(() => database.as()`truncate raw.job_run`);

  /** A process of its own, with a clock that may be wrong. */
  function worker(minutesAhead = 0) {
    const log = keepingLog();
    const metrics = makeMetrics();
    const runs: Date[] = [];
    const clock = () => new Date(NOW.getTime() + minutesAhead * 60_000);
    const claim = claimsOn(database.target);
    const context = { clock, log, claim, observer: observeJobs(metrics) };
    const job = {
      name: 'sweep',
      schedule: '* * * * *',
      run: async (minute: Date) => void runs.push(minute),
    };
    return { context, job, runs, log, metrics, work: () => runJob(job, context) };
  }
  /** The server's clock a while later, as far as claims know. */
  const pass = (minutes: number) =>
    database.as()`update raw.job_run set minute = minute - ${`${minutes} minutes`}::interval`;

  // the minute may turn between two claims, but not in the repetition too
  describe('within a minute of the server’s clock', { retry: 1 }, () => {
    it('one of many workers runs a job in a minute, while other jobs can still be claimed', async () => {
      const workers = Array.from({ length: 12 }, () => worker());
      await Promise.all(workers.map(({ work }) => work()));
      expect(workers.flatMap(({ runs }) => runs)).toHaveLength(1);
      expect(await claimsOn(database.target)('rinse')).toBeInstanceOf(Date);
    });

    it('a run is named by the minute of the server’s clock, whatever the workers’ clocks say', async () => {
      const [right, ahead] = [worker(), worker(2)];
      for (let minute = 0; minute < 5; minute++) {
        await Promise.all([ahead.work(), right.work()]);
        await pass(1);
      }
      const runs = [...right.runs, ...ahead.runs];
      expect(runs).toHaveLength(5);
      const [server] = await database.as()<{ off: number }[]>`
      select abs(extract(epoch from clock_timestamp() - ${runs[0] as Date}::timestamptz))::float8 as off`;
      expect(server?.off).toBeLessThan(3_600); // by the machine of the tests, years after NOW
      expect(runs.every((minute) => minute.getTime() % 60_000 === 0)).toBe(true);
    });

    it('the run of a worker that dies is lost, and the next one goes to another worker', async () => {
      const [dead, other] = [worker(), worker()];
      expect(await claimsOn(database.target)(dead.job.name)).toBeInstanceOf(Date); // and then it died
      await other.work();
      expect(other.runs).toEqual([]);
      await pass(1);
      await other.work();
      expect(other.runs).toHaveLength(1);
    });
  });

  it('a job runs on after the clock of the server was set back', async () => {
    const only = worker();
    await only.work();
    await pass(-1_440); // claimed a day ahead, by the clock as it is now
    await only.work();
    expect(only.runs).toHaveLength(2);
  });

  it('a claim that fails counts as a failed run, and is tried again', async () => {
    const { context, job, runs, metrics, log } = worker();
    let fails = true;
    const claim = async (name: string) => {
      if (fails) throw new Error('the database is away');
      return claimsOn(database.target)(name);
    };
    await runJob(job, { ...context, claim });
    expect(await metrics.registry.metrics()).toContain(
      'airseries_job_failures_total{task="sweep"} 1',
    );
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    fails = false;
    await runJob(job, { ...context, claim });
    expect(runs).toHaveLength(1);
  });
});
