-- Month of a {{subject}}: the mean of its hours (A4), computed from the days, each weighted by its number of hours.
select
  time_bucket('1 month', d.bucket, timezone => {{zone}}, origin => {{origin}}) as bucket,
  d.{{id}},
  sum(d.hours)::int as hours,
  sum(d.{{sources}} * d.hours) / sum(d.hours) as {{sources}},
  {{list mean: sum(d.$name * d.$name_hours) / nullif(sum(d.$name_hours), 0) as $name}},
  {{list mean: sum(d.$name_hours)::int as $name_hours}},
  {{list extreme: min(d.min_$name) as min_$name, max(d.max_$name) as max_$name}},
  min(d.min_aqi) as min_aqi,
  max(d.max_aqi) as max_aqi,
  sum(d.wind_sin * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_sin,
  sum(d.wind_cos * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_cos,
  sum(d.wind_hours)::int as wind_hours,
  sum(d.rain) as rain
from {{below}} d
where {{range d.bucket}}
group by 1, 2
