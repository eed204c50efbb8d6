-- What a refresh recomputes: which buckets of whom, from the notes on readings and from the periods that changed in the network.

-- Buckets of a level from `since` up to `until`, of these subjects (ids of sensors or stations, slugs of regions); null: of all.
create type logic.change as (since timestamptz, until timestamptz, subjects text[]);

-- The levels in the order of refreshing. `body`: the select of the level's buckets from $1 up to $2 of the subjects $3, null for all. $4 is what
-- those of hours of stations and regions are made of, null for all: the planner can't know it, and would read everybody's compressed hours.
create view logic.level (position, name, unit, id, id_type, body) as values
  {{levels}};

-- From the first to the last instant of any reading or bucket; null without any.
create function logic.extent(out low timestamptz, out high timestamptz) language plpgsql stable as $$
declare
  level text;
  ends record;
begin
  select min(r.measured_at), max(r.measured_at) into low, high from raw.readings r;
  for level in select l.name from logic.level l loop
    execute format('select min(bucket) as low, max(bucket) as high from rollup.%I where isfinite(bucket)', level) into ends;
    low := least(low, ends.low);
    high := greatest(high, ends.high);
  end loop;
end $$;

-- Everything that has changed since the last refresh.
create view logic.pending as
  select distinct hour as since, hour + interval '1 hour' as until from rollup.changed_hour
  union all select since, until from rollup.stale_range
  union all select since, until from rollup.stale_period;

-- An hour in which more sensors than this changed is recomputed for all of them, because from about half on that is faster; below a hundred
-- it never is (measured on both engines, with 200 and 2,000 sensors).
create function logic.crowd() returns int language sql stable as $$ select greatest(100, count(*) / 2)::int from raw.sensor $$;

-- Takes over what was noted: the notes become ranges of levels, which stay until they are recomputed. Readings before
-- installation.retained_from may be gone, so their hours are left as they are. Returns the sensors whose current values
-- may have changed; a null among them stands for all.
create function logic.take_changes(now timestamptz) returns int[] language plpgsql as $$
declare
  recent constant timestamptz := now - interval '2 hours' - (select max(stale_after) from raw.provider);
  sensors int[];
  periods constant bigint[] := array(select id from rollup.stale_period);
  retained_from constant timestamptz := (select i.retained_from from raw.installation i);
  crowd constant int := logic.crowd();
begin
  with note as (delete from rollup.changed_hour returning hour, sensor_id),
  pair as materialized (select distinct hour, sensor_id from note where hour >= retained_from),
  crowded as materialized (select hour from pair group by hour having bool_or(sensor_id is null) or count(*) > crowd),
  noted as (insert into rollup.stale_range (level, subject, since, until)
  select 'sensor_hourly', noted.subject, lower(part), upper(part)
  from (
    select null as subject, range_agg(tstzrange(hour, hour + interval '1 hour')) as hours from crowded
    union all
    select sensor_id::text, range_agg(tstzrange(hour, hour + interval '1 hour')) from pair where hour not in (select hour from crowded) group by 1
  ) noted
  cross join unnest(noted.hours) part)
  select array_agg(distinct sensor_id) from pair where hour > recent into sensors;

  if periods <> '{}' then -- the usual case is none, and planning this touches every chunk
    insert into rollup.stale_range (level, subject, since, until)
    select level, subject, since, until from logic.ranges_of_periods(periods, retained_from);
    delete from rollup.stale_period where id = any (periods);
  end if;
  return sensors;
end $$;

-- The buckets that these stale periods reach, within the extent of readings and aggregates.
create function logic.ranges_of_periods(periods bigint[], retained_from timestamptz)
returns table (level text, subject text, since timestamptz, until timestamptz) language sql stable as $$
  with wanted as materialized (select * from rollup.stale_period p where p.id = any (periods)),
  extent as (
    select rollup.bucket_start('month', low) as low, rollup.bucket_add('month', rollup.bucket_start('month', high), 1) as high from logic.extent()
  ),
  request as ( -- of an operator, for all
    select w.from_level, logic.widen('hour', tstzmultirange(tstzrange(greatest(w.since, extent.low), least(w.until, extent.high)))) as hours
    from wanted w cross join extent
    where w.sensor_id is null and w.station_id is null and w.since < extent.high and w.until > extent.low
  )
  select r.from_level, null, lower(part), upper(part)
  from request r
  cross join unnest(case r.from_level when 'sensor_hourly' then r.hours * tstzmultirange(tstzrange(retained_from, 'infinity')) else r.hours end) part
  union all -- the levels above can be recomputed at any age
  select 'station_hourly', null, lower(part), upper(part)
  from request r cross join unnest(r.hours * tstzmultirange(tstzrange('-infinity', retained_from))) part
  where r.from_level = 'sensor_hourly'
  union all -- a changed placement: the station, from the first to the last hour of the sensor in the period
  select 'station_hourly', w.station_id::text, first.bucket, last.bucket + interval '1 hour'
  from wanted w
  cross join lateral (
    select h.bucket from rollup.sensor_hourly h
    where h.sensor_id = w.sensor_id and h.bucket > w.since - interval '1 hour' and h.bucket < w.until order by h.bucket limit 1
  ) first
  cross join lateral (
    select h.bucket from rollup.sensor_hourly h
    where h.sensor_id = w.sensor_id and h.bucket > w.since - interval '1 hour' and h.bucket < w.until order by h.bucket desc limit 1
  ) last
  where w.sensor_id is not null
  union all -- a changed membership: the region, from the first to the last hour of the station in the period
  select 'region_hourly', w.region_slug, first.bucket, last.bucket + interval '1 hour'
  from wanted w
  cross join lateral (
    select h.bucket from rollup.station_hourly h
    where h.station_id = w.station_id and h.bucket >= w.since and h.bucket < w.until order by h.bucket limit 1
  ) first
  cross join lateral (
    select h.bucket from rollup.station_hourly h
    where h.station_id = w.station_id and h.bucket >= w.since and h.bucket < w.until order by h.bucket desc limit 1
  ) last
  where w.sensor_id is null and w.station_id is not null
