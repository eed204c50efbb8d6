-- The buckets of one {{subject}} in one range of time per unit, which is all that a history takes. The plan is made once per connection:
-- planning costs as much as everything else, and a kept plan skips the chunks beyond the bounds when it starts.
create function api.{{subject}}_series(
  only_{{subject}} {{id type}}, hours_since timestamptz, hours_until timestamptz,
  days_since timestamptz, days_until timestamptz, months_since timestamptz, months_until timestamptz)
returns table (
  unit text,
  "timestamp" timestamptz,
  {{sources}} int,
  {{each mean: avg_$name float8}},
  avg_wind_direction int,
  total_rain float8,
  aqi int,
  {{each extreme: min_$name float8, max_$name float8}},
  min_aqi int,
  max_aqi int
) language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
  select 'hour', b.timestamp, b.{{sources}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: null::float8, null::float8}}, null::int, null::int
  from api.{{subject}}_hourly b where b.{{id}} = only_{{subject}} and b.timestamp >= hours_since and b.timestamp < hours_until
  union all
  select 'day', b.timestamp, b.{{sources}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: b.min_$name, b.max_$name}}, b.min_aqi, b.max_aqi
  from api.{{subject}}_daily b where b.{{id}} = only_{{subject}} and b.timestamp >= days_since and b.timestamp < days_until
  union all
  select 'month', b.timestamp, b.{{sources}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: b.min_$name, b.max_$name}}, b.min_aqi, b.max_aqi
  from api.{{subject}}_monthly b where b.{{id}} = only_{{subject}} and b.timestamp >= months_since and b.timestamp < months_until;
end $$;
comment on function api.{{subject}}_series is
  'The buckets of a {{subject}} in a range of hours, one of days and one of months, half-open, in no order; none for an unknown {{id}}. Hours have no extremes. Columns: unit (of the bucket: hour, day or month), and those of api.{{subject}}_daily.';

-- The same for the windows of an instant, with a row for each window that a bucket is in.
create function api.{{subject}}_history(at timestamptz, only_{{subject}} {{id type}})
returns table (
  series text,
  "timestamp" timestamptz,
  {{sources}} int,
  {{each mean: avg_$name float8}},
  avg_wind_direction int,
  total_rain float8,
  aqi int,
  {{each extreme: min_$name float8, max_$name float8}},
  min_aqi int,
  max_aqi int
) language sql stable parallel safe begin atomic
  select w.series, b.timestamp, b.{{sources}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: b.min_$name, b.max_$name}}, b.min_aqi, b.max_aqi
  from api.history_extent(at) e
  cross join api.{{subject}}_series(only_{{subject}}, e.hours_since, e.hours_until, e.days_since, e.days_until, e.months_since, e.months_until) b
  join api.history_window(at) w on w.unit = b.unit and b.timestamp >= w.since and b.timestamp < w.until;
end;
comment on function api.{{subject}}_history is
  'The buckets of a {{subject}} in the history windows of an instant, one row per bucket and window; none for an unknown {{id}}. Hours have no extremes. Columns: series (key of the window), and those of api.{{subject}}_daily.';
