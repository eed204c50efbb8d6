/**
 * The hours that are kept of deleted readings: the service never changes them, and an audit tells
 * when something else has.
 */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { audit } from '../../src/aggregate/audit.ts';
import { deleteExpired, lowerCutoff } from '../../src/aggregate/retention.ts';
import { makeLog } from '../../src/base/log.ts';
import type { Sql } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { registerCollectors } from '../../src/metrics/collectors.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { LEVELS } from '../../src/schema/aggregates.ts';
import {
  isAll,
  onEveryEngine,
  onEveryEngineInAll,
  type TestDatabase,
} from '../support/database.ts';
import { sixHourly, storedBuckets } from './sixHourly.ts';
import { tamper } from './storage.ts';

const now = new Date('2026-09-12T09:00:00Z');
const timeZone = 'Asia/Yerevan';
const RECORDED = [
  { month: '2026-06', hours: 168 },
  { month: '2026-07', hours: 248 },
  { month: '2026-08', hours: 248 },
];
const NIGHTLY = new Date('2026-09-05T09:00:00Z');

onEveryEngine('hours of deleted readings', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    ({ database, owner } = await sixHourly(engine, '2026-06-10', now));
    await deleteExpired(database.target, () => now, '10 days', {
      log: makeLog('silent'),
      apply: true,
    });
  });
  afterAll(() => database.drop());

  const levels = [...LEVELS].reverse();
  const above = levels.slice(0, -1);
  const stored = (some = levels) => storedBuckets(owner, some);
  const audited = (options: { from?: Date; repair?: boolean } = {}) =>
    audit(database.target, {
      clock: () => now,
      timeZone,
      deleteSurplus: options.repair ?? false,
      ...options,
    });
  const lost = (found: { level: string; bucket: string; subject: string; columns: string[] }[]) =>
    found.map(({ level, bucket, subject, columns }) =>
      [level, bucket.slice(0, 7), subject, ...columns].join(' '),
    );
  const change = (by: string) =>
    tamper(
      owner,
      'sensor_hourly',
      `update %s set pm25 = pm25 ${by} where bucket = '2026-07-15 00:00+04' and sensor_id = 1`,
    );

  it('hours of deleted readings are counted by the month', async () => {
    expect(
      await owner`select to_char(month, 'YYYY-MM') as month, hours::int from rollup.expired_month order by 1`,
    ).toEqual(RECORDED);
    expect((await audited()).found).toEqual([]);
  });

  const missing = async () => {
    const [row] = await database.as('airseries_reader')`select * from api.kept_hours`;
    return row;
  };
  // on plain PostgreSQL only the audit counts them
  const counted = (count: number) => ({
    recorded: 664,
    missing: engine === 'plain' ? null : count,
  });

  it('status and metrics see how many kept hours are recorded and missing', async () => {
    expect(await missing()).toEqual(counted(0));
  });

  it('the checksum of kept hours is the same under all settings of a session', async () => {
    const lostThere = await owner.begin(async (sql) => {
      await sql`select set_config('timezone', 'Asia/Tokyo', true), set_config('extra_float_digits', '-3', true), set_config('datestyle', 'German', true)`;
      return await sql`select since from logic.lost_months('-infinity', 'infinity')`;
    });
    expect([...lostThere]).toEqual([]);
  });

  it('a changed value in kept hours is named by an audit of their time, and no repair touches their days', async () => {
    await change('+ 1');
    const before = await stored();
    // an audit of other times only counts the hours
    expect(lost((await audited({ from: NIGHTLY })).found)).toEqual([]);
    expect(lost((await audited({ repair: true })).found)).toEqual([
      'sensor_hourly 2026-07 248 of 248 hours lost',
    ]);
    expect(await stored()).toEqual(before);
    await change('- 1');
    expect(await owner`select from logic.lost_months('-infinity', 'infinity')`).toEqual([]);
  });

  // plain PostgreSQL has no refresh but our own procedure, which leaves such hours alone
  if (engine === 'timescale')
    it('kept hours are not changed by stray refreshes of the levels above them', async () => {
      const before = await stored();
      for (const { name } of isAll ? above : above.slice(0, 1)) {
        const whole = `'rollup.${name}', null, null`;
        await owner.unsafe(`call refresh_continuous_aggregate(${whole})`);
        await owner.unsafe(`call refresh_continuous_aggregate(${whole}, force => true)`);
      }
      expect(await stored()).toEqual(before);
      expect((await audited({ repair: true })).found).toEqual([]);
    });

  it('kept hours that are gone are named by every audit and in metrics, and a repair makes nothing worse', async () => {
    if (engine === 'timescale')
      await owner`call refresh_continuous_aggregate('rollup.sensor_hourly', null, null)`;
    else await owner`delete from rollup.sensor_hourly where bucket < '2026-08-10 00:00+04'`;
    const left = await owner<{ month: string; hours: number }[]>`
      select to_char(rollup.bucket_start('month', bucket), 'YYYY-MM') as month, count(*)::int as hours
      from rollup.sensor_hourly where bucket < '2026-09-01 00:00+04' group by 1`;
    const before = await stored(above);
    expect(before.every((rows) => rows.length > 5)).toBe(true);
    const gone = RECORDED.flatMap(({ month, hours }) => {
      // a chunk that is not old enough still has its hours
      const rest = left.find((each) => each.month === month)?.hours ?? 0;
      return rest === hours ? [] : [`sensor_hourly ${month} ${rest} of ${hours} hours lost`];
    });
    expect(gone.length).toBeGreaterThan(1);
    for (const options of [{ from: NIGHTLY }, { repair: true }]) {
      const { found, remaining } = await audited(options);
      expect(lost(found)).toEqual(gone);
      expect(lost(remaining)).toEqual(gone);
      expect(await stored(above)).toEqual(before);
    }
    const rest = left.reduce((sum, { hours }) => sum + hours, 0);
    expect(await missing()).toEqual(counted(664 - rest));
    const reads = openReaderPool(database.target, { timeZone, max: 1 });
    const metrics = makeMetrics();
    registerCollectors(metrics, reads, { clock: () => now, log: makeLog('silent') });
    try {
      expect(await metrics.scrape()).toContain(
        `\nairseries_kept_buckets_missing ${engine === 'plain' ? 'Nan' : 664 - rest}\n`,
      );
    } finally {
      await reads.destroy();
    }
  });

  it('lost hours stay recorded when retention runs again and nothing is due', async () => {
    await owner`update raw.installation set ingest_cutoff = '2026-08-20 00:00+04', retained_from = '2026-08-20 00:00+04'`;
    const lostMonths = async () => [
      ...(await owner`select * from logic.lost_months('-infinity', 'infinity') order by since`),
    ];
    const before = await lostMonths();
    expect(before.length).toBeGreaterThan(1);
    await deleteExpired(database.target, () => now, '2 years', { log: makeLog('silent') });
    await owner`call logic.retain_from('2026-07-01 00:00+04')`;
    expect(await lostMonths()).toEqual(before);
  });

  it('kept hours stay recorded when the rest of their month is recorded too', async () => {
    const recorded = async () => {
      const rows = await owner`select hours::int from rollup.expired_month order by month`;
      return rows.map(({ hours }) => hours);
    };
    expect(await recorded()).toEqual([168, 248, 248]);
    // 96 hours of two sensors
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, sensor, 5 from generate_series(timestamptz '2026-08-20 00:00+04', '2026-08-31 18:00+04', '6 hours') at, generate_series(1, 2) sensor
      on conflict do nothing`;
    await database.refresh(now);
    await owner`update raw.installation set ingest_cutoff = '2026-10-01 00:00+04'`;
    const since = new Date('2026-08-20T00:00:00+04:00');
    const [rest] = await owner`select count(*)::int as hours from rollup.sensor_hourly
      where bucket >= ${since} and bucket < '2026-09-01 00:00+04'`;
    expect(rest?.hours).toBe(96);
    await owner`call logic.retain_from('2026-09-01 00:00+04')`;
    expect(await recorded()).toEqual([168, 248, 248 + 96]);
    await owner`call logic.retain_from('2026-10-01 00:00+04')`;
    expect(await recorded()).toEqual([168, 248, 248 + 96, 2 * 47]);
  });

  it.each(
    engine === 'timescale'
      ? [
          `add_continuous_aggregate_policy('rollup.sensor_hourly', null, null, interval '1 day')`,
          `add_retention_policy('raw.readings', interval '1 year')`,
          `add_retention_policy('rollup.sensor_hourly', interval '1 year')`,
        ]
      : [],
  )('the database refuses a job of TimescaleDB, to a superuser too: %s', async (job) => {
    for (const sql of [owner, database.superuser()])
      await expect(sql.unsafe(`select ${job}`)).rejects.toThrow(/background process|LOGIN/);
  });
});

/** While retention goes on. */
onEveryEngineInAll('the record of kept hours', (engine) => {
  it('the record goes on in the middle of a month, and begins again where the cutoff was lowered', async () => {
    const { database, owner } = await sixHourly(engine, '2026-06-10', now);
    onTestFinished(() => database.drop());
    const recorded = async () => {
      const rows = await owner`
        select to_char(month, 'MM') as month, hours::int from rollup.expired_month order by 1`;
      return Object.fromEntries(rows.map(({ month, hours }) => [month, hours]));
    };
    const retain = async (until: string) => {
      await owner`call logic.raise_ingest_cutoff(${until}::text::timestamptz)`;
      await owner`call logic.retain_from(${until}::text::timestamptz)`;
      await owner`call logic.delete_expired_readings()`;
    };
    const found = async () => (await audit(database.target, { clock: () => now, timeZone })).found;
    await retain('2026-07-11 00:00+04');
    expect(await recorded()).toEqual({ '06': 168, '07': 80 });
    expect(await found()).toEqual([]);
    await retain('2026-08-01 00:00+04');
    expect(await recorded()).toEqual({ '06': 168, '07': 248 });
    expect(await found()).toEqual([]);
    const [count] = await owner`select * from api.kept_hours`;
    expect(count).toEqual({ recorded: 416, missing: engine === 'plain' ? null : 0 });

    // nothing is left of July: its readings may come again, and are recorded once
    await tamper(
      owner,
      'sensor_hourly',
      `delete from %s where bucket >= '2026-07-01 00:00+04' and bucket < '2026-08-01 00:00+04'`,
    );
    await lowerCutoff(owner, new Date('2026-07-01T00:00:00+04:00'));
    const [june] = await owner`select * from api.kept_hours`;
    expect(june).toEqual({ recorded: 168, missing: engine === 'plain' ? null : 0 });
    // a chunk goes when all of it has expired
    await owner`delete from raw.readings where measured_at < '2026-08-01 00:00+04'`;
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 5 from generate_series(timestamptz '2026-07-01 00:00+04', '2026-07-31 18:00+04', '1 day') at`;
    await database.refresh(now);
    await retain('2026-08-01 00:00+04');
    expect(await recorded()).toEqual({ '06': 168, '07': 31 });
    expect((await found()).filter(({ columns }) => columns.includes('lost'))).toEqual([]);
  });

  it('only the missing hours are restored from a table of kept hours, and only by an operator', async () => {
    const { database, owner } = await sixHourly(engine, '2026-06-10', now);
    onTestFinished(() => database.drop());
    const superuser = database.superuser();
    await owner`update raw.installation set ingest_cutoff = '2026-08-01 00:00+04'`;
    await owner`call logic.retain_from('2026-08-01 00:00+04')`;
    const stored = () =>
      owner`select * from rollup.sensor_hourly order by bucket, sensor_id`.then((rows) => [
        ...rows,
      ]);
    const before = await stored();
    // the copy has another version's columns, some hours twice, and later ones
    await superuser.unsafe(`
      create table public.kept as select h.pm25, h.sensor_id, h.bucket, 1 as other from rollup.sensor_hourly h;
      insert into public.kept select pm25 + 1, sensor_id, bucket + interval '1 year', 1 from public.kept;
      insert into public.kept select * from public.kept where bucket < '2026-07-01 00:00+04'`);
    for (const statement of [
      `delete from %s where bucket >= '2026-06-20 06:00+04' and bucket < '2026-06-25 18:00+04' and sensor_id = 1`,
      `update %s set pm25 = 99 where bucket = '2026-06-28 06:00+04' and sensor_id = 1`,
    ])
      await tamper(owner, 'sensor_hourly', statement);
    const restore = async () => {
      const [row] = await superuser`select logic.restore_kept_hours('public.kept')::int as n`;
      return row?.n;
    };
    expect([await restore(), await restore()]).toEqual([22, 0]);
    const at = Date.parse('2026-06-28T06:00:00+04:00');
    expect(await stored()).toEqual(
      before.map((row) =>
        Date.parse(row.bucket) === at && row.sensor_id === 1 ? { ...row, pm25: 99 } : row,
      ),
    );
    // as if readings had been deleted before the record existed
    await owner`delete from rollup.expired_month`;
    expect(await owner`select * from api.kept_hours`).toEqual([
      { recorded: 0, missing: engine === 'plain' ? null : 0 },
    ]);
    await expect(
      database.as('airseries_reader')`select logic.restore_kept_hours('rollup.sensor_hourly')`,
    ).rejects.toThrow(/permission denied/);
  });
});
