-- The European index of all places at once (X1), for lists, maps and headlines.

-- Suspect particles are left out (C9): of every part of the hour, as in regions, and of the time since then.
create function api.station_european_json(at timestamptz)
returns table (places text, "timestamp" timestamptz, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  newest constant timestamptz := rollup.bucket_add('hour', rollup.bucket_start('hour', at), -1);
begin
  return query
  with suspect as materialized (
    select f.station_id, bool_or(f.since <= at and f.until > newest) as is_suspect,
      min(least(case when f.since > at then f.since end, case when f.until > at then f.until end)) as changes_at
    from logic.flag f where f.kind = 'pm' and f.until > newest group by 1
  )
  select coalesce(json_object_agg(e.station_id,
      json_build_array(logic.european_band(e.grade), logic.european_pollutant(e.grade), e.concentration, e.pm25))
      filter (where e.grade is not null), '{}')::text,
    newest, least(api.history_valid_until(at), (select min(s.changes_at) from suspect s)),
    (select f.data_version from api.freshness f)
  from (
    select g.station_id, g.grade, logic.published_non_negative(g.pm25, 1) as pm25,
      logic.european_concentration(g.grade, g.pm25, g.pm10, g.o3, g.no2, g.so2) as concentration
    from (
      select h.*, logic.european_grade(
        case when s.is_suspect is not true then h.pm25 end, case when s.is_suspect is not true then h.pm10 end,
        h.o3, h.no2, h.so2) as grade
      from rollup.station_hourly h
      left join suspect s on s.station_id = h.station_id
      where h.bucket = newest) g) e;
end $$;
comment on function api.station_european_json is
  'The European index of all stations in the last closed hour, without suspect particles. One row. Columns: places (a '
  'JSON object by station id, as text: of each station with an index, an array of the index, see api.european_index; of '
  'the pollutant that makes it, the first of pm2.5, pm10, o3, no2 and so2 with the worst band; of its mean in whole '
  'µg/m³, as the index rounds it; and of the published mean of PM2.5 [µg/m³]), timestamp (start of the hour), '
  'valid_until, data_version.';

-- Hours of regions have no suspect particles.
create function api.region_european_json(at timestamptz)
returns table (places text, "timestamp" timestamptz, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  newest constant timestamptz := rollup.bucket_add('hour', rollup.bucket_start('hour', at), -1);
begin
  return query
  select coalesce(json_object_agg(e.region_slug,
      json_build_array(logic.european_band(e.grade), logic.european_pollutant(e.grade), e.concentration, e.pm25))
      filter (where e.grade is not null), '{}')::text,
    newest, api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select g.region_slug, g.grade, logic.published_non_negative(g.pm25, 1) as pm25,
      logic.european_concentration(g.grade, g.pm25, g.pm10, g.o3, g.no2, g.so2) as concentration
    from (
      select h.*, logic.european_grade(h.pm25, h.pm10, h.o3, h.no2, h.so2) as grade
      from rollup.region_hourly h
      where h.bucket = newest) g) e;
end $$;
comment on function api.region_european_json is
  'The European index of all regions in the last closed hour. One row. Columns: places (as of '
  'api.station_european_json, by slug), timestamp (start of the hour), valid_until, data_version.';
