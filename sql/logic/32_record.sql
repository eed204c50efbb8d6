-- The record: what changed in published numbers, when and why (R1). The claim of a refresh opens its rows, the step that
-- recomputes their hours closes them.

-- How much time between changed hours is told as part of one change: a station that is late day after day has one row a
-- day and not one for each of its gaps.
create function logic.change_gap() returns interval language sql immutable parallel safe return interval '24 hours';

-- Closes the rows of which nothing is left to recompute. A change that goes on within a local day is one row, so that
-- what is recorded is bounded: 10,000 stations of which another hundredth is late each hour made 1,968 rows a day, half a
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
  continued as (
    delete from rollup.change c using shown s
    where c.shown_at >= today
      and (c.reason, coalesce(c.station_id, 0), coalesce(c.region_slug, ''), coalesce(c.sensor_id, 0))
        = (s.reason, coalesce(s.station_id, 0), coalesce(s.region_slug, ''), coalesce(s.sensor_id, 0))
      and c.since <= s.until + logic.change_gap() and c.until >= s.since - logic.change_gap()
    returning c.*
  )
  insert into rollup.change (reason, station_id, region_slug, sensor_id, since, until, shown_at)
  select reason, station_id, region_slug, sensor_id, lower(part), upper(part), now
  from (
    select reason, station_id, region_slug, sensor_id,
      logic.join_ranges(range_agg(tstzrange(since, until)), logic.change_gap()) as parts
    from (table shown union all table continued) c group by 1, 2, 3, 4
  ) c
  cross join unnest(c.parts) part;
  perform logic.raise_data_version(); -- documents show the record
end $$;

-- Deletes what showed more than two years ago.
create function logic.delete_old_changes(now timestamptz) returns void language sql as $$
  delete from rollup.change where shown_at < now - interval '2 years'
$$;

revoke all on function logic.close_changes, logic.delete_old_changes from public;
