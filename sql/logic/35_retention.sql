-- Retention: the ages at which readings are still accepted, and still kept. Readings are deleted one local month at a
-- time, at most one month a night. A month goes when it is older than RAW_RETENTION, counted from both the present and
-- the newest reading, so a wrong clock deletes little before it is noticed.

-- Refuses readings measured before `since` from now on. It waits for the writers in progress.
create procedure logic.raise_ingest_cutoff(since timestamptz) language plpgsql as $$
begin
  lock table raw.ingest_lock in exclusive mode;
  update raw.installation set ingest_cutoff = since where ingest_cutoff < since;
end $$;

-- The state of retention at an instant if readings are kept for `keep`. One row.
create function logic.retention_plan(
  at timestamptz,
  keep interval,
  out counted_from timestamptz, -- the newest stored reading or, if that is earlier, `at`; null without readings
  out cutoff timestamptz, -- readings before it are refused
  out retained_from timestamptz, -- readings before it may have been deleted
  out wanted timestamptz, -- the first month to keep; never before the cutoff
  out next timestamptz, -- the end of the first month to delete; `wanted` if there is none
  out months int -- the number of months to delete before `wanted`; counted up to 1,200
) language plpgsql stable as $$
declare
  first_reading timestamptz;
begin
  select i.ingest_cutoff, i.retained_from into cutoff, retained_from from raw.installation i;
  counted_from := (select least(at, max(r.measured_at)) from raw.readings r having max(r.measured_at) is not null);
  first_reading := (select min(r.measured_at) from raw.readings r where r.measured_at >= retained_from);
  wanted := coalesce(greatest(cutoff, rollup.bucket_start('month', counted_from - keep)), cutoff);
  next := least(wanted, rollup.bucket_add('month', rollup.bucket_start('month', first_reading), 1));
  months := (
    select count(*) from generate_series(0, 1199) n
    where rollup.bucket_add('month', rollup.bucket_start('month', first_reading), n) < wanted
  );
end $$;

-- The number of sensor hours in each month of a period, and a checksum of their values. The checksum does not depend on
-- settings of the session. A column added later does not change it either, as long as these hours have no value in it.
create function logic.kept_hours(since timestamptz, until timestamptz)
  returns table (month timestamptz, hours bigint, checksum bigint)
language sql stable set timezone = 'UTC' set extra_float_digits = 1 as $$
  select rollup.bucket_start('month', h.bucket), count(*),
    bit_xor(('x' || left(md5(jsonb_strip_nulls(to_jsonb(h))::text), 16))::bit(64)::bigint)
  from rollup.sensor_hourly h where h.bucket >= since and h.bucket < until group by 1
$$;

-- Releases the readings before `until` for deletion. It records the sensor hours of the months that lose readings; from
-- then on, refreshes leave those hours as they are. If `until` releases nothing new, it records nothing: a new record
-- would hide hours lost since the last one. A month that is recorded in part gets the hours since then, and keeps what
-- is recorded, for the same reason.
create procedure logic.retain_from(until timestamptz) language plpgsql as $$
declare
  since constant timestamptz := (select i.retained_from from raw.installation i);
begin
  if until <= since then return; end if;
  insert into rollup.expired_month (month, until, hours, checksum)
  select k.month, least(rollup.bucket_add('month', k.month, 1), retain_from.until), k.hours, k.checksum
  from logic.kept_hours(case when exists (select from rollup.expired_month) then since else '-infinity' end, until) k
  on conflict (month) do update set until = excluded.until,
    -- a month that the cutoff went back before is recorded again
    hours = case when expired_month.month < since then expired_month.hours else 0 end + excluded.hours,
    checksum = case when expired_month.month < since then expired_month.checksum else 0 end # excluded.checksum;
  perform logic.keep_last_totals(until);
  update raw.installation set retained_from = until;
end $$;

-- The months without readings whose sensor hours are not as recorded: in number or, within the period, in value.
-- Columns: since, until (the month), hours (recorded), stored (present now).
create function logic.lost_months(since timestamptz, until timestamptz)
returns table (since timestamptz, until timestamptz, hours bigint, stored bigint) language sql stable as $$
  select m.month, month.until, m.hours, there.stored
  from rollup.expired_month m
  cross join raw.installation i
  cross join lateral (select least(m.until, i.retained_from) as until) month
  cross join lateral (select count(*) as stored from rollup.sensor_hourly h
    where h.bucket >= m.month and h.bucket < month.until) there
  where there.stored <> m.hours or m.month < lost_months.until and month.until > lost_months.since
    -- by the present rules of the zone they may be of two months
    and m.checksum is distinct from (select bit_xor(k.checksum) from logic.kept_hours(m.month, month.until) k)
  order by m.month
$$;

