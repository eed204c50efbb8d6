/**
 * What stands in the aggregates, and was not computed: values that are no numbers, buckets at times
 * without readings, and periods that the network does not have. A changed bucket is in
 * audit.test.ts, one at random of any level in lab/sim.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { audit, type Difference } from '../../src/aggregate/audit.ts';
import type { Sql } from '../../src/database/client.ts';
import { LEVELS } from '../../src/schema/aggregates.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { smallNetwork } from '../support/smallNetwork.ts';
import { tamper } from './storage.ts';

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
const AT = `'${NOW.toISOString()}'`;
/** What Grafana calls. */
const FUNCTIONS = [
  `station_history(${AT}, 1)`,
  `region_history(${AT}, 'town')`,
  `station_suspect(${AT})`,
  `station_offline(${AT})`,
  `sensor_daily(${AT})`,
  `newest_bucket(${AT})`,
  `provider_state(${AT})`,
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
      from generate_series(timestamptz '2026-08-01 06:30+04', ${NOW}::timestamptz, '12 hours') at, generate_series(1, 3) sensor`;
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

  it('surplus buckets at times without readings, between two buckets too, are found and deleted', async () => {
    const times = ['2024-03-01T00:00', '2024-05-01T00:01', '2027-06-01T00:00'];
    for (const { name } of LEVELS)
      await tamper(
        owner,
        name,
        `insert into %s select (jsonb_populate_record(one, jsonb_build_object('bucket', at || '+04'))).*
         from %s one, unnest('{${times}}'::text[]) at where one.bucket = (select max(bucket) from %s)`,
      );
    const { found, remaining } = await runAudit(true);
    const words = found.map(({ level, bucket, columns }) => `${level} ${bucket} ${columns}`);
    expect(new Set(words)).toEqual(
      new Set(LEVELS.flatMap(({ name }) => times.map((at) => `${name} ${at}:00+04:00 surplus`))),
    );
    expect(remaining).toEqual([]);
  });

  /** Every document is valid JSON, and no function that Grafana calls fails. */
  const expectAnswers = async (what: string) => {
    for (const path of PATHS) {
      const body = JSON.stringify(await here.get(`${path}.json`, NOW));
      expect(body, `${path} ${what}`).not.toMatch(/NaN|Infinity|e\+/);
    }
    for (const call of FUNCTIONS) await owner.unsafe(`select * from api.${call}`);
  };

  it('NaN and infinities in hours and days make no refresh fail, and are answered as null', async () => {
    for (const value of ['NaN', 'Infinity', '-Infinity']) {
      for (const { name } of LEVELS.filter(({ unit }) => unit !== 'month')) {
        const columns = ['pm25', 'pm10', 'rain', 'wind_sin', 'humidity'];
        if (name === 'sensor_hourly') columns.pop();
        const set = columns.map((column) => `${column} = '${value}'`);
        await tamper(owner, name, `update %s set ${set} where bucket >= '2026-11-15 00:00+04'`);
      }
      await owner`update raw.readings set pm1 = coalesce(pm1, 0) + 1 where sensor_id = 2 and measured_at = '2026-11-19 06:30+04'`;
      await here.refresh(NOW);
      await expectAnswers(value);
    }
    expect((await runAudit(true)).remaining).toEqual([]);
  });

  it('numbers that overflow in a newest bucket are answered as null, and mended', async () => {
    for (const { name } of LEVELS.filter(({ id }) => id !== 'sensor_id'))
      await tamper(
        owner,
        name,
        'update %s set pm25 = 1e308, wind_sin = 1e200 where bucket = (select max(bucket) from %s)',
      );
    await expectAnswers('overflows');
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
    await tamper(
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
