-- Finds the ranges of time that a refresh recomputes at each level, from the changed hours that writers log and the periods that others mark stale.

-- The levels in the order in which a refresh recomputes them. A change at any level in stale_from makes the level stale.
create view logic.level (position, name, unit, id, stale_from) as values
  {{levels}};

-- The first and the last instant of any reading or bucket; null if there is none.
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

-- The ranges of time that have changed since the last refresh.
create view logic.pending as
  select distinct hour as since, hour + interval '1 hour' as until from rollup.changed_hour
  union all select since, until from rollup.stale;

-- Claims the logged hours and the stale periods for this refresh. A period is narrowed to the hours that it can concern: those between the first and
-- the last instant of any data, or between the first and the last hour of its sensor or station.
create function logic.take_notes() returns void language plpgsql as $$
begin
  if exists (select from rollup.stale where not is_taken) then -- usually there are none, and finding the first and last instant touches every chunk
    with asked as (delete from rollup.stale where not is_taken returning *),
    extent as materialized (select low, high from logic.extent()),
    narrowed as (
      select a.from_level, a.since, a.until, e.low, e.high
      from asked a cross join extent e where a.sensor_id is null and a.station_id is null
      union all
      select a.from_level, a.since, a.until, h.low, h.high
      from asked a cross join lateral (
        select (select bucket from rollup.sensor_hourly where sensor_id = a.sensor_id order by bucket limit 1) as low,
          (select bucket from rollup.sensor_hourly where sensor_id = a.sensor_id order by bucket desc limit 1) as high) h
      where a.sensor_id is not null
      union all
      select a.from_level, a.since, a.until, h.low, h.high
      from asked a cross join lateral (
        select (select bucket from rollup.station_hourly where station_id = a.station_id order by bucket limit 1) as low,
          (select bucket from rollup.station_hourly where station_id = a.station_id order by bucket desc limit 1) as high) h
      where a.station_id is not null
    )
    insert into rollup.stale (from_level, since, until, is_taken)
    select from_level, lower(part), upper(part), true
    from (
      -- a bucket of an upper level may begin before the first reading, and the last hour ends after the last reading
      select from_level, range_agg(tstzrange(since, until) * tstzrange(rollup.bucket_start('month', low), rollup.bucket_add('hour', rollup.bucket_start('hour', high), 1))) as parts
      from narrowed where low is not null group by 1
    ) n cross join unnest(n.parts) part;
  end if;
  with note as (delete from rollup.changed_hour returning hour)
  insert into rollup.stale (from_level, since, until, is_taken)
  select 'sensor_hourly', lower(part), upper(part), true
  from unnest((select range_agg(tstzrange(hour, hour + interval '1 hour')) from note)) part;
end $$;

-- The months in which claimed ranges lie, newest first, with the number of stale hours in each.
create function logic.stale_months() returns table (since timestamptz, until timestamptz, hours float8) language sql stable as $$
  select rollup.bucket_start('month', p.since), rollup.bucket_add('month', rollup.bucket_start('month', p.since), 1),
    sum(extract(epoch from p.until - p.since))::float8 / 3600
  from logic.pieces('month', 1, (select range_agg(tstzrange(s.since, s.until)) from rollup.stale s where s.is_taken)) p
  group by 1, 2
  order by 1 desc
$$;

-- The stale buckets of a level within a month. Readings before retained_from may have been deleted, so sensor hours before it are not recomputed; the
-- levels above are recomputed at any age. Ranges are joined across gaps of up to 3 hours. If there are more than 20 ranges, a small network joins them
-- across longer gaps, because each range costs about as much as an hour of 10,000 sensors.
create function logic.stale_buckets(level logic.level, since timestamptz, until timestamptz) returns tstzmultirange language sql stable as $$
  select logic.widen((level).unit, case (level).name when 'sensor_hourly' then joined.parts * tstzmultirange(tstzrange(i.retained_from, 'infinity')) else joined.parts end)
  from raw.installation i
  cross join (
    select coalesce(range_agg(tstzrange(greatest(s.since, stale_buckets.since), least(s.until, stale_buckets.until))), '{}') as parts
    from rollup.stale s
    where s.is_taken and s.from_level = any ((level).stale_from) and s.since < stale_buckets.until and s.until > stale_buckets.since
  ) stale
  cross join lateral (
    select case when (select count(*) from unnest(stale.parts)) > 20 then greatest(3, 10000 / greatest(count(*), 1)) else 3 end * interval '1 hour' as width
    from raw.sensor
  ) gap
  cross join lateral (
    select coalesce(range_agg(tstzrange(lower(part), upper(part) - gap.width)), '{}') as parts
    from unnest((select range_agg(tstzrange(lower(part), upper(part) + gap.width)) from unnest(stale.parts) part)) part
  ) joined
$$;

revoke all on function logic.take_notes from public;
