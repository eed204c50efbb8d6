/** The service as a process, from start to end, with FIXED_NOW and an embedded server. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { citiesOfOneStation } from '../support/installation.ts';
import { freePort, launch, makeHome, ready, start } from '../support/program.ts';
import { needs } from '../support/tools.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const README = readFileSync(join(ROOT, 'src/commands/README.md'), 'utf8');
const home = makeHome();
const NOW = '2026-11-19T09:30:00Z';
afterAll(() => home.remove());

it('the service starts, answers as of FIXED_NOW, and ends on SIGTERM', async () => {
  const command = (words: string[], input = '') => start(words, home.environment, input).finished;
  const file = join(home.folder, 'network.json');
  const network = citiesOfOneStation(['town']);
  const stations = network.stations.map((one) => ({ ...one, title: { ru: 'Раз' } }));
  writeFileSync(file, JSON.stringify({ ...network, stations }));
  expect(await command(['import', 'network', file])).toMatchObject({ code: 0 });
  const readings = 'sensor_id,time,pm25\n1,2026-11-19T08:00:00Z,12.5\n1,2026-11-19T09:00:00Z,20\n';
  expect(await command(['import', 'readings', '-'], readings)).toMatchObject({ code: 0 });

  const [PORT, ADMIN_PORT] = [await freePort(), await freePort()];
  const environment = {
    ...home.environment,
    PORT,
    ADMIN_PORT,
    FIXED_NOW: NOW,
    DEMO: 'off',
    SITE_BASE_URL: 'https://air.example/',
  };
  // npx would pass no SIGTERM on
  const [, words = ''] = /^ExecStart=\/usr\/bin\/node (.+)$/m.exec(README) ?? [];
  const service = launch([process.execPath, ...words.split(' ')], { environment, folder: ROOT });
  await ready(ADMIN_PORT, service);
  const get = async (path: string) =>
    (await fetch(`http://localhost:${PORT}/ru/air-quality-app/v1/${path}`)).json();
  expect(await get('station/1.json')).toMatchObject({
    id: 1,
    status: 'online',
    title: 'Раз',
    measurement_time: '2026-11-19T13:00:00+04:00',
    'pm2.5': 20,
    aqi: 71,
    url: 'https://air.example/ru/air-quality/station/1',
  });
  expect((await get('station/1-history.json'))['24h']).toMatchObject([
    { timestamp: '2026-11-19T12:00:00+04:00', avg_pm25: 12.5 },
  ]);
  expect(await get('region/town.json')).toMatchObject({
    measurement_time: '2026-11-19T13:30:00+04:00',
    'pm2.5': 20,
    station_count: 1,
  });
  expect((await fetch(`http://localhost:${ADMIN_PORT}/healthz`)).status).toBe(200);

  // a second one on the same ports says who has them, and exits
  const second = await start(['start'], environment).finished;
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(
    `airseries is running already: process ${service.pid}, with its data in ${home.environment.DATA_DIR} (DATA_DIR), has port ${ADMIN_PORT}`,
  );

  // a command uses the running server
  expect(
    (await start(['audit'], { ...home.environment, FIXED_NOW: NOW }).finished).stdout.trim(),
  ).toBe('[]');

  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
  expect(existsSync(join(home.folder, 'data/bundled-18/data/postmaster.pid'))).toBe(false);
});

it(
  'where the data are is named, where the server cannot enter DATA_DIR',
  needs('root'),
  async () => {
    const closed = join(home.folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
    const environment = {
      ...home.environment,
      DATA_DIR: join(closed, 'data'),
      PORT,
      ADMIN_PORT,
      INGEST_PORT,
      DEMO: 'off',
    };
    const service = start(['start'], environment);
    onTestFinished(() => service.kill('SIGKILL'));
    await ready(ADMIN_PORT, service);
    const { data_dir } = (await (await fetch(`http://localhost:${ADMIN_PORT}/healthz`)).json()) as {
      data_dir: string;
    };
    onTestFinished(() => rmSync(data_dir, { recursive: true, force: true }));
    expect(data_dir).toMatch(/^\/var\/lib\/airseries\/[0-9a-f]{16}$/);
    expect(existsSync(join(data_dir, 'bundled-18/data/postmaster.pid'))).toBe(true);
    expect((await start(['start'], environment).finished).stderr).toContain(
      `with its data in ${data_dir} (DATA_DIR)`,
    );
    const status = await start(['status', '--json'], environment).finished;
    expect(JSON.parse(status.stdout)).toMatchObject({ data_dir });

    service.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);
  },
);
