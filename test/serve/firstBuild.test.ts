/**
 * Until the aggregates of a new database are built, the API is unavailable: clients would keep an
 * empty history.
 */
import { expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { makeApp } from '../../src/serve/app.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine, testDatabase } from '../support/database.ts';
import { request } from '../support/request.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';

const PATHS = ['stations', 'station/1', 'station/1-history', 'region/town', 'region/town-history'];

onOneEngine('before the first build', (engine) => {
  it('every document is 503 with Retry-After before the first build, and 200 right after it', async () => {
    const database = await testDatabase(engine);
    const owner = database.as();
    await bringIn(owner, smallNetwork());
    await owner`update rollup.freshness set refreshed_at = null`;
    const db = openReaderPool(database.target, { timeZone: database.timeZone, max: 2 });
    const answers = PATHS.map((path) => {
      // each asks the database until it knows of the build
      const app = makeApp({ db, clock: () => NOW, siteBaseUrl: '', log: makeLog('silent') });
      return () => request(app).get(`/en/air-quality-app/v1/${path}.json`);
    });
    for (const get of answers) {
      const { status, headers } = await get();
      expect([status, headers['retry-after'], headers['cache-control']]).toEqual([
        503,
        '5',
        'no-store',
      ]);
    }
    await refresh(database.target, () => NOW);
    for (const get of answers) expect((await get()).status).toBe(200);
    await db.destroy();
    await database.drop();
  });
});
