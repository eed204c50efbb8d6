/** The service restarts its embedded server if that is killed. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../../support/freePort.ts';
import { httpGet } from '../../support/http.ts';
import { until } from '../../support/patience.ts';
import { makeHome, ready, runAirseries } from '../../support/program.ts';

const home = makeHome();
afterAll(() => home.remove());

const find = (name: string) =>
  execFileSync('find', [home.folder, '-name', name], { encoding: 'utf8' }).trim();

it('a killed embedded server is restarted by the service, and its log is rotated', async ({
  annotate,
}) => {
  const [PORT, ADMIN_PORT] = [await freePort(), await freePort()];
  const service = runAirseries(['start'], {
    ...home.environment,
    PORT,
    ADMIN_PORT,
    DEMO: 'off',
    RESPONSE_CACHE_MB: '0',
  });
  await ready(ADMIN_PORT, service);
  const stations = () => httpGet(Number(PORT), '/en/air-quality-app/v1/stations.json');
  const { status, body } = await stations();
  expect([status, JSON.parse(body).stations]).toEqual([200, []]); // a new server, and DEMO=off

  const postmaster = Number.parseInt(readFileSync(find('postmaster.pid'), 'utf8'), 10);
  const began = performance.now();
  process.kill(postmaster, 'SIGKILL');
  const noticed = 'the embedded PostgreSQL has stopped; restarting it';
  // requests may bridge so short an outage
  await until(() => service.log().includes(noticed), 'the service notices');
  await until(async () => (await stations()).status === 200, 'the API answers again');
  const seconds = (performance.now() - began) / 1_000;
  await annotate(`row 10: a killed embedded server answered again after ${seconds.toFixed(1)} s`);

  const log = find('server.log');
  appendFileSync(log, 'x'.repeat(11 * 1024 * 1024));
  await until(
    () => existsSync(`${log}.old`) && statSync(log).size < 1024 * 1024,
    'the log was rotated',
  );
  expect(readFileSync(`${log}.old`, 'utf8').endsWith('x')).toBe(true);

  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
  expect(existsSync(join(home.folder, 'data'))).toBe(true);
});
