-- The history of every {{place}} at an instant: its buckets, each with the window it stands in (a bucket may stand in two).
-- Ask it for one {{key}}: the condition reaches the aggregates' indexes.
create function api.{{place}}_history(at timestamptz)
returns table (
  series text,
  "timestamp" timestamptz,
  {{key}} {{key type}},
  {{members}} int,
  {{each mean: avg_$name float8}},
  avg_wind_direction int,
  total_rain float8,
  aqi int,
  {{each extreme: min_$name float8, max_$name float8}},
  min_aqi int,
  max_aqi int
) language sql stable parallel safe begin atomic
  select w.series, b.timestamp, b.{{key}}, b.{{members}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: null, null}}, null, null
  from api.history_window(at) w join api.{{place}}_hourly b on b.timestamp >= w.since and b.timestamp < w.until
  where w.unit = 'hour'
  union all
  select w.series, b.timestamp, b.{{key}}, b.{{members}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: b.min_$name, b.max_$name}}, b.min_aqi, b.max_aqi
  from api.history_window(at) w join api.{{place}}_daily b on b.timestamp >= w.since and b.timestamp < w.until
  where w.unit = 'day'
  union all
  select w.series, b.timestamp, b.{{key}}, b.{{members}}, {{each mean: b.avg_$name}}, b.avg_wind_direction, b.total_rain, b.aqi,
    {{each extreme: b.min_$name, b.max_$name}}, b.min_aqi, b.max_aqi
  from api.history_window(at) w join api.{{place}}_monthly b on b.timestamp >= w.since and b.timestamp < w.until
  where w.unit = 'month';
end;
