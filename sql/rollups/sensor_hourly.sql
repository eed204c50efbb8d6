-- Sensor hour: the plain mean of a sensor's readings (A1), sums of rain (A6), mean unit vectors of wind direction (A7). It does
-- not depend on the network (P1) and calls no function of schema rollup, so it can survive a rebuild where the readings are deleted.
select
  time_bucket('1 hour', measured_at, origin => {{origin}}) as bucket,
  sensor_id,
  {{list mean: avg($name::float8) as $name}},
  avg(sind(wind_direction::float8)) as wind_sin,
  avg(cosd(wind_direction::float8)) as wind_cos,
  sum(rain::float8) as rain
from raw.readings
where {{range measured_at}}
group by 1, 2
