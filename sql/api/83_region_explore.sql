-- The document of explore/v1 that only regions have: the station hours behind an hour (A3). The function runs with the
-- rights of its owner, since no view of this schema has unrounded means.
create function api.region_stations_json(at timestamptz, only_region text, instant timestamptz, most int default 1000)
returns table ("timestamp" timestamptz, hour text, stations text, region text, complete boolean,
  valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  start constant timestamptz := rollup.bucket_start('hour', instant);
  next constant timestamptz := rollup.bucket_add('hour', start, 1);
  is_closed constant boolean := next <= at;
begin
  return query
  with station as materialized ( -- one more than wanted, to know whether there are more
    select m.station_id, concat('{"id":', m.station_id, ',"is_bad_thp":', m.is_flagged::text,
      ',"is_bad_pm":', m.is_pm_suspect::text, ',"mean":', h.mean, '}') as mean
    from raw.membership m
    cross join lateral (
      select {{exact_means}} as mean
      from rollup.station_hourly h where h.station_id = m.station_id and h.bucket = start) h
    where m.region_slug = only_region and m.since <= start and m.until > start and is_closed
    limit most + 1
  )
  select start,
    (select {{region_hour_point}} from api.region_hourly b
      where b.region_slug = only_region and b.timestamp = start and is_closed),
    (select '[' || coalesce(string_agg(shown.mean, ',' order by shown.station_id), '') || ']'
      from (select * from station limit most) shown),
    (select {{exact_means}}
      from rollup.region_hourly h where h.region_slug = only_region and h.bucket = start and is_closed),
    (select count(*) <= most from station),
    api.history_valid_until(at), f.data_version
  from raw.region s
  cross join api.freshness f
  where s.slug = only_region;
end $$;
comment on function api.region_stations_json is
  'The station hours behind an hour of a region; none until the hour has closed. One row; none for an unknown slug.
Columns:
  timestamp (start of the hour that contains the instant),
  hour (its point as JSON, as text; null without readings),
  stations (a JSON array: each with its id, whether its temperature, humidity and pressure are left out, '
  'whether its particles are left out, and its unrounded means),
  region (the unrounded means of the region as JSON, as text; null without readings),
  complete (whether these are all the stations: at most `most` are shown),
  valid_until,
  data_version.';
