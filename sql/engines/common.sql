-- What both engines' refresh share. Repeatable.

-- The hours that must be computed anew from the given level up because a stale period says so, clipped to the months in which
-- there is or was anything (periods may be infinite), and to those of which there still are readings where it starts from these.
create or replace function rollup.forced_hours(level text, periods bigint[]) returns tstzmultirange language sql stable as $$
  select coalesce(rollup.widen('hour', range_agg(tstzrange(greatest(p.since, extent.low), least(p.until, extent.high)))
           filter (where p.since < extent.high and p.until > extent.low)), '{}')
         * case when level = 'sensor_hourly' then (select tstzmultirange(tstzrange(dropped_before, null)) from raw.installation) else '{(,)}' end
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

-- The door closes for readings measured before `since`, for good, in agreement with every writer that is under way.
create or replace procedure rollup.close_door(since timestamptz) language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('raw.network'));
  update raw.installation set readings_since = since where readings_since < since;
end $$;
