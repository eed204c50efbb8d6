-- Changes of published numbers, when they showed and why (R1).

create function api.changes(since timestamptz, until timestamptz)
returns table (
  shown_at timestamptz, reason text, station_id int, region_slug text, sensor_id int, regions text,
    first_hour timestamptz, last_hour timestamptz
) language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select c.shown_at, c.reason, c.station_id, c.region_slug, c.sensor_id, array_to_json(c.regions)::text, c.since,
    c.until - interval '1 hour'
  from rollup.change c
  where c.shown_at >= changes.since and c.shown_at < changes.until and c.reason <> 'first';
end;
comment on function api.changes is
  'Changes of hours that had been published, by the time at which they showed. One row per change, kept for two '
  'years; it may be too small to show in rounded numbers. Without a region, the numbers of the station (but not for a '
  'flag or screening) and of its regions then changed; with one, only the region’s, because of the station; without a '
  'station, all.
Columns:
  shown_at (when the changed numbers showed; of a change that went on within a day, the last time),
  reason (late, corrected or deleted: readings; placement, formula, membership or flag: the network file; screening; '
  'zone: the rules of the time zone; version: the aggregates of a new version; repair: an operator),
  station_id (station id; null: all stations),
  region_slug (slug of the region; null: those of the station, or all),
  sensor_id (sensor that was moved or got another formula; else null),
  regions (JSON array of slugs: the regions of the station in these hours when the change showed; null without a '
  'station, or with a region),
  first_hour, last_hour (starts of the first and the last changed hour).';

-- The document of explore/v1 on all changes, and what the feed of a station has beside its own. A change of a document
-- is what showed on one local day for one reason. They run with the rights of their owner, since no view of this schema
-- has memberships or hours.

create function api.changes_json(at timestamptz, most int default 1000)
returns table (since timestamptz, changes text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  first_day constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -34);
begin
  return query
  with record as materialized (
    select c.shown_at, c.reason, c.station_id, c.region_slug, c.regions, tstzrange(c.since, c.until) as hours,
      exists (select from raw.station s where s.id = c.station_id) and not exists (select from raw.hidden_period h
        where h.station_id = c.station_id and h.since <= at and at < h.until) as is_listed
    from rollup.change c
    where c.shown_at >= first_day and c.reason <> 'first'
  ),
  concerned as (
    select c.shown_at, c.reason, null::int as station_id, c.region_slug, c.region_slug is null as is_all, c.hours
    from record c where c.station_id is null or c.region_slug is not null
    union all
    select c.shown_at, c.reason, c.station_id, null, false, c.hours
    from record c where c.region_slug is null and c.is_listed
    union all
    -- a station that is hidden or gone by now had its share in regions (C6), and a flag changes only those
    select c.shown_at, c.reason, null, slug, false, c.hours
    from record c cross join unnest(c.regions) slug
    where c.region_slug is null and (not c.is_listed or c.reason in ('flag', 'screening'))
  )
  select first_day,
    (select coalesce(json_agg(json_build_object(
        'shown_at', date_trunc('second', d.shown_at), 'reason', d.reason,
        'stations', case when not d.is_all then coalesce(d.stations[1:most], '{}') end,
        'station_count', case when not d.is_all then coalesce(cardinality(d.stations), 0) end,
        'regions', coalesce(d.regions, '{}'), 'hours', logic.hour_ranges(d.hours), 'first_hour', lower(d.hours),
        'last_hour', rollup.bucket_add('hour', upper(d.hours), -1))
      order by d.day desc, d.shown_at desc, d.reason), '[]')::text
      from (
        select rollup.bucket_start('day', c.shown_at) as day, c.reason, max(c.shown_at) as shown_at,
          bool_or(c.is_all) as is_all,
          array_agg(distinct c.station_id order by c.station_id) filter (where c.station_id is not null) as stations,
          array_agg(distinct c.region_slug order by c.region_slug) filter (where c.region_slug is not null) as regions,
          range_agg(c.hours) as hours
        from concerned c
        group by 1, 2
      ) d),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from api.freshness f;
end $$;
comment on function api.changes_json is
  'Changes of published numbers (R1) that showed on the last 35 local days, today included; hidden stations are not '
  'listed. One row.
Columns:
  since (start of the first of these days),
  changes (a JSON array with an object for each day and reason, newest first, as text: shown_at (the newest of the '
  'day), reason, stations (at most `most` ids, whose own numbers changed, or which were flagged; null: all), '
  'station_count (how many they are; null: all [stations]), regions (slugs whose numbers changed beside the regions of '
  'these stations, or because of a flag), hours (at most 20 ranges, each with its first_hour and last_hour; nearer ones '
  'are one), first_hour and last_hour (of them all)),
  valid_until,
  data_version.';
