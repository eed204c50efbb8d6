-- Compares a calendar year of one {{subject}}, or the last 365 completed days, with the limits of the EU from 2030. It
-- runs with the rights of its owner, since no view of this schema has unrounded means.
create function api.{{subject}}_limits(at timestamptz, only_{{subject}} {{id_type}}, year int default null)
returns table (
  first_day text, last_day text, expected_days int, expected_hours int,
  {{list limit_year: "mean_$key" float8, "$key_mean_limit" int, "$key_mean_verdict" text}},
  {{list limit_day: "$key_days" int, "$key_complete_days" int, "$key_days_above" int, "$key_days_limit" int,
  "$key_days_allowed" int, "$key_days_verdict" text, "$key_days_change" int}},
  {{list limit_hour: "$key_hours" int, "$key_hours_above" int, "$key_hours_limit" int, "$key_hours_allowed" int,
  "$key_hours_verdict" text}},
  {{list limit_8_hours: "$key_days" int, "$key_complete_days" int, "$key_days_above" int, "$key_days_limit" int,
  "$key_days_allowed" int, "$key_days_verdict" text}},
  valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  zone constant text := rollup.time_zone();
  today constant timestamptz := rollup.bucket_start('day', at);
  end_of_year constant timestamptz := make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone zone;
  until constant timestamptz := least(end_of_year, today); -- without a year, today
  is_over constant boolean := coalesce(end_of_year <= today, true);
  since constant timestamptz := coalesce(make_timestamp(year, 1, 1, 0, 0, 0) at time zone zone,
    rollup.bucket_add('day', today, -365));
  -- the same days of the year before, with which only calendar years are compared
  since_before constant timestamptz := case when year is null then since
    else ((since at time zone zone) - interval '1 year') at time zone zone end;
  until_before constant timestamptz := case when year is null then since
    else ((until at time zone zone) - interval '1 year') at time zone zone end;
  days constant int := greatest((until at time zone zone)::date - (since at time zone zone)::date, 0);
  days_before constant int := (until_before at time zone zone)::date - (since_before at time zone zone)::date;
  hours constant int := greatest(extract(epoch from until - since) / 3600, 0);
  -- The mean of eight hours that ends with the first hour of a day begins seven hours before it. Null, which reads no
  -- hour, where no day has such a value: of most stations, whose hours took nine tenths of the time (30 ms of 33).
  first_hour constant timestamptz := (
    select since - interval '7 hours' from rollup.{{subject}}_daily b
    where b.{{id}} = only_{{subject}} and b.bucket >= rollup.bucket_add('day', since, -1) and b.bucket < until
      and coalesce({{list limit_hour: b.$name}}, {{list limit_8_hours: b.$name}}) is not null
    limit 1);
begin
  return query
  -- complete: a mean of 24 hours needs 75 % of them (Annex V, Point C)
  with day as (
    select b.bucket >= since as is_in,
      {{list limit_day: logic.possible(b.$name)$mass as $name, b.$name_hours >= 18 as $name_complete}}
    from rollup.{{subject}}_daily b
    where b.{{id}} = only_{{subject}} and b.bucket >= since_before and b.bucket < until
      and (b.bucket < until_before or b.bucket >= since)
  ),
  measured as materialized (
    select b.bucket,
      {{list limit_hour: logic.possible(b.$name)$mass as $name}},
      {{list limit_8_hours: logic.possible(b.$name)$mass as $name}}
    from rollup.{{subject}}_hourly b
    where b.{{id}} = only_{{subject}} and b.bucket >= first_hour and b.bucket < until
  ),
  -- of every hour, since a mean of eight hours may end with an absent one; it needs 75 % of its hours
  running as (
    select every.hour,
      {{list limit_8_hours: case when count(m.$name) over eight >= 6 then avg(m.$name) over eight end as $name}}
    from generate_series(first_hour, until - interval '1 hour', interval '1 hour') every(hour)
    left join measured m on m.bucket = every.hour
    window eight as (order by every.hour rows between 7 preceding and current row)
  ),
  highest as (
    select {{list limit_8_hours: max(r.$name) as $name, count(r.$name) >= 18 as $name_complete}}
    from running r where r.hour >= since
    group by rollup.bucket_start('day', r.hour)
  ),
  of_days as (
    select {{list limit_day: logic.published_non_negative(avg(d.$name) filter (where d.is_in), 1) as $name_mean,
      count(d.$name) filter (where d.is_in)::int as $name_days,
      count(*) filter (where d.is_in and d.$name_complete)::int as $name_complete,
      count(*) filter (where d.is_in and d.$name > $limit)::int as $name_above,
      count(*) filter (where not d.is_in and d.$name_complete)::int as $name_complete_before,
      count(*) filter (where not d.is_in and d.$name > $limit)::int as $name_above_before}}
    from day d
  ),
  of_hours as (
    select {{list limit_hour: count(m.$name)::int as $name_hours,
      (count(*) filter (where m.$name > $limit))::int as $name_above}}
    from measured m where m.bucket >= since
  ),
  of_eight_hours as (
    select {{list limit_8_hours: count(h.$name)::int as $name_days,
      (count(*) filter (where h.$name_complete))::int as $name_complete,
      (count(*) filter (where h.$name > $limit))::int as $name_above}}
    from highest h
  )
  select to_char(since at time zone zone, 'YYYY-MM-DD'),
    case when days > 0 then to_char((until at time zone zone) - interval '1 day', 'YYYY-MM-DD') end, days, hours,
    -- of fewer days, or of a part of the year, it is no mean of a year; as published, so that 20.0 does not exceed 20
    {{list limit_year: d.$name_mean, $limit,
      api.limit_verdict(d.$name_mean > $limit and is_over and d.$name_complete >= 0.85 * days,
        d.$name_complete::float8 / nullif(days, 0), is_over)}},
    {{list limit_day: d.$name_days, d.$name_complete, d.$name_above, $limit, $allowed,
      api.limit_verdict(d.$name_above > $allowed, d.$name_complete::float8 / nullif(days, 0), is_over),
      case when d.$name_complete >= 0.85 * days and d.$name_complete_before >= 0.85 * days_before and days_before > 0
        then d.$name_above - d.$name_above_before end}},
    {{list limit_hour: h.$name_hours, h.$name_above, $limit, $allowed,
      api.limit_verdict(h.$name_above > $allowed, h.$name_hours::float8 / nullif(hours, 0), is_over)}},
    {{list limit_8_hours: e.$name_days, e.$name_complete, e.$name_above, $limit, $allowed,
      api.limit_verdict(e.$name_above > $allowed, e.$name_complete::float8 / nullif(days, 0), is_over)}},
    api.history_valid_until(at), f.data_version
  from raw.{{subject}} s
  cross join api.freshness f
  cross join of_days d
  cross join of_hours h
  cross join of_eight_hours e
  where s.{{key}} = only_{{subject}};
end $$;
comment on function api.{{subject}}_limits is
  'The completed days of a calendar year of a {{subject}}, without a year the last 365, compared with the limits of '
  'the EU from 2030 (Directive (EU) 2024/2881, Annex I). One row; none for an unknown {{id}}. The mean is '
  'compared as published, days and hours before rounding; 1 ppb of NO2 = 1.9125 µg/m³. Verdicts: see api.limit_verdict.
Columns:
  first_day and last_day (local dates; null before the first day is over),
  expected_days (days in the period [days]),
  expected_hours (hours in the period [h]),
  {{list limit_year: "mean_$key" (mean of the days [µg/m³]), "$key_mean_limit" (limit of a year [µg/m³]),
  "$key_mean_verdict" (verdict on the year)}},
  {{list limit_day: "$key_days" (days with a value [days]), "$key_complete_days" (those with 18 hours or more [days]),
  "$key_days_above" (days above the limit [days]), "$key_days_limit" (limit of a day [µg/m³]),
  "$key_days_allowed" (days above it that a year may have [days]), "$key_days_verdict" (verdict on the days),
  "$key_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days])}},
  {{list limit_hour: "$key_hours" (hours with a value [h]), "$key_hours_above" (those above the limit [h]),
  "$key_hours_limit" (limit of an hour [µg/m³]), "$key_hours_allowed" (hours above it that a year may have [h]),
  "$key_hours_verdict" (verdict on the hours)}},
  {{list limit_8_hours: "$key_days" (days on which a mean of eight hours ends, of which six have a value [days]),
  "$key_complete_days" (those with 18 such means or more [days]),
  "$key_days_above" (days whose highest such mean is above the target value [days]),
  "$key_days_limit" (target value [µg/m³]), "$key_days_allowed" (days above it that a year may have [days]),
  "$key_days_verdict" (verdict on the days)}},
  valid_until,
  data_version.';
