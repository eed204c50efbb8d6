/**
 * The network whose panels the tests look at, with thirteen months of readings that can be computed
 * in the head: enough for every window to have its buckets and for the same month of last year.
 */
import { makeDigest } from '../../src/aggregate/digest.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

export const NOW = new Date('2026-11-20T12:34:56Z'); // a Friday; 16:34 in the network's zone
const HOUR = 3_600_000;
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR).toISOString();

const title = (en: string, ru: string, hy: string) => ({ en, ru, hy });
const region = (slug: string, name: object, more: object = {}) => ({
  slug,
  kind: 'city',
  title: name,
  ...more,
});
const station = (id: number, name: string, regions: string[], more: object = {}) => ({
  id,
  provider: 'roofs',
  title: title(name, `${name} (ru)`, `${name} (hy)`),
  latitude: 40 + id / 1000,
  longitude: 44,
  altitude: 500,
  regions,
  sensors: [{ id, kind: 'SPS30', device: `device-${id}` }],
  ...more,
});

const NETWORK = {
  providers: [{ id: 'roofs', title: 'Roofs' }],
  regions: [
    region('alder', title('Alder', 'Ольха', 'Լաստան')),
    region('mill', title('Mill', 'Мельница', 'Ջրաղաց'), { kind: 'district', city: 'alder' }),
    region('birch', title('Birch', 'Берёза', 'Կեչի')),
    region('clean', title('Clean', 'Чистый', 'Մաքուր')),
    region('dusty', title('Dusty', 'Пыльный', 'Փոշոտ')),
    region('smoky', title('Smoky', 'Дымный', 'Ծխոտ')),
    region('windy', title('Windy', 'Ветреный', 'Քամոտ')),
    region('ended', title('Ended', 'Бывший', 'Նախկին')),
    region('empty', title('Empty', 'Пустой', 'Դատարկ')),
    region('hidden', title('Hidden', 'Скрытый', 'Թաքնված'), { is_hidden: true }),
  ],
  stations: [
    // station n of Alder has 10 + n µg/m³ of PM2.5, and 4 more from 8:00 to 20:00
    station(1, 'Bridge', ['alder', 'mill']),
    station(2, 'Dock', ['alder', 'mill'], { is_bad_thp: true }), // offline for six days
    station(3, 'Forge', ['alder'], { is_bad_thp: true }),
    station(4, 'Garden', ['alder']), // an outlier for 30 hours, as screening found
    station(5, 'Harbour', ['alder']), // zero values for 30 hours, as screening found
    // an outlier like station 4, and flagged by the operator since
    station(6, 'Inn', ['alder'], { is_bad_pm: [{ since: hoursAgo(1) }] }),
    station(7, 'Jetty', ['alder']), // its clock is an hour late
    station(8, 'Kiln', ['alder']), // has measured for ten days, and no wind
    // has a day in each category in turn, and a day with 17 hours
    station(9, 'Lime Street', ['birch']),
    station(10, 'In Clean', ['clean']), // 15 µg/m³ of PM2.5, the guideline of a day
    station(11, 'In Dusty', ['dusty']), // 16
    station(12, 'In Smoky', ['smoky']), // 30, and 40 at weekends
    station(13, 'In Windy', ['windy']), // no particles
    station(14, 'In Ended', ['ended']), // no particles for 40 days
    station(15, 'In Empty', ['empty']), // has never measured
    station(16, 'In Hidden', ['hidden']),
  ],
};

/**
 * Every hour of the last forty days has a reading, and every sixth of those before, which are shown
 * as days and months only.
 */
export async function townDatabase(engine: Engine): Promise<TestDatabase> {
  const db = await testDatabase(engine);
  const sql = db.as();
  const file = JSON.stringify({ ...NETWORK, time_zone: db.timeZone });
  await importNetwork(sql, file, { log: makeLog('error') });
  await sql`
    insert into raw.readings (measured_at, sensor_id, pm1, pm25, pm25_raw, pm10, dust, no2, so2, o3, usvh,
      temperature, humidity, pressure, uv, rain, wind_speed, wind_direction)
    select at, id, pm25 / 2.0, pm25, pm25 + 1, pm25 * 2, pm25 * 3, 20, 5, 60, 0.1,
      15 + day_time * 10, 50, 95000, day_time * 3, 0.5,
      case when id <> 8 then (array[1, 3, 6])[1 + n % 3] end, case when id <> 8 then 22.5 * (n % 16) end
    from generate_series(${hoursAgo(24 * 395)}::timestamptz, ${NOW}, '1 hour') hour
    cross join lateral (select date_trunc('hour', hour) + interval '30 minutes' as at) a
    cross join lateral (select at at time zone 'Asia/Yerevan' as local, (extract(epoch from at) / 3600)::int as n) b
    cross join generate_series(1, 16) id
    cross join lateral (
      select case when extract(hour from local - case id when 7 then interval '1 hour' else '0' end) between 8 and 19 then 1 else 0 end as day_time
    ) c
    cross join lateral (select case
      when id in (13, 14) and (id = 13 or at > ${hoursAgo(24 * 40)}) then null
      when id = 14 then 40
      when id in (10, 11) then id + 5
      when id = 12 then case when extract(isodow from local) < 6 then 30 else 40 end
      when id = 9 then (array[5, 20, 45, 90, 180, 300])[1 + (local::date - date '2025-01-01') % 6] + 4 * day_time
      else 10 + id + 4 * day_time end as pm25) d
    where (at > ${hoursAgo(24 * 40)} or n % 6 = 0) and at < ${NOW} and id <> 15
      and not (id = 2 and at > ${hoursAgo(24 * 6)})
      and not (id = 8 and at < ${hoursAgo(24 * 10)})
      and not (id = 9 and local >= '2026-11-10 02:00' and local < '2026-11-10 09:00')`;
  const outlier = { 'pm2.5': 60.5, median: 12.3, compared_with: [{ id: 1, 'pm2.5': 12.3 }] };
  await sql`
    insert into raw.screened_period (station_id, sensor_id, kind, reason, since, until, evidence, hours)
    values (4, null, 'pm', 'outlier', ${hoursAgo(30)}, 'infinity', ${JSON.stringify(outlier)}::text::jsonb,
        array[${hoursAgo(30)}::timestamptz]),
      (6, null, 'pm', 'outlier', ${hoursAgo(30)}, 'infinity', ${JSON.stringify(outlier)}::text::jsonb, null),
      (5, 5, 'thp', 'zero_values', ${hoursAgo(30)}, 'infinity', null, null)`;
  // a sensor of Birch that moved, and a new version of the program
  await sql`
    insert into rollup.change (reason, station_id, sensor_id, regions, since, until, shown_at)
    values ('placement', 9, 9, '{birch}', '2026-11-01 20:00+00', '2026-11-03 20:00+00', '2026-11-04 20:30+00'),
      ('version', null, null, null, '2025-11-01 20:00+00', '2026-11-10 20:00+00', '2026-11-10 21:00+00')`;
  await sql`analyze`; // otherwise the one big refresh is planned for an empty table
  await refresh(db.target, () => NOW);
  await makeDigest(db.target, NOW);
  await sql`analyze`;
  return db;
}
