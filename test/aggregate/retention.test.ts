/**
 * A wrong clock does not empty a database: retention deletes a month a night, counted from the
 * newest reading and the present.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { maintainStorage } from '../../src/aggregate/jobs.ts';
import { deleteExpired, lowerCutoff, planRetention } from '../../src/aggregate/retention.ts';
import type { Sql } from '../../src/database/client.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { citiesOfOneStation, reading } from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { bringIn } from '../support/smallNetwork.ts';

const NOW = new Date('2026-11-20T00:17:00Z');
const AHEAD = new Date('2028-11-20T00:17:00Z');
const SENSORS = 4;
const CITIES = Array.from({ length: SENSORS }, (_, n) => `city-${String.fromCharCode(97 + n)}`);
const KEEP = '60 days';

onEveryEngineInAll('60 days of 4 sensors', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  let log: ReturnType<typeof keepingLog>;
  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await bringIn(owner, citiesOfOneStation(CITIES));
    await measure('2026-09-21 04:00+04', '2026-11-20 03:59+04', '20 minutes');
  });
  beforeEach(() => {
    log = keepingLog();
  });
  afterAll(() => database.drop());

  const measure = (since: string, until: string, every: string, sensors = SENSORS) => owner`
    insert into raw.readings (measured_at, sensor_id, pm25)
    select at, s, 10 from generate_series(${since}::text::timestamptz, ${until}::text::timestamptz, ${every}::text::interval) at, generate_series(1, ${sensors}::int) s`;
  const count = async () =>
    (await owner<{ n: number }[]>`select count(*)::int as n from raw.readings`)[0]?.n;
  const installation = async () =>
    (
      await owner`select ingest_cutoff as cutoff, retained_from as retained from raw.installation`
    )[0];
  const takes = async (at: string, now: Date = NOW, sensor = 1) =>
    (await acceptReadings(owner, [reading(sensor, at, { pm25: 1 })], { now, source: 'test' }))
      .accepted;
  const night = async (now: Date) => {
    const { target, timeZone } = database;
    await maintainStorage({
      target,
      clock: () => now,
      retention: KEEP,
      undoDays: 90,
      timeZone,
      log,
    });
  };
  const deleted = () =>
    log.lines.flatMap(({ message, fields }) => (/deleted/.test(message) ? [fields] : []));

  it('nothing is due while the end of the first month is younger than the retention', async () => {
    expect(await planRetention(owner, NOW, KEEP)).toMatchObject({
      counted_from: '2026-11-20T03:40:00+04:00',
      wanted: '2026-09-01T00:00:00+04:00',
      months: 0,
    });
    await night(NOW);
    expect(await count()).toBe(17_280);
    expect(await installation()).toEqual({
      cutoff: '2026-09-01T00:00:00+04:00',
      retained: '2026-09-01T00:00:00+04:00',
    });
  });

  it('a clock that is two years ahead deletes nothing as long as no reading is from that time', async () => {
    await night(AHEAD);
    expect([await count(), await takes('2026-11-20T00:10:00Z')]).toEqual([17_280, 1]);
  });

  it('readings from two years ahead delete nothing as long as the clock is right', async () => {
    expect(await takes('2028-11-20T00:10:00Z', AHEAD, 2)).toBe(1);
    await night(NOW);
    expect([await count(), await takes('2026-11-20T00:11:00Z')]).toEqual([17_282, 1]);
  });

  it('a clock and readings from two years ahead together delete the oldest month, which is logged first', async () => {
    const silent = {
      ...log,
      info: () => {
        throw new Error('the log failed');
      },
    };
    await expect(
      deleteExpired(database.target, () => AHEAD, KEEP, { log: silent }),
    ).rejects.toThrow('the log failed');
    expect(await count()).toBe(17_283);
    expect(await planRetention(owner, AHEAD, KEEP)).toMatchObject({
      counted_from: '2028-11-20T04:10:00+04:00',
      wanted: '2028-09-01T00:00:00+04:00',
      next: '2026-10-01T00:00:00+04:00',
      months: 24,
    });
    const [due] =
      await owner`select count(*)::int as n from raw.readings where measured_at < '2026-10-01 00:00+04'`;
    await night(AHEAD);
    expect(deleted()).toEqual([
      {
        retention: KEEP,
        before: '2026-10-01T00:00:00+04:00',
        readings: due?.n,
        months: 24,
        counted_from: '2028-11-20T04:10:00+04:00',
      },
    ]);
    expect(await installation()).toEqual({
      cutoff: '2026-10-01T00:00:00+04:00',
      retained: '2026-10-01T00:00:00+04:00',
    });
    const [left] =
      await owner`select count(*)::int as n from raw.readings where measured_at >= '2026-10-01 00:00+04'`;
    expect(left?.n).toBe(17_283 - due?.n);
    // readings that an interrupted deletion has left are not counted as another month
    const plan = await planRetention(owner, AHEAD, KEEP);
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-08-10', 1, 1)`;
    expect(await planRetention(owner, AHEAD, KEEP)).toEqual(plan);
    await owner`delete from raw.readings where measured_at < '2026-09-01' or measured_at > '2027-01-01'`;
  });

  it('a cutoff that was raised wrongly can be lowered, but not below the retention', async () => {
    await owner`call logic.raise_ingest_cutoff('2028-09-01 00:00+04')`;
    expect(await takes('2026-11-20T00:12:00Z')).toBe(0);
    await expect(lowerCutoff(owner, new Date('2030-01-01T00:00:00Z'))).rejects.toThrow(
      'already accepted from',
    );
    await lowerCutoff(owner, new Date('2026-10-05T00:20:00+04:00'));
    expect((await installation())?.cutoff).toBe('2026-10-05T01:00:00+04:00'); // the next full hour
    await lowerCutoff(owner, new Date('2026-10-01T00:00:00+04:00'));
    expect(await takes('2026-11-20T00:12:00Z')).toBe(1);
    expect(await takes('2026-10-01T00:30:00Z')).toBe(1);
    expect(await takes('2026-09-30T19:59:59Z')).toBe(0);
  });

  it('on request all expired months are deleted, one after the other, and the cutoff can be lowered again', async () => {
    await measure('2028-11-20 04:00+04', '2028-11-20 05:00+04', '1 hour', 3);
    await deleteExpired(database.target, () => AHEAD, KEEP, {
      log,
      timeZone: database.timeZone,
      apply: true,
    });
    expect(deleted()).toMatchObject([
      { before: '2026-11-01T00:00:00+04:00' },
      { before: '2026-12-01T00:00:00+04:00', months: 22 },
    ]);
    expect((await installation())?.retained).toBe('2028-09-01T00:00:00+04:00');
    const next = new Date('2026-11-20T01:20:00Z');
    expect(await takes(next.toISOString(), next)).toBe(0);
    const hours = () =>
      owner`select * from rollup.sensor_hourly where bucket < '2027-01-01' order by 1, 2`;
    const before = await hours();
    expect(before.length).toBeGreaterThan(5_000);
    await expect(lowerCutoff(owner, new Date('2026-11-19T00:00:00Z'))).rejects.toThrow(
      /may have been deleted.*the earliest cutoff is 2026-11-20 05:00/,
    );
    await lowerCutoff(owner, new Date('2026-11-20T01:00:00Z'));
    expect(await takes(next.toISOString(), next)).toBe(1);
    const { found } = await audit(database.target, {
      clock: () => NOW,
      timeZone: database.timeZone,
    });
    expect(found).toEqual([]);
    const after = await hours();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after).toHaveLength(before.length + 1);
  });
});
