-- Quality tests in near real time, after QARTOD: stations that are offline, flat lines, and outliers among neighbours.
-- A test returns one row per listed station that fails it, so each row can be an alert. The thresholds are judgements,
-- wide enough to tolerate ordinary weather and ordinary instrument errors. The functions are in PL/pgSQL for the reason
-- given in 70_current.sql.

-- Gap test: the station is offline (C2) but has measured before. A station without any reading is left out: it never
-- sent one, or retention has deleted them all.
create function logic.station_offline(at timestamptz)
returns table (station_id int, last_measurement_time timestamptz, offline_minutes int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  -- the newest reading is usually that recent, and found in a few chunks instead of all
  recently constant timestamptz := at - interval '31 days';
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
    select max(coalesce(
      (
        select r.measured_at from raw.readings r
        where r.sensor_id = p.sensor_id and r.measured_at >= p.since and r.measured_at < p.until and r.measured_at <= at
          and r.measured_at >= recently
        order by r.measured_at desc limit 1
      ),
      (
        select r.measured_at from raw.readings r
        where r.sensor_id = p.sensor_id and r.measured_at >= p.since and r.measured_at < p.until and r.measured_at <= at
        order by r.measured_at desc limit 1
      )
    )) as measured_at
    from raw.placement p
    where p.station_id = silent.id
  ) last
  where last.measured_at is not null;
end $$;

