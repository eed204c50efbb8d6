-- Compares the last 365 completed days of one {{subject}}, and their hours, with the limits of the EU from 2030. It
-- runs with the rights of its owner, since no view of this schema has unrounded means.
create function api.{{subject}}_limits(at timestamptz, only_{{subject}} {{id_type}})
returns table (
  {{list limit_year: "mean_$key" float8}},
  {{list limit_day: "$key_days" int, "$key_days_above" int}},
  {{list limit_hour: "$key_hours" int, "$key_hours_above" int}},
  {{list limit_8_hours: "$key_days" int, "$key_days_above" int}},
  valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  today constant timestamptz := rollup.bucket_start('day', at);
  since constant timestamptz := rollup.bucket_add('day', today, -365);
  -- The mean of eight hours that ends with the first hour of a day begins seven hours before it. Null, which reads no
  -- hour, where no day has such a value: of most stations, whose hours took nine tenths of the time (30 ms of 33).
  first_hour constant timestamptz := (
    select since - interval '7 hours' from rollup.{{subject}}_daily b
    where b.{{id}} = only_{{subject}} and b.bucket >= rollup.bucket_add('day', since, -1) and b.bucket < today
      and coalesce({{list limit_hour: b.$name}}, {{list limit_8_hours: b.$name}}) is not null
    limit 1);
begin
  return query
  with day as (
    select {{list limit_day: logic.possible(b.$name)$mass as $name}}
    from rollup.{{subject}}_daily b
    where b.{{id}} = only_{{subject}} and b.bucket >= since and b.bucket < today
  ),
  measured as materialized (
    select b.bucket,
      {{list limit_hour: logic.possible(b.$name)$mass as $name}},
      {{list limit_8_hours: logic.possible(b.$name)$mass as $name}}
    from rollup.{{subject}}_hourly b
    where b.{{id}} = only_{{subject}} and b.bucket >= first_hour and b.bucket < today
  ),
  -- of every hour, since a mean of eight hours may end with an absent one; it needs 75 % of its hours
  running as (
    select every.hour,
      {{list limit_8_hours: case when count(m.$name) over eight >= 6 then avg(m.$name) over eight end as $name}}
    from generate_series(first_hour, today - interval '1 hour', interval '1 hour') every(hour)
    left join measured m on m.bucket = every.hour
    window eight as (order by every.hour rows between 7 preceding and current row)
  ),
  highest as (
    select {{list limit_8_hours: max(r.$name) as $name}}
    from running r where r.hour >= since
    group by rollup.bucket_start('day', r.hour)
  )
  select of_days.*, of_hours.*, of_eight_hours.*, api.history_valid_until(at), f.data_version
  from raw.{{subject}} s
  cross join api.freshness f
  cross join (
    select {{list limit_year: logic.published_non_negative(avg(d.$name), 1)}},
      {{list limit_day: count(d.$name)::int, (count(*) filter (where d.$name > $limit))::int}}
    from day d
  ) of_days
  cross join (
    select {{list limit_hour: count(m.$name)::int, (count(*) filter (where m.$name > $limit))::int}}
    from measured m where m.bucket >= since
  ) of_hours
  cross join (
    select {{list limit_8_hours: count(h.$name)::int, (count(*) filter (where h.$name > $limit))::int}}
    from highest h
  ) of_eight_hours
  where s.{{key}} = only_{{subject}};
end $$;
comment on function api.{{subject}}_limits is
  'The last 365 completed days of a {{subject}} compared with the limits of the EU from 2030 (Directive (EU) '
  '2024/2881, Annex I). One row; none for an unknown {{id}}. Values are compared before rounding; 1 ppb of NO2 = '
  '1.9125 µg/m³.
Columns:
  {{list limit_year: "mean_$key" (mean of the days, limit of a year $limit [µg/m³])}},
  {{list limit_day: "$key_days" (days with a value [days]), "$key_days_above" (those above $limit µg/m³ [days])}},
  {{list limit_hour: "$key_hours" (hours with a value [h]), "$key_hours_above" (those above $limit µg/m³ [h])}},
  {{list limit_8_hours: "$key_days" (days on which a mean of eight hours ends, of which six have a value [days]),
  "$key_days_above" (those whose highest such mean is above $limit µg/m³ [days])}},
  valid_until,
  data_version.';
