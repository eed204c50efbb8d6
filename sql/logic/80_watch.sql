-- What somebody should look at, at an instant: stations that fell silent, that repeat themselves, that contradict their neighbours.
-- Listed stations only, one row for each, no row when all is well: the rows can be alerts as they are. The thresholds are judgements,
-- wide enough that ordinary weather and ordinary errors stay inside them.

-- Silent: offline (C2), though it measured before. A station that never sent anything is not silent, and one that fell silent before
-- the readings that are kept is forgotten with them.
create function logic.station_silent(at timestamptz)
returns table (station_id int, last_measurement_time timestamptz, silent_minutes int)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select station.id, last.measured_at, floor(extract(epoch from at - last.measured_at) / 60)::int
  from raw.station station
  join raw.provider provider on provider.id = station.provider_id
  join logic.station_state(at) state on state.station_id = station.id and state.is_listed
  cross join lateral (
    select newest.measured_at
    from raw.placement p
    cross join lateral (
      select r.measured_at from raw.readings r
      where r.sensor_id = p.sensor_id and r.measured_at >= p.since and r.measured_at < p.until and r.measured_at <= at
      order by r.measured_at desc limit 1
    ) newest
    where p.station_id = station.id
    order by newest.measured_at desc limit 1
  ) last
  where last.measured_at <= at - provider.stale_after
$$;

-- Stuck: a sensor of the station gave the same hourly mean for 6 closed hours in a row, up to the newest it has. As the instrument
-- gave it: a correction may turn much into one value. Air that is still shows in these within 6 hours; calm, darkness and drought are
-- ordinary (wind, UV, rain), pressure in whole hPa rests that long, gases rest at zero, and humidity at its end in fog (99.5 %, as for
-- screening, which flags weather after 24 hours). Looks at most 7 days back for where it began.
create function logic.station_stuck(at timestamptz)
returns table (station_id int, metric text, since timestamptz, hours int)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recent as (
    select h.bucket, h.sensor_id, p.station_id, m.metric, m.value, provider.stale_after,
      row_number() over (partition by h.sensor_id, p.station_id, m.metric order by h.bucket desc) as age
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    join raw.station station on station.id = p.station_id
    join raw.provider provider on provider.id = station.provider_id
    cross join lateral (values
      ('temperature', h.temperature), ('humidity', case when h.humidity < 99.5 then h.humidity end),
      ('pm25', coalesce(h.pm25_raw, h.pm25)), ('pm10', h.pm10)
    ) m(metric, value)
    where h.bucket >= (select rollup.bucket_start('hour', at - max(p.stale_after)) - interval '6 hours' from raw.provider p)
      and h.bucket < rollup.bucket_start('hour', at) and m.value is not null
  ),
  stuck as materialized (
    select r.station_id, r.sensor_id, r.metric, min(r.value) as value, max(r.bucket) as newest
    from recent r
    join logic.station_state(at) state on state.station_id = r.station_id and state.is_listed
    where r.age <= 6
    group by r.station_id, r.sensor_id, r.metric, r.stale_after
    having count(*) = 6 and max(r.bucket) - min(r.bucket) = interval '5 hours' and max(r.value) - min(r.value) < 1e-6
      and max(r.bucket) >= rollup.bucket_start('hour', at - r.stale_after) -- later it is silent, not stuck
  ),
  before as (
    -- the hours of those, and the last one that said something else
    select s.station_id, s.sensor_id, s.metric, h.bucket,
      max(h.bucket) filter (where m.value is null or abs(m.value - s.value) >= 1e-6) over (partition by s.station_id, s.sensor_id, s.metric) as otherwise
    from stuck s
    join rollup.sensor_hourly h on h.sensor_id = s.sensor_id and h.bucket > s.newest - interval '7 days' and h.bucket <= s.newest
    join raw.placement p
      on p.sensor_id = h.sensor_id and p.station_id = s.station_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    cross join lateral (select case s.metric
      when 'temperature' then h.temperature when 'humidity' then h.humidity
      when 'pm25' then coalesce(h.pm25_raw, h.pm25) when 'pm10' then h.pm10 end as value) m
    where h.bucket > at - interval '7 days' - (select max(p.stale_after) from raw.provider p)
  ),
  run as (
    select b.station_id, b.metric, min(b.bucket) as since, count(*)::int as hours
    from before b
    where b.otherwise is null or b.bucket > b.otherwise
    group by b.station_id, b.sensor_id, b.metric
  )
  select run.station_id, string_agg(distinct run.metric, ', ' order by run.metric), min(run.since), max(run.hours)
  from run
  group by run.station_id
$$;

-- Great-circle distance in km (haversine, the mean radius of the Earth).
create function logic.distance_km(latitude float8, longitude float8, other_latitude float8, other_longitude float8) returns float8
language sql immutable parallel safe
  return 2 * 6371.0088 * asin(least(1, sqrt(sind((other_latitude - latitude) / 2) ^ 2
    + cosd(latitude) * cosd(other_latitude) * sind((other_longitude - longitude) / 2) ^ 2)));

-- Raving: PM2.5 of the newest closed hour against the median of the listed stations within 10 km in that hour, of which there must be
-- 3. More than 5 times and more than 50 µg/m³ above it; or below a fifth of it where it is more than 25. A fire next door does that too.
create function logic.station_raving(at timestamptz)
returns table (station_id int, hour timestamptz, pm25 float8, neighbour_count int, neighbour_median float8)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with listed as materialized (
    select s.id, s.latitude, s.longitude, p.stale_after
    from raw.station s
    join raw.provider p on p.id = s.provider_id
    join logic.station_state(at) state on state.station_id = s.id and state.is_listed
  ),
  hour as materialized (
    select h.bucket, h.pm25, l.id, l.latitude, l.longitude,
      row_number() over (partition by l.id order by h.bucket desc) as age
    from rollup.station_hourly h
    join listed l on l.id = h.station_id
    where h.bucket >= (select rollup.bucket_start('hour', at - max(p.stale_after)) from raw.provider p)
      and h.bucket >= rollup.bucket_start('hour', at - l.stale_after)
      and h.bucket < rollup.bucket_start('hour', at) and h.pm25 is not null
  )
  select one.id, one.bucket, one.pm25, around.stations, around.median
  from hour one
  cross join lateral (
    select count(*)::int as stations, percentile_cont(0.5) within group (order by other.pm25) as median
    from hour other
    where other.bucket = one.bucket and other.id <> one.id
      and abs(other.latitude - one.latitude) < 0.1 -- 11 km: spares most pairs the trigonometry
      and logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) <= 10
  ) around
  where one.age = 1 and around.stations >= 3
    and (one.pm25 > 5 * around.median and one.pm25 > around.median + 50 or around.median > 25 and one.pm25 < around.median / 5)
$$;
