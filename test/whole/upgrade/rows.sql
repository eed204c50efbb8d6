-- A small network and fourteen months of readings, in the last days in each hour: sensor 11 is corrected for some
-- months, 12 measures the weather beside it, 21 moved from station 1 to 2. Screening has flagged station 2
-- before the first reading. To be run statement by statement: refreshes commit.
insert into raw.provider (id, title, stale_after) values ('p', 'P', '1 day');
insert into raw.region (slug, kind, title, map_latitude, map_longitude) values ('north', 'city', '{"en": "North"}', 27, 85), ('south', 'city', '{"en": "South"}', 26, 85), ('east', 'city', '{"en": "East"}', 27, 86);
insert into raw.station (id, provider_id, title, latitude, longitude) values (1, 'p', '{"en": "One"}', 27, 85), (2, 'p', '{"en": "Two"}', 26, 85);
insert into raw.sensor (id, kind) values (11, 'PMS5003'), (12, 'BME280'), (21, 'SDS011');
insert into raw.sensor_station (sensor_id, station_id, since, until) values
  (11, 1, '-infinity', 'infinity'), (12, 1, '-infinity', 'infinity'), (21, 1, '-infinity', '2025-12-10 10:20+05:45'), (21, 2, '2025-12-10 10:20+05:45', 'infinity');
insert into raw.station_region (station_id, region_slug, since, until) values (1, 'north', '-infinity', 'infinity'), (1, 'east', '-infinity', 'infinity'), (2, 'south', '-infinity', 'infinity');
insert into raw.correction (sensor_id, formula, since, until) values (11, 'epa-2021', '2025-11-01 00:00+05:45', '2026-08-01 00:00+05:45');
insert into raw.screened_period (station_id, sensor_id, reason, since, until) values
  (2, 21, 'zero_values', '2025-09-01', '2025-09-02'), (2, 21, 'humidity_saturated', '2025-09-03', '2025-09-04'), (2, 21, 'constant_pressure', '2025-09-05', '2025-09-06');
select logic.apply_periods();
insert into raw.readings (measured_at, sensor_id, pm25_raw, pm10) select at, 11, 20 + extract(hour from at)::int % 7 * 9, 40 from generate_series(timestamptz '2025-09-20 00:00+05:45', '2026-11-20 12:00+05:45', '1 hour') at where (extract(epoch from at) / 3600 - 2)::int % 4 = 0 or at > '2026-11-10';
insert into raw.readings (measured_at, sensor_id, temperature, humidity, pressure) select at + interval '20 minutes', 12, 10 + extract(hour from at)::int % 11, 40 + extract(day from at)::int, 90000 from generate_series(timestamptz '2025-09-20 00:00+05:45', '2026-11-20 12:00+05:45', '1 hour') at where (extract(epoch from at) / 3600 - 2)::int % 4 = 0 or at > '2026-11-10';
insert into raw.readings (measured_at, sensor_id, pm25, wind_direction, wind_speed, rain) select at + interval '40 minutes', 21, 8 + extract(day from at)::int % 5, (extract(hour from at)::int * 40) % 360, 3, 0.2 from generate_series(timestamptz '2025-09-20 00:00+05:45', '2026-11-20 12:00+05:45', '1 hour') at where (extract(epoch from at) / 3600 - 2)::int % 4 = 0 or at > '2026-11-10';
call rollup.refresh('2026-11-20 12:30+05:45');
call rollup.maintain('2026-11-20 12:30+05:45');
call logic.raise_ingest_cutoff('2026-06-01 00:00+05:45');
update raw.installation set retained_from = ingest_cutoff;
call logic.delete_expired_readings();
call rollup.refresh('2026-11-20 12:31+05:45');
