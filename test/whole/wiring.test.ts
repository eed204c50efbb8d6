/**
 * The effect of each variable of the configuration on the service, seen from outside: in its
 * answers, its listeners and its database.
 */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CONFIGURATION } from '../../src/config.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { NOW } from '../support/clock.ts';
import { emptyDatabase, engines } from '../support/database.ts';
import { beginBatch, httpGet } from '../support/http.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { address, type Launched, launch, launchForSuite } from '../support/launch.ts';

const BASE = '/en/air-quality-app/v1';
const engine = engines[0] ?? 'plain';

let here: Installation;
/** A service with every variable that excludes no other one. */
let service: Launched;
let token: string;
beforeAll(async () => {
  here = await install(engine, citiesOfOneStation(['town']));
  await here.accept([reading(1, NOW, { pm25: 10 })]);
  const about = { name: 'feed', provider: 'us', stations: null, now: NOW };
  ({ token } = await createToken(here.database.as(), about)); // with one, it listens for readings
  service = await launchForSuite(here, {
    adminHost: '127.0.0.2',
    ingestHost: '127.0.0.2',
    rawRetention: '60 days',
    undoDays: 1,
    siteBaseUrl: 'https://air.example/app',
    siteTitle: 'Air & more',
    siteContact: 'https://air.example/ask',
    siteLicense: 'CC-BY-4.0',
  });
  return async () => {
    await service.stop();
    await here.close();
  };
});

const get = (port: number, path: string, host?: string) => httpGet(port, path, {}, host);
const station = async ({ port } = service) =>
  JSON.parse((await get(port.public, `${BASE}/station/1.json`)).body);

const described = async ({ port } = service) =>
  JSON.parse((await get(port.public, '/openapi.json')).body).info;

async function push({ port }: Launched): Promise<number> {
  const readings = [{ sensor_id: 1, time: NOW.toISOString(), pm25: 10 }];
  return (await beginBatch({ port, token }, readings).finish(']')).status;
}

/** How often the database was asked for a station. */
async function queries({ port }: Launched): Promise<number> {
  const { body } = await get(port.admin, '/metrics');
  return Number(
    /query_duration_seconds_count\{query="api.station_current"\} (\d+)/.exec(body)?.[1] ?? 0,
  );
}

