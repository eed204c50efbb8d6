-- The document of explore/v1 on changes of the numbers of one {{subject}} (R1). It runs with the rights of its owner, as
-- the one on all changes does.
create function api.{{subject}}_changes_json(at timestamptz, only_{{subject}} {{id_type}}, most int default 100)
returns table (
  city_slug text, since timestamptz, first_hour timestamptz, changes text, valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  first_day constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -730);
begin
  return query
  with concerned as (
    select c.shown_at, c.reason, c.sensor_id, c.station_id, c.region_slug is null and c.station_id is null as is_all,
      tstzrange(c.since, c.until) as hours
    from rollup.change c
    where c.shown_at >= first_day and c.reason <> 'first'
      and (c.region_slug is null and c.station_id is null or {{is_changed}})
  )
  select {{city_slug}}, first_day,
    (select h.bucket from rollup.{{subject}}_hourly h where h.{{id}} = s.{{key}} order by h.bucket limit 1),
    (select coalesce(json_agg(json_build_object(
        'shown_at', date_trunc('second', d.shown_at), 'reason', d.reason, {{causes}},
        'hours', logic.hour_ranges(d.hours), 'first_hour', lower(d.hours),
        'last_hour', rollup.bucket_add('hour', upper(d.hours), -1))
      order by d.day desc, d.shown_at desc, d.reason), '[]')::text
      from (
        select rollup.bucket_start('day', c.shown_at) as day, c.reason, max(c.shown_at) as shown_at,
          bool_or(c.is_all) as is_all,
          array_agg(distinct c.sensor_id order by c.sensor_id) filter (where c.sensor_id is not null) as sensors,
          array_agg(distinct listed.id order by listed.id) filter (where listed.id is not null) as stations,
          range_agg(c.hours) as hours
        from concerned c
        left join (
          select s.id from raw.station s
          where not exists (select from raw.hidden_period h
            where h.station_id = s.id and h.since <= at and at < h.until)
        ) listed on listed.id = c.station_id
        group by 1, 2
      ) d),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.{{subject}} s cross join api.freshness f
  where s.{{key}} = only_{{subject}};
end $$;
comment on function api.{{subject}}_changes_json is
  'Changes of the published numbers of a {{subject}} (R1) that showed in the last 730 days: {{changes_meaning}}. '
  'One row; none for an unknown {{id}}.
Columns:
  city_slug (of a district; else null),
  since (start of the first local day),
  first_hour (of the {{subject}}; null without readings),
  changes (a JSON array with an object for each local day and reason, newest first, as text: shown_at (the newest of '
  'the day), reason, {{causes_meaning}}, hours, first_hour and last_hour (as in changes_json)),
  valid_until,
  data_version.';
