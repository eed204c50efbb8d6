/**
 * The OpenAPI document and /llms.txt as they are served: on the public port, cached and compressed
 * like other answers, whether or not there is a database.
 */
import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import { EXPLORE, type FeedName } from '../../src/contract/explore.ts';
import { keyOf, PARAMETERS } from '../../src/contract/parameters.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { makeApp, type Offers } from '../../src/serve/app.ts';
import { openApi } from '../contract/documented.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { request } from '../support/request.ts';
import { NOW } from './network.ts';
import { NOWHERE } from './serve.ts';

const PATH = '/openapi.json';
const render = () => Promise.reject(new Error('feeds are only described here'));
const FEEDS: ReturnType<Required<Offers>['feeds']> = {
  changesFeed: render,
  stationChangesFeed: render,
  regionChangesFeed: render,
  stationWarningsFeed: render,
  regionWarningsFeed: render,
};

describe(PATH, () => {
  const log = keepingLog();
  let db: ReturnType<typeof openReaderPool>;
  let app: ReturnType<typeof makeApp>;
  const appWith = (offers: Offers) =>
    makeApp({ db, clock: makeClock(NOW), siteBaseUrl: '', log, offers });
  beforeAll(() => {
    db = openReaderPool(NOWHERE, { timeZone: 'Asia/Yerevan', max: 1 });
    app = appWith({ feeds: () => FEEDS });
  });
  afterAll(() => db.destroy());

  const ask = (method: 'get' | 'head' | 'options' | 'post' = 'get', coding = 'identity') =>
    request(app)[method](PATH).set('Accept-Encoding', coding);

  it('the OpenAPI document is the one that all responses of these tests are compared with', async () => {
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toEqual(openApi);
    expect(body.openapi).toBe('3.1.0');
  });

  it('the OpenAPI document has the feeds only where an extra renders them, and so has the 404', async () => {
    const isFeed = (path: string) => path.endsWith('.atom');
    const feeds = Object.keys(openApi.paths).filter(isFeed);
    expect(feeds).toEqual(Object.keys(FEEDS).map((name) => EXPLORE[name as FeedName].path));
    const without = await request(appWith({})).get(PATH);
    expect(Object.keys(without.body.paths)).toEqual(
      Object.keys(openApi.paths).filter((path) => !isFeed(path)),
    );
    for (const [offers, named] of [
      [{}, []],
      [{ feeds: () => FEEDS }, feeds],
    ] as const) {
      const { status, body } = await request(appWith(offers)).get('/en/explore/v1/none.atom');
      expect(status).toBe(404);
      expect(feeds.filter((path) => body.detail.includes(path))).toEqual(named);
    }
  });

  it('the OpenAPI document has the headers of an answer, is in English, and may be kept for an hour', async () => {
    const { headers } = await ask();
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-language': 'en',
      'cache-control': 'max-age=3600, stale-while-revalidate=240, stale-if-error=600',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
      vary: 'Accept-Encoding',
      'access-control-allow-origin': '*',
    });
    const head = await ask('head');
    expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' });
    expect(head.text ?? '').toBe('');
  });

  it('the OpenAPI document is served without the database, and its answer does not count as the end of an outage', async () => {
    expect((await request(app).get('/en/air-quality-app/v1/station/1.json')).status).toBe(503);
    expect((await ask()).status).toBe(200);
    expect(log.lines.filter(({ level }) => level !== 'debug').map(({ level }) => level)).toEqual([
      'warn',
    ]);
  });

  it('a 404 for a path near /openapi.json mentions where it is', async () => {
    for (const path of ['/openapi', '/openapi.json/', '/openapi.yaml', '/en/openapi.json']) {
      const { status, body } = await request(app).get(path);
      expect([status, body.detail]).toEqual([
        404,
        expect.stringContaining('described in /openapi.json'),
      ]);
    }
  });

  it('/llms.txt is a short text that leads to the OpenAPI document, also without the database', async () => {
    const site = { contact: '', license: 'CC-BY-4.0' };
    const options = { db, clock: makeClock(NOW), siteBaseUrl: '', log, site };
    const { status, headers, text } = await supertest(makeApp(options)).get('/llms.txt');
    expect([status, headers]).toMatchObject([
      200,
      {
        'content-type': 'text/plain; charset=utf-8',
        'access-control-allow-origin': '*',
        'cache-control': expect.stringContaining('max-age=3600'),
      },
    ]);
    expect(text).toContain('(/openapi.json)');
    expect(text).toContain('licence of the data: CC-BY-4.0');
    for (const { path, summary } of Object.values(ENDPOINTS))
      expect(text).toContain(`- GET ${path}: ${summary}\n`);
    for (const { name, unit } of PARAMETERS) expect(text).toContain(`${keyOf(name)} in ${unit}`);
  });
});
