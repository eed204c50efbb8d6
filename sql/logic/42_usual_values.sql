-- What readings are compared with before they are stored: temperatures in °F and wind in km/h may lie within the bounds
-- of ours, and only the air around tells (S8).

-- The medians of hours from `since` to `until`: one row of the stations at which the sensors ever were (is_own), and one
-- of the five stations nearest to each of them within 50 km. No row where there is no hour. Columns: hours of
-- temperature, temperature [°C], hours of wind, wind_speed [m/s]. Of many stations the first 20 count: on six years of
-- 1,000 stations these take 20 ms.
create function logic.usual_values(sensors int[], since timestamptz, until timestamptz)
returns table (is_own boolean, temperature_hours int, temperature float8, wind_hours int, wind_speed float8)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan set jit = off -- compiling takes longer than the query
as $$
#variable_conflict use_column
begin
  return query
  with own as materialized (
    select s.id, s.latitude, s.longitude
    from raw.station s
    where s.id in (select p.station_id from raw.sensor_station p where p.sensor_id = any (sensors))
    order by s.id limit 20
  ), compared as (
    select own.id, true as is_own from own
    union
    select near.id, false
    from own
    cross join lateral (
      select other.id
      from raw.station other
      cross join lateral (
        select logic.distance_km(own.latitude, own.longitude, other.latitude, other.longitude) as km) apart
      where apart.km <= 50 and other.id not in (select own.id from own)
      order by apart.km, other.id limit 5
    ) near
  )
  select c.is_own,
    count(h.temperature)::int, percentile_cont(0.5) within group (order by h.temperature),
    count(h.wind_speed)::int, percentile_cont(0.5) within group (order by h.wind_speed)
  from compared c
  join rollup.station_hourly h on h.station_id = c.id
    and h.bucket >= usual_values.since and h.bucket < usual_values.until
  group by c.is_own;
end $$;
grant execute on function logic.usual_values to airseries_ingest;
