-- Stations that fail a quality test at an instant (logic/80_quality_tests.sql). Each row can be an alert; no row means
-- all is well.

create function api.station_offline(at timestamptz)
returns table (station_id int, last_measurement_time timestamptz, offline_minutes int) language sql stable begin atomic
  select s.station_id, s.last_measurement_time, s.offline_minutes from logic.station_offline(at) s;
end;
comment on function api.station_offline is
  'Listed stations that are offline at an instant but have measured before; no row if there are none. Columns: '
  'station_id (station id), last_measurement_time (of the newest reading that counts), offline_minutes (since then '
  '[min]).';

create function api.station_flat_line(at timestamptz)
returns table (station_id int, parameters text, since timestamptz, hours int) language sql stable begin atomic
  select s.station_id, s.parameters, s.since, s.hours from logic.station_flat_line(at) s;
end;
comment on function api.station_flat_line is
  'Listed stations with a sensor whose hourly mean has not changed for at least 6 closed hours, up to its newest; no '
  'row if there are none. Columns: station_id (station id), parameters (which ones, comma-separated: humidity, pm10, '
  'pm25 as the instrument gave it, temperature), since (start of the first of those hours, at most 7 days back), '
  'hours (number of those hours [h]).';

create function api.station_outlier(at timestamptz)
returns table (
  station_id int, "timestamp" timestamptz, avg_pm25 float8, neighbour_count int, neighbour_median float8,
    difference float8, ratio float8
) language sql stable begin atomic
  select s.station_id, s.hour, logic.published_floor(s.pm25, 1), s.neighbour_count,
    logic.published_floor(s.neighbour_median, 1),
    logic.published(s.pm25 - s.neighbour_median, 1),
    case when s.neighbour_median > 0 then logic.published(greatest(s.pm25, 0) / s.neighbour_median, 1) end
  from logic.station_outlier(at) s;
end;
comment on function api.station_outlier is
  'Listed stations whose PM2.5 of the newest closed hour is far from the PM2.5 of at least 3 others within 10 km: '
  'more than 5 times their median and more than 50 µg/m³ above it, or below a fifth of a median over 25 µg/m³; no '
  'row if there are none.
Columns:
  station_id (station id),
  timestamp (start of the hour),
  avg_pm25 (mean of the hour [µg/m³]),
  neighbour_count (number of the others [stations]),
  neighbour_median (median of their means [µg/m³]),
  difference (avg_pm25 minus neighbour_median [µg/m³]),
  ratio (avg_pm25 / neighbour_median, null where the median is 0 or less).';
