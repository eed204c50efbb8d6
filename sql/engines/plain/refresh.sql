-- Plain PostgreSQL: bring the aggregates up to date. Repeatable: replaced whenever this file changes.

-- Computes ranges of a level anew, month by month: a first build then needs no more memory than a month does.
create or replace procedure rollup.fill(level text, ranges tstzmultirange) language plpgsql as $$
declare
  part record;
begin
  for part in
    select greatest(lower(whole), month.first) as first, least(upper(whole), month.next) as next
    from unnest(ranges) whole
    cross join lateral generate_series(0, (extract(epoch from upper(whole) - lower(whole)) / 86400 / 28)::int + 1) n
    cross join lateral (
      select rollup.bucket_add('month', rollup.bucket_start('month', lower(whole)), n) as first,
             rollup.bucket_add('month', rollup.bucket_start('month', lower(whole)), n + 1) as next
    ) month
    where month.first < upper(whole)
    order by 1
  loop
    execute format('select rollup.fill_%I($1, $2)', level) using part.first, part.next;
  end loop;
end $$;

-- One transaction, one at a time: when it returns, all that was committed before the call is in every bucket. Interrupted, it
-- leaves everything as it was, marks included.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
declare
  marked timestamptz[];
  counts bigint[];
  periods bigint[];
  hours tstzmultirange;
  region_hours tstzmultirange;
begin
  perform pg_advisory_xact_lock(hashtext('rollup.refresh'));
  select coalesce(array_agg(hour), '{}'), coalesce(array_agg(n), '{}'), coalesce(range_agg(tstzrange(hour, hour + interval '1 hour')), '{}')
  into marked, counts, hours from rollup.stale_hour;
  periods := array(select id from rollup.stale_period);
  hours := hours + rollup.forced_hours('sensor_hourly', periods);
  region_hours := hours + rollup.forced_hours('region_hourly', periods);

  call rollup.fill('sensor_hourly', hours);
  call rollup.fill('station_hourly', hours);
  call rollup.fill('region_hourly', region_hours);
  call rollup.fill('station_daily', rollup.widen('day', hours));
  call rollup.fill('region_daily', rollup.widen('day', region_hours));
  call rollup.fill('station_monthly', rollup.widen('month', hours));
  call rollup.fill('region_monthly', rollup.widen('month', region_hours));

  delete from rollup.stale_period where id = any (periods);
  update rollup.freshness set refreshed_at = refresh.now;
  -- last, and only what nobody marked again meanwhile: writers wait for this one statement. In their order, against deadlocks.
  with done as (
    select s.hour from rollup.stale_hour s join unnest(marked, counts) as seen(hour, n) on seen.hour = s.hour and seen.n = s.n
    order by s.hour for update of s
  )
  delete from rollup.stale_hour s using done where s.hour = done.hour;
end $$;

-- What has changed since the last refresh, as ranges.
create or replace view rollup.pending as
  select hour as since, hour + interval '1 hour' as until from rollup.stale_hour
  union all select since, until from rollup.stale_period;

-- Housekeeping of storage that needs no attention from upstairs: nothing to do here, autovacuum does it.
create or replace procedure rollup.maintain(now timestamptz) language plpgsql as $$ begin end $$;
