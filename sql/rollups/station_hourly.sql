-- Station hour: the mean of its sensors' hours, each sensor with equal weight (A2). Only sensors placed there for the
-- whole hour count (P2).
select
  time_bucket('1 hour', s.bucket, origin => {{origin}}) as bucket,
  p.station_id,
  count(*)::int as sensor_count,
  {{list uncorrected: avg(s.$name) as $name}},
  {{station_pm25}} as pm25,
  avg(case when p.formula = 'none' then s.pm25_raw else coalesce(s.pm25_raw, s.pm25) end) as pm25_raw,
  avg(s.wind_sin) as wind_sin,
  avg(s.wind_cos) as wind_cos,
  avg(s.rain) as rain,
  {{rollup}}.aqi({{station_pm25}}, avg(s.pm10)) as aqi
from {{below}} s
join {{placement}} p on p.sensor_id = s.sensor_id
where s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until and {{range s.bucket}}
group by 1, 2
