/** ROLE: processes that only serve the API beside worker processes, which share the jobs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../../support/freePort.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { until } from '../../support/patience.ts';
import { makeHome, type Running, ready, runAirseries } from '../../support/program.ts';

const home = makeHome();
const running: Running[] = [];
afterAll(async () => {
  for (const service of running) service.kill('SIGKILL');
  await Promise.all(running.map(({ finished }) => finished));
  home.remove();
});

async function run(
  role: string,
  database: Record<string, string> = {},
): Promise<Running & { admin: string; port: string; ingest: string }> {
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const ports = { PORT, ADMIN_PORT, INGEST_PORT };
  const service = runAirseries(['start'], {
    ...home.environment,
    ...database,
    ROLE: role,
    DEMO: 'off',
    ...ports,
  });
  running.push(service);
  await ready(ADMIN_PORT, service);
  return { ...service, admin: ADMIN_PORT, port: PORT, ingest: INGEST_PORT };
}

/** Where the embedded server of this home listens, as a DATABASE_URL and what it leaves out. */
async function embeddedServer(): Promise<Record<string, string>> {
  const { stdout } = await runAirseries(['status', '--json'], home.environment).finished;
  const [, host = '', user = '', database = ''] =
    /^psql -h (\S+) -U (\S+) (\S+)$/.exec(JSON.parse(stdout).psql) ?? [];
  return { DATABASE_URL: 'postgres://', PGHOST: host, PGUSER: user, PGDATABASE: database };
}

const works = (service: Running) => service.log().includes('aggregates are up to date');
const answers = (port: string, path = '/en/air-quality-app/v1/stations.json') =>
  fetch(`http://localhost:${port}${path}`).then(
    ({ status }) => status,
    () => 'no listener',
  );

it('a second worker goes on after the first dies with its server, and the API answers throughout', async () => {
  const file = join(home.folder, 'network.json');
  // the list of an empty network isn't kept
  writeFileSync(file, JSON.stringify(citiesOfOneStation(['town'])));
  expect((await runAirseries(['import', 'network', file], home.environment).finished).code).toBe(0);
  const first = await run('worker');
  const second = await run('worker');
  const api = await run('api', await embeddedServer());
  expect([first, second, api].map(works)).toEqual([true, true, false]);
  expect(api.log()).not.toMatch(/aggregates|HTTP ingestion is open/);
  expect(await answers(api.port)).toBe(200);
  expect(await Promise.all([answers(first.port), answers(second.port)])).toEqual([
    'no listener',
    'no listener',
  ]);
  // the first may have come before the version of the data was known, and isn't kept
  expect(await answers(api.port)).toBe(200);

  first.kill('SIGKILL');
  await first.finished;
  const isReady = async () => {
    expect(await answers(api.port)).toBe(200);
    return (await answers(second.admin, '/readyz')) === 200;
  };
  await until(isReady, 'the second worker has a server again');
  expect(await answers(api.port)).toBe(200);
});
