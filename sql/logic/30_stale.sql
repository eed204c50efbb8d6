-- Finds the ranges of time that a refresh recomputes at each level, from the changes that writers log and the
-- periods that others mark stale.

-- The levels in the order in which a refresh recomputes them. A change at any level in stale_from makes the level
-- stale.
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
    execute format('select min(bucket) as low, max(bucket) as high from rollup.%I where isfinite(bucket)', level)
      into ends;
    low := least(low, ends.low);
    high := greatest(high, ends.high);
  end loop;
end $$;

-- The ranges of time that have changed since the last refresh.
create view logic.pending as
  select distinct since, until from rollup.changed
  union all select since, until from rollup.stale;

-- Claims the logged changes and the stale periods for this refresh, and opens the record of those that change what was
-- published. A period is narrowed to the hours that it can concern: those between the first and the last instant of any
-- data, or between the first and the last hour of its sensor or station.
create function logic.claim_changes(now timestamptz) returns void language plpgsql as $$
declare
  is_published constant boolean := (select refreshed_at is not null from rollup.freshness);
  opened_changes bigint[];
begin
  -- usually there are none, and finding the first and last instant touches every chunk
  if exists (select from rollup.stale where not is_taken) then
    with asked as (delete from rollup.stale where not is_taken returning *),
    extent as materialized (select low, high from logic.extent()),
    narrowed as materialized (
      select a.*, e.low, e.high
      from asked a cross join extent e where a.sensor_id is null and a.station_id is null
      union all
      select a.*, h.low, h.high
      from asked a cross join lateral (
        select (select bucket from rollup.sensor_hourly where sensor_id = a.sensor_id order by bucket limit 1) as low,
          (select bucket from rollup.sensor_hourly where sensor_id = a.sensor_id
            order by bucket desc limit 1) as high) h
      where a.sensor_id is not null
      union all
      select a.*, h.low, h.high
      from asked a cross join lateral (
        select (select bucket from rollup.station_hourly where station_id = a.station_id
          order by bucket limit 1) as low,
          (select bucket from rollup.station_hourly where station_id = a.station_id
            order by bucket desc limit 1) as high) h
      where a.station_id is not null and a.sensor_id is null
    ),
    opened as (
      insert into rollup.change (reason, station_id, region_slug, sensor_id, since, until)
      select
        -- what was never published before is not a change
        case when region_slug is not null
            and not exists (select from rollup.region_hourly h where h.region_slug = n.region_slug)
          or station_id is not null and region_slug is null
            and not exists (select from rollup.station_hourly h where h.station_id = n.station_id)
          then 'first' else reason end,
        station_id, region_slug, sensor_id, lower(part), upper(part)
      from (
        select reason, station_id, region_slug, sensor_id, logic.widen('hour', range_agg(tstzrange(since, until)))
          * tstzmultirange(tstzrange(min(rollup.bucket_start('hour', low)), greatest(min(rollup.bucket_start('hour', low)),
              least(max(rollup.bucket_start('hour', high)) + interval '1 hour', rollup.bucket_start('hour', now)))))
            as parts
        from narrowed where reason is not null and low is not null and is_published group by 1, 2, 3, 4
      ) n cross join unnest(n.parts) part
    )
    insert into rollup.stale (from_level, since, until, is_taken)
    select from_level, lower(part), upper(part), true
    from (
      -- a bucket of an upper level may begin before the first reading, and the last hour ends after the last reading
      select from_level, range_agg(tstzrange(since, until)
        * tstzrange(rollup.bucket_start('month', low), rollup.bucket_add('hour', rollup.bucket_start('hour', high), 1)))
          as parts
      from narrowed where low is not null group by 1
    ) n cross join unnest(n.parts) part;
  end if;
  with logged as (delete from rollup.changed returning *),
  opened as (
    insert into rollup.change (reason, station_id, since, until)
    select reason, station_id, lower(part), upper(part)
    from (
      select l.reason, p.station_id, logic.join_ranges(range_agg(tstzrange(l.since, l.until)
        * tstzrange(logic.hour_ceiling(p.since), rollup.bucket_start('hour', p.until))), logic.change_gap()) as parts
      from logged l
      join raw.placement p on p.sensor_id = l.sensor_id and p.since < l.until and p.until > l.since
        and logic.hour_ceiling(p.since) < rollup.bucket_start('hour', p.until)
      where l.reason is not null
      group by 1, 2
    ) c cross join unnest(c.parts) part
    returning id
  ),
  noted as (
    insert into rollup.stale (from_level, since, until, is_taken)
    select 'sensor_hourly', lower(part), upper(part), true
    from unnest((select range_agg(tstzrange(since, until)) from logged)) part
  )
  select array_agg(id) into opened_changes from opened;
  if opened_changes is not null then perform logic.split_first(opened_changes, now); end if;
