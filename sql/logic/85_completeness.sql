-- Hours of a station with readings, and hours in which they were expected: closed hours with a sensor placed there, from its first reading on.
-- One row per station and local day of [since, until), widened to whole days, that has an expected hour. `only_stations` selects stations.
create function logic.station_completeness(since timestamptz, until timestamptz, only_stations int[] default null)
returns table (bucket timestamptz, station_id int, expected_hours int, measured_hours int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  -- plain values: they tell the planner in which chunks
  first_day constant timestamptz := rollup.bucket_start('day', since);
  end_of_days constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', until - interval '1 microsecond'), 1);
  closed constant timestamptz := least(rollup.bucket_start('hour', until), end_of_days);
  first_month constant timestamptz := rollup.bucket_start('month', since);
begin
  return query
  with placed as (
    select p.station_id, range_agg(tstzrange(greatest(logic.hour_ceiling(p.since), first_day), least(rollup.bucket_start('hour', p.until), closed))) as periods
    from raw.placement p
    where p.until > first_day and p.since < closed and greatest(logic.hour_ceiling(p.since), first_day) < least(rollup.bucket_start('hour', p.until), closed)
      and (only_stations is null or p.station_id = any(only_stations))
    group by 1
  ),
  -- a station is not expected to measure before its first hour
  begun as materialized (
    select p.station_id, p.periods * tstzmultirange(tstzrange(
      case when exists (select from rollup.station_monthly m where m.station_id = p.station_id and m.bucket < first_month) then '-infinity'
           else coalesce((select min(h.bucket) from rollup.station_hourly h where h.station_id = p.station_id and h.bucket >= first_month and h.bucket < closed), 'infinity') end,
      'infinity')) as periods
    from placed p
  ),
  day as materialized (
    select rollup.bucket_add('day', first_day, n) as bucket, rollup.bucket_add('day', first_day, n + 1) as next
    from generate_series(0, (extract(epoch from end_of_days - first_day) / 86400)::int) n
  ),
  expected as (
    select d.bucket, b.station_id,
      round(sum(extract(epoch from least(upper(part), d.next) - greatest(lower(part), d.bucket)) / 3600))::int as hours
    from begun b
    cross join unnest(b.periods) part
    join day d on d.bucket < upper(part) and d.next > lower(part)
    group by 1, 2
  )
  select e.bucket, e.station_id, e.hours, least(coalesce(d.hours, 0), e.hours)
  from expected e
  left join rollup.station_daily d on d.station_id = e.station_id and d.bucket = e.bucket and d.bucket >= first_day and d.bucket < end_of_days;
end $$;
