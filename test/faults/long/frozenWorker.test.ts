/** The worker freezes (a stopped machine, a debugger): another process takes over within ten seconds, and the first one stays on standby when it wakes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEveryEngine } from '../../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../../support/installation.ts';
import { addressVariables, freePort, type Running, ready, start } from '../../support/program.ts';
import { until } from '../../support/service.ts';

const WORKER = 'this process is the worker';

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
    const service = start(['start'], { ...environment, PORT, ADMIN_PORT, INGEST_PORT });
    await ready(ADMIN_PORT, service);
    return service;
  }

  it('is replaced, and stays on standby when it wakes', async ({ annotate }) => {
    const first = await work();
    expect(first.log()).toContain(WORKER);
    const second = await work();
    expect(second.log()).not.toContain(WORKER);

    first.kill('SIGSTOP');
    const began = performance.now();
    await until(() => second.log().includes(WORKER), 'the second one is the worker');
    const seconds = (performance.now() - began) / 1_000;
    expect(seconds).toBeLessThan(10);
    await annotate(`row 5, ${engine}: a frozen worker was replaced after ${seconds.toFixed(1)} s`);

    first.kill('SIGCONT');
    await until(
      () => first.log().includes('the worker lock was lost'),
      'the first one has noticed',
    );
    expect(first.log().split(WORKER)).toHaveLength(2);
    first.kill('SIGTERM');
    second.kill('SIGTERM');
    expect([(await first.finished).code, (await second.finished).code]).toEqual([0, 0]);
  });
});
