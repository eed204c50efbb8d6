-- What only the owner may see and the metrics need.

-- When any sensor of these providers measured last. One index probe for each time that a sensor stood somewhere.
create function logic.newest_measurement(at timestamptz, providers text[]) returns table (provider text, measured_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select station.provider_id, max(newest.measured_at)
  from raw.station station
  join raw.sensor_station stood on stood.station_id = station.id and stood.since <= at
  cross join lateral (
    select r.measured_at from raw.readings r
    where r.sensor_id = stood.sensor_id and r.measured_at >= stood.since and r.measured_at < stood.until and r.measured_at <= at
    order by r.measured_at desc limit 1
  ) newest
  where station.provider_id = any (providers)
  group by station.provider_id
$$;

-- How far each published aggregate has come at an instant. No bucket of the future: a clock that was ahead may have left some.
create function logic.newest_bucket(at timestamptz) returns table (subject text, resolution text, bucket timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'station', 'hour', (select max(bucket) from rollup.station_hourly where bucket <= at)
  union all select 'station', 'day', (select max(bucket) from rollup.station_daily where bucket <= at)
  union all select 'station', 'month', (select max(bucket) from rollup.station_monthly where bucket <= at)
  union all select 'region', 'hour', (select max(bucket) from rollup.region_hourly where bucket <= at)
  union all select 'region', 'day', (select max(bucket) from rollup.region_daily where bucket <= at)
  union all select 'region', 'month', (select max(bucket) from rollup.region_monthly where bucket <= at)
$$;

-- Bytes on disk of what arrived and of what it adds up to.
create function logic.storage() returns table (schema text, bytes float8) language sql stable security definer set search_path = public, pg_temp as $$
  select 'raw', logic.size_of('raw')::float8 union all select 'rollup', logic.size_of('rollup')::float8
$$;
