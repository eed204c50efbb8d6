/** What extras read of the API is what its clients get, and tells how long it holds. */
import supertest from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openReaderPool } from '../../src/database/pools.ts';
import { makeApp, type PageParts } from '../../src/serve/app.ts';
import { onOneEngine } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { request } from '../support/request.ts';
import { NOW } from './network.ts';
import { type Served, serve, versionsOf } from './serve.ts';

const PATHS = [
  '/ru/air-quality-app/v1/stations.json',
  '/en/air-quality-app/v1/station/1-history.json',
  '/en/explore/v1/region/alpha/now.json',
  '/en/explore/v1/station/1/readings/2026-11-20T09%3A00%3A00Z.json',
];
const KIND = { type: 'application/json; charset=utf-8', headers: [] };
const MISSING = [
  '/en/air-quality-app/v1/station/99.json',
  '/en/explore/v1/station/99999999999/now.json',
  '/en/explore/v1/nothing.json',
];

onOneEngine('reading the API', (engine) => {
  let served: Served;
  let parts: PageParts;
  let app: ReturnType<typeof makeApp>;
  let counted: ReturnType<typeof openReaderPool>;
  let queries = 0;
  beforeAll(async () => {
    served = await serve(engine);
    counted = openReaderPool(served.database.target, {
      timeZone: served.database.timeZone,
      max: 2,
      observer: () => ({ onAcquired: () => undefined, onQuery: () => void queries++ }),
    });
    app = makeApp({
      db: counted,
      clock: () => NOW,
      siteBaseUrl: '',
      log: keepingLog(),
      cache: { maxBytes: 1e7, versions: await versionsOf(served.db) },
      routes: [
        (router, given) => {
          parts = given;
          router.get('/made', async (req, res) => {
            await given.compose(req, res, '/made', async (read) => {
              const { stations } = await read<{ stations: unknown[] }>(PATHS[0] as string);
              return { locale: 'en', text: JSON.stringify(stations.length), kind: KIND };
            });
          });
        },
      ],
    });
  });
  afterAll(async () => {
    await counted.destroy();
    await served.close();
  });

  it.each(PATHS)('%s is read as it is sent, and asked of the database once', async (path) => {
    const read = await parts.read(path);
    const before = queries;
    expect((await request(app).get(path)).body).toEqual(read);
    expect(await parts.read(path)).toEqual(read);
    expect(queries).toBe(before);
  });

  it.each(MISSING)('what is not there, such as %s, rejects with the problem', async (path) => {
    const { status, body } = await request(app).get(path);
    await expect(parts.read(path)).rejects.toMatchObject({ status, message: body.detail });
    expect(status).toBe(404);
  });

  it('what is made of documents is kept as long as they hold', async () => {
    const made = await supertest(app).get('/made');
    const { headers } = await request(app).get(PATHS[0] as string);
    expect(made.body).toBeGreaterThan(0);
    expect(made.headers['cache-control']).toBe(headers['cache-control']);
    const before = queries;
    expect((await supertest(app).get('/made')).headers.etag).toBe(made.headers.etag);
    expect(queries).toBe(before);
  });
});