const EFFECTS: Record<string, () => Promise<void>> = {
  async DATABASE_URL() {
    expect(await station()).toMatchObject({ 'pm2.5': 10 });
  },

  async READER_DATABASE_URL() {
    const reader = await install(engine, citiesOfOneStation(['village']));
    onTestFinished(() => reader.close());
    const readerDatabaseUrl = address(reader.database.target);
    expect(await station(await launch(here, { readerDatabaseUrl }))).toMatchObject({
      title: 'In village',
    });
    const never = await emptyDatabase(engine);
    onTestFinished(() => never.drop());
    await expect(launch(here, { readerDatabaseUrl: address(never.target) })).rejects.toThrow(
      'The database of READER_DATABASE_URL is not migrated to this version',
    );
  },

  async TIME_ZONE() {
    await expect(launch(here, { timeZone: 'Europe/Berlin' })).rejects.toThrow(
      'TIME_ZONE is Europe/Berlin, but this database was made for Asia/Yerevan',
    );
  },

  async EPOCH() {
    await expect(launch(here, { epoch: '2011-01-01' })).rejects.toThrow(
      'EPOCH is 2011-01-01, but this database begins on 2000-01-01',
    );
  },

  async PORT() {
    const answer = await get(service.port.public, `${BASE}/stations.json`);
    expect(answer).toMatchObject({ status: 200 });
  },

  async ADMIN_PORT() {
    const { body } = await get(service.port.admin, '/metrics', '127.0.0.2');
    expect(body).toContain('airseries_');
  },

  async ADMIN_HOST() {
    const { admin } = service.port;
    expect(await get(admin, '/readyz', '127.0.0.2')).toMatchObject({ status: 200 });
    expect(await get(admin, '/readyz')).toMatchObject({ status: 0 });
  },

  async ROLE() {
    const api = await launch(here, { role: 'api' });
    expect(await station(api)).toMatchObject({ id: 1 });
    expect(api.jobs).toEqual([]);
    expect((await get(api.port.ingest, '/')).status).toBe(0);
    const worker = await launch(here, { role: 'worker' });
    expect((await get(worker.port.public, '/')).status).toBe(0);
    expect(worker.jobs).toContain('refresh');
    // readiness and metrics need no more connections where there is no public API
    const { body } = await get(worker.port.admin, '/metrics');
    expect(body).toContain('airseries_database_pool_size{pool="read"} 2\n');
    expect((await get(worker.port.ingest, '/')).status).toBe(404);
  },

  async INGEST_PORT() {
    expect(await push(await launch(here, { role: 'worker' }))).toBe(200);
  },

  async INGEST_HOST() {
    const { ingest } = service.port;
    expect(await get(ingest, '/', '127.0.0.2')).toMatchObject({ status: 404 });
    expect(await get(ingest, '/')).toMatchObject({ status: 0 });
  },

  async INGEST_RATE() {
    const slow = await launch(here, { role: 'worker', ingestRate: 1 });
    expect([await push(slow), await push(slow)]).toEqual([200, 429]);
  },

  async RAW_RETENTION() {
    await here.accept([reading(1, '2026-08-01T00:00:00Z', { pm25: 10 })]);
    await service.runJob('maintain');
    expect(await here.database.as()`select measured_at from raw.readings`).toEqual([
      { measured_at: '2026-11-20T16:00:00+04:00' },
    ]);
  },

  async UNDO_DAYS() {
    const owner = here.database.as();
    for (const days of [1.1, 0.9])
      await owner`
        with i as (insert into raw.import (imported_at, source, declared)
          values (${new Date(NOW.getTime() - days * 86_400_000)}, ${`${days}`}, '{}') returning id)
        insert into raw.import_change (import_id, sensor_id, measured_at) select id, 1, '{}' from i`;
    await service.runJob('maintain');
    expect(
      await owner`select source from raw.import i join raw.import_change c on c.import_id = i.id`,
    ).toEqual([{ source: '0.9' }]);
  },

  async RESPONSE_CACHE_MB() {
    for (const [responseCacheMb, asked] of [
      [0, 2],
      [1, 1],
    ] as const) {
      const cached = await launch(here, { responseCacheMb, role: 'api' });
      const before = await queries(cached);
      await station(cached);
      await station(cached);
      expect((await queries(cached)) - before, `${responseCacheMb} MB`).toBe(asked);
    }
  },

  async SITE_BASE_URL() {
    expect(await station()).toMatchObject({
      url: 'https://air.example/app/en/air-quality/station/1',
    });
  },

  async SITE_TITLE() {
    expect((await described()).contact).toMatchObject({ name: 'Air & more' });
  },

  async SITE_TITLE_EN() {
    const named = { role: 'api', siteTitle: 'Luft', siteTitle_en: 'Air' } as const;
    const english = await launch(here, { ...named, siteContact: 'us@air.example' });
    expect((await described(english)).contact).toEqual({ name: 'Air', email: 'us@air.example' });
  },

  async SITE_CONTACT() {
    expect((await described()).contact).toEqual({
      name: 'Air & more',
      url: 'https://air.example/ask',
    });
  },

  async SITE_LICENSE() {
    const license = { name: 'CC-BY-4.0', identifier: 'CC-BY-4.0' };
    expect((await described()).license).toEqual(license);
  },
};

it('a job runs in one of several processes, because its minute is claimed in the database', async () => {
  await service.runJob('digest');
  const [claim] = await here.database.as()`select job from raw.job_run where job = 'digest'`;
  expect(claim).toBeDefined();
});

/** Variables whose effect another file shows. */
const ELSEWHERE: Record<string, string> = {
  DRAIN_SECONDS: 'startAndStop/service.test.ts',
  FIXED_NOW: '../extras/embedded/service.test.ts',
  INDEX: '../extras/pages/twoIndices.test.ts',
  LOG_LEVEL: 'startAndStop/service.test.ts',
  SITE_TITLE_HY: '../extras/news/wiring.test.ts',
  SITE_TITLE_RU: '../extras/news/wiring.test.ts',
};

describe('effects', () => {
  it.each(Object.keys(EFFECTS))('the setting %s has its effect on a service', (name) =>
    (EFFECTS[name] as () => Promise<void>)(),
  );
});

it('the effect of every variable of the core is tested', () => {
  expect([...Object.keys(EFFECTS), ...Object.keys(ELSEWHERE)].toSorted()).toEqual(
    CONFIGURATION.filter(({ isCore }) => isCore)
      .map(({ name }) => name)
      .toSorted(),
  );
});
