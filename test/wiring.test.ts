/**
 * What each variable of the configuration does to the service, seen from outside: in its answers,
 * its listeners and its database.
 */
import { writeFileSync } from 'node:fs';
import { connect as openSocket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Job } from '../src/aggregate/jobs.ts';
import { makeLog } from '../src/base/log.ts';
import { type Config, readConfig, VARIABLES } from '../src/config.ts';
import { connect, type DatabaseAddress } from '../src/database/client.ts';
import { POOL_SIZES } from '../src/database/pools.ts';
import { toPng } from '../src/extras/pages/png.ts';
import { JSON_TYPE } from '../src/http/send.ts';
import { createToken } from '../src/ingest/http/tokens.ts';
import { type Service, start } from '../src/service.ts';
import { openProvider } from './extras/feeds/server.ts';
import { emptyDatabase, engines, testDatabase } from './support/database.ts';
import { citiesOfOneStation, type Installation, install, reading } from './support/installation.ts';
import { freePort } from './support/program.ts';
import { beginBatch, httpGet } from './support/service.ts';
import { temporaryFolder } from './support/temporaryFolder.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const BASE = '/en/air-quality-app/v1';
const engine = engines[0] ?? 'plain';

let here: Installation;
beforeAll(async () => {
  here = await install(engine, citiesOfOneStation(['town']));
  await here.accept([reading(1, NOW, { pm25: 10 })]);
  return () => here.close();
});

type Ports = Record<'port' | 'adminPort' | 'ingestPort', number>;
type Running = { service: Service; ports: Ports; jobs: Map<string, Job>; failure: Promise<string> };

/**
 * The service over the test's database, with a configuration that differs from the default in these
 * values.
 */
async function launch(config: Partial<Config> = {}): Promise<Running> {
  const launched = await launchForAll(config);
  onTestFinished(() => launched.service.stop(0));
  return launched;
}

/** The same, which the caller stops. */
async function launchForAll(config: Partial<Config>): Promise<Running> {
  const ports = {
    port: Number(await freePort()),
    adminPort: Number(await freePort()),
    ingestPort: Number(await freePort()),
  };
  const jobs = new Map<string, Job>();
  const service = start(
    { ...readConfig({}), databaseUrl: address(here.database.target), ...ports, ...config },
    {
      clock: () => NOW,
      log: makeLog('silent'),
      schedule: (all) => {
        for (const job of all) jobs.set(job.name, job);
        return async () => undefined;
      },
    },
  );
  const failure = service.ready.then(
    () => 'none',
    (error: Error) => error.message,
  );
  return { service, ports, jobs, failure };
}

/** The driver takes either; tests have a socket. */
const address = (target: DatabaseAddress) => target as string;

async function ready(launching: Promise<Running>): Promise<Running> {
  const launched = await launching;
  await launched.service.ready;
  return launched;
}
const running = (config?: Partial<Config>) => ready(launch(config));

/** One service with all that a page and its reference show of the configuration. */
let withSite: Promise<Running> | undefined;
function dressed(): Promise<Running> {
  withSite ??= ready(
    launchForAll({
      role: 'api',
      siteBaseUrl: 'https://air.example/app',
      pageUrl: 'https://air.example',
      siteTitle: 'Air & more',
      siteContact: 'https://air.example/ask',
      siteLicense: 'CC-BY-4.0',
    }),
  );
  return withSite;
}

const get = (port: number, path: string, host?: string) => httpGet(port, path, {}, host);
const station = async ({ ports }: Running) =>
  JSON.parse((await get(ports.port, `${BASE}/station/1.json`)).body);

async function push({ ports }: Running, token: string): Promise<number> {
  const service = { port: { ingest: ports.ingestPort }, token };
  const readings = [{ sensor_id: 1, time: NOW.toISOString(), 'pm2.5': 10 }];
  return (await beginBatch(service, readings).finish(']')).status;
}
/** With a token, the service listens for readings. */
const makeToken = async (name: string) =>
  (await createToken(here.database.as(), { name, provider: 'us', stations: null, now: NOW })).token;

/** How often the database was asked for a station. */
async function queries({ ports }: Running): Promise<number> {
  const { body } = await get(ports.adminPort, '/metrics');
  return Number(
    /query_duration_seconds_count\{query="api.station_current"\} (\d+)/.exec(body)?.[1] ?? 0,
  );
}

