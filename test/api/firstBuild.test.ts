/** Until the aggregates of a new database were built, the API says so: clients would keep an empty history. */
import { expect, it } from 'vitest';
import { makeApp } from '../../src/api/app.ts';
import { type Api, openReaderPool } from '../../src/database/pools.ts';
import { makeLog } from '../../src/log.ts';
import { refresh } from '../../src/rollups/refresh.ts';
import { bringIn, NOW, smallNetwork } from '../ingest/support.ts';
import { onEveryEngine, testDatabase } from '../support/database.ts';
import { request } from '../support/request.ts';

onEveryEngine('before the first build', (engine) => {
  it.each([
    'stations.json',
    'station/1.json',
    'station/1-history.json',
    'region/town.json',
    'region/town-history.json',
  ])('%s is 503 with Retry-After, and right after it 200', async (path) => {
    const database = await testDatabase(engine);
    const owner = database.as();
    await bringIn(owner, smallNetwork());
    await owner`update rollup.freshness set refreshed_at = null`;
    const db = openReaderPool<Api>(database.target, { timeZone: database.timeZone, max: 2 });
    const app = makeApp({ db, clock: () => NOW, siteBaseUrl: '', log: makeLog('silent') });
    const get = () => request(app).get(`/en/air-quality-app/v1/${path}`);
    const early = await get();
    expect([early.status, early.headers['retry-after'], early.headers['cache-control']]).toEqual([
      503,
      '5',
      'no-store',
    ]);
    await refresh(database.target, NOW);
    expect((await get()).status).toBe(200);
    await db.destroy();
    await database.drop();
  });
});
