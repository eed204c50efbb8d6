/**
 * What each variable of the configuration does to the service, seen from outside: in its answers,
 * its listeners and its database.
 */
import { connect as openSocket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CONFIGURATION } from '../../src/config.ts';
import { connect } from '../../src/database/client.ts';
import { POOL_SIZES } from '../../src/database/pools.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { emptyDatabase, engines } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import {
  address,
  type Launched,
  launch,
  launchForAll,
  LAUNCHED_AT as NOW,
  ready,
  running,
} from '../support/launch.ts';
import { beginBatch, httpGet } from '../support/service.ts';

const BASE = '/en/air-quality-app/v1';
const engine = engines[0] ?? 'plain';

let here: Installation;
beforeAll(async () => {
  here = await install(engine, citiesOfOneStation(['town']));
  await here.accept([reading(1, NOW, { pm25: 10 })]);
  return () => here.close();
});

/** One service with all that the description of the API shows of the configuration. */
let withSite: Promise<Launched> | undefined;
function dressed(): Promise<Launched> {
  withSite ??= ready(
    launchForAll(here, {
      role: 'api',
      siteBaseUrl: 'https://air.example/app',
      siteTitle: 'Air & more',
      siteContact: 'https://air.example/ask',
      siteLicense: 'CC-BY-4.0',
    }),
  );
  return withSite;
}

const get = (port: number, path: string, host?: string) => httpGet(port, path, {}, host);
const station = async ({ ports }: Launched) =>
  JSON.parse((await get(ports.port, `${BASE}/station/1.json`)).body);

const described = async ({ ports }: Launched) =>
  JSON.parse((await get(ports.port, '/openapi.json')).body).info;

async function push({ ports }: Launched, token: string): Promise<number> {
  const service = { port: { ingest: ports.ingestPort }, token };
  const readings = [{ sensor_id: 1, time: NOW.toISOString(), 'pm2.5': 10 }];
  return (await beginBatch(service, readings).finish(']')).status;
}
/** With a token, the service listens for readings. */
const makeToken = async (name: string) =>
  (await createToken(here.database.as(), { name, provider: 'us', stations: null, now: NOW })).token;

/** How often the database was asked for a station. */
async function queries({ ports }: Launched): Promise<number> {
  const { body } = await get(ports.adminPort, '/metrics');
  return Number(
    /query_duration_seconds_count\{query="api.station_current"\} (\d+)/.exec(body)?.[1] ?? 0,
  );
}

