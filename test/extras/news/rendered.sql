-- The feed of a station has these beside the changes of its numbers.

create function api.station_notices_json(at timestamptz, only_station int)
returns table (flags text, silences text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -730);
begin
  return query
  with flag as materialized (
    select l.kind, l.reason, l.sensor_id, date_trunc('second', l.since) as since, date_trunc('second', l.until) as until
    from api.station_flag l
    where l.station_id = only_station
  ),
  gap as materialized (
    select rollup.bucket_add('hour', h.bucket, 1) as since, lead(h.bucket) over (order by h.bucket) as until
    from rollup.station_hourly h
    where h.station_id = only_station and h.bucket >= first_hour and h.bucket <= at
  )
  select
    (select coalesce(json_agg(json_build_object(
        'kind', l.kind, 'test', l.reason, 'sensor_id', l.sensor_id, 'since', l.since,
        'until', case when l.until <= at then l.until end)
      order by l.since desc nulls last, l.kind, l.reason, l.sensor_id), '[]')::text
      from flag l where coalesce(l.since <= at, true)),
    (select coalesce(json_agg(json_build_object(
        'since', g.since, 'last_reading', (
          select date_trunc('second', max(r.measured_at))
          from raw.placement l
          join raw.readings r on r.sensor_id = l.sensor_id and r.measured_at >= g.since - interval '1 hour'
            and r.measured_at < g.since
          where l.station_id = only_station and l.since < g.since and l.until >= g.since),
        'noticed_at', g.since + p.stale_after, 'until', g.until) order by g.since desc), '[]')::text
      from gap g where coalesce(g.until, at) - g.since >= p.stale_after),
    least(api.history_valid_until(at),
      (select g.since + p.stale_after from gap g where g.until is null and g.since + p.stale_after > at),
      (select min(l.since) from flag l where l.since > at), (select min(l.until) from flag l where l.until > at)),
    f.data_version
  from raw.station s join raw.provider p on p.id = s.provider_id cross join api.freshness f
  where s.id = only_station;
end $$;
comment on function api.station_notices_json is
  'What the owner of a station wants to be told: its flags, and its silences of the last 730 days. A silence is full '
  'hours without a reading that together last as long as readings of its provider count (C1). One row; none for an '
  'unknown id.
Columns:
  flags (a JSON array of those that have begun, newest first, as text: kind, test, sensor_id, since (null: always) and '
  'until (null: not yet)),
  silences (a JSON array, newest first, as text: since (the first full hour), last_reading (before it; null: no longer '
  'kept), noticed_at (when it was long enough), until (null: it goes on)),
  valid_until,
  data_version.';

