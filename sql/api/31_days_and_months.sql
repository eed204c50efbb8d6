-- The same for the {{grain}} buckets of a {{place}}, with the extremes of the hourly means in them (A5).
create view api.{{place}}_{{grain}} as
  select
    b.bucket as timestamp,
    b.{{key}},
    rollup.published(b.{{members}}, 0)::int as {{members}},
    {{each mean: $publish(b.$name, $digits) as avg_$name}},
    rollup.published(rollup.wind_degrees(b.wind_sin, b.wind_cos), 0)::int % 360 as avg_wind_direction,
    rollup.published(b.rain, 1) as total_rain,
    rollup.aqi(b.pm25, b.pm10) as aqi, -- of the published means (Q3)
    {{each extreme: $publish(b.min_$name, $digits) as min_$name, $publish(b.max_$name, $digits) as max_$name}},
    b.min_aqi,
    b.max_aqi
  from rollup.{{place}}_{{grain}} b;
