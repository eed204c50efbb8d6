/** What becomes of a job is counted and told, and never fatal. */
import { expect, it } from 'vitest';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { runJob } from '../../src/worker/schedule.ts';
import { keepingLog, NOW } from '../ingest/support.ts';

it('counts runs and failures, and remembers when it last went well', async () => {
  const [metrics, log] = [makeMetrics(), keepingLog()];
  const watch = { clock: () => NOW, log, metrics };
  const job = (run: () => Promise<void>) => ({ name: 'sweep', schedule: '* * * * *', run });
  await runJob(
    job(async () => undefined),
    watch,
  );
  await runJob(
    job(() => Promise.reject(new Error('no broom'))),
    watch,
  );
  const text = await metrics.registry.metrics();
  expect(text).toContain('airseries_job_runs_total{task="sweep"} 2');
  expect(text).toContain('airseries_job_failures_total{task="sweep"} 1');
  expect(text).toContain(`airseries_job_last_success_timestamp_seconds{task="sweep"} ${NOW.getTime() / 1_000}`);
  expect(text).toContain('airseries_job_duration_seconds_count{task="sweep"} 1');
  expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { job: 'sweep', err: new Error('no broom') } },
  ]);
});

it('runs nothing where another process is the worker by now', async () => {
  const [metrics, log] = [makeMetrics(), keepingLog()];
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  const confirm = () => Promise.reject(new Error('no longer the worker'));
  await runJob({ name: 'sweep', schedule: '* * * * *', run }, { clock: () => NOW, log, metrics, confirm });
  expect(runs).toBe(0);
  expect(log.lines).toMatchObject([{ level: 'error', fields: { err: new Error('no longer the worker') } }]);
});
