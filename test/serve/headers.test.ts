/**
 * The exact headers of every kind of answer, which caches and browsers rely on: an extra or missing
 * header or another value fails here. They do not depend on the engine.
 */
import type { RequestListener } from 'node:http';
import type { Response } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import { makeLog } from '../../src/base/log.ts';
import { LOCALES } from '../../src/contract/endpoints.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { startingListener } from '../../src/http/listen.ts';
import { makeApp } from '../../src/serve/app.ts';
import { engines } from '../support/database.ts';
import { request } from '../support/request.ts';
import { DOCUMENTS, NOW } from './network.ts';
import { PATHS, type Served, serve } from './serve.ts';

const BASE = '/en/air-quality-app/v1';

const JSON_BODY = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': expect.stringMatching(/^\d+$/),
};
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Age, Date, Retry-After, Content-Disposition, Link',
};
const CACHED = {
  ...CORS,
  'cache-control': 'max-age=60, stale-while-revalidate=240, stale-if-error=600',
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

const NOWHERE = { host: '/nonexistent', port: 5432, user: 'nobody', database: 'nothing' };
const away = openReaderPool(NOWHERE, { timeZone: 'UTC', max: 4 });
const apps = {
  away: makeApp({ db: away, clock: makeClock(NOW), siteBaseUrl: '', log: makeLog('silent') }),
  starting: startingListener().listener,
};
const served: Partial<Record<(typeof PATHS)[number], Served>> = {};
beforeAll(async () => {
  for (const path of PATHS) served[path] = await serve(engines[0] ?? 'plain', { path });
});
afterAll(async () => {
  for (const path of PATHS) await served[path]?.close();
  await away.destroy();
});
const normal = (answers: (typeof PATHS)[number] = 'rendered') =>
  client((served[answers] as Served).app);

describe.each(DOCUMENTS)('%s', (name) => {
  const path = `${BASE}/${name}`;

  describe.each(PATHS)('%s', (answers) => {
    const changed = answers === 'kept' ? { 'last-modified': NOW.toUTCString() } : {};

    it.each(LOCALES)('a document has exactly the documented headers in %s', async (locale) => {
      const res = await normal(answers)
        .get(path.replace('/en/', `/${locale}/`))
        .set('Origin', 'https://x.example');
      expect(res.status).toBe(200);
      expect(headersOf(res)).toEqual({
        ...CACHED,
        ...JSON_BODY,
        ...changed,
        'content-language': locale,
      });
      expect(res.headers['content-length']).toBe(String(Buffer.byteLength(res.text)));
    });

    it('HEAD has the same headers as GET, including the length of the body', async () => {
      const [get, head] = await Promise.all([
        normal(answers).get(path),
        normal(answers).head(path),
      ]);
      expect(head.status).toBe(200);
      expect(headersOf(head)).toEqual(headersOf(get));
    });

    it.each(['get', 'head'] as const)(
      'a 304 to %s has validators and no headers about a body',
      async (method) => {
        const { etag = '' } = (await normal(answers).get(path)).headers;
        const res = await normal(answers)[method](path).set('If-None-Match', etag);
        expect(res.status).toBe(304);
        expect(headersOf(res)).toEqual({ ...CACHED, ...changed, etag });
      },
    );

    it('OPTIONS is answered with the allowed methods, valid for a day', async () => {
      const preflight = { Origin: 'https://x.example', 'Access-Control-Request-Method': 'GET' };
      const res = await normal(answers).options(path).set(preflight);
      expect(res.status).toBe(204);
      expect(headersOf(res)).toEqual(PREFLIGHT);
      const other = await normal(answers).options(path);
      expect(headersOf(other)).toEqual({ ...CORS, allow: PREFLIGHT.allow }); // no browser asked
    });

    it.each(['post', 'put', 'patch', 'delete', 'trace'] as const)(
      'method %s is answered with 405 and the allowed methods',
      async (method) => {
        const res = await normal(answers)[method](path);
        expect([res.status, res.body.detail]).toEqual([405, expect.stringContaining('Use GET')]);
        expect(headersOf(res)).toEqual({ ...NOT_CACHED, allow: 'GET, HEAD, OPTIONS' });
      },
    );
  });

  it.each(['get', 'head'] as const)(
    'the answer to %s is 503 and not to be cached while the database is unreachable',
    async (method) => {
      const res = await client(apps.away)[method](path);
      expect(res.status).toBe(503);
      expect(headersOf(res)).toEqual({ ...NOT_CACHED, 'retry-after': '5' });
    },
  );

  it.each(['get', 'head', 'options'] as const)(
    'the answer to %s is 503 and not to be cached while the service starts',
    async (method) => {
      const res = await client(apps.starting)[method](path);
      expect(res.status).toBe(503);
      expect(headersOf(res)).toMatchObject({
        ...JSON_BODY,
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
        'retry-after': '5',
      });
    },
  );
});

it.each([
  ['an unknown station', 404, `${BASE}/station/999.json`],
  ['an unknown region', 404, `${BASE}/region/nowhere-history.json`],
  ['an unknown locale', 404, '/fr/air-quality-app/v1/stations.json'],
  ['an unknown path', 404, '/favicon.ico'],
  ['malformed percent-encoding', 400, `${BASE}/%zz`],
])('the answer to %s is not to be cached, and any page may read it', async (_, status, path) => {
  for (const method of ['get', 'head'] as const) {
    const res = await normal()[method](path);
    expect(res.status).toBe(status);
    expect(headersOf(res)).toEqual(NOT_CACHED);
  }
});

it('the redirect from / has a Location, and no headers about language or caching', async () => {
  const res = await normal().get('/');
  expect(headersOf(res)).toEqual({
    ...CORS,
    location: `${BASE}/stations.json`,
    'content-length': '0',
  });
});

it.each([
  ['"mine"', true],
  ['"x,y", W/"z",W/"mine"', true],
  [' * ', true],
  ['"other"', false],
  ['"mine', false],
  ['mine', false],
  ['"*"', false],
  ['', false],
  [undefined, false],
])(
  'If-None-Match: %s is compared weakly and as a list (RFC 9110, 13.1.2)',
  async (given, known) => {
    const path = `${BASE}/stations.json`;
    const { etag = '' } = (await normal().get(path)).headers;
    const again = normal().get(path);
    if (given !== undefined)
      again.set(
        'If-None-Match',
        given.replaceAll('"mine"', etag).replaceAll('mine', etag.slice(1, -1)),
      );
    expect((await again).status).toBe(known ? 304 : 200);
  },
);
