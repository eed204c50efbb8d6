/**
 * Every kind of change to a stored bucket behind the service's back: the audit names exactly that
 * bucket, its repair mends it, no refresh fails on it, and the API answers JSON
 * meanwhile.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audit, type Difference } from '../../src/aggregate/audit.ts';
import type { Sql } from '../../src/database/client.ts';
import { LEVELS, type Level } from '../../src/schema/aggregates.ts';
import { NOW } from '../support/clock.ts';
import { isAll, onEveryEngineInAll } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { smallNetwork } from '../support/smallNetwork.ts';
import { storageOf, tamper as write } from './storage.ts';

/**
 * A change to a row, as assignments or as a whole statement, and what the audit must name at its
 * bucket and elsewhere.
 */
type Kind = { set?: string; run?: string; columns?: string; surplus?: string };

/**
 * `count`, `index` and `top` are replaced by a column of the level; `row` by the condition for the
 * row, and `at` by another bucket.
 */
const KINDS: Record<string, Kind> = {
  'a millionth more': { set: 'pm25 = pm25 * 1.000001' },
  forgotten: { set: 'pm25 = null' },
  'not a number': { set: `pm25 = 'NaN'` },
  infinite: { set: `pm25 = 'Infinity'` },
  'the largest': { set: 'pm25 = 1e308' },
  'an infinite temperature': { set: `temperature = 'Infinity'` },
  'wind from nowhere': { set: `wind_sin = 'NaN'` },
  'wind that overflows': { set: `wind_sin = 1e200` },
  'minus infinite rain': { set: `rain = '-Infinity'` },
  'a value that nobody measured': { set: 'no2 = 0' },
  'one more counted': { set: 'count = count + 1' },
  'a higher index': { set: 'index = index + 1' },
  'no index': { set: 'index = null' },
  'a top that is no number': { set: `top = 'NaN'` },
  deleted: { run: 'delete from storage where row', columns: 'missing' },
  'moved to the future': {
    run: 'with gone as (delete from storage where row returning *) insert into storage select copy from gone',
    columns: 'missing',
    surplus: '2027-06-01T00:00:00+04:00',
  },
  'copied to the past': {
    run: 'insert into storage select copy from storage where row',
    surplus: '2024-03-01T00:00:00+04:00',
  },
  'copied to a minute later': {
    run: 'insert into storage select copy from storage where row',
    surplus: '2024-05-01T00:01:00+04:00',
  },
};

/** The columns of a level that stand for `count`, `index` and `top`. */
function columnsOf({ name, unit }: Level): Record<string, string> {
  if (name === 'sensor_hourly') return { count: 'pm10', index: 'humidity', top: 'pressure' };
  if (unit === 'hour')
    return {
      count: name === 'station_hourly' ? 'sensor_count' : 'station_count',
      index: 'aqi',
      top: 'pressure',
    };
  return { count: 'hours', index: 'min_aqi', top: 'max_pm25' };
}

const key = ({ level, bucket, subject, columns }: Difference) =>
  `${level} ${bucket} ${subject} ${columns}`;
const PATHS = [
  'stations',
  'station/1',
  'station/1-history',
  'station/2-history',
  'region/town',
  'region/town-history',
  'region/quarter-history',
];