$$;

-- What was taken over for a level, within [since, until).
create function logic.taken(level text, since timestamptz, until timestamptz) returns logic.change[] language sql stable as $$
  select coalesce(array_agg((greatest(s.since, taken.since), least(s.until, taken.until), case when s.subject is not null then array[s.subject] end)::logic.change), '{}')
  from rollup.stale_range s
  where s.level = taken.level and s.since < taken.until and s.until > taken.since
$$;

-- The stations at which changed sensors stood then; and those that they have left since the notes were taken over, which would no longer be found when
-- that is: the hours that tell how far it reaches are about to be recomputed, and may vanish.
create function logic.at_stations(changes logic.change[]) returns logic.change[] language sql stable as $$
  select coalesce(array_agg((c.since, c.until, stations.ids)::logic.change), '{}')
  from unnest(changes) c
  cross join lateral (
    select case when c.subjects is not null then array_agg(distinct p.station_id::text) end as ids
    from (
      select sensor_id, station_id, since, until from raw.placement
      union all select sensor_id, station_id, since, until from rollup.stale_period
    ) p
    where p.sensor_id = any (c.subjects::int[]) and p.since < c.until and p.until > c.since
  ) stations
  where c.subjects is null or stations.ids is not null
$$;

-- The regions to which changed stations belonged then; and those that they have left since, in the same way.
create function logic.in_regions(changes logic.change[]) returns logic.change[] language sql stable as $$
  select coalesce(array_agg((c.since, c.until, regions.slugs)::logic.change), '{}')
  from unnest(changes) c
  cross join lateral (
    select case when c.subjects is not null then array_agg(distinct m.region_slug) end as slugs
    from (
      select station_id, region_slug, since, until from raw.membership
      union all select station_id, region_slug, since, until from rollup.stale_period where region_slug is not null
    ) m
    where m.station_id = any (c.subjects::int[]) and m.since < c.until and m.until > c.since
  ) regions
  where c.subjects is null or regions.slugs is not null
$$;

-- The same changes in few ranges, on whole buckets of a unit: those for all joined where they are close to each other; then one range for all
-- subjects that have the same. Many different hours become whole days.
create function logic.merged(unit text, changes logic.change[]) returns logic.change[] language plpgsql stable as $$
begin
  return (with change as materialized (select c.since, c.until, c.subjects from unnest(changes) c),
  grain as materialized (
    select case when count(distinct (c.since, c.until)) > 50 and merged.unit = 'hour' then 'day' else merged.unit end as unit
    from change c where c.subjects is not null
  ),
  for_all as materialized (
    select logic.widen(merged.unit, (
      select range_agg(tstzrange(lower(part), upper(part) - interval '3 hours'))
      from unnest((select range_agg(tstzrange(c.since, c.until + interval '3 hours')) from change c where c.subjects is null)) part
    )) as ranges
  ),
  of_subject as materialized (
    select s.subject, logic.widen(grain.unit, range_agg(tstzrange(c.since, c.until))) - for_all.ranges as ranges
    from grain, for_all, change c cross join unnest(c.subjects) s(subject)
    group by s.subject, grain.unit, for_all.ranges
  )
  select coalesce(array_agg((m.since, m.until, m.subjects)::logic.change order by m.since), '{}')
  from (
    select lower(part) as since, upper(part) as until, null::text[] as subjects
    from for_all cross join unnest(for_all.ranges) part
    union all
    select lower(part), upper(part), array_agg(s.subject order by s.subject)
    from of_subject s cross join unnest(s.ranges) part
    group by 1, 2
  ) m);
end $$;

-- The changes outside of a range.
create function logic.without(changes logic.change[], range tstzrange) returns logic.change[] language sql immutable as $$
  select coalesce(array_agg((lower(part), upper(part), c.subjects)::logic.change order by lower(part)), '{}')
  from unnest(changes) c cross join unnest(tstzmultirange(tstzrange(c.since, c.until)) - tstzmultirange(range)) part
$$;

revoke all on function logic.take_changes, logic.ranges_of_periods from public;
