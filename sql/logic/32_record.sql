-- The record: what changed in published numbers, when and why (R1). The claim of a refresh opens its rows, the step that
-- recomputes their hours closes them.

-- How much time between changed hours is told as part of one change: a station that is late day after day has one row a
-- day and not one for each of its gaps.
create function logic.change_gap() returns interval language sql immutable parallel safe return interval '24 hours';

-- Sets the changed hours apart that were never published before: they are not a change of the station. They
-- may be one of its regions, whose hours other stations had. It runs before the hours are recomputed, and only if there
-- are changes: planning it touches every chunk.
create function logic.split_first(changes bigint[], now timestamptz) returns void language sql as $$
  with opened as (delete from rollup.change c where c.id = any (changes) returning c.*),
  -- Nothing was published of a station before its first hour. While a history is imported file by file, nothing was
  -- after its last one either.
  published as materialized (
    select s.station_id, tstzmultirange(tstzrange(
      (select h.bucket from rollup.station_hourly h where h.station_id = s.station_id order by h.bucket limit 1),
      case when exists (select from rollup.change f where f.station_id = s.station_id and f.reason = 'first'
          and (f.shown_at is null or f.shown_at > split_first.now - interval '1 day'))
        then (select h.bucket + interval '1 hour' from rollup.station_hourly h where h.station_id = s.station_id
          order by h.bucket desc limit 1) end)) as hours
    from (select distinct o.station_id from opened o) s
    where exists (select from rollup.station_hourly h where h.station_id = s.station_id)
  ),
  split as materialized (
    select o.reason, o.station_id, o.hours * coalesce(p.hours, '{}') as told, o.hours - coalesce(p.hours, '{}') as first
    from (select reason, station_id, range_agg(tstzrange(since, until)) as hours from opened group by 1, 2) o
    left join published p on p.station_id = o.station_id
  ),
  of_region as materialized (
    select s.reason, s.station_id, m.region_slug, s.first * range_agg(tstzrange(m.since, m.until)) as hours
    from split s join raw.membership m on m.station_id = s.station_id
    where s.first <> '{}'
    group by s.reason, s.station_id, s.first, m.region_slug
  ),
  -- but for the hours that an import brought today
  published_of_region as (
    select r.region_slug, tstzmultirange(tstzrange(r.first_hour, null)) - coalesce(imported.hours, '{}') as hours
    from (
      select o.region_slug, (select h.bucket from rollup.region_hourly h where h.region_slug = o.region_slug
        order by h.bucket limit 1) as first_hour
      from of_region o group by 1
    ) r
    left join lateral (
      select range_agg(tstzrange(c.since, c.until) * tstzrange(m.since, m.until)) filter (where c.reason = 'first')
        - coalesce(range_agg(tstzrange(c.since, c.until)) filter (where c.region_slug = r.region_slug), '{}') as hours
      from raw.membership m
      join rollup.change c on c.station_id = m.station_id and c.since < m.until and c.until > m.since
      where m.region_slug = r.region_slug and (c.shown_at is null or c.shown_at > split_first.now - interval '1 day')
        and (c.reason = 'first' and c.region_slug is null or c.region_slug = r.region_slug)
    ) imported on true
    where r.first_hour is not null
  )
  insert into rollup.change (reason, station_id, region_slug, since, until)
  select c.reason, c.station_id, c.region_slug, lower(part), upper(part)
  from (
    select reason, station_id, null as region_slug, told as hours from split
    union all
    select 'first', station_id, null, range_agg(first) from split group by station_id
    union all
    select o.reason, o.station_id, o.region_slug, o.hours * p.hours
    from of_region o join published_of_region p using (region_slug)
  ) c
  cross join unnest(c.hours) part
$$;

