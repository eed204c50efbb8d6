/**
 * The answers of the public API to every kind of request: status, exact headers, which caches and
 * browsers rely on, content codings, and what a problem says. They do not depend on the engine.
 */
import type { RequestListener } from 'node:http';
import type { Response } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../src/contract/endpoints.ts';
import { startingListener } from '../../src/http/listen.ts';
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

/** Without the headers that Node adds to every answer. */
function headersOf({ headers }: Response): Record<string, string> {
  const { date = '', connection, 'keep-alive': _, ...rest } = headers;
  expect(Date.parse(date)).toBeGreaterThan(0);
  expect(['close', 'keep-alive']).toContain(connection);
  return rest;
}

type Method = 'get' | 'head' | 'options' | 'post' | 'put' | 'patch' | 'delete' | 'trace';
/** Uncompressed, unless the test says otherwise. */
const send = (app: RequestListener, method: Method, path: string) =>
  request(app)[method](path).set('Accept-Encoding', 'identity');

describe.each(PATHS)('answers that are %s', (answers) => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(engines[0] ?? 'plain', { path: answers });
    return () => served.close();
  });
  const changed = answers === 'kept' ? { 'last-modified': NOW.toUTCString() } : {};

  it.each(LOCALES)('a document has exactly the documented headers in %s', async (locale) => {
    for (const name of DOCUMENTS) {
      const path = `/${locale}/air-quality-app/v1/${name}`;
      const res = await send(served.app, 'get', path).set('Origin', 'https://x.example');
      expect([res.status, headersOf(res)], name).toEqual([
        200,
        { ...CACHED, ...JSON_BODY, ...changed, 'content-language': locale },
      ]);
      expect(res.headers['content-length']).toBe(String(Buffer.byteLength(res.text)));
      const head = await send(served.app, 'head', path);
      expect([head.status, headersOf(head)], name).toEqual([200, headersOf(res)]);
    }
  });

  it.each(['get', 'head'] as const)(
    'a 304 to %s has validators and no headers about a body',
    async (method) => {
      for (const name of DOCUMENTS) {
        const { etag = '' } = (await send(served.app, 'get', `${BASE}/${name}`)).headers;
        const again = await send(served.app, method, `${BASE}/${name}`).set('If-None-Match', etag);
        expect([again.status, headersOf(again)]).toEqual([304, { ...CACHED, ...changed, etag }]);
      }
    },
  );

  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip;q=0', undefined],
    ['deflate', undefined],
    ['', undefined],
    ['gzip;q=0, *;q=0', undefined],
  ])(
    'a document for Accept-Encoding "%s" is sent with Content-Encoding %s',
    async (accepted, coding) => {
      const plain = await send(served.app, 'get', `${BASE}/stations.json`);
      const coded = () =>
        send(served.app, 'get', `${BASE}/stations.json`).set('Accept-Encoding', accepted);
      const { headers, text } = await coded();
      expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'Accept-Encoding']);
      expect(text).toBe(plain.text);
      if (coding !== undefined)
        expect(Number(headers['content-length'])).toBeLessThan(plain.text.length / 2);
      expect(headers.etag === plain.headers.etag).toBe(coding === undefined);
      // the tag of any coding gives 304 in any other
      const other = await coded().set('If-None-Match', String(plain.headers.etag));
      const same = await send(served.app, 'get', `${BASE}/stations.json`).set(
        'If-None-Match',
        String(headers.etag),
      );
      expect([other.status, same.status]).toEqual([304, 304]);
      expect(other.headers).not.toHaveProperty('content-encoding');
    },
  );
});