end $$;

-- The claimed time within a range.
create function logic.claimed(within tstzrange) returns tstzmultirange language sql stable as $$
  select coalesce(range_agg(tstzrange(since, until) * within), '{}') from rollup.stale
  where is_taken and tstzrange(since, until) && within
$$;

-- Its length in hours.
create function logic.claimed_hours() returns float8 language sql stable as $$
  select coalesce(sum(extract(epoch from upper(part) - lower(part)))::float8 / 3600, 0)
  from unnest(logic.claimed('(,)')) part
$$;

-- Rows in an hour: the readings of the newest claimed hour before an instant, or the number of sensors if it is larger.
-- It is planned with that hour: a plan for any hour would open every chunk, which took 80 ms for six years.
create function logic.rows_per_hour(before timestamptz) returns bigint language plpgsql stable
set plan_cache_mode = force_custom_plan as $$
declare
  until constant timestamptz := upper(logic.claimed(tstzrange(null, before)));
begin
  return greatest(1, (select count(*) from raw.sensor),
    (select count(*) from raw.readings r where r.measured_at >= until - interval '1 hour' and r.measured_at < until));
end $$;

-- The time from the oldest of the newest `days` claimed days before an instant up to it; null if there is none.
create function logic.newest_days(days bigint, before timestamptz) returns tstzrange language sql stable as $$
  select tstzrange(min(since), before)
  from (
    select since from logic.pieces('day', 1, logic.widen('day', logic.claimed(tstzrange(null, before))))
    order by since desc limit days
  ) newest
  having min(since) is not null
$$;

-- The buckets of a level to recompute in a piece of time, which begins with a day. Readings before retained_from may
-- have been deleted, so sensor hours before it are not recomputed; the levels above are recomputed at any age. Changes
-- between which no more than `gap` lies are recomputed together. A month that is also stale from before the piece waits
-- for the piece that has the rest of it.
create function logic.stale_buckets(level logic.level, piece tstzrange, gap interval) returns tstzmultirange
language sql stable as $$
  select case (level).unit
    when 'month' then logic.join_ranges(logic.widen('month', parts), logic.month_gap())
      - case when exists (
          select from rollup.stale s
          where s.is_taken and s.from_level = any ((level).stale_from)
            and tstzrange(s.since, s.until) && tstzrange(rollup.bucket_start('month', lower(piece)), lower(piece))
        ) then tstzmultirange(logic.bucket('month', lower(piece))) else '{}' end
    else logic.widen((level).unit, logic.join_ranges(parts, gap) * tstzmultirange(tstzrange(
      case (level).name when 'sensor_hourly' then i.retained_from else '-infinity' end, 'infinity')))
    end - logic.refused_buckets((level).unit)
  from raw.installation i
  cross join (
    select coalesce(range_agg(tstzrange(s.since, s.until) * piece), '{}') as parts
    from rollup.stale s
    where s.is_taken and s.from_level = any ((level).stale_from) and tstzrange(s.since, s.until) && piece
  ) stale
$$;

revoke all on function logic.claim_changes from public;
