-- The hours of a {{place}} in the words of the specification, at published precision.
create view api.{{place}}_hourly as
  select
    b.bucket as timestamp,
    b.{{key}},
    b.{{members}},
    {{each mean: $publish(b.$name, $digits) as avg_$name}},
    rollup.published(rollup.wind_degrees(b.wind_sin, b.wind_cos), 0)::int % 360 as avg_wind_direction,
    rollup.published(b.rain, 1) as total_rain,
    b.aqi
  from rollup.{{place}}_hourly b;
