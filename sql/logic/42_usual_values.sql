-- The air around readings, with which they are compared before they are stored: temperatures in °F and wind in km/h may
-- lie within the bounds of our units, and only the hours nearby tell (S8).

-- The medians of hours from `since` to `until`: one row of the stations at which the sensors ever were (is_own), and one
-- of the three stations nearest to each of them within 50 km. No row where there is no hour. Columns: hours of
-- temperature, temperature [°C], hours of wind, wind_speed [m/s].
create function logic.usual_values(sensors int[], since timestamptz, until timestamptz)
returns table (is_own boolean, temperature_hours int, temperature float8, wind_hours int, wind_speed float8)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan set jit = off -- compiling takes longer than the query
as $$
#variable_conflict use_column
declare
  own constant int[] := array(
    select distinct p.station_id from raw.sensor_station p where p.sensor_id = any (sensors));
  nearby constant int[] := array(
    select near.id
    from raw.station s
    cross join lateral (
      select other.id
      from raw.station other
      cross join lateral (
        select logic.distance_km(s.latitude, s.longitude, other.latitude, other.longitude) as km) apart
      where apart.km <= 50 and other.id <> all (own)
      order by apart.km, other.id limit 3
    ) near
    where s.id = any (own));
begin
  -- by an array: joined with a list of stations, five of them took 160 ms, since the planner read all stations' hours
  return query
  select h.station_id = any (own),
    count(h.temperature)::int, percentile_cont(0.5) within group (order by h.temperature),
    count(h.wind_speed)::int, percentile_cont(0.5) within group (order by h.wind_speed)
  from rollup.station_hourly h
  where h.station_id = any (own || nearby) and h.bucket >= usual_values.since and h.bucket < usual_values.until
  group by 1;
end $$;
grant execute on function logic.usual_values to airseries_ingest;
