-- Measures how complete the days and months of {{subject}}s are (A11). It reads the stored numbers of hours of
-- completed days. It counts the hours of the running day, because its row may lag behind. It runs with the rights of
-- its owner, since no view of this schema has numbers of hours.
create function api.{{subject}}_completeness(
  at timestamptz, unit text, since timestamptz, until timestamptz, only_{{subject}}s {{id_type}}[] default null
)
returns table ("timestamp" timestamptz, {{id}} {{id_type}}, expected_hours int, {{list mean: $name_hours int}},
  wind_hours int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  -- bounds as values: they tell the planner which chunks to read
  first_day constant timestamptz := rollup.bucket_start(unit, since);
  first_month constant timestamptz := rollup.bucket_start('month', since);
  closed constant timestamptz := rollup.bucket_start('hour', at);
  today constant timestamptz := rollup.bucket_start('day', at);
  end_of_days constant timestamptz := least(rollup.bucket_add(unit,
    rollup.bucket_start(unit, until - interval '1 microsecond'), 1), closed);
  end_of_completed constant timestamptz := least(end_of_days, today);
begin
  return query
  with begun as materialized (
    select s.{{key}} as {{id}},
      case when exists (select from rollup.{{subject}}_monthly m
        where m.{{id}} = s.{{key}} and m.bucket < first_month) then '-infinity'
           else coalesce((select min(h.bucket) from rollup.{{subject}}_hourly h
                          where h.{{id}} = s.{{key}} and h.bucket >= first_month and h.bucket < end_of_days),
                            'infinity') end as first_hour
    from raw.{{subject}} s
    where only_{{subject}}s is null or s.{{key}} = any(only_{{subject}}s)
  ),
  day as materialized (
    select rollup.bucket_add('day', first_day, n) as bucket,
      least(rollup.bucket_add('day', first_day, n + 1), end_of_days) as until
    from generate_series(0, (extract(epoch from end_of_days - first_day) / 86400)::int) n
  ),
  measured as materialized (
    select d.bucket, d.{{id}}, {{list mean: d.$name_hours}}, d.wind_hours
    from rollup.{{subject}}_daily d
    where d.bucket >= first_day
      and d.bucket < end_of_completed and (only_{{subject}}s is null or d.{{id}} = any(only_{{subject}}s))
    union all
    select today, h.{{id}}, {{list mean: count(h.$name)}}, count(h.wind_sin)
    from rollup.{{subject}}_hourly h
    where h.bucket >= today and h.bucket < end_of_days
      and (only_{{subject}}s is null or h.{{id}} = any(only_{{subject}}s))
    group by h.{{id}}
  )
  select rollup.bucket_start(unit, d.bucket), b.{{id}},
    (sum(extract(epoch from d.until - greatest(d.bucket, b.first_hour))) / 3600)::int,
    {{list mean: coalesce(sum(m.$name_hours), 0)::int}}, coalesce(sum(m.wind_hours), 0)::int
  from begun b
  join day d on greatest(d.bucket, b.first_hour) < d.until
  left join measured m on m.bucket = d.bucket and m.{{id}} = b.{{id}}
  group by 1, 2;
end $$;
comment on function api.{{subject}}_completeness is
  'How many hours of a day or month have a value of each parameter, at an instant, for all {{subject}}s or the '
  'given ones. The buckets are the days or months (by unit) that the period touches. One row per {{subject}} and '
  'bucket from its first hour on, with readings or without.
Columns:
  timestamp (start of the bucket),
  {{id}} ({{id_meaning}}),
  expected_hours (hours of the bucket: 23 or 25 on a day when the clocks change, in the running bucket only '
  'closed hours, and in the first bucket only hours from the first one of the {{subject}} on [h]),
  {{list mean: $name_hours}} (those with a value of the parameter [h]),
  wind_hours (those with a wind direction [h]).';
