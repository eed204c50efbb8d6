/** A feed of readings in our own form is polled where an installation reads no other forms. */
import { beforeAll, expect, it } from 'vitest';
import { openIngestPool } from '../../../src/database/pools.ts';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import { pullKey } from '../../../src/extras/feeds/pullKey.ts';
import { pullProvider } from '../../../src/extras/feeds/pullProvider.ts';
import { canonical } from '../../../src/ingest/canonical.ts';
import { useTown } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { openProvider, type Provider } from './server.ts';

const town = useTown();
let pool: QueryPool;
let feed: Provider;
beforeAll(async () => {
  pool = openIngestPool(town.db.target, { timeZone: town.db.timeZone, max: 1 });
  feed = await openProvider();
  return async () => {
    await feed.close();
    await pool.close();
  };
});

it('a feed in our own form is stored with the forms of the core alone', async () => {
  const time = '2026-11-20T08:00:00Z';
  feed.serve([1, 999].map((sensor_id) => ({ sensor_id, time, pm25: 5 })));
  const pull = { provider: 'us', url: feed.url(), declared: { kind: 'airseries' } };
  const options = { clock: () => NOW, hosts: [feed.host], formats: canonical };
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
