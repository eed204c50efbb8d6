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
  if upper(range_merge(ranges)) - lower(range_merge(ranges)) > interval '60 days' then
    execute format('analyze rollup.%I', level); -- the level above is about to be planned from it
  end if;
end $$;

-- One transaction, one at a time: when it returns, all that was committed before the call is in every bucket. Interrupted, it
-- leaves everything as it was, the notes of stale hours included.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
declare
  periods bigint[];
  hours tstzmultirange;
  region_hours tstzmultirange;
begin
  perform pg_advisory_xact_lock(hashtext('rollup.refresh'));
  with seen as (delete from rollup.stale_hour returning hour)
  select coalesce(range_agg(tstzrange(hour, hour + interval '1 hour')), '{}') into hours from (select distinct hour from seen) noted;
  periods := array(select id from rollup.stale_period);
  hours := hours + rollup.forced_hours('sensor_hourly', periods);
  -- what was computed from readings that are gone stands as it is: computing it anew would erase it
  hours := hours * (select tstzmultirange(tstzrange(dropped_before, null)) from raw.installation);
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
end $$;

-- What has changed since the last refresh, as ranges.
create or replace view rollup.pending as
  select distinct hour as since, hour + interval '1 hour' as until from rollup.stale_hour
  union all select since, until from rollup.stale_period;

-- Housekeeping of storage that needs no attention from upstairs: nothing to do here, autovacuum does it.
create or replace procedure rollup.maintain(now timestamptz) language plpgsql as $$ begin end $$;

-- Lets go of readings measured before installation.dropped_before, a day at a time. Their hours are noted like any others, and left out by the refresh.
create or replace procedure rollup.drop_readings() language plpgsql as $$
declare
  since constant timestamptz := (select dropped_before from raw.installation);
  day timestamptz;
begin
  loop
    day := (select rollup.bucket_start('day', min(measured_at)) + interval '1 day' from raw.readings);
    exit when day is null or day - interval '1 day' >= since;
    delete from raw.readings where measured_at < least(day, since);
    commit;
  end loop;
end $$;

-- Bytes on disk of a schema.
create or replace function rollup.size_of(wanted text) returns bigint language sql stable as $$
  select sum(pg_total_relation_size(c.oid))::bigint from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = wanted and c.relkind in ('r', 'm')
$$;
