/**
 * The archive (R2): its files have exactly what the API publishes, and change with exactly what
 * changes there.
 */
import { createHash } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteExpired } from '../../../src/aggregate/retention.ts';
import type { Sql } from '../../../src/database/client.ts';
import {
  isAll,
  onEveryEngineInAll,
  type TestDatabase,
  testDatabase,
} from '../../support/database.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { compareArchive, duck, indexOf, type Row, rowsIn } from './archiveValues.ts';
import { type Records, readCsv } from './csv.ts';
import { blank, CSV, filesIn, isBlank, makerOf } from './support.ts';

const ZONE = 'Europe/Berlin'; // where October has an hour more
const NOW = new Date('2026-11-05T02:23:00Z');
const log = keepingLog();

/** A resource of a Frictionless Data Package 1.0, and the values of its types. */
type Table = {
  name: string;
  path: string;
  bytes: number;
  schema: {
    fields: { name: string; type: string; unit?: string }[];
    primaryKey?: string | string[];
    foreignKeys?: { fields: string; reference: { resource: string; fields: string } }[];
  };
};
const VALUES: Readonly<Record<string, RegExp>> = {
  string: /^/,
  integer: /^-?\d+$/,
  number: /^-?\d+(\.\d+)?$/,
  boolean: /^(true|false)$/,
  datetime: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
};

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

