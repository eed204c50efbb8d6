-- The {{resolution}} buckets of a {{subject}}, with the extremes of their hourly means (A5).
create view api.{{subject}}_{{resolution}} as
  select
    b.bucket as timestamp,
    b.{{id}},
    logic.published(b.{{sources}}, 0)::int as {{sources}},
    {{list mean: $publish(b.$name, $digits) as avg_$name}},
    logic.published_direction(b.wind_sin, b.wind_cos) as avg_wind_direction,
    logic.published(b.rain, 1) as total_rain,
    rollup.aqi(b.pm25, b.pm10) as aqi, -- of the published means (Q3)
    {{list extreme: $publish(b.min_$name, $digits) as min_$name, $publish(b.max_$name, $digits) as max_$name}},
    b.min_aqi,
    b.max_aqi
  from rollup.{{subject}}_{{resolution}} b;
comment on view api.{{subject}}_{{resolution}} is
  '{{subject}} {{resolution}} buckets in local time, at published precision. One row per bucket with readings.';
comment on column api.{{subject}}_{{resolution}}.timestamp is 'start of the bucket';
comment on column api.{{subject}}_{{resolution}}.{{id}} is '{{id_meaning}}';
comment on column api.{{subject}}_{{resolution}}.{{sources}} is
  'number of {{sources_unit}}, mean over the hours in the bucket, rounded [{{sources_unit}}]';
{{repeat mean: comment on column api.{{subject}}_{{resolution}}.avg_$name is
  '$meaning, mean of the hours in the bucket [$unit]';}}
comment on column api.{{subject}}_{{resolution}}.avg_wind_direction is
  'direction of the mean wind vector of the bucket, clockwise from north [degrees]';
comment on column api.{{subject}}_{{resolution}}.total_rain is 'precipitation, sum of the bucket [mm]';
comment on column api.{{subject}}_{{resolution}}.aqi is
  'US EPA air quality index of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]';
{{repeat extreme: comment on column api.{{subject}}_{{resolution}}.min_$name is
  '$meaning, lowest hourly mean in the bucket [$unit]';
comment on column api.{{subject}}_{{resolution}}.max_$name is '$meaning, highest hourly mean in the bucket [$unit]';}}
comment on column api.{{subject}}_{{resolution}}.min_aqi is
  'US EPA air quality index of PM2.5 and PM10, lowest of the hours in the bucket [US EPA AQI]';
comment on column api.{{subject}}_{{resolution}}.max_aqi is
  'US EPA air quality index of PM2.5 and PM10, highest of the hours in the bucket [US EPA AQI]';
