/**
 * The life of a service with the embedded PostgreSQL, as an operator runs it: its first
 * start is interrupted, commands run before it and beside it, and it answers as of FIXED_NOW.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../support/freePort.ts';
import { httpGet } from '../../support/http.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { until } from '../../support/patience.ts';
import { makeHome, type Running, ready, runAirseries, runProgram } from '../../support/program.ts';
import { needs } from '../../support/tools.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const README = readFileSync(join(ROOT, 'src/commands/README.md'), 'utf8');
const home = makeHome();
/** Root starts the server as another user, who cannot enter this folder. */
const closed = join(home.folder, 'closed');
const isRoot = process.getuid?.() === 0;

const FIXED_NOW = '2026-11-19T09:30:00Z';

let environment: Record<string, string>;
let service: Running;
/** Where the server keeps its data, as the service says. */
let dataDirectory: string | undefined;
beforeAll(async () => {
  mkdirSync(closed, { mode: 0o700 });
  environment = {
    DATA_DIR: join(closed, 'data'),
    TIME_ZONE: 'Asia/Yerevan',
    SITE_BASE_URL: 'https://air.example/',
    DEMO: 'off',
    PORT: await freePort(),
    ADMIN_PORT: await freePort(),
    INGEST_PORT: await freePort(),
  };
});
afterAll(async () => {
  service.kill('SIGKILL');
  await service.finished;
  home.remove();
  if (isRoot && dataDirectory !== undefined)
    rmSync(dataDirectory, { recursive: true, force: true });
});

const command = (...words: string[]) => runAirseries(words, environment).finished;
const admin = (path: string) => httpGet(Number(environment.ADMIN_PORT), path);
const document = async (path: string) =>
  JSON.parse((await httpGet(Number(environment.PORT), `/ru/air-quality-app/v1/${path}`)).body);

it('SIGINT while the database is made ends the service with exit code 0 and no error', async () => {
  service = runAirseries(['start'], environment);
  await until(() => service.log().includes('"migrated"'), 'it migrates');
  service.kill('SIGINT');
  const { code } = await service.finished;
  expect([code, service.log()]).toEqual([0, expect.not.stringMatching(/"level":"(error|fatal)"/)]);
});

it('a command starts the server itself where no service runs', async () => {
  const network = citiesOfOneStation(['town']);
  const stations = network.stations.map((one) => ({ ...one, title: { ru: 'Раз' } }));
  const file = join(home.folder, 'network.json');
  writeFileSync(file, JSON.stringify({ ...network, stations }));
  expect(await command('import', 'network', file)).toMatchObject({ code: 0 });
});

it('the service starts as the README says', async () => {
  // npx would pass no SIGTERM on
  const [, words = ''] = /^ExecStart=\/usr\/bin\/node (.+)$/m.exec(README) ?? [];
  service = runProgram([process.execPath, ...words.split(' ')], {
    environment: { ...environment, FIXED_NOW },
    folder: ROOT,
  });
  await ready(environment.ADMIN_PORT ?? '', service);
  const { status, body } = await admin('/healthz');
  dataDirectory = JSON.parse(body).data_dir;
  expect([status, existsSync(join(dataDirectory ?? '', 'bundled-18/data/postmaster.pid'))]).toEqual(
    [200, true],
  );
});

it('the service answers as of FIXED_NOW, and knows the free space on the disk of its server', async () => {
  const readings = join(home.folder, 'readings.csv');
  writeFileSync(
    readings,
    'sensor_id,time,pm25\n1,2026-11-19T08:00:00Z,12.5\n1,2026-11-19T09:00:00Z,20\n',
  );
  expect(await command('import', 'readings', readings)).toMatchObject({ code: 0 });
  await until(async () => (await document('station/1.json'))['pm2.5'] === 20, 'readings show');
  expect(await document('station/1.json')).toMatchObject({
    id: 1,
    status: 'online',
    title: 'Раз',
    measurement_time: '2026-11-19T13:00:00+04:00',
    'pm2.5': 20,
    aqi: 71,
    url: 'https://air.example/ru/air-quality/station/1',
  });
  const { headers } = await httpGet(Number(environment.PORT), '/openapi.json');
  expect(headers.date).toBe(new Date(FIXED_NOW).toUTCString());
  expect((await admin('/metrics')).body).toMatch(/^airseries_disk_free_bytes [1-9]\d{6,}/m);
});

it(
  'status names the folder of the data where the server cannot enter DATA_DIR',
  needs('root'),
  async () => {
    expect(dataDirectory).toMatch(/^\/var\/lib\/airseries\/[0-9a-f]{16}$/);
    const { stdout } = await command('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ data_dir: dataDirectory });
  },
);

it('a second service on the same ports says who has them, and exits', async () => {
  const { code, stderr } = await command('start');
  expect(code).toBe(1);
  expect(stderr).toContain(
    `airseries is running already: process ${service.pid}, with its data in ${dataDirectory} (DATA_DIR), has port ${environment.ADMIN_PORT}`,
  );
});

it('SIGTERM ends the service with exit code 0, and the server with it', async () => {
  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
  expect(existsSync(join(dataDirectory ?? '', 'bundled-18/data/postmaster.pid'))).toBe(false);
});
