-- The history of every {{subject}} at an instant: its buckets, once per window (a bucket may be in two windows). Select one {{id}}: the
-- condition is pushed down to the indexes of the aggregates. Each part repeats the bounds of its longest window, which become constants
-- when a statement is planned for a known instant, so that only chunks within the windows are opened.
create function api.{{subject}}_history(at timestamptz)
returns table (
  series text,
  "timestamp" timestamptz,
  {{id}} {{id type}},
  {{sources}} int,
  {{each mean: avg_$name float8}},
  avg_wind_direction int,
  total_rain float8,
  aqi int,
  {{each extreme: min_$name float8, max_$name float8}},
  min_aqi int,
  max_aqi int
) language sql stable parallel safe begin atomic
  select w.series, b.timestamp, b.{{id}}, b.{{sources}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: null, null}}, null, null
  from api.history_window(at) w join api.{{subject}}_hourly b on b.timestamp >= w.since and b.timestamp < w.until
  where w.unit = 'hour' and b.timestamp >= {{hours since}} and b.timestamp < {{hours until}}
  union all
  select w.series, b.timestamp, b.{{id}}, b.{{sources}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: b.min_$name, b.max_$name}}, b.min_aqi, b.max_aqi
  from api.history_window(at) w join api.{{subject}}_daily b on b.timestamp >= w.since and b.timestamp < w.until
  where w.unit = 'day' and b.timestamp >= {{days since}} and b.timestamp < {{days until}}
  union all
  select w.series, b.timestamp, b.{{id}}, b.{{sources}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: b.min_$name, b.max_$name}}, b.min_aqi, b.max_aqi
  from api.history_window(at) w join api.{{subject}}_monthly b on b.timestamp >= w.since and b.timestamp < w.until
  where w.unit = 'month' and b.timestamp >= {{months since}} and b.timestamp < {{months until}};
end;
comment on function api.{{subject}}_history is
  'The buckets of every {{subject}} in the history windows of an instant, one row per bucket and window; select one {{id}}. Hours have no extremes. Columns: series (key of the window), and those of api.{{subject}}_daily.';
