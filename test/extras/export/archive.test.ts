/**
 * The archive (R2): its files have exactly what the API publishes, and change with exactly what
 * changes there.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { makeArchive } from '../../../src/extras/export/archive/makeArchive.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../../support/database.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { compareArchive, duck, indexOf, type Row, rowsIn } from './archiveValues.ts';
import { emptyFolder } from './support.ts';

const ZONE = 'Europe/Berlin'; // where October has an hour more
const NOW = new Date('2026-11-05T02:23:00Z');
const log = keepingLog();

/** Three months of two stations, one of them flagged for two days, and a third that is hidden. */
function network(more: Parameters<typeof smallNetwork>[0] = {}) {
  const small = smallNetwork({
    timeZone: ZONE,
    one: { is_bad_thp: [{ since: '2026-10-10T03:20', until: '2026-10-12' }], altitude: 35 },
    ...more,
  });
  const hidden = { ...small.stations[1], id: 3, hidden: true, sensors: [{ id: 4 }] };
  return { ...small, stations: [...small.stations, hidden] };
}

onEveryEngine('the archive', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine, ZONE);
    owner = db.as();
    await bringIn(owner, network());
    await owner`insert into raw.readings
        (measured_at, sensor_id, pm25, pm10, temperature, humidity, wind_speed, wind_direction, rain)
      select at, sensor, 10 + sensor + n % 41 / 7.0, case when n % 5 > 0 then 20 + n % 17 end, n % 300 / 10.0 - 9,
        case when sensor < 3 then n % 100 end, n % 3, n * 7 % 360, case when sensor = 3 then n % 4 / 10.0 end
      from generate_series(timestamptz '2026-09-28 10:10+02', timestamptz '2026-11-05 02:00Z', '1 hour') with ordinality s(at, n),
        generate_series(1, 4) sensor
      where n % 97 > 3 * sensor`;
    await db.refresh(NOW);
  });
  afterAll(() => db.drop());

  const archive = (folder: string, now = NOW) =>
    makeArchive(db.target, { folder, timeZone: ZONE, now, log, terminal: false, license: 'CC0' });

  it('every value of every file equals what the API publishes for the bucket (R2)', async () => {
    const folder = emptyFolder();
    const archived = await archive(folder);
    expect(archived).toEqual({
      changed: [
        'stations.csv',
        'regions.csv',
        'hours/2026-09.parquet',
        'hours/2026-10.parquet',
        'days/2026.parquet',
        'regions-hours/2026-09.parquet',
        'regions-hours/2026-10.parquet',
        'regions-days/2026.parquet',
      ],
      removed: [],
      files: 8,
    });
    const { wrong, values } = await compareArchive(folder, db.target, { timeZone: ZONE, now: NOW });
    expect(wrong.slice(0, 20)).toEqual([]);
    expect(values).toBeGreaterThan(20_000);
  });

  it('a row says which of its values are flagged, and a day if one of its hours is', async () => {
    const folder = emptyFolder();
    await archive(folder);
    const flagged = async (path: string) =>
      (await rowsIn(folder, path))
        .filter(({ is_bad_thp }) => is_bad_thp === true)
        .map(({ station_id, timestamp, is_bad_pm }) => [
          station_id,
          new Date(Number(timestamp)).toISOString(),
          is_bad_pm,
        ]);
    const hours = await flagged('hours/2026-10.parquet');
    // from 3:00 on, the full hour, until midnight of the day after next, less what is missing
    expect(hours.length).toBeGreaterThan(40);
    expect(hours[0]).toEqual([1, '2026-10-10T01:00:00.000Z', false]);
    expect(hours.at(-1)).toEqual([1, '2026-10-11T21:00:00.000Z', false]);
    expect(await flagged('days/2026.parquet')).toEqual([
      [1, '2026-10-09T22:00:00.000Z', false],
      [1, '2026-10-10T22:00:00.000Z', false],
    ]);
  });

  it('a file says its zone, its units and that stamps name the start, and a timestamp is one of UTC', async () => {
    const folder = emptyFolder();
    await archive(folder);
    const path = join(folder, 'hours/2026-10.parquet');
    const pairs = await duck(
      `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${path}')`,
    );
    const metadata = Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
    expect(metadata).toMatchObject({
      time_zone: ZONE,
      timestamp: expect.stringContaining('start'),
    });
    expect(JSON.parse(String(metadata.units))).toMatchObject({ avg_pm25: 'µg/m³', avg_no2: 'ppb' });
    const columns = await duck(`describe select * from '${path}'`);
    const types = Object.fromEntries(
      columns.map(({ column_name, column_type }) => [column_name, column_type]),
    );
    expect(types).toMatchObject({
      station_id: 'INTEGER',
      timestamp: 'TIMESTAMP WITH TIME ZONE',
      avg_pm25: 'DOUBLE',
      avg_humidity: 'INTEGER',
      is_bad_pm: 'BOOLEAN',
    });
  });

  it('the index says of each file its size, hash, rows, buckets and columns', async () => {
    const folder = emptyFolder();
    await archive(folder);
    const { resources, airseries } = indexOf(folder);
    expect(airseries.at).toBe(NOW.toISOString());
    for (const { path, bytes, hash, modified, schema, rows, first, last } of resources) {
      const content = readFileSync(join(folder, path));
      expect([path, content.length, modified]).toEqual([path, bytes, NOW.toISOString()]);
      expect(statSync(join(folder, path)).mtimeMs).toBe(NOW.getTime());
      expect(hash).toBe(`sha256:${createHash('sha256').update(content).digest('hex')}`);
      const { fields } = JSON.parse(readFileSync(join(folder, schema), 'utf8'));
      const [{ names, count }] = (await duck(
        `select array_to_string(list(column_name), ' ') as names, (select count(*) from '${join(folder, path)}') as count
         from (describe select * from '${join(folder, path)}')`,
      )) as [Row];
      expect(names).toBe(fields.map(({ name }: { name: string }) => name).join(' '));
      expect(count).toBe(rows);
      if (first === undefined) continue;
      const stamps = (await rowsIn(folder, path)).map(({ timestamp }) => Number(timestamp));
      expect([first, last].map((at) => Date.parse(at ?? ''))).toEqual([
        Math.min(...stamps),
        Math.max(...stamps),
      ]);
    }
  });

  it('files are sorted by station and time, and no row group holds a part of a station', async () => {
    const folder = emptyFolder();
    await archive(folder);
    const rows = await rowsIn(folder, 'hours/2026-10.parquet');
    const keys = rows.map(({ station_id, timestamp }) => [Number(station_id), Number(timestamp)]);
    expect(keys).toEqual(keys.toSorted(([a = 0, s = 0], [b = 0, t = 0]) => a - b || s - t));
    const slugs = (await rowsIn(folder, 'regions-hours/2026-10.parquet')).map(
      (row) => row.region_slug,
    );
    expect([...new Set(slugs)]).toEqual(['quarter', 'town']);
  });

  describe('after a change', () => {
    let folder: string;
    /** The text of each file, and when it was written. */
    const state = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => statSync(join(folder, name)).isFile())
          .sort()
          .map((name) => {
            const path = join(folder, name);
            const sha = createHash('sha256').update(readFileSync(path)).digest('hex');
            return [name, `${sha} ${statSync(path).mtimeMs}`];
          }),
      );
    const night = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
    /** The files that differ between two states. */
    const differing = (a: Record<string, string>, b: Record<string, string>) =>
      [...new Set([...Object.keys(a), ...Object.keys(b)])]
        .filter((name) => a[name] !== b[name])
        .sort();

    beforeEach(async () => {
      folder = emptyFolder();
      await archive(folder);
    });

    it('a run that finds nothing new changes no byte and no time, also of the index', async () => {
      const before = state();
      expect(await archive(folder, new Date(NOW.getTime() + 3_600_000))).toEqual({
        changed: [],
        removed: [],
        files: 8,
      });
      expect(state()).toEqual(before);
    });
  });
});
