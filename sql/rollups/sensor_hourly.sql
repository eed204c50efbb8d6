-- Sensor hour: the plain mean of a sensor's readings (A1), sums of rain (A6), mean unit vectors of wind direction (A7).
-- A sensor that moves within an hour has a row for each station. Quality 2 takes no part (A2).
select
  time_bucket('1 hour', measured_at) as bucket,
  sensor_id,
  station_id,
  max(quality) as quality,
  {{each mean: avg($name::float8) as $name}},
  avg(sind(wind_direction::float8)) as wind_sin,
  avg(cosd(wind_direction::float8)) as wind_cos,
  sum(rain::float8) as rain
from raw.readings
where quality < 2 and station_id is not null and {{range measured_at}}
group by 1, 2, 3
