/**
 * The life of a service, in order: it waits for its database, opens its parts, works within its
 * limits, logs, and stops. Most of it is one process. Secrets: test/whole/secrets.test.ts.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { NOW } from '../../support/clock.ts';
import { engines } from '../../support/database.ts';
import { freePort } from '../../support/freePort.ts';
import { beginBatch, httpGet } from '../../support/http.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { untilWaiting } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { until } from '../../support/patience.ts';
import { beginService, type Service, startService } from '../../support/service.ts';
import { openWire } from '../../support/wire.ts';

const BASE = '/en/air-quality-app/v1';
const REPORT = new URL('../reportListeners.mjs', import.meta.url).href;
const time = NOW.toISOString();

type Listener = keyof Service['port'];
type Line = { level: string; time: string; msg: string } & Record<string, unknown>;

let here: Installation;
let superuser: Sql;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town', 'village', 'hamlet']));
  superuser = here.database.superuser();
  await here.accept([reading(1, NOW, { pm25: 10 })]);
  return () => here.close();
});

const linesOf = (service: Service) =>
  service
    .log()
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));

describe('a service', () => {
  let service: Service;
  /** The service reports the limits of its listeners here. */
  const folder = mkdtempSync(join(tmpdir(), 'airseries-listeners-'));
  let close: () => Promise<void>;
  afterAll(async () => {
    service?.kill('SIGKILL');
    await service?.finished;
    await close?.();
    rmSync(folder, { recursive: true });
  });

  const get = (listener: Listener, path: string, headers?: Record<string, string>) =>
    httpGet(service.port[listener], path, headers);
  const isRefused = async (listener: Listener) => (await get(listener, '/')).status === 0;
  const saying = (text: string) => linesOf(service).filter(({ msg }) => msg.includes(text));

  it('a service waits for its database, says so, and answers 503 meanwhile', async () => {
    const PGPORT = await freePort();
    const begun = await beginService(here, {
      PGHOST: '127.0.0.1',
      PGPORT,
      LOG_LEVEL: 'debug',
      DEMO: 'off',
      DRAIN_SECONDS: '0',
      INGEST_RATE: '100000',
      LISTENERS: folder,
      NODE_OPTIONS: `--import=${REPORT}`,
    });
    service = begun;
    await service.logged('the database is not reachable yet');
    expect(service.log()).toMatch(/"reason":"[^"]*ECONNREFUSED[^"]*","seconds_left":(60|5\d)/);
    expect((await get('admin', '/readyz')).status).toBe(503);
    expect((await get('public', `${BASE}/stations.json`)).status).toBe(503);
    expect(await isRefused('ingest')).toBe(true);
    const wire = await openWire(here.database.target, Number(PGPORT));
    close = () => wire.close();
    await begun.ready();
  });

  it('a service logs its URL once it is ready, after everything else has started', () => {
    const messages = linesOf(service).map(({ msg }) => msg);
    expect(messages).toContain(
      `HTTP ingestion is open at http://127.0.0.1:${service.port.ingest}/v1/readings`,
    );
    expect(messages.filter((msg) => msg.startsWith('ready'))).toEqual([
      `ready: try http://localhost:${service.port.public}/`,
    ]);
    const opened = (text: string) => messages.findIndex((msg) => msg.includes(text));
    expect(opened('readings are taken in')).toBeLessThan(opened('ready: '));
    expect(opened('aggregates are up to date')).toBeLessThan(opened('ready: '));
  });

  const PATHS = { public: `${BASE}/stations.json`, admin: '/healthz', ingest: '/v1/readings' };

  it.each([
    ['public', 10_000],
    ['admin', 10_000],
    ['ingest', 20_000],
  ] as const)(
    'the %s port has limits: %i ms for a request, 16 KiB for headers',
    async (name, requestTimeout) => {
      const status = async (bytes: number) =>
        (await get(name, PATHS[name], { 'X-Filler': 'x'.repeat(bytes) })).status;
      expect(await status(15 * 1024)).toBe((await get(name, PATHS[name])).status);
      expect(await status(17 * 1024)).toBe(431);
      expect(JSON.parse(readFileSync(join(folder, `${service.port[name]}.json`), 'utf8'))).toEqual({
        headersTimeout: 5_000,
        requestTimeout,
        keepAliveTimeout: 75_000,
        timeout: 20_000, // for a client that reads nothing of its response
      });
    },
  );

  it('the admin port takes a hundred connections and refuses more, so that the public port loses none', async () => {
    const sockets = Array.from({ length: 101 }, () => connect(service.port.admin, '127.0.0.1'));
    let closed = 0;
    for (const socket of sockets) {
      socket
        .on('error', () => undefined)
        .on('close', () => {
          closed += 1;
        });
    }
    await expect.poll(() => closed).toBe(1);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => closed).toBe(101);
  });

  it('a client that reads last and closes the connection still learns why its body was refused', async () => {
    const socket = connect(service.port.ingest, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const body = ' '.repeat(8 * 1024 * 1024 + 1);
    const head = [
      'POST /v1/readings HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${service.token}`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).write(body, () => resolve());
    });
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('a service logs a request on one line, without its query string', async () => {
    await get('public', `${BASE}/station/1.json?password=of-a-client`, {
      'User-Agent': 'my-widget/1.0',
    });
    await service.logged('my-widget');
    const about = {
      level: 'debug',
      msg: 'request',
      method: 'GET',
      path: `${BASE}/station/1.json`,
      status: 200,
      agent: 'my-widget/1.0',
    };
    const own = linesOf(service).filter(({ agent }) => agent === 'my-widget/1.0');
    expect(own).toMatchObject([about]);
    expect(service.log()).not.toContain('of-a-client');
    await get('public', `/${'y'.repeat(8_000)}`, { 'User-Agent': `long/1.0 ${'x'.repeat(7_000)}` });
    await service.logged('long/1.0');
    const lengths = service
      .log()
      .split('\n')
      .map((line) => line.length);
    expect(Math.max(...lengths)).toBeLessThan(1_000);
  });

  it('a client sees no internals of an error, and the log has its stack and SQLSTATE', async () => {
    const path = `${BASE}/station/2.json`; // not in the response cache
    const [aqi] = await superuser`select pg_get_functiondef('rollup.aqi'::regproc) as definition`;
    // neither an outage nor a fault of another version
    await superuser`create or replace function rollup.aqi(pm25 float8, pm10 float8) returns int language sql immutable return 1 / 0`;
    const answer = await get('public', path);
    await superuser.unsafe(aqi?.definition);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      500,
      {
        status: 500,
        title: 'Internal Server Error',
        detail: 'Something went wrong on our side, and it has been logged. Try again later.',
      },
    ]);
    await service.logged('a request failed');
    const [line, ...more] = saying('a request failed');
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      level: 'error',
      path,
      err: { stack: expect.stringContaining('at '), code: '22012' },
    });
    expect((await get('public', path)).status).toBe(200);
  });

  it('after SIGTERM a service finishes its requests, closes the admin port last, and exits with 0', async () => {
    const batch = beginBatch(service, [{ sensor_id: 2, time, pm25: 30 }]);
    const end = await openTransaction(superuser, 'lock table api.station in access exclusive mode');
    const answer = get('public', `${BASE}/station/3.json`); // not in the response cache
    await untilWaiting(superuser, { of: 'airseries read' });

    service.kill('SIGTERM');
    await service.logged('stopping');
    await end('rollback');
    // not cut; 503 if a statement took more than its 2 seconds on this machine
    expect([200, 503]).toContain((await answer).status);
    expect((await answer).headers.connection).toBe('close');

    // the batch is incomplete: its port waits for it, and the admin port and the database close
    // after that
    await until(() => isRefused('public'), 'the public port is closed');
    await until(() => isRefused('ingest'), 'the ingest port takes no new requests');
    expect(batch.answered()).toBe(false);
    expect((await get('admin', '/healthz')).status).toBe(200);
    const taken = await batch.finish(']');
    expect([taken.status, taken.headers.connection]).toEqual([200, 'close']);
    expect(JSON.parse(taken.body)).toEqual({
      received: 1,
      accepted: 1,
      unchanged: 0,
      quarantined: [],
      format: 'airseries',
    });

    expect((await service.finished).code).toBe(0);
    expect(await isRefused('admin')).toBe(true);
    expect(await here.get('station/2.json', NOW)).toMatchObject({ 'pm2.5': 30 });
  });

  it('a service logs only JSON up to its last line, and prints nothing on stdout', async () => {
    expect((await service.finished).stdout).toBe('');
    const lines = linesOf(service);
    for (const line of lines) {
      expect(['debug', 'info', 'warn', 'error']).toContain(line.level);
      expect(new Date(line.time).toISOString()).toBe(line.time);
      expect(line.msg).not.toBe('');
    }
    expect(saying('stopping')).toMatchObject([{ level: 'info', signal: 'SIGTERM' }]);
    const faults = lines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(faults.map(({ msg }) => msg)).toEqual([
      'the database is not reachable yet; waiting',
      'refused a connection: too many are open',
      'a request failed',
    ]);
  });
});

