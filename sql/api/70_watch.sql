-- What somebody should look at, at an instant: rows are alerts as they are, and there is none when all is well (logic/80_watch.sql).

create function api.station_silent(at timestamptz)
returns table (station_id int, last_measurement_time timestamptz, silent_minutes int) language sql stable begin atomic
  select s.station_id, s.last_measurement_time, s.silent_minutes from logic.station_silent(at) s;
end;
comment on function api.station_silent is
  'Listed stations that are offline at an instant though they measured before; no row when there are none. Columns: station_id (station id), last_measurement_time (of the newest reading that counts), silent_minutes (since then [min]).';

create function api.station_stuck(at timestamptz)
returns table (station_id int, metric text, since timestamptz, hours int) language sql stable begin atomic
  select s.station_id, s.metric, s.since, s.hours from logic.station_stuck(at) s;
end;
comment on function api.station_stuck is
  'Listed stations of which a sensor gave the same hourly mean for 6 closed hours in a row, up to its newest; no row when there are none. Columns: station_id (station id), metric (which, comma-separated: humidity, pm10, pm25 as the instrument gave it, temperature), since (start of the first of those hours, 7 days back at most), hours (how many they are [h]).';

create function api.station_raving(at timestamptz)
returns table (
  station_id int, "timestamp" timestamptz, avg_pm25 float8, neighbour_count int, neighbour_median float8, difference float8, ratio float8
) language sql stable begin atomic
  select s.station_id, s.hour, {{publish pm25: s.pm25}}, s.neighbour_count, {{publish pm25: s.neighbour_median}},
    logic.published(s.pm25 - s.neighbour_median, 1),
    case when s.neighbour_median > 0 then logic.published(greatest(s.pm25, 0) / s.neighbour_median, 1) end
  from logic.station_raving(at) s;
end;
comment on function api.station_raving is
  'Listed stations whose PM2.5 of the newest closed hour is far from that of at least 3 others within 10 km: more than 5 times and 50 µg/m³ above their median, or below a fifth of it where it is more than 25; no row when there are none. Columns: station_id (station id), timestamp (start of the hour), avg_pm25 (of the hour [µg/m³]), neighbour_count (the others [stations]), neighbour_median (of theirs [µg/m³]), difference (above it, negative: below [µg/m³]), ratio (avg_pm25 / neighbour_median, null where that is 0).';
