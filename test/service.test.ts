/** The service as a process, from start to end, with FIXED_NOW and an embedded server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freePort, makeHome, ready, start } from './support/program.ts';

const home = makeHome();
const NOW = '2026-11-19T09:30:00Z';
afterAll(() => home.remove());

it('the service starts, answers as of FIXED_NOW, and ends on SIGTERM', async () => {
  await imported();
  const [PORT, ADMIN_PORT] = [await freePort(), await freePort()];
  const environment = {
    ...home.environment,
    PORT,
    ADMIN_PORT,
    FIXED_NOW: NOW,
    DEMO: 'off',
    SITE_BASE_URL: 'https://air.example/',
  };
  const service = start('main', [], environment);
  await ready(ADMIN_PORT, service);
  const get = async (path: string) => (await fetch(`http://localhost:${PORT}/ru/air-quality-app/v1/${path}`)).json();
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

  // a second one on the same ports reports that and exits
  const second = await start('main', [], environment).finished;
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/Port \d+ is in use.*(PORT|ADMIN_PORT)/);

  // a command uses the running server
  expect((await start('cli', ['audit'], { ...home.environment, FIXED_NOW: NOW }).finished).stdout.trim()).toBe('[]');

  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
});

it('after the service is killed, no process remains and the next start works', async () => {
  const [PORT, ADMIN_PORT] = [await freePort(), await freePort()];
  const environment = { ...home.environment, PORT, ADMIN_PORT, FIXED_NOW: NOW, DEMO: 'off' };
  const killed = start('main', [], environment);
  await ready(ADMIN_PORT, killed);
  killed.kill('SIGKILL');
  await killed.finished;
  const next = start('main', [], environment);
  await ready(ADMIN_PORT, next);
  expect((await fetch(`http://localhost:${PORT}/en/air-quality-app/v1/stations.json`)).status).toBe(200);
  next.kill('SIGINT');
  expect((await next.finished).code).toBe(0);
});

async function imported(): Promise<void> {
  const file = join(home.folder, 'network.json');
  writeFileSync(
    file,
    JSON.stringify({
      time_zone: 'Asia/Yerevan',
      providers: [{ id: 'p', title: 'P' }],
      regions: [{ slug: 'town', kind: 'city', title: { en: 'Town' } }],
      stations: [
        {
          id: 1,
          provider: 'p',
          title: { ru: 'Раз' },
          latitude: 40,
          longitude: 44,
          regions: ['town'],
          sensors: [{ id: 11 }],
        },
      ],
    }),
  );
  const readings = 'sensor_id,time,pm25\n11,2026-11-19T08:00:00Z,12.5\n11,2026-11-19T09:00:00Z,20\n';
  expect(await start('cli', ['import', 'network', file], home.environment).finished).toMatchObject({ code: 0 });
  expect(await start('cli', ['import', 'readings', '-'], home.environment, readings).finished).toMatchObject({
    code: 0,
  });
}
