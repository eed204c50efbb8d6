/**
 * Limits of the listeners of a running service: timeouts, sizes of headers and bodies, and the
 * number of bodies at once. Settings are read from the process itself.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import {
  type Answer,
  beginBatch,
  beginRequest,
  httpGet,
  SERVICE_NOW,
  type Service,
  startService,
  until,
} from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'airseries-listeners-'));
const REPORT = new URL('../support/reportListeners.mjs', import.meta.url).href;
const time = SERVICE_NOW.toISOString();

let here: Installation;
let service: Service;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  service = await startService(here, {
    LISTENERS: folder,
    NODE_OPTIONS: `--import=${REPORT}`,
    DEMO: 'off',
    INGEST_RATE: '100000',
  });
});
afterAll(async () => {
  service.kill('SIGTERM');
  await service.finished;
  await here.close();
  rmSync(folder, { recursive: true });
});

const PATHS = {
  public: '/en/air-quality-app/v1/station/1.json',
  admin: '/healthz',
  ingest: '/v1/readings',
};

describe.each([
  ['public', 10_000],
  ['admin', 10_000],
  ['ingest', 20_000],
] as const)('the %s listener', (name, requestTimeout) => {
  it(`waits 5 seconds for headers, ${requestTimeout / 1_000} for a request, and keeps idle connections for 75`, async () => {
    await httpGet(service.port[name], PATHS[name]);
    expect(JSON.parse(readFileSync(join(folder, `${service.port[name]}.json`), 'utf8'))).toEqual({
      headersTimeout: 5_000,
      requestTimeout,
      keepAliveTimeout: 75_000,
      timeout: 20_000, // for a client that reads nothing of its response
    });
  });

  it('accepts headers of 15 KiB, and answers headers of 17 KiB with 431', async () => {
    const status = async (bytes: number) =>
      (await httpGet(service.port[name], PATHS[name], { 'X-Filler': 'x'.repeat(bytes) })).status;
    expect(await status(15 * 1024)).toBe((await httpGet(service.port[name], PATHS[name])).status);
    expect(await status(17 * 1024)).toBe(431);
  });
});

describe('bodies', () => {
  const post = (
    path: string,
    body: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    beginRequest(service.port.ingest, {
      method: 'POST',
      path,
      headers: {
        Authorization: `Bearer ${service.token}`,
        'Content-Type': 'application/json',
        ...headers,
      },
    }).finish(body);
  const readings = (bytes: number) =>
    JSON.stringify([{ sensor_id: 1, time, pm25: 10 }]).padEnd(bytes);
  const airrohr = (bytes: number) => JSON.stringify({ sensordatavalues: [] }).padEnd(bytes);

  it.each([
    ['/v1/readings', 8 * 1024 * 1024, readings],
    ['/v1/push/airrohr', 64 * 1024, airrohr],
  ])('of %s may have %i bytes and no more', async (path, limit, body) => {
    const answers = [limit, limit + 1].map((bytes) =>
      post(path, body(bytes), { 'X-Sensor': 'esp8266-1' }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 413]);
  });

  it('that are refused while they are sent: a client reads why, even if it reads last and closes the connection', async () => {
    const socket = connect(service.port.ingest, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const body = readings(8 * 1024 * 1024 + 1);
    const head = [
      'POST /v1/readings HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${service.token}`,
      'Connection: close',
    ];
    socket.write(
      [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', ''].join(
        '\r\n',
      ),
    );
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).write(body, () => resolve());
    });
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('are accepted 4 at once per token: the next gets Retry-After: 2, and all 4 are finished', async () => {
    const begin = () => beginBatch(service, [{ sensor_id: 1, time, pm25: 10 }]);
    const begun = Array.from({ length: 4 }, begin);
    const next = () => post('/v1/readings', JSON.stringify([{ sensor_id: 1, time, pm25: 10 }]));
    let refused = await next();
    await until(async () => {
      // refused, because the next one arrived first
      for (const [n, one] of begun.entries()) if (one.answered()) begun[n] = begin();
      refused = await next();
      return refused.status !== 200 && begun.every((one) => !one.answered());
    }, 'the fifth is refused');
    expect([
      refused.status,
      refused.headers['retry-after'],
      refused.headers['cache-control'],
    ]).toEqual([429, '2', 'no-store']);
    expect(begun.filter((one) => one.answered())).toEqual([]);
    const answers = await Promise.all(begun.map((one) => one.finish(']')));
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200));
    expect((await next()).status).toBe(200);
  });
});
