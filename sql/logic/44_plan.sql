-- Describes the stage beside what is known (S10), before anything is stored.

-- One row for each sensor and parameter of the stage: the station where the sensor stood at the last of these readings
-- (null: none), the first and last hour, how many values, the lowest, the median and the highest, and the medians of the
-- sensor's stored hours and of stations within 50 km, from that first to that last hour (null: none there).
-- Values are in the units of raw.readings; totals of rain and directions are compared with nothing.
create function logic.describe_stage()
returns table (sensor_id int, station_id int, parameter text, first_hour timestamptz, last_hour timestamptz, count int,
  lowest float8, median float8, highest float8, stored_median float8, nearby_median float8)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan set jit = off set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  own constant int[] := array(select distinct s.sensor_id from pg_temp.staged_reading s where s.sensor_id is not null);
begin
  return query
  with value as (
    select s.sensor_id, v.parameter, s.measured_at, v.value
    from pg_temp.staged_reading s
    cross join lateral (values {{list reading: ('$name', s.$name)}}) as v(parameter, value)
    where v.value is not null and s.measured_at is not null and s.problem is null
  ),
  described as (
    select v.sensor_id, v.parameter, min(v.measured_at) as first, max(v.measured_at) as last, count(*)::int as count,
      min(v.value) as lowest, percentile_disc(0.5) within group (order by v.value) as median, max(v.value) as highest
    from value v group by 1, 2
  )
  select d.sensor_id, located.station_id, d.parameter, rollup.bucket_start('hour', d.first),
    rollup.bucket_start('hour', d.last), d.count, logic.shortest(d.lowest), logic.shortest(d.median),
    logic.shortest(d.highest), stored.median, nearby.median
  from described d
  left join raw.sensor_station located
    on located.sensor_id = d.sensor_id and located.since <= d.last and d.last < located.until
  left join lateral (
    select percentile_cont(0.5) within group (order by
      case d.parameter {{repeat mean: when '$name' then h.$name}} when 'rain' then h.rain end) as median
    from rollup.sensor_hourly h
    where h.sensor_id = d.sensor_id
      and h.bucket >= rollup.bucket_start('hour', d.first) and h.bucket <= d.last
  ) stored on true
  left join lateral (
    select percentile_cont(0.5) within group (order by
      case d.parameter {{repeat mean: when '$name' then h.$name}} when 'rain' then h.rain end) as median
    from rollup.station_hourly h
    where h.station_id = any (array(
        select other.id
        from raw.station s
        join raw.station other on other.id <> s.id
        cross join lateral (
          select logic.distance_km(s.latitude, s.longitude, other.latitude, other.longitude) as km) apart
        where s.id = located.station_id and apart.km <= 50 order by apart.km, other.id limit 10))
      and h.bucket >= rollup.bucket_start('hour', d.first) and h.bucket <= d.last
  ) nearby on true
  order by d.sensor_id, array_position(array[{{list reading: '$name'}}], d.parameter);
end $$;

-- The number of the fewest digits that is the same in single precision: 12.3 for 12.300000190734863.
create function logic.shortest(value real) returns float8 language sql immutable as $$ select value::text::float8 $$;

revoke all on function logic.describe_stage, logic.shortest from public;
grant execute on function logic.describe_stage to airseries_ingest;