-- How many sensor hours were recorded when their readings were deleted, and how many of these are missing now. One row.
-- missing is null where a count takes too long (logic.stored_kept_hours). A month with too few hours and one with too
-- many may hide each other here; logic.lost_months tells them apart.
create function logic.missing_kept_hours(out recorded bigint, out missing bigint) language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  retained_from constant timestamptz := (select i.retained_from from raw.installation i);
begin
  recorded := (select coalesce(sum(m.hours), 0) from rollup.expired_month m where m.month < retained_from);
  missing := recorded - logic.stored_kept_hours(retained_from);
  if missing < 0 then missing := 0; end if;
end $$;

-- Puts sensor hours back that were lost, from a table with the columns of rollup.sensor_hourly, or of an older version:
-- only hours before retained_from without a stored row. Returns their number. Run by a superuser or the owner.
create function logic.restore_kept_hours(source regclass) returns bigint language plpgsql as $$
declare
  names text;
  restored bigint;
begin
  perform logic.pause_refresh();
  select string_agg(quote_ident(a.attname), ', ') into names
  from pg_attribute a
  join pg_attribute s on s.attrelid = source and s.attname = a.attname and s.attnum > 0 and not s.attisdropped
  where a.attrelid = 'rollup.sensor_hourly'::regclass and a.attnum > 0 and not a.attisdropped;
  execute format('insert into %s (%s) select distinct on (s.sensor_id, s.bucket) %2$s from %s s
    where s.bucket < (select i.retained_from from raw.installation i)
      and not exists (select from rollup.sensor_hourly h where h.bucket = s.bucket and h.sensor_id = s.sensor_id)',
    logic.storage_of_sensor_hours(), names, source);
  get diagnostics restored = row_count;
  return restored;
end $$;

-- Waits for the refresh that runs, and holds off others until the end of the transaction.
create function logic.pause_refresh() returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('airseries'), hashtext('rollup.refresh'))
$$;

-- The hours of a sensor that were kept without readings, less those that were removed.
create function logic.kept_hours_of(sensor int) returns setof timestamptz language sql stable as $$
  select h.bucket
  from rollup.sensor_hourly h cross join raw.installation i
  where h.sensor_id = sensor and h.bucket < i.retained_from and not exists (
    select from raw.removed_period p
    where p.sensor_id = sensor and p.since < h.bucket + interval '1 hour' and p.until > h.bucket)
$$;

-- Leaves the hours that were kept without readings out of all placements from now on, of sensors or, if `station` is
-- given, of all sensors while they were there. Returns their number. To be called before these are deleted from the
-- network, while no refresh runs and holding raw.network_lock.
create function logic.remove_kept_hours(sensors int[], station int default null) returns bigint language sql as $$
  with located as (
    select sensor as sensor_id, timestamptz '-infinity' as since, timestamptz 'infinity' as until
    from unnest(sensors) sensor
    union all
    select l.sensor_id, l.since, l.until from raw.sensor_station l where l.station_id = station
  ),
  kept as (
    select l.sensor_id, l.since, least(l.until, max(hour) + interval '1 hour') as until, count(*) as hours
    from located l
    join lateral logic.kept_hours_of(l.sensor_id) hour on hour > l.since - interval '1 hour' and hour < l.until
    group by l.sensor_id, l.since, l.until
  ),
  recorded as (insert into raw.removed_period (sensor_id, since, until) select sensor_id, since, until from kept)
  select coalesce(sum(hours), 0)::bigint from kept
$$;

-- Moves the ingest cutoff back to `since`, rounded up to a full hour, and returns it. The cutoff cannot go back to an
-- hour whose readings may have been deleted: recomputing it from late readings alone would lose it. So no cutoff may be
-- earlier than the end of the last sensor hour before retained_from. Raises AS409 if `since` is, or if it is later than
-- the current cutoff.
create function logic.lower_ingest_cutoff(since timestamptz, out cutoff timestamptz) language plpgsql as $$
declare
  installation raw.installation;
  earliest timestamptz;
begin
  lock table raw.ingest_lock in exclusive mode;
  select * into installation from raw.installation;
  earliest := least(installation.retained_from, coalesce(
    (select rollup.bucket_add('hour', max(h.bucket), 1) from rollup.sensor_hourly h
      where h.bucket < installation.retained_from), '-infinity'));
  cutoff := logic.hour_ceiling(since);
  if cutoff > installation.ingest_cutoff then
    raise exception using errcode = 'AS409', message =
      case installation.ingest_cutoff when '-infinity' then 'no cutoff is set; readings of any age are accepted'
      else format('readings are already accepted from %s on', installation.ingest_cutoff) end;
  end if;
  if cutoff < earliest then
    raise exception using errcode = 'AS409', message = format(
      'readings measured before %s may have been deleted, and aggregates computed from them would be lost '
        'if late ones were accepted; the earliest cutoff is %s',
      installation.retained_from, earliest);
  end if;
  update raw.installation set ingest_cutoff = lower_ingest_cutoff.cutoff,
    retained_from = least(retained_from, lower_ingest_cutoff.cutoff);
end $$;

revoke all on function logic.retention_plan, logic.kept_hours, logic.lost_months, logic.pause_refresh,
  logic.kept_hours_of, logic.remove_kept_hours, logic.restore_kept_hours, logic.lower_ingest_cutoff from public;
