/**
 * A worker freezes (a stopped machine, a debugger): the other goes on with every job, and the first
 * joins in when it wakes.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEveryEngine } from '../../../support/database.ts';
import { freePort } from '../../../support/freePort.ts';
import { citiesOfOneStation, type Installation, install } from '../../../support/installation.ts';
import { addressVariables, type Running, ready, runAirseries } from '../../../support/program.ts';

onEveryEngine('a frozen worker', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town']));
  });
  afterAll(() => here.close());

  async function work(): Promise<Running> {
    const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
    const environment = {
      ...addressVariables(here.database.target),
      DATABASE_URL: 'postgres://',
      DRAIN_SECONDS: '0',
    };
    const service = runAirseries(['start'], { ...environment, PORT, ADMIN_PORT, INGEST_PORT });
    await ready(ADMIN_PORT, service);
    return service;
  }
  /** Resolves once this many more runs of the refresh were claimed. */
  async function claimed(more: number): Promise<void> {
    const minutes = new Set<string>();
    while (minutes.size <= more) {
      const [row] = await here.database.as()<{ minute: string }[]>`
        select minute from raw.job_run where job = 'refresh'`;
      if (row !== undefined) minutes.add(row.minute);
      await here.database.as()`select pg_sleep(0.5)`;
    }
  }

  it('a frozen worker holds up no job, and joins in when it wakes', {
    timeout: 400_000,
  }, async () => {
    const [first, second] = [await work(), await work()];
    first.kill('SIGSTOP');
    await claimed(2); // nobody but the second can have claimed them
    first.kill('SIGCONT');
    await claimed(1);
    first.kill('SIGTERM');
    second.kill('SIGTERM');
    expect([(await first.finished).code, (await second.finished).code]).toEqual([0, 0]);
    expect(`${first.log()}${second.log()}`).not.toContain('job failed');
  });
});
