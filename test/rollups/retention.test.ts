/** Expired readings are deleted, and their aggregates stay, whatever happens afterwards. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { acceptReadings } from '../../src/ingest/accept.ts';
import { audit } from '../../src/rollups/audit.ts';
import { maintain, rebuild, refresh } from '../../src/rollups/refresh.ts';
import { deleteExpired } from '../../src/rollups/retention.ts';
import { LEVELS } from '../../src/schema/aggregates.ts';
import { bringIn, keepingLog, reading, smallNetwork } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T09:00:00Z');

onEveryEngine('retention', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  let before: unknown;
  const aggregates = async () =>
    Object.fromEntries(
      await Promise.all(
        LEVELS.map(async ({ name }) => [
          name,
          await owner.unsafe(`select * from rollup.${name} where bucket < '2026-11-01 00:00+04' order by 1, 2, 3`),
        ]),
      ),
    );

  const differing = async () =>
    (await audit(database.target, { now, from: new Date('2026-01-01T00:00Z'), timeZone: database.timeZone })).found;

  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await bringIn(owner, smallNetwork());
    await owner`insert into raw.readings (measured_at, sensor_id, pm25, rain)
      select at, 1, extract(hour from at), 0.5 from generate_series(timestamptz '2026-03-10 00:00+04', '2026-11-20 12:00+04', '2 hours') at`;
    // not refreshed yet when the readings are deleted: it must still count
    await refresh(database.target, now);
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-03-11 10:20+04', 1, 70)`;
    await deleteExpired(database.target, now, '60 days', { log: keepingLog(), apply: true });
    before = await aggregates();
  });
  afterAll(() => database.drop());

  it('deletes only whole months that are older', async () => {
    const [left] =
      await owner`select min(measured_at) as first, (select retained_from from raw.installation) as since from raw.readings`;
    expect(left?.since).toBe('2026-09-01T00:00:00+04:00');
    // TimescaleDB drops whole chunks, so some older readings stay
    expect(Date.parse(left?.first) <= Date.parse(left?.since)).toBe(true);
    expect(Date.parse(left?.first)).toBeGreaterThan(Date.parse('2026-07-20T00:00Z'));
    if (engine === 'plain') expect(left?.first).toBe('2026-09-01T00:00:00+04:00');
  });

  it('keeps their aggregates, including the last late reading', async () => {
    const [hour] = await owner`select pm25 from rollup.station_hourly where bucket = '2026-03-11 10:00+04'`;
    expect(hour).toEqual({ pm25: (10 + 70) / 2 });
    expect(await owner`select count(*)::int as n from rollup.station_monthly where station_id = 1`).toEqual([{ n: 9 }]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a refresh', () => refresh(database.target, now)],
    ['a rebuild of everything', () => rebuild(database.target, now, {})],
    ['the next night', () => deleteExpired(database.target, now, '60 days', { log: keepingLog() })],
    ['a longer retention', () => deleteExpired(database.target, now, '2 years', { log: keepingLog() })],
    ['compression', () => maintain(database.target, now)],
    [
      'a station was hidden for all time and shown again',
      async () => {
        await bringIn(owner, smallNetwork({ one: { hidden: true } }));
        await refresh(database.target, now);
        await bringIn(owner, smallNetwork());
        await refresh(database.target, now);
      },
    ],
  ])('keeps them after %s', async (_, act) => {
    await act();
    expect(await aggregates()).toEqual(before);
    expect(await differing()).toEqual([]);
  });

  it('quarantines older readings, and still accepts newer ones', async () => {
    const ingest = database.as('airseries_ingest');
    const batch = [
      reading(1, '2026-08-31T23:59:59+04:00', { pm25: 1 }),
      reading(1, '2026-09-01T00:20:00+04:00', { pm25: 1 }),
    ];
    expect(await acceptReadings(ingest, batch, { now, source: 'test' })).toMatchObject({
      accepted: 1,
      quarantined: [{ index: 0, reason: 'older_than_retention' }],
    });
    await refresh(database.target, now);
    expect(await aggregates()).not.toEqual(before);
    expect(await differing()).toEqual([]);
  });

  it('deletes nothing when the clock runs ahead', async () => {
    await deleteExpired(database.target, new Date('2036-11-20T09:00:00Z'), '60 days', { log: keepingLog() });
    expect(await owner`select retained_from from raw.installation`).toEqual([
      { retained_from: '2026-09-01T00:00:00+04:00' },
    ]);
  });
});
