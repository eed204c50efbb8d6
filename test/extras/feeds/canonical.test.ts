/** A feed of readings in our own form is polled, whatever other forms an installation reads. */
import { beforeAll, expect, it } from 'vitest';
import { openIngestPool } from '../../../src/database/pools.ts';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import { pullKey } from '../../../src/extras/feeds/pullKey.ts';
import { pullProvider } from '../../../src/extras/feeds/pullProvider.ts';
import { canonical } from '../../../src/ingest/canonical.ts';
import { NOW } from '../../support/clock.ts';
import { engines, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { openProvider, type Provider } from './server.ts';

let pool: QueryPool;
let feed: Provider;
beforeAll(async () => {
  const database = await testDatabase(engines[0] as (typeof engines)[0]);
  await bringIn(database.as(), smallNetwork());
  pool = openIngestPool(database.target, { timeZone: database.timeZone, max: 1 });
  feed = await openProvider();
  return async () => {
    await feed.close();
    await pool.close();
    await database.drop();
  };
});

it.each([
  ['the core alone', canonical, 8],
  ['this installation', READING_FORMATS, 9],
] as const)('a feed in our own form is stored with the forms of %s', async (_, formats, hour) => {
  const time = `2026-11-20T0${hour}:00:00Z`;
  feed.serve([
    { sensor_id: 1, time, pm25: hour },
    { sensor_id: 999, time, pm25: 1 },
  ]);
  const pull = { provider: 'us', url: feed.url(), declared: { kind: 'airseries' } };
  const options = { clock: () => NOW, hosts: [feed.host], formats };
  expect(await pullProvider(pool, pull, options)).toMatchObject({
    ...{ received: 2, accepted: 1, quarantined: 0, ignored: 1 },
    newest: new Date(time),
  });
});

it('without other forms, a feed of another kind or with a declaration is refused', () => {
  const refusal = (keys: object) =>
    pullKey(canonical).safeParse({ url: 'https://air.example/', ...keys }).error?.message;
  expect(refusal({ kind: 'airseries' })).toBeUndefined();
  expect(refusal({ kind: 'purpleair' })).toContain('airseries');
  expect(refusal({ source: 'agency' })).toContain('source');
  expect(refusal({ kind: 'airseries', zone: 'UTC' })).toContain('nothing of this form can be');
});
