/**
 * The audit finds and repairs wrong buckets of a live database, and ignores changes that await a
 * refresh.
 */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { audit, type Difference, LISTED_DIFFERENCES } from '../../src/aggregate/audit.ts';
import type { Sql } from '../../src/database/client.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { bringIn } from '../support/smallNetwork.ts';
import { needs } from '../support/tools.ts';
import { sixHourly, storedBuckets } from './sixHourly.ts';
import { tamper } from './storage.ts';

const now = new Date('2026-11-20T09:00:00Z');
const timeZone = 'Asia/Yerevan';

onEveryEngineInAll('audit', (engine) => {
  let database: TestDatabase;
  let owner: Sql;

  beforeAll(async () => {
    database = await testDatabase(engine, timeZone);
    owner = database.as();
    await bringIn(owner, citiesOfOneStation(['c']));
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, extract(hour from at) from generate_series(timestamptz '2026-10-20 00:00+04', '2026-11-20 12:00+04', '1 hour') at`;
    await database.refresh(now);
  });
  afterAll(() => database.drop());

  const inWords = ({ level, bucket, subject, columns }: Difference) =>
    `${level} ${bucket} ${subject} ${columns}`;
  const period = { clock: () => now, from: new Date('2026-10-02T00:00:00Z'), timeZone };
  const runAudit = (repair = false) => audit(database.target, { ...period, repair });

  it('an audit refreshes before it compares', async () => {
    await owner`update raw.readings set pm25 = 7 where measured_at = '2026-11-19 10:00+04'`;
    expect((await runAudit()).found).toEqual([]);
  });

  it('an audit names buckets that are wrong, missing or surplus; a repair deletes surplus ones only when told to', async () => {
    for (const [level, statement] of [
      [
        'station_daily',
        `update %s set pm25 = pm25 * 1.000001, hours = hours + 1, sensor_count = null, max_pm25 = 'NaN'
        where bucket = '2026-11-02 00:00+04'`,
      ],
      [
        'station_hourly',
        `update %s set no2 = 0, aqi = aqi + 1, wind_sin = 'Infinity' where bucket = '2026-11-02 07:00+04'`,
      ],
      ['region_hourly', `delete from %s where bucket = '2026-11-03 05:00+04'`],
      [
        'region_daily',
        `update %s set bucket = '2026-10-03 00:00+04' where bucket = '2026-10-25 00:00+04'`,
      ],
    ] as const)
      await tamper(owner, level, statement);
    const { found } = await runAudit();
    // an engine may carry the tampering on to days and months, which are then wrong too
    expect(found.map(inWords)).toEqual(
      expect.arrayContaining([
        'region_daily 2026-10-03T00:00:00+04:00 c surplus',
        'region_daily 2026-10-25T00:00:00+04:00 c missing',
        expect.stringMatching(
          /^station_daily 2026-11-02T00:00:00\+04:00 1 (?=.*\bpm25\b)(?=.*\bhours\b)(?=.*\bsensor_count\b)(?=.*\bmax_pm25\b)/,
        ),
        'station_hourly 2026-11-02T07:00:00+04:00 1 no2,wind_sin,aqi',
        'region_hourly 2026-11-03T05:00:00+04:00 c missing',
      ]),
    );
    expect(await owner`select differing from api.last_audit`).toEqual([
      { differing: found.length },
    ]);
    // the readings of the surplus bucket may have been lost, so it is kept
    const kept = await runAudit(true);
    expect(kept.remaining.map(({ level, bucket }) => `${level} ${bucket}`)).toEqual([
      'region_monthly 2026-10-01T00:00:00+04:00', // computed from the stored days
      'region_daily 2026-10-03T00:00:00+04:00',
    ]);
    expect(kept.kept).toBe(1);
    // before and after it, days are recomputed
    await tamper(owner, 'region_daily', `delete from %s where bucket = '2026-10-24 00:00+04'`);
    expect(await runAudit(true)).toMatchObject({ kept: 1, remainingCount: 2 });
    const deleted = await audit(database.target, { ...period, repair: true, deleteSurplus: true });
    expect(deleted.remaining).toEqual([]);
    expect(await owner`select differing from api.last_audit`).toEqual([{ differing: 0 }]);
    expect((await runAudit()).found).toEqual([]);
  });

  // the aggregates of plain PostgreSQL have a primary key
  if (engine === 'timescale')
    it('a bucket that is stored twice is named once and repaired, whether its rows are equal or not', async () => {
      const twice = (level: string, bucket: string) =>
        tamper(owner, level, `insert into %s select * from %s where bucket = '${bucket}'`);
      await twice('sensor_hourly', '2026-11-05 07:00+04');
      await twice('station_hourly', '2026-11-06 07:00+04');
      await twice('region_daily', '2026-11-07 00:00+04');
      await twice('station_monthly', '2026-11-01 00:00+04');
      // both rows are wrong, and differ
      await twice('sensor_hourly', '2026-11-08 07:00+04');
      await tamper(
        owner,
        'sensor_hourly',
        `update %s set pm25 = pm25 + 1 + (ctid = (select min(ctid) from %s where bucket = '2026-11-08 07:00+04'))::int
        where bucket = '2026-11-08 07:00+04'`,
      );
      // a bucket without readings
      await tamper(
        owner,
        'sensor_hourly',
        `insert into %s select (jsonb_populate_record(one, '{"bucket": "2026-10-04T07:00+04"}')).*
        from %s one, generate_series(1, 2) where bucket = '2026-11-09 07:00+04'`,
      );
      await tamper(owner, 'sensor_hourly', `delete from %s where bucket = '2026-11-09 07:00+04'`);
      const before = (await owner`select * from rollup.sensor_hourly where bucket < '2026-10-05'`)
        .length;
      expect(before).toBe(2);
      const { found, kept } = await runAudit(true);
      const lines = found.map(inWords);
      const expected = [
        'sensor_hourly 2026-10-04T07:00:00+04:00 1 surplus',
        'sensor_hourly 2026-11-05T07:00:00+04:00 1 doubled',
        'sensor_hourly 2026-11-08T07:00:00+04:00 1 doubled',
        'station_hourly 2026-11-06T07:00:00+04:00 1 doubled',
        'region_daily 2026-11-07T00:00:00+04:00 c doubled',
        'station_monthly 2026-11-01T00:00:00+04:00 1 doubled',
      ];
      expect(lines).toEqual(expect.arrayContaining(expected));
      expect(new Set(lines).size).toBe(lines.length);
      expect(kept).toBe(1);
      expect(
        await owner`select * from rollup.sensor_hourly where bucket < '2026-10-05'`,
      ).toHaveLength(2);
      expect(
        (await audit(database.target, { ...period, repair: true, deleteSurplus: true })).remaining,
      ).toEqual([]);
    });

  it('an audit tells which days it compared, and the last earlier day that has readings', async () => {
    const of = async (from?: string, to?: string) => {
      const asked = { ...(from && { from: new Date(from) }), ...(to && { to: new Date(to) }) };
      return (await audit(database.target, { clock: () => now, timeZone, ...asked })).compared;
    };
    const whole = { first: '2026-10-01', last: '2026-11-20', earlier: null };
    expect(await of()).toEqual(whole);
    expect(await of('2026-10-20T00:00:00+04:00')).toEqual({ ...whole, first: '2026-10-20' });
    expect(await of('2026-10-21T12:00:00+04:00', '2026-11-02T00:00:00+04:00')).toEqual({
      first: '2026-10-21',
      last: '2026-11-01',
      earlier: '2026-10-20',
    });
    expect(await of(undefined, '2026-09-01T00:00:00+04:00')).toBeNull();
  });

  it('an audit of one day compares that day and its month, and no other day', async () => {
    for (const [level, bucket] of [
      ['station_hourly', '2026-11-02 05:00+04'],
      ['station_hourly', '2026-11-04 05:00+04'],
      ['region_monthly', '2026-11-01 00:00+04'],
      ['region_monthly', '2026-10-01 00:00+04'],
    ] as const)
      await tamper(owner, level, `update %s set pm25 = pm25 + 1 where bucket = '${bucket}'`);
    const day = { from: new Date('2026-11-02T05:00:00Z'), to: new Date('2026-11-02T06:00:00Z') };
    const { found } = await audit(database.target, { clock: () => now, ...day, timeZone });
    expect(found.map(({ level, bucket }) => `${level} ${bucket}`)).toEqual([
      'region_monthly 2026-11-01T00:00:00+04:00',
      'station_hourly 2026-11-02T05:00:00+04:00',
    ]);
    expect((await runAudit(true)).remaining).toEqual([]);
  });

  it('an audit lists the first 1,000 differences and counts them all', needs('all'), async () => {
    for (const level of ['sensor_hourly', 'station_hourly'])
      await tamper(owner, level, 'update %s set temperature = 1');
    const found = await runAudit();
    expect(found.found).toHaveLength(LISTED_DIFFERENCES);
    expect(found.foundCount).toBeGreaterThan(LISTED_DIFFERENCES);
    expect(await owner`select differing from api.last_audit`).toEqual([
      { differing: found.foundCount },
    ]);
    const repaired = await runAudit(true);
    expect(repaired.foundCount).toBe(found.foundCount);
    expect([repaired.remaining, repaired.remainingCount]).toEqual([[], 0]);
  });

  it('an audit of fewer days is not recorded as the last nightly one, which the metrics show', async () => {
    const nightly = new Date(now.getTime() - 35 * 86_400_000);
    const at = (instant: Date, period: { from: Date; to?: Date }) =>
      audit(database.target, { clock: () => instant, timeZone, ...period });
    await at(now, { from: nightly });
    const later = new Date(now.getTime() + 60_000);
    await at(later, { from: new Date(later.getTime() - 33 * 86_400_000) });
    await at(new Date(later.getTime() + 1), { from: nightly, to: now });
    const [last] = await owner<{ made_at: string }[]>`select made_at from api.last_audit`;
    expect(Date.parse(last?.made_at ?? '')).toBe(now.getTime());
  });

  it('a comparison ignores buckets whose readings changed after the refresh', async () => {
    await owner`update raw.readings set pm25 = 99 where measured_at = '2026-11-18 10:00+04'`;
    expect(await owner`select * from logic.differences('2026-10-16', '2026-11-20')`).toEqual([]);
    expect(await owner`select count(*)::int as changes from logic.pending`).toEqual([
      { changes: 1 },
    ]);
    await database.refresh(now);
    expect(await owner`select * from logic.pending`).toEqual([]);
  });
});

onEveryEngineInAll('audit of readings lost without a trace', (engine) => {
  it(
    'a repair keeps the history of lost readings, and deletes it only when told to',
    needs('all'),
    async () => {
      const { database, owner } = await sixHourly(engine, '2026-09-01', now);
      onTestFinished(() => database.drop());
      const stored = () => storedBuckets(owner);
      const before = await stored();
      if (engine === 'timescale') {
        await owner`select drop_chunks('raw.readings', older_than => timestamptz '2026-10-25 00:00+04')`;
      } else {
        await owner`alter table raw.readings disable trigger user`;
        await owner`delete from raw.readings where measured_at < '2026-10-12 12:00+04'`;
        await owner`alter table raw.readings enable trigger user`;
      }
      const [{ lost } = { lost: 0 }] = await owner<{ lost: number }[]>`
      select count(*)::int as lost from rollup.sensor_hourly where bucket < (select min(measured_at) from raw.readings)`;
      expect(lost).toBeGreaterThan(200);
      await tamper(
        owner,
        'station_daily',
        `update %s set pm25 = pm25 + 1 where bucket = '2026-11-02 00:00+04'`,
      );

      const period = { clock: () => now, timeZone, repair: true };
      const { kept, remainingCount } = await audit(database.target, period);
      expect(kept).toBeGreaterThan(lost);
      const remaining = await owner<{ level: string }[]>`
      select level from logic.differences('-infinity', 'infinity')`;
      expect(remaining).toHaveLength(remainingCount);
      expect(remaining.filter(({ level }) => level === 'sensor_hourly')).toHaveLength(lost);
      expect(await stored()).toEqual(before);

      // only the last days of this month are compared, and its first days have no readings
      await tamper(
        owner,
        'station_monthly',
        `update %s set pm25 = pm25 + 1 where bucket = '2026-10-01 00:00+04'`,
      );
      await audit(database.target, { ...period, from: new Date('2026-10-28T00:00:00+04:00') });
      expect(await stored()).toEqual(before);

      expect((await audit(database.target, { ...period, deleteSurplus: true })).remaining).toEqual(
        [],
      );
      expect(
        await owner`select from rollup.station_hourly where bucket < (select min(measured_at) from raw.readings)`,
      ).toEqual([]);
    },
  );
});
