-- Plain PostgreSQL: brings the aggregates up to date.

-- Recomputes ranges of a level, month by month.
create procedure logic.fill(level text, ranges tstzmultirange) language plpgsql as $$
declare
  piece record;
begin
  for piece in select since, until from logic.month_pieces(ranges) loop
    execute format('select rollup.fill_%I($1, $2)', level) using piece.since, piece.until;
  end loop;
  if upper(range_merge(ranges)) - lower(range_merge(ranges)) > interval '60 days' then
    execute format('analyze rollup.%I', level); -- the statements of the level above are planned with these statistics
  end if;
end $$;

-- When it returns, everything committed before the call is in every bucket. It runs in one transaction, one caller at a time: if it is
-- interrupted, nothing has changed, and the stale hours are still recorded. It takes a session lock, so call it on a connection that is
-- closed after any error.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
declare
  periods bigint[];
  hours tstzmultirange;
  piece record;
begin
  call raw.acquire_lock('rollup.refresh');
  with seen as (delete from rollup.stale_hour returning hour)
  select coalesce(range_agg(tstzrange(hour, hour + interval '1 hour')), '{}') into hours from (select distinct hour from seen) noted;
  periods := array(select id from rollup.stale_period);

  hours := (hours + logic.stale_hours('sensor_hourly', periods)) * logic.retained();
  call logic.fill('sensor_hourly', hours);
  hours := hours + logic.stale_hours('station_hourly', periods);
  call logic.fill('station_hourly', hours);
  for piece in select s.station_id, s.since, s.until from logic.stale_station_hours(periods) s loop
    perform logic.recompute_station(piece.station_id, piece.since, piece.until);
    hours := hours + tstzmultirange(tstzrange(piece.since, piece.until));
  end loop;
  call logic.fill('station_daily', logic.widen('day', hours));
  call logic.fill('station_monthly', logic.widen('month', hours));
  hours := hours + logic.stale_hours('region_hourly', periods);
  call logic.fill('region_hourly', hours);
  call logic.fill('region_daily', logic.widen('day', hours));
  call logic.fill('region_monthly', logic.widen('month', hours));

  delete from rollup.stale_period where id = any (periods);
  update rollup.freshness set refreshed_at = refresh.now;
  perform logic.raise_data_version();
  commit;
  perform raw.release_lock('rollup.refresh');
end $$;

-- The ranges of time that have changed since the last refresh.
create view logic.pending as
  select distinct hour as since, hour + interval '1 hour' as until from rollup.stale_hour
  union all select since, until from rollup.stale_period;

-- Storage maintenance: nothing to do here, autovacuum is enough.
create or replace procedure rollup.maintain(now timestamptz) language plpgsql as $$ begin end $$;

-- Deletes readings measured before installation.retained_from, one day per transaction. Their hours are recorded as stale like any
-- others, but the refresh skips them.
create procedure logic.delete_expired_readings() language plpgsql as $$
declare
  expired constant timestamptz := (select retained_from from raw.installation);
  day timestamptz;
begin
  loop
    day := (select rollup.bucket_start('day', min(measured_at)) + interval '1 day' from raw.readings);
    exit when day is null or day - interval '1 day' >= expired;
    delete from raw.readings where measured_at < least(day, expired);
    commit;
  end loop;
end $$;

-- The table that stores the rows of a level.
create function logic.storage_of(level text) returns regclass language sql stable as $$
  select format('rollup.%I', level)::regclass
$$;

-- Size of a schema on disk in bytes.
create function logic.size_of(wanted text) returns bigint language sql stable as $$
  select sum(pg_total_relation_size(c.oid))::bigint from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = wanted and c.relkind in ('r', 'm')
$$;
