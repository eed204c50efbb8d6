-- Day of a {{subject}}: the mean of its hours (A4), extremes of the hourly means (A5), sum of the rain (A6). The number
-- of hours behind each mean is stored, so that a month can be the mean of its hours without reading them again.
select
  time_bucket('1 day', h.bucket, timezone => {{zone}}, origin => {{origin}}) as bucket,
  h.{{id}},
  count(*)::int as hours,
  avg(h.{{sources}})::float8 as {{sources}},
  {{list mean: avg(h.$name) as $name}},
  {{list mean: count(h.$name)::int as $name_hours}},
  {{list extreme: min(h.$name) as min_$name, max(h.$name) as max_$name}},
  min(h.aqi) as min_aqi,
  max(h.aqi) as max_aqi,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  count(h.wind_sin)::int as wind_hours,
  sum(h.rain) as rain
from {{below}} h
where {{range h.bucket}}
group by 1, 2
