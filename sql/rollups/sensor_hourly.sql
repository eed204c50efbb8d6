-- Sensor hour: the mean of a sensor's readings (A1), the sum of its rain (A6), and the mean unit vector of its wind
-- directions (A7); a calm has none. It does not depend on the network (P1) and calls no function of schema rollup, so
-- it can survive a rebuild when the readings have been deleted.
select
  time_bucket('1 hour', measured_at, origin => {{origin}}) as bucket,
  sensor_id,
  {{list mean: avg($name::float8) as $name}},
  avg(sind(wind_direction::float8)) filter (where wind_speed is distinct from 0) as wind_sin,
  avg(cosd(wind_direction::float8)) filter (where wind_speed is distinct from 0) as wind_cos,
  sum(rain::float8) as rain
from raw.readings
where {{range measured_at}}
group by 1, 2
