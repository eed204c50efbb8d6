-- Stations that need attention at an instant: those that are offline (logic/80_offline.sql) and those in a flag period
-- (C5, C9). Each row can be an alert; no row means all is well.

create function api.station_offline(at timestamptz)
returns table (station_id int, last_measurement_time timestamptz, offline_minutes int) language sql stable begin atomic
  select s.station_id, s.last_measurement_time, s.offline_minutes from logic.station_offline(at) s;
end;
comment on function api.station_offline is
  'Listed stations that are offline at an instant but have measured before; no row if there are none. Columns: '
  'station_id (station id), last_measurement_time (of the newest reading that counts), offline_minutes (since then '
  '[min]).';

create function api.station_suspect(at timestamptz)
returns table (station_id int, kind text, tests text, since timestamptz, is_left_out boolean, detail text)
language sql stable begin atomic
  select f.station_id, f.kind, string_agg(distinct replace(f.reason, '_', ' '), ', '),
    min(f.since) filter (where f.reason <> 'operator'), bool_or(f.is_left_out),
    string_agg(concat(replace(f.reason, '_', ' '), ' of sensor ' || f.sensor_id, ', ' || f."pm2.5" || ' µg/m³',
        case f.reason when 'sensors' then ', its sensors ' || compared.each
          when 'outlier' then ', median of ' || compared.stations || ' neighbours ' || f.median end),
      '; ' order by f.reason, f.sensor_id)
  from api.station_flag f
  join logic.station_state(at) state on state.station_id = f.station_id and state.is_listed
  cross join lateral (
    select count(*) as stations,
      string_agg((c ->> 'id') || ': ' || (c ->> 'pm2.5'), ', ' order by (c ->> 'id')::int) as each
    from json_array_elements(f.compared_with::json) c
  ) compared
  where coalesce(f.since <= at, true) and coalesce(f.until > at, true)
  group by f.station_id, f.kind;
end;
comment on function api.station_suspect is
  'Listed stations in a flag period at an instant; one row per station and kind, none if there is no such station.
Columns:
  station_id (station id),
  kind (thp or pm, as in api.station_flag),
  tests (the reasons of the periods, comma-separated; operator, if a flag was set by hand),
  since (start of the earliest period that screening found; null if only the operator set a flag),
  is_left_out (whether regions leave them out; not yet for an outlier of fewer than 24 suspect hours),
  detail (the periods in words: test, sensor, PM2.5 of the first suspect hour, and what it was compared with '
  '[µg/m³]).';
