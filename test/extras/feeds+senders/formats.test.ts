/** The samples of every format, of test/extras/senders/formats, polled from a feed; and a sensor that moved. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { openIngestPool } from '../../../src/database/pools.ts';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import type { FeedDeclarations } from '../../../src/extras/feeds/pullKey.ts';
import { pullProvider } from '../../../src/extras/feeds/pullProvider.ts';
import { FORMATS } from '../../../src/extras/senders/formats/formats.ts';
import { NOW } from '../../support/clock.ts';
import { engines, type TestDatabase, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import { openProvider, type Provider } from '../feeds/server.ts';
import {
  changed,
  expectRefusals,
  hold,
  type NamedSample,
  NETWORK,
  SAMPLES,
  storedOf,
  textOf,
} from '../senders/formats/samples.ts';

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
  const { format, stored, rows = stored.length, refused = [] } = sample;
  // rows that name no sensor or device are left out: they may be of others
  const ours = refused.filter(({ sensor, device }) => sensor !== undefined || device !== undefined);
  provider.serve(textOf(sample));
  await hold(owner, ingest, sample);
  const feed = { provider: 'us', url: provider.url(), declared: keysOf(sample) };
  const poll = pullProvider(pool, feed, {
    formats: READING_FORMATS,
    clock: () => NOW,
    hosts: [provider.host],
  });
  if (stored.length === 0 && ours.length === 0)
    await expect(poll).rejects.toThrow(`this is not in the layout of ${format} (`);
  else expect(await poll).toMatchObject({ accepted: rows });
  expect(await changed(owner)).toEqual(storedOf(stored));
  await expectRefusals(owner, [], ours, true);
});

it('a sensor that moved is left out of its feed, alone, and a hint says so (S9)', async () => {
  await owner`truncate raw.readings`;
  const row = (sensor_id: number, latitude: number) =>
    ({ sensor_id, time: '2026-11-20T08:00:00Z', pm25: 5, latitude, longitude: 44 }) as const;
  provider.serve([row(36, 40.011), row(37, 40)]);
  const feed = { provider: 'us', url: provider.url(), declared: { kind: 'airseries' } };
  const pull = () =>
    pullProvider(pool, feed, {
      formats: READING_FORMATS,
      clock: () => NOW,
      hosts: [provider.host],
    });
  expect(await pull()).toMatchObject({
    accepted: 1,
    hints: [
      expect.stringMatching(
        /sensor 36 at .* 1\.2 km from its station 1; the readings of such sensors are left out/,
      ),
    ],
  });
  expect(await owner`select sensor_id from raw.readings`).toEqual([{ sensor_id: 37 }]);
  provider.serve([row(36, 40.011)]);
  await expect(pull()).rejects.toThrow(/1\.2 km from its station 1; nothing of it was stored/);
});
