-- State of the service for metrics. The functions run with the rights of their owner, since readers of schema api may
-- not read the tables.

-- The newest measurement of each of the given providers. It takes one index probe per period of a sensor at a station.
create function logic.newest_measurement(at timestamptz, providers text[])
  returns table (provider text, measured_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select station.provider_id, max(newest.measured_at)
  from raw.station station
  join raw.sensor_station located on located.station_id = station.id and located.since <= at
  cross join lateral (
    select r.measured_at from raw.readings r
    where r.sensor_id = located.sensor_id and r.measured_at >= located.since and r.measured_at < located.until
      and r.measured_at <= at
    order by r.measured_at desc limit 1
  ) newest
  where station.provider_id = any (providers)
  group by station.provider_id
$$;

-- The newest bucket of each published aggregate at an instant. Future buckets, left by a clock that was ahead, are
-- ignored.
create function logic.newest_bucket(at timestamptz) returns table (subject text, resolution text, bucket timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'station', 'hour', (select max(bucket) from rollup.station_hourly where bucket <= at)
  union all select 'station', 'day', (select max(bucket) from rollup.station_daily where bucket <= at)
  union all select 'station', 'month', (select max(bucket) from rollup.station_monthly where bucket <= at)
  union all select 'region', 'hour', (select max(bucket) from rollup.region_hourly where bucket <= at)
  union all select 'region', 'day', (select max(bucket) from rollup.region_daily where bucket <= at)
  union all select 'region', 'month', (select max(bucket) from rollup.region_monthly where bucket <= at)
$$;

-- Size on disk of raw data and of aggregates in bytes.
create function logic.storage() returns table (schema text, bytes float8) language sql stable security definer
  set search_path = public, pg_temp as $$
  select 'raw', logic.size_of('raw')::float8 union all select 'rollup', logic.size_of('rollup')::float8
$$;
