-- The last 24 hours of some {{subject}}s: an object each with trend, see api.trend, and pm2.5, the published means in the
-- order of time, with null where one is missing.
create function logic.{{subject}}s_last_day(at timestamptz, only_{{subject}}s {{id_type}}[]) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
begin
  return (
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
  select coalesce(json_agg(json_build_object('{{key}}', p.id, 'trend', api.trend(p.newest_first), 'pm2.5', p.means)
    order by p.id), '[]')::text
  from (
    select one.id, array_agg(logic.published_non_negative(h.pm25, 1) order by slot.n) as means,
      array_agg(h.pm25 order by slot.n desc) as newest_first
    from unnest(only_{{subject}}s) one(id)
    cross join slot
    left join hour h on h.id = one.id and h.bucket = slot.bucket
    group by one.id
  ) p);
end $$;
