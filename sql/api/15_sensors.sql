-- The sensors as they stand, or stood last, at an instant. They read raw as its owner, so that who may read api need not read raw.
drop function if exists rollup.sensor_state(timestamptz);
create function rollup.sensor_state(at timestamptz)
returns table (
  id int, station_id int, kind text, device text, altitude float8,
  first_measurement_time timestamptz, last_measurement_time timestamptz, is_suspicious boolean
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select
    sensor.id, place.station_id, sensor.kind, sensor.device, station.altitude, oldest.measured_at, newest.measured_at,
    exists (select from raw.suspicious_period p where p.sensor_id = sensor.id and p.since <= at and at < p.until)
  from raw.sensor sensor
  cross join lateral (
    select p.station_id from raw.sensor_station p where p.sensor_id = sensor.id and p.since <= at order by p.since desc limit 1
  ) place
  join raw.station station on station.id = place.station_id
  left join lateral (
    select r.measured_at from raw.readings r where r.sensor_id = sensor.id and r.measured_at <= at order by r.measured_at limit 1
  ) oldest on true
  left join lateral (
    select r.measured_at from raw.readings r where r.sensor_id = sensor.id and r.measured_at <= at order by r.measured_at desc limit 1
  ) newest on true
$$;

create function api.sensor(at timestamptz)
returns table (
  id int, station_id int, kind text, device text, altitude float8,
  first_measurement_time timestamptz, last_measurement_time timestamptz, is_suspicious boolean
) language sql stable begin atomic
  select s.id, s.station_id, s.kind, s.device, s.altitude, s.first_measurement_time, s.last_measurement_time, s.is_suspicious
  from rollup.sensor_state(at) s;
end;