describe('an answer', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(engines[0] ?? 'plain', { path: 'kept' });
    return () => served.close();
  });
  const ask = (method: Method, path: string) => send(served.app, method, path);

  it('OPTIONS is answered with the allowed methods, valid for a day', async () => {
    const allow = 'GET, HEAD, OPTIONS';
    const res = await ask('options', `${BASE}/stations.json`)
      .set('Origin', 'https://x.example')
      .set('Access-Control-Request-Method', 'GET');
    expect([res.status, headersOf(res)]).toEqual([
      204,
      {
        ...CORS,
        allow,
        'access-control-allow-methods': allow,
        'access-control-allow-headers': '*',
        'access-control-max-age': '86400',
      },
    ]);
    const other = await ask('options', `${BASE}/stations.json`);
    expect(headersOf(other)).toEqual({ ...CORS, allow }); // no browser asked
  });

  it.each(['post', 'put', 'patch', 'delete', 'trace'] as const)(
    'method %s is answered with 405 and the allowed methods',
    async (method) => {
      const res = await ask(method, `${BASE}/station/1.json`);
      expect([res.status, res.body.detail]).toEqual([405, expect.stringContaining('Use GET')]);
      expect(headersOf(res)).toEqual({ ...NOT_CACHED, allow: 'GET, HEAD, OPTIONS' });
      expect((await ask(method, '/')).status).toBe(405);
    },
  );

  it.each(['get', 'head', 'options'] as const)(
    'the answer to %s is 503 and not to be cached while the service starts',
    async (method) => {
      const res = await send(startingListener().listener, method, `${BASE}/stations.json`);
      expect([res.status, headersOf(res)]).toMatchObject([
        503,
        {
          ...JSON_BODY,
          'access-control-allow-origin': '*',
          'cache-control': 'no-store',
          'retry-after': '5',
        },
      ]);
    },
  );

  it('a GET of / redirects to a document, without headers about language or caching', async () => {
    const res = await ask('get', '/');
    const location = `${BASE}/stations.json`;
    expect([res.status, headersOf(res)]).toEqual([
      302,
      { ...CORS, location, 'content-length': '0' },
    ]);
    expect((await ask('get', location)).status).toBe(200);
  });

  it.each([
    ['"mine"', 304],
    ['"x,y", W/"z",W/"mine"', 304],
    [' * ', 304],
    ['"other"', 200],
    ['"mine', 200],
    ['mine', 200],
    ['"*"', 200],
    ['', 200],
  ])(
    'If-None-Match: %s is compared weakly and as a list (RFC 9110, 13.1.2)',
    async (given, status) => {
      const { etag = '' } = (await ask('get', `${BASE}/stations.json`)).headers;
      const tags = given.replaceAll('"mine"', etag).replaceAll('mine', etag.slice(1, -1));
      const again = await ask('get', `${BASE}/stations.json`).set('If-None-Match', tags);
      expect(again.status).toBe(status);
    },
  );

  it('a query string and a missing User-Agent change nothing', async () => {
    for (const name of DOCUMENTS) {
      const plain = await ask('get', `${BASE}/${name}`);
      const other = await ask('get', `${BASE}/${name}?a[b]=1&locale=ru&%zz`).unset('User-Agent');
      expect([other.status, other.text]).toEqual([200, plain.text]);
    }
  });

  it('the ETag differs in another language', async () => {
    const [en, ru] = ['en', 'ru'].map((locale) => `/${locale}/air-quality-app/v1/station/1.json`);
    const tags = await Promise.all(
      [en, en, ru].map(async (path) => (await ask('get', path as string)).headers.etag),
    );
    expect(tags[0]).toBe(tags[1]);
    expect(tags[0]).not.toBe(tags[2]);
  });

  function expectProblem(res: Response, status: number, title: string, detail: RegExp) {
    expect([res.status, headersOf(res)]).toEqual([status, NOT_CACHED]);
    expect(Object.keys(res.body)).toEqual(['status', 'title', 'detail']);
    expect(res.body).toMatchObject({ status, title, detail: expect.stringMatching(detail) });
    expect(res.text).not.toMatch(/select|postgres|node_modules|\.ts\b|at \//i);
  }

  it.each([
    [`${BASE}/station/999.json`, /no station 999\b.*stations\[\]\.id/],
    [`${BASE}/station/999-history.json`, /no station 999\b/],
    [`${BASE}/station/2147483647.json`, /no station 2147483647\b/],
    [`${BASE}/station/2147483648.json`, /no station 2147483648\b/],
    [`${BASE}/station/0.json`, /"0" cannot be a station id/],
    [`${BASE}/station/01.json`, /"01" cannot be .* without leading zeros/],
    [`${BASE}/station/1%2F2.json`, /cannot be/],
    [`${BASE}/station/%31.json`, /cannot be/],
    [`${BASE}/station/1%0A.json`, /cannot be/],
    [`${BASE}/station/12-history-history.json`, /"12-history" cannot be/],
    [`${BASE}/region/nowhere.json`, /no region "nowhere".*regions\[\]\.slug/],
    [`${BASE}/region/nowhere-history.json`, /no region "nowhere"/],
    [`${BASE}/region/Alpha.json`, /"Alpha" cannot be a slug/],
    [`${BASE}/region/alpha%00.json`, /cannot be a slug/],
    [`${BASE}/region/%2e%2e%2fstations.json`, /cannot be a slug/],
    [`${BASE}/region/'%20or%201=1--.json`, /cannot be a slug/],
    ['/fr/air-quality-app/v1/stations.json', /no locale "fr".*en, ru, hy/],
    ['/fr/', /nothing at "\/fr\/"/],
    [
      '/en/air-quality-app/v2/stations.json',
      /nothing at .* Did you mean \/en\/air-quality-app\/v1\/stations\.json\?/,
    ],
    [`${BASE}/Stations.json`, /nothing at .* Case matters/],
    [`${BASE}/stations.json/`, /nothing at/],
    [`${BASE}//stations.json`, /nothing at/],
    [`${BASE}/stations%2Ejson`, /nothing at/],
  ])('a request for %s is 404, and its detail tells why', async (path, detail) => {
    expectProblem(await ask('get', path), 404, 'Not Found', detail);
    const head = await ask('head', path);
    expect([head.status, head.text ?? '', headersOf(head)]).toEqual([404, '', NOT_CACHED]);
  });

  it('an oversized path is 404, and not repeated in full', async () => {
    for (const [path, detail] of [
      [`${BASE}/station/${'9'.repeat(4_000)}.json`, /^There is no station 9{79}…\./],
      [`${BASE}/region/${'a'.repeat(4_000)}.json`, /no region "a{79}…"/],
      [`/${'x'.repeat(8_000)}`, /nothing at/],
    ] as const)
      expectProblem(await ask('get', path), 404, 'Not Found', detail);
  });

  it.each(['/nowhere', `${BASE}/station/01.json`, '/fr/air-quality-app/v1/stations.json'])(
    'the unknown path %s is 404, whatever the method',
    async (path) => {
      for (const method of ['post', 'options'] as const)
        expectProblem(await ask(method, path), 404, 'Not Found', /./);
    },
  );

  it.each(['/v1/readings', '/v1/push/ttn'])(
    'the 404 to readings posted to %s tells which port takes them',
    async (path) => {
      const opens =
        /Readings go to the ingestion port \(INGEST_PORT, by default 8082\), which opens/;
      expectProblem(await ask('post', path), 404, 'Not Found', opens);
    },
  );

  it.each([`${BASE}/region/%E0%A4%A.json`, '/%zz', `${BASE}/region/%FF.json`])(
    'a request for %s is 400, because its percent-encoding is malformed',
    async (path) => {
      expectProblem(await ask('get', path), 400, 'Bad Request', /percent-encoding/);
    },
  );
});
