-- The last 24 hours of many {{subject}}s, for the lists of pages.

create function api.{{subject}}_last_day_json(at timestamptz, only_{{subject}}s {{id_type}}[])
returns table (places text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
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
    from unnest(only_{{subject}}s) one(id)
    cross join lateral (
      select b.bucket, b.pm25 from rollup.{{subject}}_hourly b
      where b.{{id}} = one.id and b.bucket >= first_hour and b.bucket < end_of_hours) h
  )
  select coalesce(json_object_agg(p.id, json_build_object('trend', api.trend(p.newest_first), 'pm2.5', p.means)),
      '{}')::text,
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select one.id, array_agg(logic.published_non_negative(h.pm25, 1) order by slot.n) as means,
      array_agg(h.pm25 order by slot.n desc) as newest_first
    from unnest(only_{{subject}}s) one(id)
    cross join slot
    left join hour h on h.id = one.id and h.bucket = slot.bucket
    group by one.id
  ) p;
end $$;
comment on function api.{{subject}}_last_day_json is
  'The last 24 closed hours of some {{subject}}s. One row. Columns: places (a JSON object by {{id}}, as text: of '
  'each, trend, see api.trend, and pm2.5, the published means in the order of time, with null where one is missing '
  '[µg/m³]), valid_until, data_version.';