onEveryEngineInAll('tampered buckets', (engine) => {
  let here: Installation;
  let owner: Sql;
  beforeAll(async () => {
    here = await install(engine, smallNetwork());
    owner = here.database.as();
    await owner`
      insert into raw.readings (measured_at, sensor_id, temperature, humidity, pressure, pm25, pm10, wind_speed, wind_direction, rain)
      select at, sensor, 7 + sensor, 50, 90000, 10 + extract(day from at) + sensor, 20 + extract(hour from at), 3, 80, 0.2
      from generate_series(${isAll ? '2025-12-01 06:30+04' : '2026-08-01 06:30+04'}::text::timestamptz, ${NOW}::timestamptz, '12 hours') at, generate_series(1, 3) sensor`;
    await here.refresh(NOW);
    await here.digest(NOW);
  });
  afterAll(() => here.close());

  const runAudit = (repair = false) =>
    audit(here.database.target, {
      clock: () => NOW,
      repair,
      deleteSurplus: repair,
      timeZone: here.database.timeZone,
    });

  /** Tampers with one row, and returns what an audit must find. */
  async function tamper(
    level: Level,
    kind: Kind,
    storage: string,
    row: { at: string; subject: string },
  ): Promise<string[]> {
    const condition = `bucket = '${row.at}' and ${level.id} = '${row.subject}'`;
    const names = columnsOf(level);
    const set = kind.set?.replace(/\b(count|index|top)\b/g, (word) => names[word] as string);
    const columns = await owner<{ name: string }[]>`
      select attname as name from pg_attribute where attrelid = ${`rollup.${level.name}`}::regclass and attnum > 0 and not attisdropped order by attnum`;
    const copy = columns.map(({ name }) =>
      name === 'bucket' ? `timestamptz '${kind.surplus}'` : name,
    );
    const statement = kind.run ?? `update storage set ${set} where row`;
    const words: Record<string, string> = { storage, row: condition, copy: copy.join(', ') };
    const { count } = await owner.unsafe(
      statement.replace(/\b(storage|row|copy)\b/g, (word) => words[word] as string),
    );
    expect(count).toBe(1);
    const found = kind.set === undefined ? kind.columns : set?.split(' ')[0];
    const at = (bucket: string, what: string) =>
      key({ level: level.name, bucket, subject: row.subject, columns: [what] });
    return [
      ...(found === undefined ? [] : [at(row.at, found)]),
      ...(kind.surplus === undefined ? [] : [at(kind.surplus, 'surplus')]),
    ];
  }

  describe('every kind of change, in every level for test:all', () => {
    const expected: string[] = [];

    beforeAll(async () => {
      for (const [index, level] of LEVELS.entries()) {
        const storage = await storageOf(owner, level.name);
        const rows = await owner.unsafe<{ at: string; subject: string }[]>(
          `select to_char(bucket at time zone 'Asia/Yerevan', 'YYYY-MM-DD"T"HH24:MI:SS"+04:00"') as at, ${level.id}::text as subject
           from rollup.${level.name} order by bucket desc, ${level.id} limit ${Object.keys(KINDS).length}`,
        );
        for (const [n, kind] of Object.values(KINDS).entries()) {
          if (!isAll && n % LEVELS.length !== index) continue;
          const row = rows.shift() as { at: string; subject: string };
          expected.push(...(await tamper(level, kind, storage, row)));
        }
      }
    });

    it('tampered buckets are answered as valid JSON, and no function that Grafana calls fails', async () => {
      for (const path of PATHS) {
        const body = JSON.stringify(await here.get(`${path}.json`, NOW));
        expect(body, path).not.toMatch(/NaN|Infinity|e\+/);
      }
      for (const call of [
        'station_history(at, 1)',
        `region_history(at, 'town')`,
        'station_suspect(at)',
        'station_offline(at)',
        'sensor_daily(at)',
        'newest_bucket(at)',
        'provider_state(at)',
      ]) {
        await owner.unsafe(
          `select * from (select timestamptz '${NOW.toISOString()}' as at) now, api.${call}`,
        );
      }
    });

    it('the audit finds the tampered buckets, and no others, and the repair mends every one', async () => {
      // also the surplus ones, at times without readings
      const { found, remaining } = await runAudit(true);
      expect(found.map(key).toSorted()).toEqual(expected.toSorted());
      expect(remaining).toEqual([]);
    });
  });

  it('no refresh fails on NaN and infinities in hours and days', async () => {
    for (const value of ['NaN', 'Infinity', '-Infinity']) {
      for (const { name } of LEVELS.filter(({ unit }) => unit !== 'month')) {
        const columns = ['pm25', 'pm10', 'rain', 'wind_sin', 'humidity'];
        if (name === 'sensor_hourly') columns.pop();
        const set = columns.map((column) => `${column} = '${value}'`);
        await write(owner, name, `update %s set ${set} where bucket >= '2026-11-15 00:00+04'`);
      }
      await owner`update raw.readings set pm1 = coalesce(pm1, 0) + 1 where sensor_id = 2 and measured_at = '2026-11-19 06:30+04'`;
      await here.refresh(NOW);
      const body = JSON.stringify(await here.get('station/1-history.json', NOW));
      expect(body, value).not.toMatch(/NaN|Infinity|e\+/);
    }
    expect((await runAudit(true)).remaining).toEqual([]);
  });

  it('tampered periods of the network are found and mended before any bucket is compared', async () => {
    await owner`update raw.placement set until = '2026-11-01 00:00+04' where sensor_id = 1`;
    await owner`delete from raw.placement where sensor_id = 2`;
    await owner`update raw.membership set is_flagged = true where station_id = 2`;
    await owner`update raw.membership set is_pm_suspect = true where station_id = 1 and region_slug = 'town'`;
    await owner`insert into raw.membership (station_id, region_slug, is_flagged, since, until) values (2, 'quarter', false, '2026-10-01 00:00+04', '2026-11-01 00:00+04')`;
    await owner`insert into raw.flagged (station_id, kind, since, until) values (2, 'thp', '2026-10-01 00:00+04', '2026-11-01 00:00+04')`;
    const periods = [
      'flagged 2026-10-01T00:00:00+04:00 2 thp surplus',
      'membership -infinity 1 town is_flagged,is_pm_suspect,until',
      'membership -infinity 2 town is_flagged,is_pm_suspect,until',
      'membership 2026-10-01T00:00:00+04:00 2 quarter surplus',
      'placement -infinity 1 station_id,formula,until',
      'placement -infinity 2 missing',
    ];
    // the buckets still match the network
    expect((await runAudit()).found.map(key).toSorted()).toEqual(periods);
    const { found, remaining } = await runAudit(true);
    expect([found.map(key).toSorted(), remaining]).toEqual([periods, []]);
    expect((await runAudit()).found).toEqual([]);
  });

  it('a lost period is mended together with the buckets that were computed without it', async () => {
    await owner`delete from raw.placement where sensor_id = 2`;
    await owner`insert into rollup.stale (since, until, from_level) values ('2026-11-10', '2026-11-12', 'sensor_hourly')`;
    await here.refresh(NOW);
    const { found, remaining } = await runAudit(true);
    expect([found.map(key), remaining]).toEqual([['placement -infinity 2 missing'], []]);
  });

  it('a tampered bucket whose readings are gone is mended from the kept hours, which are never recomputed', async () => {
    await owner`update raw.installation set ingest_cutoff = '2026-09-01 00:00+04', retained_from = '2026-09-01 00:00+04'`;
    await owner`delete from raw.readings where measured_at < '2026-09-01 00:00+04'`;
    const kept = () =>
      owner`select count(*)::int as hours, sum(pm25) from rollup.sensor_hourly where bucket < '2026-09-01 00:00+04'`;
    const before = await kept();
    await write(
      owner,
      'station_hourly',
      `update %s set pm25 = 12345 where bucket >= '2026-08-10 00:00+04' and bucket < '2026-08-11 00:00+04'`,
    );
    await owner`insert into rollup.stale (since, until, from_level) values ('2026-08-10 00:00+04', '2026-08-11 00:00+04', 'sensor_hourly')`;
    await here.refresh(NOW);
    expect(await kept()).toEqual(before);
    expect((await runAudit()).found).toEqual([]);
  });
});
