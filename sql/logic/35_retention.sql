-- Retention: from when on readings are accepted and kept, and how far that may be moved.

-- From now on, readings measured before `since` are refused. Waits for the writers in progress.
create procedure logic.raise_ingest_cutoff(since timestamptz) language plpgsql as $$
begin
  lock table raw.ingest_lock in exclusive mode;
  update raw.installation set ingest_cutoff = since where ingest_cutoff < since;
end $$;

-- The instant from which retention counts: the newest one at or after which a tenth of the sensors (and at least two, if there are two)
-- have measured, so that no single clock or time stamp decides it. Counts sensors that are currently at a station and have readings; null
-- if there are none. One index probe per sensor, newest chunk first.
create function logic.common_measurement(at timestamptz, out sensors int, out measured_at timestamptz) language sql stable as $$
  select count(*)::int, (array_agg(newest.measured_at order by newest.measured_at desc))[greatest(ceil(count(*) / 10.0), least(2, count(*)))::int]
  from (select distinct p.sensor_id from raw.sensor_station p where p.since <= at and at < p.until) placed
  cross join lateral (
    select r.measured_at from raw.readings r where r.sensor_id = placed.sensor_id order by r.measured_at desc limit 1
  ) newest
$$;

-- What retention would delete at an instant: whole local months that ended more than `keep` before common_measurement or, if that is
-- earlier, before now. More than two months at once need the operator's consent (is_refused), since a clock or many time stamps may be
-- wrong.
create function logic.retention_plan(
  at timestamptz,
  keep interval,
  out sensors int, -- that are at a station and have readings
  out counted_from timestamptz,
  out cutoff timestamptz, -- readings before it are refused
  out retained_from timestamptz, -- readings before it may have been deleted
  out wanted timestamptz, -- what cutoff and retained_from would become; never before the cutoff
  out months int, -- to delete, from retained_from or the first reading to `wanted`; counted up to 1,200
  out is_refused boolean
) language plpgsql stable as $$
declare
  first_reading constant timestamptz := (select min(r.measured_at) from raw.readings r);
begin
  select c.sensors, least(c.measured_at, at) into sensors, counted_from from logic.common_measurement(at) c where c.sensors > 0;
  select i.ingest_cutoff, i.retained_from into cutoff, retained_from from raw.installation i;
  sensors := coalesce(sensors, 0);
  wanted := coalesce(greatest(cutoff, rollup.bucket_start('month', counted_from - keep)), cutoff);
  months := (
    select count(*) from generate_series(0, 1199) n
    where rollup.bucket_add('month', rollup.bucket_start('month', greatest(retained_from, first_reading)), n) < wanted
  );
  is_refused := months > 2;
end $$;

-- Accepts readings measured from `since` on again, rounded up to a full hour; returns the new cutoff. The cutoff cannot go back beyond
-- an hour whose readings may have been deleted: recomputed from late readings alone, that hour would be lost. So the earliest cutoff is
-- retained_from, or the end of the last sensor hour before it. Raises AS409 if `since` is earlier, or later than the current cutoff.
create function logic.lower_ingest_cutoff(since timestamptz, out cutoff timestamptz) language plpgsql as $$
declare
  installation raw.installation;
  earliest timestamptz;
begin
  lock table raw.ingest_lock in exclusive mode;
  select * into installation from raw.installation;
  earliest := least(installation.retained_from, coalesce(
    (select rollup.bucket_add('hour', max(h.bucket), 1) from rollup.sensor_hourly h where h.bucket < installation.retained_from), '-infinity'));
  cutoff := logic.hour_ceiling(since);
  if cutoff > installation.ingest_cutoff then
    raise exception using errcode = 'AS409', message =
      case installation.ingest_cutoff when '-infinity' then 'no cutoff is set; readings of any age are accepted'
      else format('readings are already accepted from %s on', installation.ingest_cutoff) end;
  end if;
  if cutoff < earliest then
    raise exception using errcode = 'AS409', message = format(
      'readings measured before %s may have been deleted, and aggregates computed from them would be lost if late ones were accepted; the earliest cutoff is %s',
      installation.retained_from, earliest);
  end if;
  update raw.installation set ingest_cutoff = lower_ingest_cutoff.cutoff, retained_from = least(retained_from, lower_ingest_cutoff.cutoff);
end $$;

revoke all on function logic.common_measurement, logic.retention_plan, logic.lower_ingest_cutoff from public;