-- The hours of a station by the regions that they have.
create function logic.hours_by_regions(station int, hours tstzrange)
returns table (since timestamptz, until timestamptz, regions text[]) language sql stable as $$
  select b.at, b.next, array(
    select m.region_slug from raw.membership m where m.station_id = station and m.since <= b.at and b.at < m.until
    order by 1)
  from (
    select bound.at, lead(bound.at) over (order by bound.at) as next
    from (
      select lower(hours) as at union select upper(hours)
      union
      select edge from raw.membership m cross join unnest(array[m.since, m.until]) edge
      where m.station_id = station and lower(hours) < edge and edge < upper(hours)
    ) bound
  ) b
  where b.next is not null
$$;

-- Closes the rows with nothing left to recompute. A change that goes on within a local day is one row, so that
-- what is recorded is bounded: 10,000 stations, another hundredth of them late each hour, made 1,968 rows a day, half a
-- megabyte with the indexes.
create function logic.close_changes(now timestamptz) returns void language plpgsql as $$
declare
  today constant timestamptz := rollup.bucket_start('day', now);
begin
  if not exists (select from rollup.change where shown_at is null) then return; end if;
  with shown as (
    delete from rollup.change c
    where c.shown_at is null and logic.claimed(tstzrange(c.since, c.until)) = '{}'
    returning c.*
  ),
  placed as (
    select s.reason, s.station_id, s.region_slug, s.sensor_id, s.since, s.until, null::text[] as regions
    from shown s where s.station_id is null or s.region_slug is not null
    union all
    select s.reason, s.station_id, s.region_slug, s.sensor_id, h.since, h.until, h.regions
    from shown s cross join lateral logic.hours_by_regions(s.station_id, tstzrange(s.since, s.until)) h
    where s.station_id is not null and s.region_slug is null
  ),
  continued as (
    delete from rollup.change c using placed s
    where c.shown_at >= today
      and (c.reason, coalesce(c.station_id, 0), coalesce(c.region_slug, ''), coalesce(c.sensor_id, 0))
        = (s.reason, coalesce(s.station_id, 0), coalesce(s.region_slug, ''), coalesce(s.sensor_id, 0))
      and c.regions is not distinct from s.regions
      and c.since <= s.until + logic.change_gap() and c.until >= s.since - logic.change_gap()
    returning c.*
  )
  insert into rollup.change (reason, station_id, region_slug, sensor_id, regions, since, until, shown_at)
  select reason, station_id, region_slug, sensor_id, regions, lower(part), upper(part), now
  from (
    select reason, station_id, region_slug, sensor_id, regions,
      logic.join_ranges(range_agg(tstzrange(since, until)), logic.change_gap()) as parts
    from (
      select reason, station_id, region_slug, sensor_id, regions, since, until from placed
      union all
      select reason, station_id, region_slug, sensor_id, regions, since, until from continued
    ) c group by 1, 2, 3, 4, 5
  ) c
  cross join unnest(c.parts) part;
  perform logic.raise_data_version(); -- documents show the record
end $$;

-- Hours as a JSON array of ranges, each by its first and last hour; beyond `most`, the nearest are one.
create function logic.hour_ranges(hours tstzmultirange, most int default 20) returns json language sql stable as $$
  select json_agg(json_build_object('first_hour', since, 'last_hour', rollup.bucket_add('hour', until, -1))
    order by since)
  from (
    select min(lower(part)) as since, max(upper(part)) as until
    from (
      select part, count(*) filter (where place <= most) over (order by part) as n
      from (
        select part, row_number() over (order by gap desc nulls first, part) as place
        from (select part, lower(part) - lag(upper(part)) over (order by part) as gap from unnest(hours) part) g
      ) p
    ) p
    group by n
  ) r
$$;

-- Deletes what showed more than two years ago.
create function logic.delete_old_changes(now timestamptz) returns void language sql as $$
  delete from rollup.change where shown_at < now - interval '2 years'
$$;

revoke all on function logic.split_first, logic.hours_by_regions, logic.close_changes, logic.delete_old_changes from public;
