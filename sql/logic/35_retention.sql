-- From when on readings are taken in and kept, and what retention may change about that.

-- From when on readings are all there: what was computed from earlier ones stands as it is, and computing it again would erase it. The
-- sensor hours begin there; whatever is above them is computed from them, however old.
create function logic.retained() returns tstzmultirange language sql stable as $$
  select tstzmultirange(tstzrange(retained_from, 'infinity')) from raw.installation
$$;

-- Readings measured before `since` are refused from now on, in agreement with every writer that is under way.
create procedure logic.raise_ingest_cutoff(since timestamptz) language plpgsql as $$
begin
  lock table raw.ingest_lock in exclusive mode;
  update raw.installation set ingest_cutoff = since where ingest_cutoff < since;
end $$;

-- The instant that retention counts from: the newest at or after which a tenth of the sensors measured, and two of them where there are
-- two, so that neither a clock nor a stamp decides it alone. Sensors are those that stand somewhere and of which there is a reading.
-- Null without any. One index probe for each sensor, newest chunk first.
create function logic.common_measurement(at timestamptz, out sensors int, out measured_at timestamptz) language sql stable as $$
  select count(*)::int, (array_agg(newest.measured_at order by newest.measured_at desc))[greatest(ceil(count(*) / 10.0), least(2, count(*)))::int]
  from (select distinct p.sensor_id from raw.sensor_station p where p.since <= at and at < p.until) standing
  cross join lateral (
    select r.measured_at from raw.readings r where r.sensor_id = standing.sensor_id order by r.measured_at desc limit 1
  ) newest
$$;

-- What retention comes to at an instant: whole local months that ended `keep` before the sensors measured last, or before now where that
-- is earlier, are to go. More than two of them at once are not for a night to decide (is_refused): a clock or many stamps may be wrong.
create function logic.retention_plan(
  at timestamptz,
  keep interval,
  out sensors int, -- that stand somewhere and have readings
  out counted_from timestamptz,
  out cutoff timestamptz, -- readings before it are refused
  out retained_from timestamptz, -- readings before it are gone
  out wanted timestamptz, -- what both would be; never less than the cutoff
  out months int, -- to go: from where readings are retained, or the first of them is, to there; 1,200 are as many as are counted
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

-- Takes readings in again that were measured from `since` on, rounded up to a full hour; returns from when on they are taken in now.
-- Never from an hour on that was computed from readings that may be gone: computed again, from what comes late, it would be lost. So it
-- reaches back to what is retained, and beyond that as far as there are no sensor hours.
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
    raise exception using errcode = 'AS409', message = format('readings are taken in from %s on already', installation.ingest_cutoff);
  end if;
  if cutoff < earliest then
    raise exception using errcode = 'AS409', message = format(
      'readings measured before %s may be gone, and what was computed from them would be lost if others were taken in; the earliest is %s',
      installation.retained_from, earliest);
  end if;
  update raw.installation set ingest_cutoff = lower_ingest_cutoff.cutoff, retained_from = least(retained_from, lower_ingest_cutoff.cutoff);
end $$;

revoke all on function logic.common_measurement, logic.retention_plan, logic.lower_ingest_cutoff from public;
