-- Quality tests in near real time, after QARTOD: stations that are offline, flat lines, and outliers among neighbours. Listed stations
-- only, one row each and no row when all is well, so each row can be an alert. The thresholds are judgements, wide enough to tolerate
-- ordinary weather and ordinary instrument errors. They are in PL/pgSQL for the same reason as the current values (70_current.sql).

-- Gap test: the station is offline (C2) but has measured before. A station that never sent a reading is left out, and so is one whose
-- readings have all been deleted by retention.
create function logic.station_offline(at timestamptz)
returns table (station_id int, last_measurement_time timestamptz, offline_minutes int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  with silent as materialized (
    select state.station_id as id
    from logic.station_state(at) state
    where state.is_listed and not exists (select from logic.station_current(at) c where c.station_id = state.station_id)
  )
  select silent.id, last.measured_at, floor(extract(epoch from at - last.measured_at) / 60)::int
  from silent
  cross join lateral (
    select newest.measured_at
    from raw.placement p
    cross join lateral (
      select r.measured_at from raw.readings r
      where r.sensor_id = p.sensor_id and r.measured_at >= p.since and r.measured_at < p.until and r.measured_at <= at
      order by r.measured_at desc limit 1
    ) newest
    where p.station_id = silent.id
    order by newest.measured_at desc limit 1
  ) last;
end $$;

-- Flat line test: a sensor of the station gave the same hourly mean for 6 closed hours in a row, up to its newest. The test uses values
-- as the instrument gave them, since a correction may map many to one. Other parameters may well stay constant for 6 hours: wind, UV and
-- rain at zero, pressure in whole hPa, gases at zero. So may humidity in fog (99.5 % and above are left out here; screening flags them
-- after 24 hours). The search for the start of the flat line goes back at most 7 days.
create function logic.station_flat_line(at timestamptz)
returns table (station_id int, parameters text, since timestamptz, hours int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  longest constant interval := (select max(stale_after) from raw.provider);
  closed constant timestamptz := rollup.bucket_start('hour', at);
  recent_since constant timestamptz := rollup.bucket_start('hour', at - longest) - interval '6 hours';
  before_since constant timestamptz := at - longest - interval '7 days';
begin
  return query
  with recent as (
    select h.bucket, h.sensor_id, p.station_id, m.parameter, m.value, provider.stale_after,
      row_number() over (partition by h.sensor_id, p.station_id, m.parameter order by h.bucket desc) as age
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    join raw.station station on station.id = p.station_id
    join raw.provider provider on provider.id = station.provider_id
    cross join lateral (values
      ('temperature', h.temperature), ('humidity', case when h.humidity < 99.5 then h.humidity end),
      ('pm25', coalesce(h.pm25_raw, h.pm25)), ('pm10', h.pm10)
    ) m(parameter, value)
    where h.bucket >= recent_since and h.bucket < closed and m.value is not null
  ),
  flat as materialized (
    select r.station_id, r.sensor_id, r.parameter, min(r.value) as value, max(r.bucket) as newest
    from recent r
    join logic.station_state(at) state on state.station_id = r.station_id and state.is_listed
    where r.age <= 6
    group by r.station_id, r.sensor_id, r.parameter, r.stale_after
    having count(*) = 6 and max(r.bucket) - min(r.bucket) = interval '5 hours' and max(r.value) - min(r.value) < 1e-6
      and max(r.bucket) >= rollup.bucket_start('hour', at - r.stale_after) -- after that the station is offline
  ),
  before as (
    -- the hours of those sensors, and the last one with another value
    select s.station_id, s.sensor_id, s.parameter, h.bucket,
      max(h.bucket) filter (where m.value is null or abs(m.value - s.value) >= 1e-6) over (partition by s.station_id, s.sensor_id, s.parameter) as last_other
    from flat s
    join rollup.sensor_hourly h on h.sensor_id = s.sensor_id and h.bucket > s.newest - interval '7 days' and h.bucket <= s.newest
    join raw.placement p
      on p.sensor_id = h.sensor_id and p.station_id = s.station_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    cross join lateral (select case s.parameter
      when 'temperature' then h.temperature when 'humidity' then h.humidity
      when 'pm25' then coalesce(h.pm25_raw, h.pm25) when 'pm10' then h.pm10 end as value) m
    where h.bucket > before_since and h.bucket < closed
  ),
  run as (
    select b.station_id, b.parameter, min(b.bucket) as since, count(*)::int as hours
    from before b
    where b.last_other is null or b.bucket > b.last_other
    group by b.station_id, b.sensor_id, b.parameter
  )
  select run.station_id, string_agg(distinct run.parameter, ', ' order by run.parameter), min(run.since), max(run.hours)
  from run
  group by run.station_id;
end $$;

-- Great-circle distance in km (haversine, the mean radius of the Earth).
create function logic.distance_km(latitude float8, longitude float8, other_latitude float8, other_longitude float8) returns float8
language sql immutable parallel safe
  return 2 * 6371.0088 * asin(least(1, sqrt(sind((other_latitude - latitude) / 2) ^ 2
    + cosd(latitude) * cosd(other_latitude) * sind((other_longitude - longitude) / 2) ^ 2)));

-- Neighbour test: PM2.5 of the station's newest closed hour against the median of at least 3 other listed stations within 10 km. An
-- outlier is more than 5 times and more than 50 µg/m³ above the median, or below a fifth of a median over 25 µg/m³. A fire next door
-- looks the same.
create function logic.station_outlier(at timestamptz)
returns table (station_id int, hour timestamptz, pm25 float8, neighbour_count int, neighbour_median float8)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
  newest_since constant timestamptz := (select rollup.bucket_start('hour', at - max(stale_after)) from raw.provider);
begin
  return query
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
    where h.bucket >= newest_since and h.bucket >= rollup.bucket_start('hour', at - l.stale_after) and h.bucket < closed and h.pm25 is not null
  )
  select one.id, one.bucket, one.pm25, around.stations, around.median
  from hour one
  cross join lateral (
    select count(*)::int as stations, percentile_cont(0.5) within group (order by other.pm25) as median
    from hour other
    where other.bucket = one.bucket and other.id <> one.id
      and abs(other.latitude - one.latitude) < 0.1 -- 11 km: avoids the trigonometry for most pairs
      and logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) <= 10
  ) around
  where one.age = 1 and around.stations >= 3
    and (one.pm25 > 5 * around.median and one.pm25 > around.median + 50 or around.median > 25 and one.pm25 < around.median / 5);
end $$;
