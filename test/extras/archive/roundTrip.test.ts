/**
 * The CSV files imported into an empty database, as somebody with only the archive would do it:
 * sensors.csv, then means of sensors.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { refresh } from '../../../src/aggregate/refresh.ts';
import type { Sql } from '../../../src/database/client.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { exportNetwork } from '../../../src/network/exportNetwork.ts';
import { importNetwork } from '../../../src/network/importNetwork.ts';
import { reading } from '../../ingest/support.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { needs } from '../../support/tools.ts';
import { makerOf } from './support.ts';

const NOW = new Date('2025-11-03T10:30:00Z');
const TIME_ZONE = 'Europe/London'; // a day of 25 hours is among these
const START = Date.UTC(2025, 9, 20);
const HOURS = 300;
const log = keepingLog();

onEveryEngineInAll('imported CSV files', (engine) => {
  let original: TestDatabase;
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  let made: string;
  let folder: string;
  const format = { name: 'airquality-am', timeZone: TIME_ZONE } as const;
  const bring = async (...names: string[]) => {
    const paths = names.map((name) => join(folder, name));
    const summary = await importReadings(ingest, paths, {
      formats: READING_FORMATS,
      now: NOW,
      log,
      terminal: false,
      format,
    });
    await refresh(db.target, () => NOW);
    return summary;
  };
  const buckets = async (of: TestDatabase, view: string) => [
    ...(await of.as('airseries_reader').unsafe(`
      select timestamp, station_id, avg_pm25, avg_temperature, avg_pressure, avg_wind_direction, total_rain, aqi
      from api.${view} order by timestamp, station_id`)),
  ];

  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'airseries-round-'));
    folder = join(made, 'airquality-am');
    original = await testDatabase(engine, TIME_ZONE);
    db = await testDatabase(engine, TIME_ZONE);
    owner = db.as();
    ingest = db.as('airseries_ingest');
    await bringIn(original.as(), smallNetwork({ timeZone: TIME_ZONE }));
    const valuesOf = (sensor: number, n: number): Record<string, number> =>
      sensor === 2 // the weather of the station whose particles sensor 1 measures
        ? { temperature: (n % 29) - 9.5, pressure: 90_000 + n, rain: (n % 5) / 10 }
        : { pm25: (n * 37 * sensor) % 61, wind_speed: 2, wind_direction: (n * 7) % 360 };
    const readings = Array.from({ length: HOURS }, (_, n) =>
      [1, 2, 3].map((id) =>
        reading(id, new Date(START + n * 3_600_000).toISOString(), valuesOf(id, n)),
      ),
    );
    await acceptReadings(original.as('airseries_ingest'), readings.flat(), {
      now: NOW,
      source: 'test',
    });
    await refresh(original.target, () => NOW);
    await makerOf(original)(made, NOW);
  });
  beforeEach(async () => {
    await owner`truncate raw.readings, raw.provider, raw.region, raw.station, raw.sensor cascade`;
    await importNetwork(owner, JSON.stringify(await exportNetwork(original.as())), { log });
  });
  afterAll(async () => {
    rmSync(made, { recursive: true });
    await original.drop();
    await db.drop();
  });

  test(
    'the recipe of the README turns sensors.csv into the same network',
    needs('jq'),
    async () => {
      const readme = readFileSync('src/extras/archive/README.md', 'utf8');
      const [, recipe = ''] = /```sh\n(jq [\s\S]*?)```/.exec(readme) ?? [];
      const shell = ['-ec', recipe.replace('Asia/Yerevan', TIME_ZONE)];
      execFileSync('/bin/sh', shell, { cwd: folder });
      await owner`truncate raw.readings, raw.provider, raw.region, raw.station, raw.sensor cascade`;
      await importNetwork(owner, readFileSync(join(folder, 'network.json'), 'utf8'), { log });
      const places = (sql: Sql) => sql`
      select r.sensor_id, r.station_id, s.provider_id, s.latitude, s.longitude, m.region_slug
      from raw.sensor_station r join raw.station s on s.id = r.station_id
      left join raw.station_region m on m.station_id = s.id order by 1, 6`;
      expect(await places(owner)).toEqual(await places(original.as()));
    },
  );

  test.each([
    ['hours', 'sensor_avg_hourly/sensor_avg_hourly_2025.csv', 'station_hourly', 2 * HOURS],
    ['days', 'sensor_avg_daily.csv', 'station_daily', 2 * 13],
  ])('stations have the same %s after their CSV was imported', async (_, name, view, count) => {
    expect(await bring(name)).toMatchObject({
      unchanged: 0,
      quarantined: {},
      values: {},
      ignored: [],
      failed: false,
    });
    const expected = await buckets(original, view);
    expect(expected).toHaveLength(count);
    expect(await buckets(db, view)).toEqual(expected);
    // the second import changes nothing
    expect(await bring(name)).toMatchObject({ accepted: 0, failed: false });
  });
});
