-- The history document of one {{subject}} in parts. The parts are JSON, because the driver would need as long to decode
-- columns as the database to read the rows. The plan is made once per connection, because planning costs as much as all
-- the rest. A cached plan skips the chunks beyond the bounds when it starts.
create function api.{{subject}}_history_json(
  only_{{subject}} {{id_type}}, hours_since timestamptz, hours_until timestamptz,
  days_since timestamptz, days_until timestamptz, months_since timestamptz, months_until timestamptz,
  {{list window: since_$key timestamptz, until_$key timestamptz}})
returns table ({{list window: "$key" text}}, data_version int) language plpgsql stable parallel safe
  set plan_cache_mode = force_generic_plan
  {{seek_settings}}
as $$
begin
  return query
  select {{list window: '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = '$unit' and p.timestamp >= since_$key and p.timestamp < until_$key), '') || ']'}},
    (select f.data_version from api.freshness f)
  from (
    select 'hour' as unit, b.timestamp, {{hour_point}} as point
    from api.{{subject}}_hourly b
    where b.{{id}} = only_{{subject}} and b.timestamp >= hours_since and b.timestamp < hours_until
    union all
    select 'day', b.timestamp, {{day_point}}
    from api.{{subject}}_daily b
    where b.{{id}} = only_{{subject}} and b.timestamp >= days_since and b.timestamp < days_until
    union all
    select 'month', b.timestamp, {{day_point}}
    from api.{{subject}}_monthly b where b.{{id}} = only_{{subject}} and b.timestamp >= months_since
      -- hides the range from the planner, which would expect a single month in it
      and (b.timestamp < months_until) is true
  ) p
  having exists (select from api.{{subject}} s where s.{{key}} = only_{{subject}});
end $$;
comment on function api.{{subject}}_history_json is
  'The history document of a {{subject}} in parts. Its other arguments are the columns of api.history_bounds. One '
  'row; none for an unknown {{id}}. Columns: {{list window: $key}} (each a JSON array of the points of the window in '
  'the order of time, as text), data_version.';

-- The history of one {{subject}} as rows and columns, for the windows of an instant. It is planned in the same way.
create function api.{{subject}}_history(at timestamptz, only_{{subject}} {{id_type}})
returns table (
  series text,
  "timestamp" timestamptz,
  {{sources}} int,
  {{list mean: avg_$name float8}},
  avg_wind_direction int,
  total_rain float8,
  aqi int,
  {{list extreme: min_$name float8, max_$name float8}},
  min_aqi int,
  max_aqi int
) language plpgsql stable parallel safe
  set plan_cache_mode = force_generic_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  range record;
begin
  select * into range from api.history_bounds(at);
  return query
  -- otherwise one would be computed for every row of the other
  with w as materialized (select * from api.history_window(at)), b as materialized (
    select 'hour' as unit, b.*, {{list extreme: null::float8 as min_$name, null::float8 as max_$name}},
      null::int as min_aqi, null::int as max_aqi
    from api.{{subject}}_hourly b
    where b.{{id}} = only_{{subject}} and b.timestamp >= range.hours_since and b.timestamp < range.hours_until
    union all
    select 'day', b.*
    from api.{{subject}}_daily b
    where b.{{id}} = only_{{subject}} and b.timestamp >= range.days_since and b.timestamp < range.days_until
    union all
    select 'month', b.*
    from api.{{subject}}_monthly b
    where b.{{id}} = only_{{subject}} and b.timestamp >= range.months_since
      and (b.timestamp < range.months_until) is true
  )
  select w.series, b.timestamp, b.{{sources}}, {{list mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{list extreme: b.min_$name, b.max_$name}}, b.min_aqi, b.max_aqi
  from b join w on w.unit = b.unit and b.timestamp >= w.since and b.timestamp < w.until;
end $$;
comment on function api.{{subject}}_history is
  'The buckets of a {{subject}} in the history windows of an instant, one row per bucket and window; none for an '
  'unknown {{id}}. Hours have no extremes. Columns: series (key of the window), and the columns of '
  'api.{{subject}}_daily.';