const EFFECTS: Record<string, () => Promise<void>> = {
  async DATABASE_URL() {
    expect(await station(await running(here))).toMatchObject({ 'pm2.5': 10 });
  },

  async READER_DATABASE_URL() {
    const reader = await install(engine, {
      ...citiesOfOneStation(['village']),
      stations: citiesOfOneStation(['village']).stations.map((one) => ({
        ...one,
        title: { en: 'Of the reader' },
      })),
    });
    onTestFinished(() => reader.close());
    const readerDatabaseUrl = address(reader.database.target);
    expect(await station(await running(here, { readerDatabaseUrl }))).toMatchObject({
      title: 'Of the reader',
    });
    const never = await emptyDatabase(engine);
    onTestFinished(() => never.drop());
    const { failure } = await launch(here, { readerDatabaseUrl: address(never.target) });
    expect(await failure).toContain(
      'The database of READER_DATABASE_URL is not migrated to this version',
    );
  },

  async TIME_ZONE() {
    const { failure } = await launch(here, { timeZone: 'Europe/Berlin' });
    expect(await failure).toContain(
      'TIME_ZONE is Europe/Berlin, but this database was made for Asia/Yerevan',
    );
  },

  async EPOCH() {
    const { failure } = await launch(here, { epoch: '2011-01-01' });
    expect(await failure).toContain('EPOCH is 2011-01-01, but this database begins on 2000-01-01');
  },

  async PORT() {
    const { ports } = await running(here);
    expect(await get(ports.port, `${BASE}/stations.json`)).toMatchObject({ status: 200 });
  },

  async ADMIN_PORT() {
    const { ports } = await running(here);
    expect(await get(ports.adminPort, '/readyz')).toMatchObject({ status: 200 });
  },

  async ADMIN_HOST() {
    const { ports } = await running(here, { adminHost: '127.0.0.2' });
    expect(await get(ports.adminPort, '/readyz', '127.0.0.2')).toMatchObject({ status: 200 });
    expect(await get(ports.adminPort, '/readyz')).toMatchObject({ status: 0 });
  },

  async ROLE() {
    await makeToken('of the role');
    const api = await running(here, { role: 'api' });
    expect(await station(api)).toMatchObject({ id: 1 });
    expect([api.jobs.size, (await get(api.ports.ingestPort, '/')).status]).toEqual([0, 0]);
    const worker = await running(here, { role: 'worker' });
    expect((await get(worker.ports.port, '/')).status).toBe(0);
    expect([worker.jobs.size > 0, (await get(worker.ports.ingestPort, '/')).status]).toEqual([
      true,
      404,
    ]);
    const metrics = (await get(worker.ports.adminPort, '/metrics')).body;
    expect(metrics).toContain('airseries_worker 1');
    expect(metrics).toContain('airseries_time_zone_conflict{with="record"} 0'); // Z5: compared at the start
    // it answers no requests
    expect(metrics).toContain(`airseries_database_pool_size{pool="read"} ${POOL_SIZES.readiness}`);
  },

  async INGEST_PORT() {
    const token = await makeToken('of the port');
    expect(await push(await running(here), token)).toBe(200);
  },

  async INGEST_HOST() {
    await makeToken('of the host');
    const { ports } = await running(here, { ingestHost: '127.0.0.2' });
    expect(await get(ports.ingestPort, '/', '127.0.0.2')).toMatchObject({ status: 404 });
    expect(await get(ports.ingestPort, '/')).toMatchObject({ status: 0 });
  },

  async INGEST_RATE() {
    const token = await makeToken('of the rate');
    const slow = await running(here, { ingestRate: 1 });
    expect([await push(slow, token), await push(slow, token)]).toEqual([200, 429]);
  },

  async RAW_RETENTION() {
    await here.accept([reading(1, '2026-08-01T00:00:00Z', { pm25: 10 })]);
    const { jobs } = await running(here, { rawRetention: '60 days' });
    await jobs.get('maintain')?.run(new Date());
    expect(await here.database.as()`select measured_at from raw.readings`).toEqual([
      { measured_at: '2026-11-20T16:00:00+04:00' },
    ]);
  },

  async RESPONSE_CACHE_MB() {
    for (const [responseCacheMb, asked] of [
      [0, 2],
      [1, 1],
    ] as const) {
      const service = await running(here, { responseCacheMb, role: 'api' });
      await expect
        .poll(async () => (await get(service.ports.adminPort, '/readyz')).status)
        .toBe(200);
      const before = await queries(service);
      await station(service);
      await station(service);
      expect((await queries(service)) - before, `${responseCacheMb} MB`).toBe(asked);
    }
  },

  async SITE_BASE_URL() {
    expect(await station(await dressed())).toMatchObject({
      url: 'https://air.example/app/en/air-quality/station/1',
    });
  },

  async SITE_TITLE() {
    expect((await described(await dressed())).contact).toMatchObject({ name: 'Air & more' });
  },

  async SITE_CONTACT() {
    const mailed = await running(here, { role: 'api', siteContact: 'us@air.example' });
    expect((await described(await dressed())).contact).toEqual({
      name: 'Air & more',
      url: 'https://air.example/ask',
    });
    expect((await described(mailed)).contact).toEqual({ email: 'us@air.example' });
  },

  async SITE_LICENSE() {
    const license = { name: 'CC-BY-4.0', identifier: 'CC-BY-4.0' };
    expect((await described(await dressed())).license).toEqual(license);
  },
};

/** Variables whose effect another file shows. */
const ELSEWHERE: Record<string, string> = {
  DRAIN_SECONDS: 'shutdown.test.ts',
  FIXED_NOW: 'service.test.ts',
  LOG_LEVEL: 'serviceLog.test.ts',
};

describe('the effect of', () => {
  afterAll(async () => (await withSite)?.service.stop(0));
  it.each(Object.keys(EFFECTS))('%s', (name) => (EFFECTS[name] as () => Promise<void>)());
});

it('is shown for every variable of the core', () => {
  expect([...Object.keys(EFFECTS), ...Object.keys(ELSEWHERE)].toSorted()).toEqual(
    CONFIGURATION.filter(({ isCore }) => isCore)
      .map(({ name }) => name)
      .toSorted(),
  );
});

it('the admin port keeps a hundred connections and refuses more, so that none of the public port is lost', async () => {
  const { ports } = await running(here, { role: 'api' });
  const sockets = Array.from({ length: 101 }, () => openSocket(ports.adminPort, '127.0.0.1'));
  const isClosed = sockets.map((socket) => {
    let closed = false;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        closed = true;
      });
    return () => closed;
  });
  await expect.poll(() => isClosed.filter((closed) => closed()).length).toBe(1);
  for (const socket of sockets) socket.destroy();
});

it('what grows with the network has connections of its own: the collectors of metrics and the list of stations', async () => {
  const { ports } = await running(here, { role: 'api' });
  const uses = async () => {
    const { body } = await get(ports.adminPort, '/metrics');
    return Number(/pool_wait_duration_seconds_count\{pool="read_all"\} (\d+)/.exec(body)?.[1] ?? 0);
  };
  await uses();
  const ofCollectors = await uses();
  expect(ofCollectors).toBeGreaterThan(0);
  await get(ports.port, `${BASE}/stations.json`);
  expect(await uses()).toBe(ofCollectors + 6);
});

it('a service that cannot start closes what it had opened', async () => {
  const { failure, ports, service } = await launch(here, { timeZone: 'Europe/Berlin' });
  await failure;
  await service.stop(0);
  expect((await get(ports.adminPort, '/healthz')).status).toBe(0);
  const sql = connect(here.database.target, {});
  await expect
    .poll(
      async () =>
        (
          await sql`select from pg_stat_activity where datname = current_database() and application_name like 'airseries r%'`
        ).length,
    )
    .toBe(0);
  await sql.end();
});
