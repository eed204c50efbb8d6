/**
 * The windows that the database writes as JSON: their points (H1), and their keys and values
 * (H2, H3).
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WINDOWS } from '../../src/contract/windows.ts';
import { apiOver } from '../../src/database/apiDb.ts';
import { onConnection, type Sql } from '../../src/database/client.ts';
import { makeWindows, queryRegionHistory, queryStationHistory } from '../../src/serve/history.ts';
import * as order from '../contract/keyOrder.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { insertNetwork, NOW } from './network.ts';

const KEYS = {
  station: { hour: order.STATION_HOUR, day: order.STATION_DAY, month: order.STATION_DAY },
  region: { hour: order.REGION_HOUR, day: order.REGION_DAY, month: order.REGION_DAY },
};
const VIEWS = { hour: 'hourly', day: 'daily', month: 'monthly' };

onOneEngine('the JSON of a history', (engine) => {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    await insertNetwork(database.as());
    sql = database.as('airseries_reader');
  });
  afterAll(() => database.drop());

  const subjects = [
    { subject: 'station', id: 1 },
    { subject: 'station', id: 2 },
    { subject: 'station', id: 3 },
    { subject: 'region', id: 'alpha' },
    { subject: 'region', id: 'beta-old' },
  ] as const;

  it.each(subjects)(
    'the history of $subject $id has the values of the views, in the order of time',
    async ({ subject, id }) => {
      const db = apiOver(sql);
      const windows = await makeWindows(db)(NOW);
      const history =
        typeof id === 'number'
          ? await queryStationHistory(db, windows, id)
          : await queryRegionHistory(db, windows, id);
      for (const { key, unit } of WINDOWS) {
        const buckets = await sql.unsafe(
          `select * from api.${subject}_${VIEWS[unit]}
          where ${subject === 'station' ? 'station_id' : 'region_slug'} = $1 and timestamp >= $2 and timestamp < $3 order by timestamp`,
          [id, windows.bounds[`since_${key}`], windows.bounds[`until_${key}`]],
        );
        const points = JSON.parse(history?.[key] ?? '');
        expect(points).toEqual(buckets.map((bucket) => pointOf(bucket, KEYS[subject][unit])));
        for (const point of points) expect(Object.keys(point)).toEqual(KEYS[subject][unit]);
      }
      expect(history?.['2y']).not.toBe('[]');
    },
  );

  it('a history has the data version that it was read at, and the instant at which its windows move', async () => {
    const db = apiOver(sql);
    const windows = await makeWindows(db)(NOW);
    const [freshness] = await sql`select data_version from api.freshness`;
    const known = {
      data_version: freshness?.data_version,
      valid_until: '2026-11-20T14:00:00+04:00',
    };
    expect(await queryStationHistory(db, windows, 1)).toMatchObject(known);
    expect(await queryRegionHistory(db, windows, 'alpha')).toMatchObject(known);
  });

  it.each(['station_history($1, 1)', "region_history($1, 'alpha')"])(
    'the function api.%s computes the windows once, not for every bucket',
    async (call) => {
      const calls = await onConnection(
        database.target,
        { timeZone: database.timeZone },
        async (superuser) => {
          await superuser.unsafe("set track_functions = 'all'; begin").simple();
          await superuser.unsafe(`select * from api.${call}`, [NOW]);
          const [row] = await superuser`
          select sum(calls)::int as calls from pg_stat_xact_user_functions where funcname in ('bucket_start', 'bucket_add')`;
          return row?.calls;
        },
      );
      expect(calls).toBeGreaterThan(0);
      expect(
        calls,
        'a start and an end of five windows, each for the question and for its bounds',
      ).toBeLessThanOrEqual(40);
    },
  );
});

/** The point by definition: each key is a column, and a range is the pair of two columns. */
function pointOf(bucket: Record<string, unknown>, keys: readonly string[]): object {
  const value = (key: string) => {
    if (!key.startsWith('range_')) return bucket[key];
    const pair = [bucket[key.replace('range', 'min')], bucket[key.replace('range', 'max')]];
    return pair.includes(null) ? null : pair;
  };
  return Object.fromEntries(keys.map((key) => [key, value(key)]));
}
