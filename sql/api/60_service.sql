-- How the service itself is doing: for readiness, metrics and the dashboard of whoever runs it.

-- When the aggregates were last brought up to date. Null before the first time: there is nothing to answer with yet.
create view api.freshness as
  select refreshed_at from rollup.freshness;

-- When any sensor of these providers measured last. One probe by index for each stay of a sensor.
drop function if exists rollup.newest_measurement(timestamptz, text[]);
create function rollup.newest_measurement(at timestamptz, providers text[]) returns table (provider text, measured_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select station.provider_id, max(newest.measured_at)
  from raw.station station
  join raw.sensor_station place on place.station_id = station.id and place.since <= at
  cross join lateral (
    select r.measured_at from raw.readings r
    where r.sensor_id = place.sensor_id and r.measured_at >= place.since and r.measured_at < place.until and r.measured_at <= at
    order by r.measured_at desc limit 1
  ) newest
  where station.provider_id = any (providers)
  group by station.provider_id
$$;

-- Per provider, how many of its listed stations are online, and when any of its stations measured last: for one with a station
-- online, that is known without looking further.
create function api.provider_state(at timestamptz)
returns table (provider text, measurement_time timestamptz, online int, offline int) language sql stable begin atomic
  with state as materialized (
    select p.id as provider, max(s.measurement_time) as newest,
      (count(*) filter (where s.status = 'online' and s.is_listed))::int as online,
      (count(*) filter (where s.status = 'offline' and s.is_listed))::int as offline
    from api.provider p
    left join api.station_current(at) s on s.provider = p.id
    group by p.id
  )
  select s.provider, coalesce(s.newest, n.measured_at), s.online, s.offline
  from state s
  left join rollup.newest_measurement(at, array(select silent.provider from state silent where silent.newest is null)) n on n.provider = s.provider;
end;

-- The newest bucket of each aggregate that is published.
create view api.newest_bucket as
  select 'station' as place, 'hour' as grain, (select max(bucket) from rollup.station_hourly) as timestamp
  union all select 'station', 'day', (select max(bucket) from rollup.station_daily)
  union all select 'station', 'month', (select max(bucket) from rollup.station_monthly)
  union all select 'region', 'hour', (select max(bucket) from rollup.region_hourly)
  union all select 'region', 'day', (select max(bucket) from rollup.region_daily)
  union all select 'region', 'month', (select max(bucket) from rollup.region_monthly);

-- The audit that was made last, of those that looked at least as far back as that of every night: a look at one month of long ago says
-- nothing of today. No row before the first.
create view api.last_audit as
  select made_at, differing from rollup.audit
  where since <= made_at - interval '34 days' and until >= made_at
  order by made_at desc limit 1;

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
