-- The last 24 hours of many stations, for the lists of pages.

create function api.station_last_day_json(at timestamptz, only_stations int[])
returns table (places text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
begin
  return query
  with slot as materialized (
    select n, rollup.bucket_add('hour', first_hour, n - 1) as bucket from generate_series(1, 24) n
  ),
  hour as materialized (
    select one.id, h.bucket, h.pm25
    from unnest(only_stations) one(id)
    cross join lateral (
      select b.bucket, b.pm25 from rollup.station_hourly b
      where b.station_id = one.id and b.bucket >= first_hour and b.bucket < end_of_hours) h
  )
  select coalesce(json_object_agg(p.id, json_build_object('trend', api.trend(p.newest_first), 'pm2.5', p.means)),
      '{}')::text,
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select one.id, array_agg(logic.published_non_negative(h.pm25, 1) order by slot.n) as means,
      array_agg(h.pm25 order by slot.n desc) as newest_first
    from unnest(only_stations) one(id)
    cross join slot
    left join hour h on h.id = one.id and h.bucket = slot.bucket
    group by one.id
  ) p;
end $$;
comment on function api.station_last_day_json is
  'The last 24 closed hours of some stations. One row. Columns: places (a JSON object by station_id, as text: of '
  'each, trend, see api.trend, and pm2.5, the published means in the order of time, with null where one is missing '
  '[µg/m³]), valid_until, data_version.';

-- The last 24 hours of many regions, for the lists of pages.

create function api.region_last_day_json(at timestamptz, only_regions text[])
returns table (places text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
begin
  return query
  with slot as materialized (
    select n, rollup.bucket_add('hour', first_hour, n - 1) as bucket from generate_series(1, 24) n
  ),
  hour as materialized (
    select one.id, h.bucket, h.pm25
    from unnest(only_regions) one(id)
    cross join lateral (
      select b.bucket, b.pm25 from rollup.region_hourly b
      where b.region_slug = one.id and b.bucket >= first_hour and b.bucket < end_of_hours) h
  )
  select coalesce(json_object_agg(p.id, json_build_object('trend', api.trend(p.newest_first), 'pm2.5', p.means)),
      '{}')::text,
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select one.id, array_agg(logic.published_non_negative(h.pm25, 1) order by slot.n) as means,
      array_agg(h.pm25 order by slot.n desc) as newest_first
    from unnest(only_regions) one(id)
    cross join slot
    left join hour h on h.id = one.id and h.bucket = slot.bucket
    group by one.id
  ) p;
end $$;
comment on function api.region_last_day_json is
  'The last 24 closed hours of some regions. One row. Columns: places (a JSON object by region_slug, as text: of '
  'each, trend, see api.trend, and pm2.5, the published means in the order of time, with null where one is missing '
  '[µg/m³]), valid_until, data_version.';

-- Stations near a place that measures nothing, for its page.

create function api.stations_near_json(
  at timestamptz, near_latitude float8, near_longitude float8, within_km float8, most int)
returns table (neighbours text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    (select coalesce(json_agg(json_build_object('id', n.id, 'distance_km', n.km) order by n.km, n.id), '[]')::text
      from (
        select s.id, round(logic.distance_km(near_latitude, near_longitude, s.latitude, s.longitude)::numeric, 2) as km
        from raw.station s
        where logic.distance_km(near_latitude, near_longitude, s.latitude, s.longitude) <= within_km
          and not exists (select from raw.hidden_period h
            where h.station_id = s.id and h.since <= at and at < h.until)
        order by km, s.id limit most) n),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    (select f.data_version from api.freshness f);
end $$;
comment on function api.stations_near_json is
  'The listed stations nearest to a point [degrees], within a distance [km], at most `most`. One row. Columns: neighbours '
  '(a JSON array with the id and the distance in km of each, the nearest first, as text), valid_until, data_version.';