const EFFECTS: Record<string, () => Promise<void>> = {
  async DATABASE_URL() {
    expect(await station(await running())).toMatchObject({ 'pm2.5': 10 });
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
    expect(await station(await running({ readerDatabaseUrl }))).toMatchObject({
      title: 'Of the reader',
    });
    const never = await emptyDatabase(engine);
    onTestFinished(() => never.drop());
    const { failure } = await launch({ readerDatabaseUrl: address(never.target) });
    expect(await failure).toContain(
      'The database of READER_DATABASE_URL is not migrated to this version',
    );
  },

  async TIME_ZONE() {
    const { failure } = await launch({ timeZone: 'Europe/Berlin' });
    expect(await failure).toContain(
      'TIME_ZONE is Europe/Berlin, but this database was made for Asia/Yerevan',
    );
  },

  async EPOCH() {
    const { failure } = await launch({ epoch: '2011-01-01' });
    expect(await failure).toContain('EPOCH is 2011-01-01, but this database begins on 2000-01-01');
  },

  async PORT() {
    const { ports } = await running();
    expect(await get(ports.port, `${BASE}/stations.json`)).toMatchObject({ status: 200 });
  },

  async ADMIN_PORT() {
    const { ports } = await running();
    expect(await get(ports.adminPort, '/readyz')).toMatchObject({ status: 200 });
  },

  async ADMIN_HOST() {
    const { ports } = await running({ adminHost: '127.0.0.2' });
    expect(await get(ports.adminPort, '/readyz', '127.0.0.2')).toMatchObject({ status: 200 });
    expect(await get(ports.adminPort, '/readyz')).toMatchObject({ status: 0 });
  },

  async ROLE() {
    await makeToken('of the role');
    const api = await running({ role: 'api' });
    expect(await station(api)).toMatchObject({ id: 1 });
    expect([api.jobs.size, (await get(api.ports.ingestPort, '/')).status]).toEqual([0, 0]);
    const worker = await running({ role: 'worker' });
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
    expect(await push(await running(), token)).toBe(200);
  },

  async INGEST_HOST() {
    await makeToken('of the host');
    const { ports } = await running({ ingestHost: '127.0.0.2' });
    expect(await get(ports.ingestPort, '/', '127.0.0.2')).toMatchObject({ status: 404 });
    expect(await get(ports.ingestPort, '/')).toMatchObject({ status: 0 });
  },

  async INGEST_RATE() {
    const token = await makeToken('of the rate');
    const slow = await running({ ingestRate: 1 });
    expect([await push(slow, token), await push(slow, token)]).toEqual([200, 429]);
  },

  async PULL_HOSTS() {
    const feed = await openProvider();
    onTestFinished(() => feed.close());
    feed.serve([]);
    const network = citiesOfOneStation(['town']);
    const pull = { kind: 'sensor-community', url: feed.url() };
    await here.importNetwork({
      ...network,
      providers: network.providers.map((one) => ({ ...one, pull })),
    });
    const closed = await running();
    await closed.jobs.get('pull')?.run(new Date());
    await closed.service.stop(0);
    expect(feed.requests).toEqual([]);
    await (await running({ pullHosts: [feed.host] })).jobs.get('pull')?.run(new Date());
    expect(feed.requests).toEqual(['/data.json']);
  },

  async RAW_RETENTION() {
    await here.accept([reading(1, '2026-08-01T00:00:00Z', { pm25: 10 })]);
    const { jobs } = await running({ rawRetention: '60 days' });
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
      const service = await running({ responseCacheMb, role: 'api' });
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

  async PAGE() {
    const { ports } = await running({ role: 'api' });
    expect(await get(ports.port, '/')).toMatchObject({
      status: 302,
      headers: { location: '/en/' },
    });
    expect(await get(ports.port, '/en/')).toMatchObject({ status: 200 });
    const without = (await running({ role: 'api', page: 'off' })).ports;
    expect(await get(without.port, '/')).toMatchObject({
      status: 302,
      headers: { location: `${BASE}/stations.json` },
    });
    for (const path of ['/en/', '/docs', '/widget.js']) {
      expect(await get(without.port, path), path).toMatchObject({
        status: 404,
        headers: { 'content-type': JSON_TYPE },
      });
    }
  },

  async PAGE_URL() {
    const image = 'content="https://air.example/en/card/region/town.png"';
    const { body } = await get((await dressed()).ports.port, '/en/region/town');
    expect(body.includes(image)).toBe(toPng !== undefined);
  },

  async SITE_TITLE() {
    const { body } = await get((await dressed()).ports.port, '/en/');
    expect(body).toContain('Air &amp; more</title>');
  },

  async SITE_CONTACT() {
    const mailed = await running({ role: 'api', siteContact: 'us@air.example' });
    for (const [{ ports }, text, link, contact] of [
      [
        await dressed(),
        'https://air.example/ask',
        '',
        { name: 'Air & more', url: 'https://air.example/ask' },
      ],
      [mailed, 'us@air.example', 'mailto:', { email: 'us@air.example' }],
    ] as const) {
      expect((await get(ports.port, '/en/')).body).toContain(
        `<a href="${link}${text}">${text}</a>`,
      );
      const { info } = JSON.parse((await get(ports.port, '/openapi.json')).body);
      expect(info.contact).toEqual(contact);
    }
  },

  async SITE_LICENSE() {
    const { ports } = await dressed();
    expect((await get(ports.port, '/en/')).body).toContain('CC-BY-4.0');
    const { license } = JSON.parse((await get(ports.port, '/openapi.json')).body).info;
    expect(license).toEqual({ name: 'CC-BY-4.0', identifier: 'CC-BY-4.0' });
  },

  async MAP_TILES() {
    const { mapTiles } = readConfig({
      MAP_TILES: 'https://tiles.example/{z}/{x}/{y}.png © Example https://tiles.example/terms',
    });
    expect(mapTiles).toEqual({
      url: 'https://tiles.example/{z}/{x}/{y}.png',
      attribution: '© Example',
      link: 'https://tiles.example/terms',
    });
    const { ports } = await running({ role: 'api', mapTiles });
    expect((await get(ports.port, '/en/')).headers['content-security-policy']).toContain(
      'https://tiles.example',
    );
    for (const wrong of [
      'https://tiles.example/{z}/{x}/{y}.png',
      'https://tiles.example/{z}/{x}.png © Example',
    ])
      expect(() => readConfig({ MAP_TILES: wrong })).toThrow(
        /MAP_TILES.*must be an address with \{z\}, \{x\} and \{y\}/s,
      );
  },

  async MAP_GROUND() {
    const path = join(temporaryFolder('ground'), 'ground.geojson');
    const lake = {
      type: 'LineString',
      coordinates: [
        [44, 40],
        [45, 41],
      ],
    };
    writeFileSync(path, JSON.stringify(lake));
    const { mapGround } = readConfig({ MAP_GROUND: path });
    const { ports } = await running({ role: 'api', mapGround });
    const { body } = await get(ports.port, '/en/');
    const [, url = ''] = /data-ground="([^"]+)"/.exec(body) ?? [];
    expect(JSON.parse((await get(ports.port, url)).body)).toEqual([
      [
        'road',
        0,
        [
          [
            [40, 44],
            [41, 45],
          ],
        ],
      ],
    ]);
    const missing = running({ role: 'api', mapGround: '/nowhere' });
    await expect(missing).rejects.toThrow('MAP_GROUND=/nowhere: there is no such file');
    const MAP_TILES = 'https://tiles.example/{z}/{x}/{y}.png © Example';
    expect(() => readConfig({ MAP_TILES, MAP_GROUND: path })).toThrow(/Unset one of them/);
  },

  async DEMO() {
    const stations = async (config: Partial<Config>) => {
      const empty = await testDatabase(engine);
      onTestFinished(() => empty.drop());
      // as far as its history goes
      await empty.as()`update raw.installation set ingest_cutoff = ${NOW}::timestamptz - interval '2 days'`;
      const { service, ports } = await running({ databaseUrl: address(empty.target), ...config });
      const { body } = await get(ports.port, `${BASE}/stations.json`);
      await service.stop(0);
      return JSON.parse(body).stations.length;
    };
    expect(await stations({})).toBe(0); // it is an operator's
    expect(await stations({ demo: 'on' })).toBeGreaterThan(10);
  },
};

/** Variables whose effect another file shows. */
const ELSEWHERE: Record<string, string> = {
  DATA_DIR: 'service.test.ts',
  DRAIN_SECONDS: 'shutdown.test.ts',
  FIXED_NOW: 'service.test.ts',
  LOG_LEVEL: 'serviceLog.test.ts',
  OPEN_DATA_LICENSE: 'export/exportOpenData.test.ts',
};

describe('the effect of', () => {
  afterAll(async () => (await withSite)?.service.stop(0));
  it.each(Object.keys(EFFECTS))('%s', (name) => (EFFECTS[name] as () => Promise<void>)());
});

it('is shown for every variable', () => {
  expect([...Object.keys(EFFECTS), ...Object.keys(ELSEWHERE)].toSorted()).toEqual(
    [...VARIABLES].toSorted(),
  );
});

it('the admin port keeps a hundred connections and refuses more, so that none of the public port is lost', async () => {
  const { ports } = await running({ role: 'api' });
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
  const { ports } = await running({ role: 'api' });
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
  const { failure, ports, service } = await launch({ timeZone: 'Europe/Berlin' });
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