it('with DRAIN_SECONDS a stopping service is not ready but still serves, until a second signal ends it', async () => {
  const service = await startService(here, { DEMO: 'off', DRAIN_SECONDS: '60' });
  onTestFinished(() => service.kill('SIGKILL'));
  const readyz = async () => (await httpGet(service.port.admin, '/readyz')).status;
  const station = () => httpGet(service.port.public, `${BASE}/station/1.json`);
  expect(await readyz()).toBe(200);
  expect((await station()).headers.connection).toBe('keep-alive');
  const batch = beginBatch(service, [{ sensor_id: 2, time, pm25: 40 }]);

  service.kill('SIGTERM');
  await service.logged('stopping');
  // without the variable its ports would be closed by then
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await readyz()).toBe(503);
  const answer = await station();
  expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
  expect((await httpGet(service.port.ingest, '/')).headers.connection).toBe('close');

  service.kill('SIGINT');
  expect((await service.finished).code).toBe(1);
  expect((await batch.finish(']')).status).toBe(0);
});

it('a service that stops or cannot start closes what it had opened', async () => {
  const [adminPort, ingestPort] = [Number(await freePort()), Number(await freePort())];
  /** The sessions of this test itself, and of services before it that are just ending, are old. */
  let old: number[] = [];
  const sessions = async () => {
    const rows = await superuser<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and application_name like 'airseries %'`;
    return rows.map(({ pid }) => pid).filter((pid) => !old.includes(pid));
  };
  old = await sessions();
  const started = await launch(here, { adminPort, ingestPort });
  expect(await sessions()).not.toEqual([]);
  await started.stop();
  await expect.poll(sessions).toEqual([]);
  const other = createServer().listen(ingestPort, '127.0.0.1');
  onTestFinished(() => void other.close());
  await expect(launch(here, { adminPort, ingestPort })).rejects.toThrow('INGEST_PORT');
  expect((await httpGet(adminPort, '/healthz')).status).toBe(0);
  await expect.poll(sessions).toEqual([]);
});

it('a process opens the named database, else the bundled one, or says which of them is missing', async () => {
  const bundled = { target: 'bundled', embedded: true, close: async () => undefined };
  const open = async () => bundled;
  expect(await openDatabase('postgres://me@here/air', open)).toMatchObject({
    target: 'postgres://me@here/air',
    embedded: false,
  });
  expect(await openDatabase(undefined, open)).toBe(bundled);
  await expect(openDatabase(undefined, undefined)).rejects.toThrow(
    /^DATABASE_URL is missing, and there is no bundled database\. Set it to the address/,
  );
});
