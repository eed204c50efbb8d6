/**
 * A small network with one of each kind: stations that are online, flagged, offline, hidden, with
 * readings of another year only, without readings and without a title; cities that are shown,
 * hidden and empty; districts. Now is 13:20 in Yerevan.
 */
import type { Sql } from '../../src/database/client.ts';

export const NOW = new Date('2026-11-20T09:20:00Z');

/** A document of each of the five endpoints. */
export const DOCUMENTS = [
  'stations',
  'station/1',
  'station/1-history',
  'region/alpha',
  'region/alpha-history',
].map((name) => `${name}.json`);

export const STATIONS = [1, 2, 3, 4, 5, 6];
export const REGIONS = ['alpha', 'beta', 'zeta', 'alpha-north', 'beta-old'];

export async function insertNetwork(sql: Sql): Promise<void> {
  await sql.unsafe(NETWORK).simple();
  await sql`call rollup.refresh(${NOW})`;
  await sql`call logic.make_digest('2026-11-20 09:15+00')`;
}

const NETWORK = `
insert into raw.provider (id, title, url, image, image_dark) values
  ('ours', 'Our network', 'https://ours.example/', 'https://ours.example/light.svg', 'https://ours.example/dark.svg'),
  ('quiet', 'Quiet network', '', '', '');

insert into raw.region (slug, kind, city_slug, title, map_latitude, map_longitude, map_delta, is_hidden) values
  ('alpha', 'city', null, '{"en":"Alpha","ru":"Альфа","hy":"Ալֆա"}', 40.5, 44.5, 0.3, false),
  ('beta', 'city', null, '{"ru":"Бета"}', 41, 45, 0.2, true),
  ('zeta', 'city', null, '{}', 39.0000049, 46.0000051, 0.2, false),
  ('alpha-north', 'district', 'alpha', '{"en":"North","hy":"Hyusis"}', 40.6, 44.5, 0.1, false),
  ('beta-old', 'district', 'beta', '{"hy":"Հին"}', 41, 45, 0.1, false);

insert into raw.station (id, provider_id, title, latitude, longitude) values
  (1, 'ours', '{"en":"First street","ru":"Первая улица","hy":"Առաջին փողոց"}', 40.51, 44.51),
  (2, 'ours', '{"en":"Flagged"}', 40.52, 44.52),
  (3, 'ours', '{"ru":"Молчит"}', 41.01, 45.01),
  (4, 'quiet', '{"en":"Hidden"}', 40.53, 44.53),
  (5, 'ours', '{}', -40.5, -170.25),
  (6, 'ours', '{"en":"Last year"}', 40.5, 44.5);
insert into raw.station_region (station_id, region_slug, since, until) select id, region, '-infinity', 'infinity'
  from (values (1, 'alpha'), (1, 'alpha-north'), (2, 'alpha'), (3, 'beta'), (3, 'beta-old'), (4, 'alpha')) as m(id, region);
insert into raw.hidden_period values (4, '-infinity', 'infinity');
insert into raw.flag_period (station_id, since, until) values (2, '2026-11-01', 'infinity');
insert into raw.sensor (id) select generate_series(11, 16);
insert into raw.sensor_station select id + 10, id, '-infinity', 'infinity' from generate_series(1, 6) id;
select logic.apply_periods();

-- one station that measures everything but UV and dust, every half hour for 400 days
insert into raw.readings (measured_at, sensor_id, temperature, humidity, pressure, pm1, pm25, pm25_raw, pm10, no2, so2, o3, usvh, wind_speed, wind_direction, rain)
select at, 11, -0.04 + 20 * sin(n / 24.0), 50, 90000.4, 5, 12 + 10 * sin(n / 7.0), 20, 30, 14.25, 3, 60, 0.123, 2.5, (340 + n % 2 * 40) % 360, 0.1
from generate_series(timestamptz '2025-10-16 09:00+00', '2026-11-20 09:10+00', interval '30 minutes') with ordinality as t(at, n);
-- one with PM and a temperature that is flagged, for three days
insert into raw.readings (measured_at, sensor_id, temperature, pm25)
select at, 12, 60, 20 from generate_series(timestamptz '2026-11-17 09:00+00', '2026-11-20 09:15+00', interval '30 minutes') at;
-- one that fell silent ten days ago
insert into raw.readings (measured_at, sensor_id, temperature, pm25)
select at, 13, 5, 40 from generate_series(timestamptz '2026-11-01 00:00+00', '2026-11-10 09:00+00', interval '1 hour') at;
insert into raw.readings (measured_at, sensor_id, pm25)
select at, 14, 99 from generate_series(timestamptz '2026-11-19 00:00+00', '2026-11-20 09:00+00', interval '1 hour') at;
-- and one whose readings are older than every window
insert into raw.readings (measured_at, sensor_id, pm25) values ('2024-01-01 00:00+00', 16, 10);
`;
