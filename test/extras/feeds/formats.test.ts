/** The samples of every format, of test/ingest/formats, polled from a feed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { openIngestPool } from '../../../src/database/pools.ts';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import type { FeedDeclarations } from '../../../src/extras/feeds/pullKey.ts';
import { pullProvider } from '../../../src/extras/feeds/pullProvider.ts';
import { FORMATS } from '../../../src/ingest/formats/formats.ts';
import {
  changed,
  expectRefusals,
  hold,
  type NamedSample,
  NETWORK,
  SAMPLES,
  storedOf,
  textOf,
} from '../../ingest/formats/samples.ts';
import { NOW } from '../../support/clock.ts';
import { engines, type TestDatabase, testDatabase } from '../../support/database.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import { openProvider, type Provider } from './server.ts';

// nothing here depends on the engine
let db: TestDatabase;
let owner: Sql;
let ingest: Sql;
let pool: QueryPool;
let provider: Provider;
beforeAll(async () => {
  db = await testDatabase(engines[0] as (typeof engines)[0]);
  owner = db.as();
  ingest = db.as('airseries_ingest');
  pool = openIngestPool(db.target, { timeZone: db.timeZone, max: 1 });
  provider = await openProvider();
  await bringIn(owner, NETWORK);
});
afterAll(async () => {
  await provider.close();
  await pool.close();
  await db.drop();
});

/** The keys of `pull` in the network file. */
function keysOf({ format, declared = {} }: NamedSample): FeedDeclarations & { sensor?: number } {
  const { column, unit, only, zone, shift, sensor } = declared;
  const isLocal = FORMATS.find(({ name }) => name === format)?.zone === 'network';
  return {
    kind: format,
    zone: zone ?? (isLocal ? db.timeZone : undefined),
    shift,
    only: only && [...only],
    column: column && [...column],
    unit: unit && [...unit],
    ...(sensor !== undefined && { sensor }),
  };
}

/** A feed cannot say a device, nor in which order a date is written. */
const pollable = SAMPLES.filter(
  ([, { declared }]) => declared?.device === undefined && declared?.dateFormat === undefined,
);

it.each(pollable)('a feed is read: %s', async (_, sample) => {
  const { format, stored, refused = [] } = sample;
  // rows that name no sensor or device are left out: they may be of others
  const ours = refused.filter(({ sensor, device }) => sensor !== undefined || device !== undefined);
  provider.serve(textOf(sample));
  await hold(owner, ingest, sample);
  const feed = { provider: 'us', url: provider.url(), declared: keysOf(sample) };
  const poll = pullProvider(pool, feed, { clock: () => NOW, hosts: [provider.host] });
  if (stored.length === 0 && ours.length === 0)
    await expect(poll).rejects.toThrow(`this is not in the layout of ${format} (`);
  else expect(await poll).toMatchObject({ accepted: stored.length });
  expect(await changed(owner)).toEqual(storedOf(stored));
  await expectRefusals(owner, [], ours, true);
});
