/**
 * The exact headers of every kind of answer, which caches and browsers rely on: an extra or missing header or another value fails here.
 * They do not depend on the engine.
 */
import type { RequestListener } from 'node:http';
import type { Response } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApp } from '../../src/api/app.ts';
import { LOCALES } from '../../src/contract/endpoints.ts';
import type { DatabaseAddress } from '../../src/database/client.ts';
import { type Api, openReaderPool } from '../../src/database/pools.ts';
import { startingListener } from '../../src/http/listen.ts';
import { makeLog } from '../../src/log.ts';
import { engines } from '../support/database.ts';
import { citiesOfOneStation, type Installation, install, reading } from '../support/installation.ts';
import { request } from '../support/request.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const BASE = '/en/air-quality-app/v1';
const ENDPOINTS = ['stations', 'station/1', 'station/1-history', 'region/town', 'region/town-history'];

const JSON_BODY = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': expect.stringMatching(/^\d+$/),
};
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Age, Date, Retry-After',
};
const CACHED = {
  ...CORS,
  'cache-control': 'public, max-age=60, stale-while-revalidate=240, stale-if-error=600',
  vary: 'Accept-Encoding',
  etag: expect.stringMatching(/^"[\w-]{27}"$/),
};
const NOT_CACHED = { ...CORS, ...JSON_BODY, 'cache-control': 'no-store' };
const PREFLIGHT = {
  ...CORS,
  allow: 'GET, HEAD, OPTIONS',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
};

/** Without the headers that Node adds to every answer. */
function headersOf({ headers }: Response): Record<string, string> {
  const { date = '', connection, 'keep-alive': _, ...rest } = headers;
  expect(Date.parse(date)).toBeGreaterThan(0);
  expect(['close', 'keep-alive']).toContain(connection);
  return rest;
}

/** Without compression, which compression.test.ts covers. */
const client = (app: RequestListener) => request(app).set('Accept-Encoding', 'identity');

let here: Installation;
const closing: (() => Promise<void>)[] = [];
const apps: Record<'normal' | 'away' | 'starting', RequestListener> = {
  normal: startingListener().listener,
  away: startingListener().listener,
  starting: startingListener().listener,
};

beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  await here.accept([reading(1, NOW, { pm25: 10 })]);
  await here.refresh(NOW);
  const over = (target: DatabaseAddress) => {
    const db = openReaderPool<Api>(target, { timeZone: here.database.timeZone, max: 4 });
    closing.push(() => db.destroy());
    return makeApp({ db, clock: () => NOW, siteBaseUrl: '', log: makeLog('silent') });
  };
  apps.normal = over(here.database.target);
  apps.away = over({ host: '/nonexistent', port: 5432, user: 'nobody', database: 'nothing' });
});
afterAll(async () => {
  for (const close of closing) await close();
  await here.close();
});

describe.each(ENDPOINTS)('%s.json', (name) => {
  const path = `${BASE}/${name}.json`;

  it.each(LOCALES)('has these headers in %s', async (locale) => {
    const res = await client(apps.normal)
      .get(path.replace('/en/', `/${locale}/`))
      .set('Origin', 'https://x.example');
    expect(res.status).toBe(200);
    expect(headersOf(res)).toEqual({ ...CACHED, ...JSON_BODY, 'content-language': locale });
    expect(res.headers['content-length']).toBe(String(Buffer.byteLength(res.text)));
  });

  it('has the same headers for HEAD, including the length of the body', async () => {
    const [get, head] = await Promise.all([client(apps.normal).get(path), client(apps.normal).head(path)]);
    expect(head.status).toBe(200);
    expect(headersOf(head)).toEqual(headersOf(get));
  });

  it.each(['get', 'head'] as const)('has validators but no headers about a body in a 304 (%s)', async (method) => {
    const { etag = '' } = (await client(apps.normal).get(path)).headers;
    const res = await client(apps.normal)[method](path).set('If-None-Match', etag);
    expect(res.status).toBe(304);
    expect(headersOf(res)).toEqual({ ...CACHED, etag, 'content-language': 'en' });
  });

  it('answers OPTIONS with the allowed methods, valid for a day', async () => {
    const res = await client(apps.normal).options(path).set('Origin', 'https://x.example');
    expect(res.status).toBe(204);
    expect(headersOf(res)).toEqual(PREFLIGHT);
  });

  it.each(['post', 'put', 'patch', 'delete'] as const)(
    'answers %s with 405 and the allowed methods',
    async (method) => {
      const res = await client(apps.normal)[method](path);
      expect(res.status).toBe(405);
      expect(headersOf(res)).toEqual({ ...NOT_CACHED, allow: 'GET, HEAD, OPTIONS' });
    },
  );

  it.each(['get', 'head'] as const)('is not to be cached while the database is unreachable (%s)', async (method) => {
    const res = await client(apps.away)[method](path);
    expect(res.status).toBe(503);
    expect(headersOf(res)).toEqual({ ...NOT_CACHED, 'retry-after': '5' });
  });

  it.each(['get', 'head', 'options'] as const)('is not to be cached while the service starts (%s)', async (method) => {
    const res = await client(apps.starting)[method](path);
    expect(res.status).toBe(503);
    expect(headersOf(res)).toMatchObject({
      ...JSON_BODY,
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'retry-after': '5',
    });
  });
});

it.each([
  ['an unknown station', 404, `${BASE}/station/2.json`],
  ['an unknown region', 404, `${BASE}/region/nowhere-history.json`],
  ['an unknown locale', 404, '/fr/air-quality-app/v1/stations.json'],
  ['an unknown path', 404, '/favicon.ico'],
  ['malformed percent-encoding', 400, `${BASE}/%zz`],
])('the answer to %s is not to be cached, and any page may read it', async (_, status, path) => {
  for (const method of ['get', 'head'] as const) {
    const res = await client(apps.normal)[method](path);
    expect(res.status).toBe(status);
    expect(headersOf(res)).toEqual(NOT_CACHED);
  }
});

it('the redirect from / has a Location, and no headers about language or caching', async () => {
  const res = await client(apps.normal).get('/');
  expect(headersOf(res)).toEqual({ ...CORS, location: `${BASE}/stations.json`, 'content-length': '0' });
});

it.each([
  ['"mine"', true],
  ['"other", W/"mine"', true],
  [' * ', true],
  ['"other"', false],
  ['"mine', false],
  ['mine', false],
  ['"*"', false],
  [undefined, false],
])('compares If-None-Match: %s weakly, and as a list (RFC 9110, 13.1.2)', async (given, known) => {
  const path = `${BASE}/stations.json`;
  const { etag = '' } = (await client(apps.normal).get(path)).headers;
  const again = client(apps.normal).get(path);
  if (given !== undefined)
    again.set('If-None-Match', given.replaceAll('"mine"', etag).replaceAll('mine', etag.slice(1, -1)));
  expect((await again).status).toBe(known ? 304 : 200);
});
