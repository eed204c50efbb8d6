-- Region hour: the mean of the hours of all stations that belonged to the region in that hour, each station with equal
-- weight (A3, A8).
select
  time_bucket('1 hour', h.bucket, origin => {{origin}}) as bucket,
  m.region_slug,
  count(*)::int as station_count,
  {{list thp: avg(h.$name) filter (where not m.is_flagged) as $name}},
  {{list pm: avg(h.$name) filter (where not m.is_pm_suspect) as $name}},
  {{list ambient: avg(h.$name) as $name}},
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  avg(h.rain) as rain,
  {{rollup}}.aqi(
    avg(h.pm25) filter (where not m.is_pm_suspect),
    avg(h.pm10) filter (where not m.is_pm_suspect)) as aqi
from {{below}} h
join {{membership}} m on m.station_id = h.station_id
where h.bucket >= m.since and h.bucket < m.until and {{range h.bucket}}
group by 1, 2