onEveryEngineInAll('the archive', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let folder: string;
  beforeAll(async () => {
    db = await testDatabase(engine, ZONE);
    owner = db.as();
    await bringIn(owner, network());
    await owner`insert into raw.readings
        (measured_at, sensor_id, pm25, pm10, temperature, humidity, wind_speed, wind_direction, rain,
         pressure, no2, o3, so2)
      select at, sensor, 10 + sensor + n % 41 / 7.0, case when n % 5 > 0 then 20 + n % 17 end, n % 300 / 10.0 - 9,
        case when sensor < 3 then n % 100 end, n % 3, n * 7 % 360, case when sensor = 3 then n % 4 / 10.0 end,
        90000 + n % 50, case when sensor = 1 then n % 31 end, n % 43, n % 7
      from generate_series(timestamptz '2026-09-28 10:10+02', timestamptz '2026-11-05 02:00Z', '1 hour') with ordinality s(at, n),
        generate_series(1, 4) sensor
      where n % 97 > 3 * sensor`;
    await db.refresh(NOW);
    folder = mkdtempSync(join(tmpdir(), 'airseries-archive-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await db.drop();
  });

  const archive = (folder: string, now = NOW) => makerOf(db)(folder, now, { license: 'CC0' });

  it('the first run makes a file a month and a year, and the tables', async () => {
    const archived = await archive(folder);
    expect(archived).toEqual({
      changed: [
        'stations.csv',
        'regions.csv',
        'hours/2026-09.parquet',
        'hours/2026-10.parquet',
        'hours/2026-11.parquet',
        'days/2026.parquet',
        'regions-hours/2026-09.parquet',
        'regions-hours/2026-10.parquet',
        'regions-hours/2026-11.parquet',
        'regions-days/2026.parquet',
        ...CSV,
      ],
      removed: [],
      files: 17,
    });
  });

  it('a row says which of its values are flagged, and a day if one of its hours is', async () => {
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
    const { resources, missing, up_to } = indexOf(folder);
    expect([up_to, missing]).toEqual(['2026-11-05T01:00:00Z', []]);
    for (const { path, bytes, hash, modified, schema, rows, first, last, airseries } of resources) {
      if (schema?.match(/hours|days/)) expect(airseries?.refreshed_at).toBe(NOW.toISOString());
      const content = readFileSync(join(folder, path));
      const { mtime } = statSync(join(folder, path));
      expect([path, content.length, modified]).toEqual([path, bytes, mtime.toISOString()]);
      if (schema !== undefined) expect([path, mtime]).toEqual([path, NOW]);
      expect(hash).toBe(`sha256:${hashOf(content)}`);
      if (schema === undefined) continue; // in another layout
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

  it('the CSV files are a Frictionless data package, whose units README.txt has as well', () => {
    const files = filesIn(join(folder, 'airquality-am'));
    const descriptor = JSON.parse(files['datapackage.json'] ?? '');
    const tables = new Map<string, Records>();
    for (const { name, path, bytes, schema } of descriptor.resources as Table[]) {
      const { names, records } = readCsv(files[path] ?? '');
      tables.set(name, records);
      expect([path, Buffer.byteLength(files[path] ?? ''), names]).toEqual([
        path,
        bytes,
        schema.fields.map((field) => field.name),
      ]);
      for (const { name: field, type } of schema.fields) {
        const wrong = records.find((record) => record[field] && !VALUES[type]?.test(record[field]));
        expect(wrong, `${path} ${field}`).toBeUndefined();
      }
      const key = [schema.primaryKey ?? []].flat();
      const keys = new Set(records.map((record) => key.map((field) => record[field]).join()));
      if (key.length > 0) expect(keys.size, `${path}: ${key} is unique`).toBe(records.length);
      for (const { fields, reference } of schema.foreignKeys ?? []) {
        const known = new Set(
          tables.get(reference.resource)?.map((record) => record[reference.fields]),
        );
        expect(
          records.find((record) => !known.has(record[fields])),
          path,
        ).toBeUndefined();
      }
    }
    const paths = (descriptor.resources as Table[]).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(Object.keys(files).filter((name) => name.endsWith('.csv')));
    expect([descriptor.licenses, files.LICENSE]).toEqual([
      [{ name: 'CC0', path: 'LICENSE', title: 'CC0' }],
      'CC0\n',
    ]);
    for (const { path, schema } of descriptor.resources as Table[]) {
      const name = path.replace(/_\d{4}\.csv$/, '_YYYY.csv');
      const lines = files['README.txt']?.split(name)[1]?.split('\n') ?? [];
      for (const { name, unit } of schema.fields) {
        const isMeasured = /^(avg|min|max|total)_|^pm2\.5$|itude$/.test(name);
        expect(isMeasured && unit === undefined, `${path} ${name}`).toBe(false);
        expect(lines.find((line) => line.startsWith(`  ${name} `))).toMatch(
          unit === undefined ? /\w$/ : new RegExp(`\\[${unit}\\]$`),
        );
      }
    }
  });

  /** In the folder of the tests above, one after the other. */
  describe('a run after a change', () => {
    let now = NOW;

    /** The hash and the time of each file. */
    const state = (): Record<string, string> => {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const files = names.filter((name) => statSync(join(folder, name)).isFile());
      return Object.fromEntries(
        files.map((name) => {
          const path = join(folder, name);
          return [name, `${hashOf(readFileSync(path))} ${statSync(path).mtimeMs}`];
        }),
      );
    };

    /** The next run, some minutes later; the files that differ from before, in order. */
    async function run(minutes = 1): Promise<string[]> {
      now = new Date(now.getTime() + minutes * 60_000);
      await db.refresh(now);
      const before = state();
      const archived = await archive(folder, now);
      const after = state();
      const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
      const differing = names.filter((name) => before[name] !== after[name]).sort();
      const told = [...(archived?.changed ?? []), ...(archived?.removed ?? [])];
      const own = differing.filter((name) => !/airquality-am\/(datapackage|README)/.test(name));
      if (told.length > 0) expect(own).toEqual([...told, 'datapackage.json'].sort());
      else expect(['', 'datapackage.json']).toContain(own.join());
      return differing;
    }
    /** Without the CSV files in the layout of airquality.am. */
    const changedBy = async (minutes?: number) =>
      (await run(minutes)).filter((name) => /parquet$|^\w+\.csv$/.test(name));

    const REGIONS_OF_OCTOBER = ['regions-days/2026.parquet', 'regions-hours/2026-10.parquet'];
    const OCTOBER = ['days/2026.parquet', 'hours/2026-10.parquet', ...REGIONS_OF_OCTOBER];
    const SEPTEMBER = OCTOBER.map((name) => name.replace('-10', '-09'));
    const RUNNING = OCTOBER.map((name) => name.replace('-10', '-11'));

    it('no byte and no time changes where nothing has', async () => {
      expect(await run()).toEqual([]);
    });

    it('the next day changes the running year alone', async () => {
      expect(await run(24 * 60)).toEqual([
        'airquality-am/city_avg_daily.csv',
        'airquality-am/datapackage.json',
        'airquality-am/sensor_avg_daily.csv',
        'airquality-am/station_avg_daily.csv',
        'datapackage.json',
        'days/2026.parquet',
        'regions-days/2026.parquet',
      ]);
    });

    const store = (sensor: number, at: string) =>
      owner`insert into raw.readings ${owner({ sensor_id: sensor, measured_at: at, pm25: 333 })}`;

    const FLAGGED = { is_bad_pm: [{ since: '2026-10-20', until: '2026-10-21' }] };
    const LEFT = [{ slug: 'town', until: '2026-10-15' }];

    type Case = [what: string, change: () => Promise<unknown>, changed: string[]];
    /** Further reasons of the record, whose rows aggregate/record.test.ts has. */
    const moved: Case[] = [
      [
        'a sensor that has moved',
        () => {
          const { stations, ...rest } = network();
          const [one, two, three] = stations;
          const since = '2026-10-20T00:00';
          const moved = {
            id: 2,
            stations: [
              { id: 1, until: since },
              { id: 2, since },
            ],
          };
          return bringIn(owner, {
            ...rest,
            stations: [
              { ...one, sensors: [{ id: 1 }] },
              { ...two, sensors: [{ id: 3 }, moved] },
              three,
            ],
          });
        },
        [...OCTOBER, ...RUNNING],
      ],
      [
        'flagged particles and the move taken back',
        () => bringIn(owner, network({ two: FLAGGED })),
        [...OCTOBER, ...RUNNING],
      ],
      [
        'a station that has left its region and has another title',
        () => {
          const title = { en: 'Second', hy: 'Երկրորդ' };
          return bringIn(owner, network({ two: { ...FLAGGED, regions: LEFT, title } }));
        },
        [...REGIONS_OF_OCTOBER, 'regions-hours/2026-11.parquet', 'stations.csv'],
      ],
    ];
    const cases: Case[] = [
      [
        'late readings, one of them of a station that is hidden',
        async () => {
          await store(1, '2026-09-29T10:40Z');
          await store(4, '2026-10-09T10:41Z');
        },
        SEPTEMBER,
      ],
      [
        'a corrected reading, and deleted readings of the running month',
        async () => {
          await owner`update raw.readings set pm25 = 99 where sensor_id = 1 and measured_at = '2026-10-03 09:10Z'`;
          await owner`select logic.delete_readings(3, '2026-11-02 00:00Z', '2026-11-03 00:00Z')`;
        },
        [...OCTOBER, ...RUNNING],
      ],
      [
        'a station that is listed no more',
        () => bringIn(owner, network({ two: { hidden: true } })),
        [...OCTOBER, ...SEPTEMBER, ...RUNNING, 'regions.csv', 'stations.csv'],
      ],
      [
        'a station that is listed again',
        () => bringIn(owner, network()),
        [...OCTOBER, ...SEPTEMBER, ...RUNNING, 'regions.csv', 'stations.csv'],
      ],
      ...(isAll ? moved : []),
      [
        'retention',
        () => deleteExpired(db.target, () => now, '35 days', { log, timeZone: ZONE, apply: true }),
        [],
      ],
    ];
    it.each(cases)(
      'after %s its months change, and no other byte (R2)',
      async (_, change, changed) => {
        await change();
        expect(await changedBy()).toEqual([...new Set(changed)].sort());
      },
    );

    it('every value of every file equals what the API publishes for the bucket (R2)', async () => {
      await store(1, '2026-10-29T10:40Z');
      expect(await run()).toEqual(
        expect.arrayContaining([
          'airquality-am/station_avg_daily.csv',
          'airquality-am/station_avg_hourly/station_avg_hourly_2026.csv',
        ]),
      );
      const { wrong, values } = await compareArchive(folder, db.target, { timeZone: ZONE, now });
      expect(wrong.slice(0, 20)).toEqual([]);
      expect(values).toBeGreaterThan(20_000);
    });

    it('a change of the rules of the zone makes the months from its first hour on again', async () => {
      const files = [...OCTOBER, ...SEPTEMBER].map((name) => join(folder, name));
      for (const path of files) blank(path);
      await owner`insert into rollup.change (reason, since, until, shown_at)
        values ('zone', '2026-10-10 00:00Z', '2026-11-01 00:00Z', ${now})`;
      const later = new Date(now.getTime() + 60_000);
      await archive(folder, later);
      now = later;
      const isMade = (name: string) => +statSync(join(folder, name)).mtime === +later;
      expect([...new Set([...OCTOBER, ...SEPTEMBER])].filter(isMade)).toEqual(OCTOBER);
      for (const path of files) rmSync(path, { force: true });
      await archive(folder, later); // undamaged, for the next tests
    });

    it('a change of a region alone reads no file of stations', async () => {
      const [hours, regions] = ['hours/2026-10.parquet', 'regions-hours/2026-10.parquet'].map(
        (name) => join(folder, name),
      ) as [string, string];
      await store(1, '2026-11-03T11:40Z'); // so that what the folder has seen goes on
      await run();
      const before = readFileSync(hours);
      for (const path of [hours, regions]) blank(path);
      await owner`insert into rollup.change (reason, station_id, region_slug, since, until, shown_at)
        values ('membership', 1, 'town', '2026-10-10 00:00Z', '2026-10-11 00:00Z', ${now})`;
      await archive(folder, now);
      expect([hours, regions].map(isBlank)).toEqual([true, false]);
      writeFileSync(hours, before);
    });

    it('files that are missing or cut off are made again, and files of no month are removed', async () => {
      const [path, cut] = ['hours/2026-09.parquet', 'regions-hours/2026-10.parquet'] as const;
      const before = hashOf(readFileSync(join(folder, path)));
      rmSync(join(folder, path));
      truncateSync(join(folder, cut), 100);
      for (const name of ['hours/2025-01.parquet', 'hours/2025-02.parquet.part', 'notes.txt'])
        writeFileSync(join(folder, name), 'x');
      expect(await archive(folder, now)).toEqual({ changed: [], removed: [], files: 17 });
      expect(hashOf(readFileSync(join(folder, path)))).toBe(before);
      expect(statSync(join(folder, cut)).size).toBeGreaterThan(1_000);
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      expect(names.filter((name) => /2025|part$|notes/.test(name))).toEqual(['notes.txt']);
    });

    it('another database, or one that was set back, makes everything again', async () => {
      const index = readFileSync(join(folder, 'datapackage.json'), 'utf8');
      const { airseries, resources } = indexOf(folder);
      const newer = resources.map((one) => ({
        ...one,
        ...(one.airseries && { airseries: { ...one.airseries, change: '999999999' } }),
      }));
      for (const seen of [
        { airseries: { ...airseries, database: 'another' } },
        { airseries: { ...airseries, columns: 'others' } },
        { resources: newer },
      ]) {
        const path = join(folder, 'hours/2026-09.parquet');
        blank(path);
        const text = JSON.stringify({ ...JSON.parse(index), ...seen });
        writeFileSync(join(folder, 'datapackage.json'), text);
        await archive(folder, now);
        expect(isBlank(path)).toBe(false);
        expect(indexOf(folder).airseries).toMatchObject({
          database: airseries.database,
          columns: airseries.columns,
        });
        const [change] = indexOf(folder).resources.flatMap((one) => one.airseries?.change ?? []);
        expect(change).toMatch(/^\d{1,3}$/);
      }
    });

    it('hours that nobody had published before are found without a record (R2)', async () => {
      await archive(folder, now);
      await store(2, '2026-10-26T14:10Z'); // no sensor has that hour
      await owner`update rollup.changed set reason = null`;
      await db.refresh(now);
      const archived = await archive(folder, now);
      expect(archived?.changed.filter((name) => name.endsWith('.parquet')).toSorted()).toEqual(
        OCTOBER,
      );
      expect(indexOf(folder).missing).toEqual([]);
    });

    it('files of other stations than the list has are made again, whoever wrote the list', async () => {
      const [path, list] = ['hours/2026-09.parquet', 'stations.csv'].map((name) =>
        join(folder, name),
      ) as [string, string];
      blank(path);
      const index = indexOf(folder);
      for (const { airseries } of index.resources) if (airseries) airseries.stations = 'others';
      writeFileSync(join(folder, 'datapackage.json'), JSON.stringify(index));
      expect(readFileSync(list, 'utf8')).toContain('One');
      await archive(folder, now);
      expect(isBlank(path)).toBe(false);
    });

    it('files from before the record begins are made again: it no longer says what has changed (R1)', async () => {
      const path = join(folder, 'hours/2026-09.parquet');
      const later = async (days: number) => {
        blank(path);
        await archive(folder, new Date(now.getTime() + days * 86_400_000));
        return isBlank(path);
      };
      expect([await later(729), await later(731)]).toEqual([true, false]);
      await archive(folder, now);
    });

    it('a month that was made before its last readings were refreshed is made again (R1, R2)', async () => {
      await db.refresh(new Date('2026-11-30T19:00:00Z'));
      await archive(folder, new Date('2026-12-01T03:00:00Z'));
      await store(1, '2026-11-30T19:30Z'); // no news, because nobody has seen its hour
      await db.refresh(new Date('2026-12-01T03:01:00Z'));
      const archived = await archive(folder, new Date('2026-12-01T03:02:00Z'));
      expect(archived?.changed).toContain('hours/2026-11.parquet');
    });
  });
});

const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
