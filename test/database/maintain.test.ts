/** Old readings are compressed where the engine can, and whatever arrives for them afterwards still counts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/connect.ts';
import { maintain, refresh } from '../../src/database/refresh.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T09:00:00Z');

onEveryEngine('maintain', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await owner`insert into raw.readings (measured_at, sensor_id, station_id, pm25)
      select at, 11, 1, 5 from generate_series(timestamptz '2026-07-01 00:00+04', '2026-11-20 12:00+04', '1 hour') at`;
    await refresh(database.target, now);
    await maintain(database.target, now);
  });
  afterAll(() => database.drop());

  it.runIf(engine === 'timescale')('compresses chunks that ended more than a week ago, and those only', async () => {
    const chunks = await owner`select is_compressed, range_end < ${now}::timestamptz - interval '7 days' as old
      from timescaledb_information.chunks where hypertable_name = 'readings'`;
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.filter(({ is_compressed, old }) => is_compressed !== old)).toEqual([]);
  });

  it('may run again at any time', async () => {
    await maintain(database.target, now);
  });

  it.each([
    [
      'a late reading',
      `insert into raw.readings (measured_at, sensor_id, station_id, pm25) values ('2026-07-02 10:20+04', 11, 1, 15)`,
      10,
    ],
    ['a correction', `update raw.readings set pm25 = 25 where measured_at = '2026-07-02 10:00+04'`, 20],
    ['a deletion', `delete from raw.readings where measured_at = '2026-07-02 10:00+04'`, 15],
  ])('%s in an old month shows', async (_, statement, expected) => {
    await owner.unsafe(statement);
    await refresh(database.target, now);
    expect(await owner`select pm25 from rollup.station_hourly where bucket = '2026-07-02 10:00+04'`).toEqual([
      { pm25: expected },
    ]);
    expect(await owner`select * from rollup.differences('-infinity', 'infinity')`).toEqual([]);
  });
});
