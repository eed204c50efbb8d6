/**
 * Paths and methods of the public API, with the response cache full. Its headers are in
 * headers.test.ts; neither depends on the engine.
 */
import type { Response } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../src/contract/endpoints.ts';
import { engines } from '../support/database.ts';
import { request } from '../support/request.ts';
import { DOCUMENTS } from './network.ts';
import { type Served, serve } from './serve.ts';

const BASE = '/en/air-quality-app/v1';

describe('the public API', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(engines[0] ?? 'plain', { path: 'kept' });
    // from here on, the cache holds everything it can
    for (const locale of LOCALES)
      for (const path of DOCUMENTS) await send('get', `/${locale}/air-quality-app/v1/${path}`);
  });
  afterAll(() => served.close());

  const send = (method: 'get' | 'head' | 'options' | 'post', path: string) =>
    request(served.app)[method](path).set('Accept-Encoding', 'identity');

  function expectProblem(res: Response, status: number, title: string, detail: RegExp) {
    expect(res.status).toBe(status);
    expect(res.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(res.headers['access-control-allow-origin']).toBe('*');
    expect(res.headers['cache-control']).toBe('no-store');
    expect(Object.keys(res.body)).toEqual(['status', 'title', 'detail']);
    expect(res.body).toMatchObject({ status, title, detail: expect.stringMatching(detail) });
    expect(res.text).not.toMatch(/select|postgres|node_modules|\.ts\b|at \//i);
  }

  it.each(DOCUMENTS)(
    'a query string and a missing User-Agent change nothing of %s',
    async (path) => {
      const plain = await send('get', `${BASE}/${path}`);
      const other = await send('get', `${BASE}/${path}?a[b]=1&locale=ru&%zz`).unset('User-Agent');
      expect(other.status).toBe(200);
      expect(other.text).toBe(plain.text);
    },
  );

  it.each(['/v1/readings', '/v1/push/ttn'])(
    'the 404 to readings posted to %s tells which port takes them',
    async (path) => {
      const res = await send('post', path);
      expectProblem(
        res,
        404,
        'Not Found',
        /Readings go to the ingestion port \(INGEST_PORT, by default 8082\), which opens with/,
      );
    },
  );

  it.each([
    [`${BASE}/station/999.json`, /no station 999\b.*stations\[\]\.id/],
    [`${BASE}/station/999-history.json`, /no station 999\b/],
    [`${BASE}/station/2147483647.json`, /no station 2147483647\b/],
    [`${BASE}/station/2147483648.json`, /no station 2147483648\b/],
    [`${BASE}/station/99999999999.json`, /no station 99999999999\b/],
    [`${BASE}/station/0.json`, /"0" cannot be a station id/],
    [`${BASE}/station/01.json`, /"01" cannot be .* without leading zeros/],
    [`${BASE}/station/+1.json`, /"\+1" cannot be/],
    [`${BASE}/station/-1.json`, /"-1" cannot be/],
    [`${BASE}/station/1.0.json`, /cannot be/],
    [`${BASE}/station/1e3.json`, /cannot be/],
    [`${BASE}/station/1%2F2.json`, /cannot be/],
    [`${BASE}/station/1%00.json`, /cannot be/],
    [`${BASE}/station/%31.json`, /cannot be/],
    [`${BASE}/station/1%0A.json`, /cannot be/],
    [`${BASE}/station/.json`, /cannot be/],
    [`${BASE}/station/12-history-history.json`, /"12-history" cannot be/],
    [`${BASE}/region/nowhere.json`, /no region "nowhere".*regions\[\]\.slug/],
    [`${BASE}/region/nowhere-history.json`, /no region "nowhere"/],
    [`${BASE}/region/alpha-history-history.json`, /no region "alpha-history"/],
    [`${BASE}/region/Alpha.json`, /"Alpha" cannot be a slug/],
    [`${BASE}/region/al_pha.json`, /cannot be a slug/],
    [`${BASE}/region/alpha%00.json`, /cannot be a slug/],
    [`${BASE}/region/%2e%2e%2fstations.json`, /cannot be a slug/],
    [`${BASE}/region/' or 1=1--.json`.replaceAll(' ', '%20'), /cannot be a slug/],
    ['/fr/air-quality-app/v1/stations.json', /no locale "fr".*en, ru, hy/],
    ['/EN/air-quality-app/v1/stations.json', /no locale "EN"/],
    ['/fr/', /nothing at "\/fr\/"/],
    ['/en/', /nothing at/],
    [
      '/en/air-quality-app/v2/stations.json',
      /nothing at .* Did you mean \/en\/air-quality-app\/v1\/stations\.json\?/,
    ],
    [`${BASE}/Stations.json`, /nothing at .* Case matters/],
    [`${BASE}/stations.JSON`, /nothing at/],
    [`${BASE}/stations.json/`, /nothing at/],
    [`${BASE}/stations`, /nothing at/],
    [`${BASE}//stations.json`, /nothing at/],
    [`/${BASE}/stations.json`, /nothing at/],
    [`${BASE}/station/1.json/`, /nothing at/],
    [`${BASE}/stations.json%00`, /nothing at/],
    [`${BASE}/stations%2Ejson`, /nothing at/],
    ['/favicon.ico', /nothing at "\/favicon\.ico"/],
  ])('a request for %s is 404, and its detail tells why', async (path, detail) => {
    expectProblem(await send('get', path), 404, 'Not Found', detail);
    const head = await send('head', path);
    expect([head.status, head.text ?? '']).toEqual([404, '']);
  });

  it('an oversized path is 404, and not repeated in full', async () => {
    expectProblem(
      await send('get', `${BASE}/station/${'9'.repeat(4000)}.json`),
      404,
      'Not Found',
      /^There is no station 9{79}…\./,
    );
    expectProblem(
      await send('get', `${BASE}/region/${'a'.repeat(4000)}.json`),
      404,
      'Not Found',
      /no region "a{79}…"/,
    );
    expectProblem(await send('get', `/${'x'.repeat(8000)}`), 404, 'Not Found', /nothing at/);
  });

  it('an unknown path is 404, whatever the method', async () => {
    for (const path of [
      '/nowhere',
      `${BASE}/station/01.json`,
      '/fr/air-quality-app/v1/stations.json',
    ]) {
      for (const method of ['post', 'options'] as const)
        expectProblem(await send(method, path), 404, 'Not Found', /./);
    }
  });

  it.each([`${BASE}/region/%E0%A4%A.json`, `${BASE}/%`, '/%zz', `${BASE}/region/%FF.json`])(
    'a request for %s is 400, because its percent-encoding is malformed',
    async (path) => {
      expectProblem(await send('get', path), 400, 'Bad Request', /percent-encoding/);
    },
  );

  it('a GET of / redirects to a document', async () => {
    const res = await send('get', '/');
    expect(res.status).toBe(302);
    expect((await send('get', String(res.headers.location))).status).toBe(200);
    expect((await send('post', '/')).status).toBe(405);
  });

  it('the ETag stays while the body does, and differs in another language', async () => {
    const etag = async (path: string) => (await send('get', path)).headers.etag;
    expect(await etag(`${BASE}/station/1.json`)).toBe(await etag(`${BASE}/station/1.json`));
    expect(await etag(`${BASE}/station/1.json`)).not.toBe(
      await etag('/ru/air-quality-app/v1/station/1.json'),
    );
  });
});
