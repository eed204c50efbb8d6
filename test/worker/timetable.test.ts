/** When the worker's jobs run: a whole day of the real scheduler on a clock that is turned by hand. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { type Job, makeJobs } from '../../src/worker/jobs.ts';
import { scheduleJobs } from '../../src/worker/schedule.ts';
import { keepingLog } from '../ingest/support.ts';

const MINUTE = 60_000;
const MIDNIGHT = Date.parse('2026-11-20T00:00:00Z');
const here = process.env.TZ;

beforeEach(() => {
  process.env.TZ = 'America/New_York'; // the schedule must not follow the machine's zone
  vi.useFakeTimers({
    now: MIDNIGHT - 1,
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
});
afterEach(() => {
  vi.useRealTimers();
  if (here === undefined) delete process.env.TZ;
  else process.env.TZ = here;
});

const clock = () => new Date();

/** The worker's own jobs, which do nothing but note the minute of the day. */
function noting(minutes: Map<string, number[]>): Job[] {
  const work = {
    target: 'postgres://nobody@127.0.0.1:1/nothing',
    timeZone: 'Asia/Yerevan',
    clock,
    log: keepingLog(),
    metrics: makeMetrics(),
    retention: undefined,
    pullHosts: [],
  };
  return makeJobs(work).map((job) => {
    const noted: number[] = [];
    minutes.set(job.name, noted);
    return { ...job, run: async () => void noted.push((Date.now() - MIDNIGHT) / MINUTE) };
  });
}

const warnings = (log: ReturnType<typeof keepingLog>) => log.lines.filter(({ level }) => level === 'warn');

const every = (step: number, first = 0) =>
  Array.from({ length: Math.ceil((1_440 - first) / step) }, (_, n) => first + n * step);

it('over one day every job runs at its minutes by the UTC clock, and at no others', async () => {
  const minutes = new Map<string, number[]>();
  const stop = scheduleJobs(noting(minutes), { clock, log: keepingLog(), metrics: makeMetrics() });
  await vi.advanceTimersByTimeAsync(1_440 * MINUTE);
  await stop();
  const ran = Object.fromEntries([...minutes].map(([name, noted]) => [name, noted.map(Math.floor)]));
  expect(ran).toEqual({
    'demo feed': every(1),
    pull: every(1),
    refresh: every(1),
    digest: every(5),
    screen: every(10, 4),
    'trim quarantine': every(10, 7),
    maintain: [17],
    audit: [101],
  });
});

it('a job that is still running when its next minute comes is not started a second time, and is waited for at the end', async () => {
  const log = keepingLog();
  const begun: number[] = [];
  const finish: (() => void)[] = [];
  const slow: Job = {
    name: 'slow',
    schedule: '* * * * *',
    run: () => {
      begun.push(Date.now() - MIDNIGHT);
      return new Promise((resolve) => finish.push(resolve));
    },
  };
  const stop = scheduleJobs([slow], { clock, log, metrics: makeMetrics() });
  await vi.advanceTimersByTimeAsync(5 * MINUTE);
  expect(begun).toHaveLength(1);
  finish[0]?.();
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(begun).toHaveLength(2);

  const stopped = stop().then(() => 'stopped');
  expect(await Promise.race([stopped, vi.advanceTimersByTimeAsync(MINUTE).then(() => 'still waiting')])).toBe(
    'still waiting',
  );
  finish[1]?.();
  expect(await stopped).toBe('stopped');
  expect(begun).toHaveLength(2);
  expect(warnings(log)).toHaveLength(4);
});

it.each([
  ['an hour back', -60 * MINUTE],
  ['two years back', -730 * 1_440 * MINUTE],
  ['two years ahead', 730 * 1_440 * MINUTE],
  ['84 seconds back', -1.4 * MINUTE],
])('after the clock was set %s, jobs go on within two minutes, and by the new time', async (_, jump) => {
  const minutes = new Map<string, number[]>();
  const log = keepingLog();
  const stop = scheduleJobs(noting(minutes), { clock, log, metrics: makeMetrics() });
  await vi.advanceTimersByTimeAsync(2.5 * MINUTE);
  vi.setSystemTime(Date.now() + jump);
  const set = (Date.now() - MIDNIGHT) / MINUTE;
  await vi.advanceTimersByTimeAsync(2 * MINUTE);
  const after = minutes.get('refresh')?.slice(3) ?? [];
  expect(after.map((minute) => Math.floor(minute - set + 0.5))).toEqual([1, 2]);
  expect(warnings(log)).toMatchObject([{ fields: { seconds: jump / 1_000 } }]);
  await stop();
});

it('a clock that is kept in step is no clock that was set', async () => {
  const log = keepingLog();
  const stop = scheduleJobs(noting(new Map()), { clock, log, metrics: makeMetrics() });
  for (let n = 0; n < 20; n++) {
    await vi.advanceTimersByTimeAsync(5_000);
    vi.setSystemTime(Date.now() - 500);
  }
  expect(warnings(log)).toEqual([]);
  await stop();
});
