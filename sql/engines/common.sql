-- What both engines' refresh share. Repeatable.

-- The hours that must be computed anew from the given level up because a stale period says so, clipped to the months in which
-- there is or was anything: periods may be infinite.
create or replace function rollup.forced_hours(level text, periods bigint[]) returns tstzmultirange language sql stable as $$
  select coalesce(rollup.widen('hour', range_agg(tstzrange(greatest(p.since, extent.low), least(p.until, extent.high)))
           filter (where p.since < extent.high and p.until > extent.low)), '{}')
  from rollup.stale_period p
  cross join (
    select rollup.bucket_start('month', min(low)) as low, rollup.bucket_add('month', rollup.bucket_start('month', max(high)), 1) as high
    from (
      select min(measured_at) as low, max(measured_at) as high from raw.readings
      union all select min(bucket), max(bucket) from rollup.sensor_hourly
      union all select min(bucket), max(bucket) from rollup.station_monthly
      union all select min(bucket), max(bucket) from rollup.region_monthly
    ) ends
  ) extent
  where p.from_level = level and p.id = any (periods)
$$;
