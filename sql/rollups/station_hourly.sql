-- Station hour: the mean of its sensors' hours, however often each reports (A2). Quality is that of its worst reading.
select
  time_bucket('1 hour', s.bucket) as bucket,
  s.station_id,
  max(s.quality) as quality,
  count(*)::int as sensor_count,
  {{each mean: avg(s.$name) as $name}},
  avg(s.wind_sin) as wind_sin,
  avg(s.wind_cos) as wind_cos,
  avg(s.rain) as rain,
  rollup.aqi(avg(s.pm25), avg(s.pm10)) as aqi
from rollup.sensor_hourly s
where {{range s.bucket}}
group by 1, 2
