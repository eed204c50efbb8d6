/** The CSV files in the layout of airquality.am: their exact contents, and what a run rewrites. */
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { file, reading } from '../../ingest/support.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../../support/database.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { emptyFolder, filesIn, makerOf } from './support.ts';

const NOW = new Date('2026-01-02T10:30:00Z');

onEveryEngineInAll('the CSV files', (engine) => {
  const OWN = 'airquality-am';
  let db: TestDatabase;
  const archive = (folder: string, now = NOW) => makerOf(db)(folder, now);
  /** The paths that a run changed, within the folder of the CSV files. */
  const changedBy = async (...given: Parameters<typeof archive>) =>
    (await archive(...given))?.changed.flatMap((path) =>
      path.startsWith(OWN) ? path.slice(OWN.length + 1) : [],
    );
  beforeAll(async () => {
    const network = smallNetwork({
      one: {
        title: { en: 'Main Street, "1"', ru: 'Главная', hy: 'Գլխավոր' },
        altitude: 1373.1,
        regions: ['town', { slug: 'quarter', until: '2026-01-02' }], // in no district now (C8)
      },
      two: { title: { hy: 'Երկու' } },
      sensor: { kind: 'SDS011', device: 'esp-7', suspicious: [{ since: '2026-01-02' }] },
    });
    const moved = {
      id: 5,
      stations: [
        { id: 3, until: '2026-01-01' },
        { id: 2, since: '2026-01-01T00:30:00+04:00' },
      ],
    };
    const left = {
      id: 6,
      stations: [
        { id: 2, until: '2026-01-02' },
        { id: 3, since: '2026-01-02' },
      ],
    };
    const hidden = {
      ...network.stations[1],
      id: 3,
      hidden: true,
      altitude: 7,
      sensors: [{ id: 4 }, moved, left],
    };
    db = await testDatabase(engine);
    await bringIn(db.as(), { ...network, stations: [...network.stations, hidden] });
    const readings: [number, string, Record<string, number>][] = [
      [
        1,
        '2025-12-31T22:15:00+04:00',
        { pm25: 20.04, pm25_raw: 30, pm10: 41.26, temperature: -3.04 },
      ],
      [
        1,
        '2025-12-31T22:45:00+04:00',
        { pm25: 21.04, pm25_raw: 30, pm10: 41.26, temperature: -3.04 },
      ],
      [
        2,
        '2026-01-01T00:00:00+04:00',
        { pressure: 90123.4, humidity: 55.5, rain: 1.25, usvh: 0.117 },
      ],
      [3, '2026-01-01T00:59:00+04:00', { pm25: 8, no2: 24.3, wind_speed: 2, wind_direction: 350 }],
      [4, '2026-01-01T00:00:00+04:00', { pm25: 99 }],
      [5, '2025-12-31T23:10:00+04:00', { pm10: 50 }], // at the hidden station
      [5, '2026-01-01T00:40:00+04:00', { pm10: 51 }], // came within the hour
      [
        5,
        '2026-01-01T01:10:00+04:00',
        { pm10: 52, pm25_raw: 7.26, wind_speed: 4, wind_direction: 10 },
      ],
      [6, '2026-01-01T05:10:00+04:00', { o3: 7 }],
      [6, '2026-01-02T05:10:00+04:00', { o3: 8 }], // at the hidden station
      [1, '2026-01-02T00:10:00+04:00', { pm10: 53 }], // suspicious
      [3, '2026-01-02T13:30:00+04:00', { pm25: 9 }],
      [3, '2026-01-02T14:10:00+04:00', { pm25: 500 }],
    ];
    const { accepted } = await acceptReadings(
      db.as('airseries_ingest'),
      readings.map((one) => reading(...one)),
      { now: NOW, source: 'test' },
    );
    expect(accepted).toBe(readings.length);
    await db.refresh(NOW);
    return () => db.drop();
  });

  test('they have listed stations, their sensors, cities and closed buckets, byte for byte', async () => {
    const folder = join(emptyFolder(), 'new', 'folder');
    const ofStation =
      'avg_pm10,avg_temperature,avg_pressure,avg_humidity,avg_no2,avg_dust,avg_o3,avg_so2,total_rain,avg_usvh';
    const ofSensor = `${ofStation},avg_wind_speed,avg_wind_direction`;
    const ofCity =
      'city_slug,timestamp,avg_pm2.5,avg_pm10,avg_temperature,avg_pressure,avg_humidity,avg_no2,avg_dust,avg_o3,avg_so2,total_rain,avg_wind_speed,avg_wind_direction';
    const expected = {
      'city_avg_daily.csv': [
        'city_slug,timestamp,avg_pm2.5,min_pm2.5,max_pm2.5,avg_pm10,avg_temperature,min_temperature,max_temperature,avg_pressure,avg_humidity,avg_no2,avg_dust,avg_o3,avg_so2,total_rain,avg_wind_speed,avg_wind_direction,avg_usvh',
        'town,2025-12-31 00:00:00,20.5,20.5,20.5,41.3,-3.0,-3.0,-3.0,,,,,,,,,,',
        'town,2026-01-01 00:00:00,7.6,7.3,8.0,52.0,,,,90123,56,24.3,,7.0,,1.3,3.0,0,0.12',
      ],
      'city_avg_hourly/city_avg_hourly_2025.csv': [
        ofCity,
        'town,2025-12-31 22:00:00,20.5,41.3,-3.0,,,,,,,,,',
      ],
      'city_avg_hourly/city_avg_hourly_2026.csv': [
        ofCity,
        'town,2026-01-01 00:00:00,8.0,,,90123,56,24.3,,,,1.3,2.0,350',
        'town,2026-01-01 01:00:00,7.3,52.0,,,,,,,,,4.0,10',
        'town,2026-01-01 05:00:00,,,,,,,,7.0,,,,',
        'town,2026-01-02 13:00:00,9.0,,,,,,,,,,,',
      ],
      'sensor_avg_daily.csv': [
        `sensor_id,timestamp,avg_pm2.5,${ofSensor}`,
        '1,2025-12-31 00:00:00,20.5,41.3,-3.0,,,,,,,,,,',
        '2,2026-01-01 00:00:00,,,,90123,56,,,,,1.3,0.12,,',
        '3,2026-01-01 00:00:00,8.0,,,,,24.3,,,,,,2.0,350',
        '5,2026-01-01 00:00:00,7.3,52.0,,,,,,,,,,4.0,10',
        '6,2026-01-01 00:00:00,,,,,,,,7.0,,,,,',
      ],
      'sensor_avg_hourly/sensor_avg_hourly_2025.csv': [
        `sensor_id,timestamp,pm2.5,${ofSensor}`,
        '1,2025-12-31 22:00:00,20.5,41.3,-3.0,,,,,,,,,,',
      ],
      'sensor_avg_hourly/sensor_avg_hourly_2026.csv': [
        `sensor_id,timestamp,pm2.5,${ofSensor}`,
        '2,2026-01-01 00:00:00,,,,90123,56,,,,,1.3,0.12,,',
        '3,2026-01-01 00:00:00,8.0,,,,,24.3,,,,,,2.0,350',
        '5,2026-01-01 01:00:00,7.3,52.0,,,,,,,,,,4.0,10',
        '6,2026-01-01 05:00:00,,,,,,,,7.0,,,,,',
        '3,2026-01-02 13:00:00,9.0,,,,,,,,,,,,',
      ],
      'sensors.csv': [
        'id,station_id,city_slug,district_slug,address_en,title,provider,external_id,sensor_type,latitude,longitude,altitude,first_measurement_time,last_measurement_time,is_suspicious',
        '1,1,town,,"Main Street, ""1""",Գլխավոր,us,esp-7,SDS011,40,44,1373.1,2025-12-31 22:15:00,2026-01-02 00:10:00,true',
        '2,1,town,,"Main Street, ""1""",Գլխավոր,us,2,,40,44,1373.1,2026-01-01 00:00:00,2026-01-01 00:00:00,false',
        '3,2,town,,,Երկու,us,3,,41,45,,2026-01-01 00:59:00,2026-01-02 14:10:00,false',
        '5,2,town,,,Երկու,us,5,,41,45,,2026-01-01 00:40:00,2026-01-01 01:10:00,false',
        '6,2,town,,,Երկու,us,6,,41,45,,2026-01-01 05:10:00,2026-01-01 05:10:00,false',
      ],
      'station_avg_daily.csv': [
        `station_id,timestamp,avg_pm2.5,${ofStation},flag`,
        '1,2025-12-31 00:00:00,20.5,41.3,-3.0,,,,,,,,,',
        '1,2026-01-01 00:00:00,,,,90123,56,,,,,1.3,0.12,',
        '2,2026-01-01 00:00:00,7.6,52.0,,,,24.3,,7.0,,,,pm thp',
      ],
      'station_avg_hourly/station_avg_hourly_2025.csv': [
        `station_id,timestamp,pm2.5,${ofStation},flag`,
        '1,2025-12-31 22:00:00,20.5,41.3,-3.0,,,,,,,,,',
      ],
      'station_avg_hourly/station_avg_hourly_2026.csv': [
        `station_id,timestamp,pm2.5,${ofStation},flag`,
        '1,2026-01-01 00:00:00,,,,90123,56,,,,,1.3,0.12,',
        '2,2026-01-01 00:00:00,8.0,,,,,24.3,,,,,,',
        '2,2026-01-01 01:00:00,7.3,52.0,,,,,,,,,,pm',
        '2,2026-01-01 05:00:00,,,,,,,,7.0,,,,pm thp',
        '2,2026-01-02 13:00:00,9.0,,,,,,,,,,,',
      ],
    };
    // flags of quarters of hours, whose hours count whole
    await db.as()`insert into raw.flag_period (station_id, kind, since, until) values
        (2, 'pm', '2026-01-01T01:15+04', '2026-01-01T05:30+04'), (2, 'thp', '2026-01-01T05:15+04', '2026-01-01T05:30+04')`;
    const changed = await changedBy(folder);
    const found = filesIn(join(folder, OWN));
    const { 'README.txt': readme, 'datapackage.json': descriptor, ...tables } = found;
    expect(tables).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([name, lines]) => [name, `${lines.join('\n')}\n`]),
      ),
    );
    expect(changed?.toSorted()).toEqual(Object.keys(expected));
    expect(readme).not.toMatch(/LICENSE|undefined/);
    expect(JSON.parse(descriptor ?? '')).not.toHaveProperty('licenses');
  });

  test('the next day changes the files of the running year and the days, each as if all were new', async () => {
    const folder = emptyFolder();
    await archive(folder);
    const [old, foreign] = ['city_avg_hourly/city_avg_hourly_2025.csv', 'notes.txt'];
    for (const name of [old, foreign]) writeFileSync(join(folder, OWN, name), 'mine');
    const later = new Date('2026-01-03T10:30:00Z');
    expect((await changedBy(folder, later))?.toSorted()).toEqual(
      [
        'city_avg_daily.csv',
        old, // damaged, and left alone: its year has ended
        'city_avg_hourly/city_avg_hourly_2026.csv',
        'station_avg_daily.csv',
        'sensor_avg_daily.csv',
        'sensor_avg_hourly/sensor_avg_hourly_2026.csv',
        'station_avg_hourly/station_avg_hourly_2026.csv',
      ].toSorted(),
    );
    const whole = emptyFolder();
    await archive(whole, later);
    const { [foreign]: kept, [old]: __, ...files } = filesIn(join(folder, OWN));
    const { [old]: ___, ...expected } = filesIn(join(whole, OWN));
    expect(kept).toBe('mine');
    expect({ ...files, 'datapackage.json': '' }).toEqual({ ...expected, 'datapackage.json': '' });
  });

  test('no link that somebody placed in the folder is followed', async () => {
    const folder = emptyFolder();
    const precious = file('precious', 'kept');
    mkdirSync(join(folder, OWN));
    for (const name of ['sensors.csv.part', 'sensors.csv'])
      symlinkSync(precious, join(folder, OWN, name));
    await archive(folder);
    expect(readFileSync(precious, 'utf8')).toBe('kept');
    expect(lstatSync(join(folder, OWN, 'sensors.csv')).isFile()).toBe(true);

    const elsewhere = emptyFolder();
    const linked = emptyFolder();
    mkdirSync(join(linked, OWN));
    symlinkSync(elsewhere, join(linked, OWN, 'city_avg_hourly'));
    await expect(archive(linked)).rejects.toThrow(
      /city_avg_hourly is a link, and links in .* are not followed/,
    );
    expect(filesIn(elsewhere)).toEqual({});
  });
});
