/**
 * Digests (C4): a record of each region's current values at an instant. How long it is served is in
 * test/serve/current.test.ts.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteOldDigests, makeDigest as recordDigest } from '../../src/aggregate/digest.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import type { Sql } from '../../src/database/client.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';

const at = new Date('2026-11-20T09:00:30.700Z');
/** Makes a digest as the worker does: after a refresh, which finds the current values. */
async function makeDigest(target: DatabaseAddress, instant: Date): Promise<void> {
  await refresh(target, () => instant);
  await recordDigest(target, instant);
}
const minutes = (n: number) => new Date(at.getTime() + n * 60_000);

onEveryEngineInAll('digest', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    owner = database.as();
    await owner`insert into raw.provider (id, title) values ('p', 'P')`;
    await owner`insert into raw.region (slug, kind, title, map_latitude, map_longitude) values ('c', 'city', '{}', 0, 0)`;
    await owner`insert into raw.station (id, provider_id, title, latitude, longitude) select id, 'p', '{}', 0, 0 from generate_series(1, 4) id`;
    await owner`insert into raw.sensor (id) select generate_series(1, 4)`;
    await owner`insert into raw.sensor_station select id, id, '-infinity', 'infinity' from generate_series(1, 4) id`;
    await owner`insert into raw.station_region select id, 'c', '-infinity', 'infinity' from generate_series(1, 3) id`;
    // 1 and 2 online, the second with bad T/H/P; 3 offline; 4 belongs nowhere
    await owner`insert into raw.flag_period (station_id, since, until) values (2, '-infinity', 'infinity')`;
    await owner`select logic.apply_periods()`;
    await owner`insert into raw.readings (measured_at, sensor_id, pm25, temperature) values
      (${minutes(-10)}, 1, 10, 5), (${minutes(-10)}, 2, 20, 50), (${minutes(-200)}, 3, 300, 5), (${minutes(-10)}, 4, 400, 5)`;
    await makeDigest(database.target, at);
  });
  afterAll(() => database.drop());

  const current = async (instant: Date) => {
    const [row] = await owner`
      select measurement_time, "pm2.5", temperature, station_count from api.region_current(${instant}, 'c')`;
    return row;
  };

  it('a digest is the mean of the online stations, without flagged ones for temperature (A3), at a whole second', async () => {
    expect(await current(at)).toEqual({
      measurement_time: '2026-11-20T13:00:30+04:00',
      'pm2.5': 15,
      temperature: 5,
      station_count: 2,
    });
  });

  it('a digest omits the weather of a station in every hour that its flag touches, though the station publishes it (C5)', async () => {
    await owner`insert into raw.flag_period (station_id, since, until) values (1, ${minutes(-40)}, ${minutes(-30)})`;
    await owner`select logic.apply_periods()`;
    await makeDigest(database.target, minutes(-2));
    expect(await current(minutes(-2))).toMatchObject({ temperature: null, station_count: 2 });
    const [station] =
      await owner`select is_bad_thp, temperature from api.station_current(${minutes(-2)}, 1)`;
    expect(station).toEqual({ is_bad_thp: false, temperature: 5 });
    await owner`delete from raw.flag_period where station_id = 1`;
    await owner`select logic.apply_periods()`;
  });

  it('a digest omits a station as soon as it is hidden, though it is a member until the end of the hour (C4, P3)', async () => {
    await owner`insert into raw.hidden_period values (1, ${minutes(1)}, 'infinity')`;
    await owner`select logic.apply_periods()`;
    expect(await owner`select until from raw.membership where station_id = 1`).toEqual([
      { until: '2026-11-20T14:00:00+04:00' },
    ]);
    await makeDigest(database.target, minutes(2));
    expect(await current(minutes(2))).toMatchObject({ station_count: 1, temperature: null });
    const [state] =
      await owner`select is_listed, status from api.station_current(${minutes(2)}, 1)`;
    expect(state).toEqual({ is_listed: false, status: 'online' });
  });

  it('a digest is deleted after 35 days, also one that was made by a clock two years ahead', async () => {
    await makeDigest(database.target, minutes(2 * 365 * 24 * 60));
    await deleteOldDigests(database.target, minutes(34 * 24 * 60));
    expect(await owner`select count(distinct made_at)::int as digests from rollup.digest`).toEqual([
      { digests: 3 },
    ]);
    await deleteOldDigests(database.target, minutes(36 * 24 * 60));
    expect(await owner`select * from rollup.digest`).toEqual([]);
  });
});