-- Flat line test: a sensor of the station gave the same hourly mean for 6 closed hours in a row, up to its newest. The
-- test uses values as the instrument gave them, since a correction may map many values to one. It leaves out parameters
-- that may well stay constant for 6 hours: wind, UV and rain at zero, pressure in whole hPa, gases at zero. It also
-- leaves out humidity of 99.5 % and above, as in fog; screening flags that after 24 hours. The search for the start of
-- the flat line goes back at most 7 days.
create function logic.station_flat_line(at timestamptz)
returns table (station_id int, parameters text, since timestamptz, hours int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  longest constant interval := (select max(stale_after) from raw.provider);
  closed constant timestamptz := rollup.bucket_start('hour', at);
  recent_since constant timestamptz := rollup.bucket_start('hour', at - longest) - interval '6 hours';
  before_since constant timestamptz := at - longest - interval '7 days';
begin
  return query
  with hour as (
    select h.bucket, h.sensor_id, p.station_id, h.temperature,
      case when h.humidity < 99.5 then h.humidity end as humidity,
      coalesce(h.pm25_raw, h.pm25) as pm25, h.pm10
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= recent_since and h.bucket < closed
  ),
  recent as (
    -- the hours of a sensor at a station, each with the number of values per parameter from it to the newest
    select hour.*, count(temperature) over since as temperatures, count(humidity) over since as humidities,
      count(pm25) over since as pm25s,
      count(pm10) over since as pm10s
    from hour
    window since as (partition by sensor_id, station_id order by bucket desc)
  ),
  flat as materialized (
    select r.station_id, r.sensor_id, m.parameter, min(m.value) as value, max(r.bucket) as newest
    from recent r
    join logic.station_state(at) state on state.station_id = r.station_id and state.is_listed
    join raw.station station on station.id = r.station_id
    join raw.provider provider on provider.id = station.provider_id
    cross join lateral (values
      ('temperature', r.temperature, r.temperatures), ('humidity', r.humidity, r.humidities), ('pm25', r.pm25, r.pm25s),
        ('pm10', r.pm10, r.pm10s)
    ) m(parameter, value, age)
    where m.value is not null and m.age <= 6
    group by r.station_id, r.sensor_id, m.parameter, provider.stale_after
    having count(*) = 6 and max(r.bucket) - min(r.bucket) = interval '5 hours' and max(m.value) - min(m.value) < 1e-6
      and max(r.bucket) >= rollup.bucket_start('hour', at - provider.stale_after) -- after that the station is offline
  ),
  before as (
    -- the hours of those sensors, each with the last hour that has another value
    select s.station_id, s.sensor_id, s.parameter, h.bucket,
      max(h.bucket) filter (where m.value is null
        or abs(m.value - s.value) >= 1e-6) over (partition by s.station_id, s.sensor_id, s.parameter) as last_other
    from flat s
    join rollup.sensor_hourly h on h.sensor_id = s.sensor_id and h.bucket > s.newest - interval '7 days'
      and h.bucket <= s.newest
    join raw.placement p
      on p.sensor_id = h.sensor_id and p.station_id = s.station_id and h.bucket >= p.since
        and h.bucket + interval '1 hour' <= p.until
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
create function logic.distance_km(latitude float8, longitude float8, other_latitude float8, other_longitude float8)
  returns float8
language sql immutable parallel safe
  return 2 * 6371.0088 * asin(least(1, sqrt(sind((other_latitude - latitude) / 2) ^ 2
    + cosd(latitude) * cosd(other_latitude) * sind((other_longitude - longitude) / 2) ^ 2)));

-- The number of the cell, a cube of 10 km, that contains a place on the globe. Places within 10 km of it are in the
-- same cell or an adjacent one.
create function logic.cell(latitude float8, longitude float8) returns bigint language sql immutable parallel safe
  return (floor(637.1 * cosd(latitude) * cosd(longitude))::bigint * 4096
    + floor(637.1 * cosd(latitude) * sind(longitude))::bigint) * 4096
    + floor(637.1 * sind(latitude))::bigint;

-- The differences between the number of a cell and the numbers of itself and the 26 cells around it.
create function logic.cell_steps() returns bigint[] language sql immutable parallel safe
  return array(
    select (x * 4096::bigint + y) * 4096 + z
    from generate_series(-1, 1) x, generate_series(-1, 1) y, generate_series(-1, 1) z);

-- Neighbour test: compares PM2.5 of the station's newest closed hour with the median of at least 3 other listed
-- stations within 10 km. An outlier is more than 5 times the median and more than 50 µg/m³ above it, or below a fifth
-- of a median over 25 µg/m³. A fire next door looks the same. Few stations are far enough from the lowest or the
-- highest value in the cells around them; only those get a median.
create function logic.station_outlier(at timestamptz)
returns table (station_id int, hour timestamptz, pm25 float8, neighbour_count int, neighbour_median float8)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
  newest_since constant timestamptz := (select rollup.bucket_start('hour', at - max(stale_after)) from raw.provider);
  -- from a cell to itself and its neighbours
  steps constant bigint[] := logic.cell_steps();
begin
  return query
  with listed as materialized (
    select s.id, s.latitude, s.longitude, logic.cell(s.latitude, s.longitude) as cell, p.stale_after
    from raw.station s
    join raw.provider p on p.id = s.provider_id
    join logic.station_state(at) state on state.station_id = s.id and state.is_listed
  ),
  hour as materialized (
    select h.bucket, h.pm25, l.id, l.latitude, l.longitude, l.cell,
      row_number() over (partition by l.id order by h.bucket desc) as age
    from rollup.station_hourly h
    join listed l on l.id = h.station_id
    where h.bucket >= newest_since and h.bucket >= rollup.bucket_start('hour', at - l.stale_after) and h.bucket < closed
      and h.pm25 is not null
  ),
  filled as materialized (
    select bucket, cell, count(*) as stations, min(hour.pm25) as lowest, max(hour.pm25) as highest from hour
    group by 1, 2
  ),
  around as materialized (
    select f.bucket, f.cell, sum(other.stations) as stations, min(other.lowest) as lowest, max(other.highest) as highest
    from (select bucket, cell, cell + unnest(steps) as near from filled) f
    join filled other on other.bucket = f.bucket and other.cell = f.near
    group by 1, 2
  ),
  suspect as materialized (
    select one.*
    from hour one join around on around.bucket = one.bucket and around.cell = one.cell
    where one.age = 1 and around.stations > 3
      and (one.pm25 > 5 * around.lowest and one.pm25 > around.lowest + 50
        or around.highest > 25 and one.pm25 < around.highest / 5)
  ),
  judged as (
    select one.id, one.bucket, one.pm25, count(*)::int as stations,
      percentile_cont(0.5) within group (order by other.pm25) as median
    from (select suspect.*, cell + unnest(steps) as near from suspect) one
    join hour other on other.bucket = one.bucket and other.cell = one.near
    where other.id <> one.id and logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) <= 10
    group by 1, 2, 3
  )
  select id, bucket, judged.pm25, stations, median from judged
  where stations >= 3 and
    (judged.pm25 > 5 * median and judged.pm25 > median + 50 or median > 25 and judged.pm25 < median / 5);
end $$;
