-- Hours of a {{subject}}, named as in the specification, at published precision.
create view api.{{subject}}_hourly as
  select
    b.bucket as timestamp,
    b.{{id}},
    b.{{sources}},
    {{list mean: $publish(b.$name, $digits) as avg_$name}},
    logic.published_direction(b.wind_sin, b.wind_cos) as avg_wind_direction,
    logic.published(b.rain, 1) as total_rain,
    b.aqi
  from rollup.{{subject}}_hourly b;
comment on view api.{{subject}}_hourly is '{{subject}} hours at published precision. One row per hour with readings.';
comment on column api.{{subject}}_hourly.timestamp is 'start of the hour';
comment on column api.{{subject}}_hourly.{{id}} is '{{id_meaning}}';
comment on column api.{{subject}}_hourly.{{sources}} is 'number of {{sources_unit}} in the mean [{{sources_unit}}]';
{{repeat mean: comment on column api.{{subject}}_hourly.avg_$name is '$meaning, mean of the hour [$unit]';}}
comment on column api.{{subject}}_hourly.avg_wind_direction is
  'direction of the mean wind vector of the hour, clockwise from north [degrees]';
comment on column api.{{subject}}_hourly.total_rain is 'precipitation, sum of the hour [mm]';
comment on column api.{{subject}}_hourly.aqi is
  'US EPA air quality index of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]';
