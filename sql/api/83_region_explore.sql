-- Documents of explore/v1 that only regions have: the station hours behind an hour (A3), and the days against the
-- limits of the EU. These functions run with the rights of their owner, since no view of this schema has unrounded
-- means.
create function api.region_stations_json(at timestamptz, only_region text, instant timestamptz, most int default 1000)
returns table ("timestamp" timestamptz, hour text, stations text, region text, is_complete boolean,
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
  is_complete (whether these are all the stations: at most `most` are shown),
  valid_until,
  data_version.';

create function api.region_limits(at timestamptz, only_region text)
returns table (
  "mean_pm2.5" float8, "pm2.5_days" int, "pm2.5_days_above" int, mean_pm10 float8, pm10_days int, pm10_days_above int,
  mean_no2 float8, no2_days int, no2_days_above int, valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
declare
  today constant timestamptz := rollup.bucket_start('day', at);
  since constant timestamptz := rollup.bucket_add('day', today, -365);
begin
  return query
  select logic.published_non_negative(avg(d.pm25), 1), count(d.pm25)::int, (count(*) filter (where d.pm25 > 25))::int,
    logic.published_non_negative(avg(d.pm10), 1), count(d.pm10)::int, (count(*) filter (where d.pm10 > 45))::int,
    logic.published_non_negative(avg(d.no2), 1), count(d.no2)::int, (count(*) filter (where d.no2 > 50))::int,
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select logic.possible(b.pm25) as pm25, logic.possible(b.pm10) as pm10, logic.possible(b.no2) * 1.9125 as no2 -- S6
    from rollup.region_daily b
    where b.region_slug = only_region and b.bucket >= since and b.bucket < today
  ) d
  having exists (select from raw.region s where s.slug = only_region);
end $$;
comment on function api.region_limits is
  'The last 365 completed days of a region compared with the limits of the EU from 2030 (Directive (EU) '
  '2024/2881). One row; none for an unknown slug.
Columns:
  "mean_pm2.5", mean_pm10 and mean_no2 (means of the days [µg/m³]; 1 ppb of NO2 = 1.9125 µg/m³),
  "pm2.5_days", pm10_days and no2_days (days with a value [days]),
  "pm2.5_days_above", pm10_days_above and no2_days_above (those above 25, 45 and 50 µg/m³ before rounding [days]),
  valid_until,
  data_version.';
