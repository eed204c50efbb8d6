/**
 * The scheduler: when jobs run, over a day of the real scheduler with a fake clock, and how runs
 * are counted and logged.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Job, makeJobs } from '../../src/aggregate/jobs.ts';
import { runJob, scheduleJobs } from '../../src/aggregate/schedule.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { observeJobs } from '../../src/metrics/recorders.ts';
import { keepingLog } from '../support/keepingLog.ts';

const MINUTE = 60_000;
const MIDNIGHT = Date.parse('2026-11-20T00:00:00Z');
const machineZone = process.env.TZ;

const clock = () => new Date();

/** There is no other worker: each run is claimed by this process. */
const runContext = (log = keepingLog(), metrics = makeMetrics()) => ({
  clock,
  log,
  observer: observeJobs(metrics),
  claim: async () => clock(),
});

/** The worker's jobs with runs that only record the minute of the day. */
function recordingJobs(minutes: Map<string, number[]>): Job[] {
  const context = {
    target: 'postgres://127.0.0.1:1/unused',
    timeZone: 'Asia/Yerevan',
    clock,
    log: keepingLog(),
    retention: undefined,
    undoDays: 90,
  };
  return makeJobs(context).map((job) => {
    const recorded: number[] = [];
    minutes.set(job.name, recorded);
    return { ...job, run: async () => void recorded.push((Date.now() - MIDNIGHT) / MINUTE) };
  });
}

/** A job, and what ends each of its runs. */
function slowJob() {
  const finish: (() => void)[] = [];
  const run = () => new Promise<void>((resolve) => finish.push(resolve));
  return { finish, slow: { name: 'slow', schedule: '* * * * *', run } };
}

const warnings = (log: ReturnType<typeof keepingLog>) =>
  log.lines.filter(({ level }) => level === 'warn');

const every = (step: number, first = 0) =>
  Array.from({ length: Math.ceil((1_440 - first) / step) }, (_, n) => first + n * step);

describe('scheduleJobs', () => {
  beforeEach(() => {
    process.env.TZ = 'America/New_York'; // the schedule must not follow the machine's zone
    vi.useFakeTimers({
      now: MIDNIGHT - 1,
      toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    if (machineZone === undefined) delete process.env.TZ;
    else process.env.TZ = machineZone;
  });

  it('every job runs at its minutes of the UTC clock over a day, and at no others', async () => {
    const minutes = new Map<string, number[]>();
    const stop = scheduleJobs(recordingJobs(minutes), runContext());
    await vi.advanceTimersByTimeAsync(1_440 * MINUTE);
    await stop();
    const ran = Object.fromEntries(
      [...minutes].map(([name, recorded]) => [name, recorded.map(Math.floor)]),
    );
    expect(ran).toEqual({
      refresh: every(1),
      digest: every(5),
      screen: every(10, 4),
      trim_quarantine: every(10, 7),
      zone_rules: [9],
      maintain: [17],
      audit: [101],
    });
  });

  it('a run is skipped while its job is still running, and stopping waits for the job', async () => {
    const log = keepingLog();
    const { slow, finish } = slowJob();
    const stop = scheduleJobs([slow], runContext(log));
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(finish).toHaveLength(1);
    finish[0]?.();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(finish).toHaveLength(2);

    const stopped = stop().then(() => 'stopped');
    expect(
      await Promise.race([
        stopped,
        vi.advanceTimersByTimeAsync(MINUTE).then(() => 'still waiting'),
      ]),
    ).toBe('still waiting');
    finish[1]?.();
    expect(await stopped).toBe('stopped');
    expect(finish).toHaveLength(2);
    expect(warnings(log)).toHaveLength(4);
  });

  it.each([
    ['two years back', -730 * 1_440 * MINUTE],
    ['84 seconds back', -1.4 * MINUTE],
  ])(
    'jobs continue by the new time within two minutes after the clock was set %s',
    async (_, jump) => {
      const minutes = new Map<string, number[]>();
      const log = keepingLog();
      const stop = scheduleJobs(recordingJobs(minutes), runContext(log));
      await vi.advanceTimersByTimeAsync(2.5 * MINUTE);
      vi.setSystemTime(Date.now() + jump);
      const set = (Date.now() - MIDNIGHT) / MINUTE;
      await vi.advanceTimersByTimeAsync(2 * MINUTE);
      const after = minutes.get('refresh')?.slice(3) ?? [];
      expect(after.map((minute) => Math.floor(minute - set + 0.5))).toEqual([1, 2]);
      expect(warnings(log)).toMatchObject([{ fields: { seconds: jump / 1_000 } }]);
      await stop();
    },
  );

  it('no job is started again when the clock is set while the scheduler stops', async () => {
    const minutes = new Map<string, number[]>();
    const log = keepingLog();
    const stop = scheduleJobs(recordingJobs(minutes), runContext(log));
    await vi.advanceTimersByTimeAsync(1.5 * MINUTE);
    vi.setSystemTime(Date.now() + 60 * MINUTE);
    while (warnings(log).length === 0) vi.advanceTimersToNextTimer(); // until it sees the jump
    const before = minutes.get('refresh')?.length;
    await stop();
    await vi.advanceTimersByTimeAsync(3 * MINUTE);
    expect(minutes.get('refresh')).toHaveLength(before ?? 0);
  });

  it('the runs and failures of a job are 0 before the first, so that the first is an increase', async () => {
    const metrics = makeMetrics();
    const job: Job = { name: 'sweep', schedule: '* * * * *', run: async () => undefined };
    const stop = scheduleJobs([job], runContext(keepingLog(), metrics));
    const text = await metrics.registry.metrics();
    expect(text).toContain('airseries_job_runs_total{task="sweep"} 0');
    expect(text).toContain('airseries_job_failures_total{task="sweep"} 0');
    await stop();
  });

  it('small corrections of the clock are ignored', async () => {
    const log = keepingLog();
    const stop = scheduleJobs(recordingJobs(new Map()), runContext(log));
    for (let n = 0; n < 20; n++) {
      await vi.advanceTimersByTimeAsync(5_000);
      vi.setSystemTime(Date.now() - 500);
    }
    expect(warnings(log)).toEqual([]);
    await stop();
  });
});

it('a run that fails is logged', async () => {
  const log = keepingLog();
  const err = new Error('no broom');
  const job = { name: 'sweep', schedule: '* * * * *', run: () => Promise.reject(err) };
  await runJob(job, runContext(log));
  expect(log.lines).toMatchObject([{ level: 'error', fields: { job: 'sweep', err } }]);
});
