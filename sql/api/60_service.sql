-- How the service itself is doing: for readiness, metrics and the dashboard of whoever runs it.

-- When the aggregates were last brought up to date. Null before the first time: there is nothing to answer with yet.
create view api.freshness as
  select refreshed_at from rollup.freshness;

-- Per provider, how many of its listed stations are online, and when any of its sensors measured last.
drop function if exists rollup.newest_measurement(timestamptz);
create function rollup.newest_measurement(at timestamptz) returns table (provider text, measured_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select provider.id, max(newest.measured_at)
  from raw.provider provider
  left join raw.station station on station.provider_id = provider.id
  left join raw.sensor_station place on place.station_id = station.id and place.since <= at
  left join lateral (
    select r.measured_at from raw.readings r
    where r.sensor_id = place.sensor_id and r.measured_at >= place.since and r.measured_at < place.until and r.measured_at <= at
    order by r.measured_at desc limit 1
  ) newest on true
  group by provider.id
$$;

create function api.provider_state(at timestamptz)
returns table (provider text, measurement_time timestamptz, online int, offline int) language sql stable begin atomic
  select n.provider, n.measured_at,
    (count(*) filter (where s.status = 'online' and s.is_listed))::int,
    (count(*) filter (where s.status = 'offline' and s.is_listed))::int
  from rollup.newest_measurement(at) n
  left join api.station_current(at) s on s.provider = n.provider
  group by n.provider, n.measured_at;
end;

-- The newest bucket of each aggregate that is published.
create view api.newest_bucket as
  select 'station' as place, 'hour' as grain, (select max(bucket) from rollup.station_hourly) as timestamp
  union all select 'station', 'day', (select max(bucket) from rollup.station_daily)
  union all select 'station', 'month', (select max(bucket) from rollup.station_monthly)
  union all select 'region', 'hour', (select max(bucket) from rollup.region_hourly)
  union all select 'region', 'day', (select max(bucket) from rollup.region_daily)
  union all select 'region', 'month', (select max(bucket) from rollup.region_monthly);

-- The audit that was made last. No row before the first.
create view api.last_audit as
  select made_at, differing from rollup.audit order by made_at desc limit 1;

-- Whole readings that wait in quarantine.
create view api.quarantine_lines as
  select reason, count(*)::int as lines from raw.quarantine where kind = 'reading' group by reason;

drop function if exists rollup.storage();
create function rollup.storage() returns table (schema text, bytes float8) language sql stable security definer set search_path = rollup, public, pg_temp as $$
  select 'raw', rollup.size_of('raw')::float8 union all select 'rollup', rollup.size_of('rollup')::float8
$$;

-- Space on disk of what arrived and of what it adds up to, with indexes and compressed parts.
create view api.storage as
  select s.schema, s.bytes from rollup.storage() s;
