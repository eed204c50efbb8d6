-- Computes the days of sensors, which are not stored: means of a sensor's hours (A4). Only hours that lie wholly within
-- one placement count (P2), and only stations that are listed at the instant (C6). `since` and `until` bound the starts
-- of days.
create function logic.sensor_daily(at timestamptz, since timestamptz, until timestamptz)
returns table (
  bucket timestamptz, sensor_id int, pm25 float8, temperature float8,
  humidity float8,
  pressure float8,
  pm1 float8,
  pm10 float8,
  no2 float8,
  so2 float8,
  o3 float8,
  dust float8,
  usvh float8,
  uv float8,
  wind_speed float8, wind_sin float8, wind_cos float8,
    rain float8
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  day_since constant timestamptz := rollup.bucket_start('day', since);
  day_until constant timestamptz := rollup.bucket_start('day', until);
  first_hour constant timestamptz := case when day_since < since then rollup.bucket_add('day', day_since, 1)
    else day_since end;
  end_hour constant timestamptz := case when day_until < until then rollup.bucket_add('day', day_until, 1)
    else day_until end;
begin
  return query
  select
    rollup.bucket_start('day', s.bucket),
    s.sensor_id,
    avg(logic.possible(coalesce(s.pm25, s.pm25_raw))),
    avg(logic.possible(s.temperature)),
  avg(logic.possible(s.humidity)),
  avg(logic.possible(s.pressure)),
  avg(logic.possible(s.pm1)),
  avg(logic.possible(s.pm10)),
  avg(logic.possible(s.no2)),
  avg(logic.possible(s.so2)),
  avg(logic.possible(s.o3)),
  avg(logic.possible(s.dust)),
  avg(logic.possible(s.usvh)),
  avg(logic.possible(s.uv)),
  avg(logic.possible(s.wind_speed)),
    avg(logic.possible(s.wind_sin)),
    avg(logic.possible(s.wind_cos)),
    sum(logic.possible(s.rain))
  from rollup.sensor_hourly s
  join raw.placement p on p.sensor_id = s.sensor_id and s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until
  where s.bucket >= first_hour and s.bucket < end_hour
    and p.station_id in (select state.station_id from logic.station_state(at) state where state.is_listed)
  group by 1, 2;
end $$;

-- Hours and days of single sensors for the open data, as the instruments gave them while they were at a station (P2).

-- Only hours that lie wholly within one placement count, as in station hours. Suspicious times are in no placement.
create view api.sensor_hourly as
  select
    s.bucket as timestamp,
    s.sensor_id,
    p.station_id,
    logic.published_non_negative(coalesce(s.pm25, s.pm25_raw), 1) as avg_pm25,
    logic.published(s.temperature, 1) as avg_temperature,
  logic.published(s.humidity, 0) as avg_humidity,
  logic.published(s.pressure, 0) as avg_pressure,
  logic.published_non_negative(s.pm1, 1) as avg_pm1,
  logic.published_non_negative(s.pm10, 1) as avg_pm10,
  logic.published_non_negative(s.no2, 1) as avg_no2,
  logic.published_non_negative(s.so2, 1) as avg_so2,
  logic.published_non_negative(s.o3, 1) as avg_o3,
  logic.published_non_negative(s.dust, 1) as avg_dust,
  logic.published(s.usvh, 2) as avg_usvh,
  logic.published(s.uv, 1) as avg_uv,
  logic.published(s.wind_speed, 1) as avg_wind_speed,
    logic.published_direction(s.wind_sin, s.wind_cos) as avg_wind_direction,
    logic.published(s.rain, 1) as total_rain
  from rollup.sensor_hourly s
  join raw.placement p on p.sensor_id = s.sensor_id and s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until;
comment on view api.sensor_hourly is
  'Hours of sensors while they were at a station and not suspicious, at published precision. One row per hour with '
  'readings.';
comment on column api.sensor_hourly.timestamp is 'start of the hour';
comment on column api.sensor_hourly.sensor_id is 'sensor id';
comment on column api.sensor_hourly.station_id is 'id of the station where the sensor was';
comment on column api.sensor_hourly.avg_pm25 is
  'PM2.5 as the instrument gave it, mean of the hour: its final value, else its raw value; no formula is applied '
  '[µg/m³]';
comment on column api.sensor_hourly.avg_temperature is 'air temperature, mean of the hour [°C]';
  comment on column api.sensor_hourly.avg_humidity is 'relative humidity, mean of the hour [%]';
  comment on column api.sensor_hourly.avg_pressure is 'air pressure, mean of the hour [Pa]';
  comment on column api.sensor_hourly.avg_pm1 is 'PM1, mean of the hour [µg/m³]';
  comment on column api.sensor_hourly.avg_pm10 is 'PM10, mean of the hour [µg/m³]';
  comment on column api.sensor_hourly.avg_no2 is 'nitrogen dioxide, mean of the hour [ppb]';
  comment on column api.sensor_hourly.avg_so2 is 'sulphur dioxide, mean of the hour [µg/m³]';
  comment on column api.sensor_hourly.avg_o3 is 'ozone, mean of the hour [µg/m³]';
  comment on column api.sensor_hourly.avg_dust is 'dust (total particulate matter), mean of the hour [µg/m³]';
  comment on column api.sensor_hourly.avg_usvh is 'radiation dose rate, mean of the hour [µSv/h]';
  comment on column api.sensor_hourly.avg_uv is 'ultraviolet index, mean of the hour [UV index]';
  comment on column api.sensor_hourly.avg_wind_speed is 'wind speed, mean of the hour [m/s]';
comment on column api.sensor_hourly.avg_wind_direction is
  'direction of the mean wind vector of the hour, clockwise from north [degrees]';
comment on column api.sensor_hourly.total_rain is 'precipitation, sum of the hour [mm]';

create function api.sensor_daily(at timestamptz,
  since timestamptz default '-infinity', until timestamptz default 'infinity')
returns table (
  "timestamp" timestamptz,
  sensor_id int,
  avg_pm25 float8,
  avg_temperature float8,
  avg_humidity float8,
  avg_pressure float8,
  avg_pm1 float8,
  avg_pm10 float8,
  avg_no2 float8,
  avg_so2 float8,
  avg_o3 float8,
  avg_dust float8,
  avg_usvh float8,
  avg_uv float8,
  avg_wind_speed float8,
  avg_wind_direction int,
  total_rain float8
) language sql stable begin atomic
  select d.bucket, d.sensor_id, logic.published_non_negative(d.pm25, 1), logic.published(d.temperature, 1),
  logic.published(d.humidity, 0),
  logic.published(d.pressure, 0),
  logic.published_non_negative(d.pm1, 1),
  logic.published_non_negative(d.pm10, 1),
  logic.published_non_negative(d.no2, 1),
  logic.published_non_negative(d.so2, 1),
  logic.published_non_negative(d.o3, 1),
  logic.published_non_negative(d.dust, 1),
  logic.published(d.usvh, 2),
  logic.published(d.uv, 1),
  logic.published(d.wind_speed, 1),
    logic.published_direction(d.wind_sin, d.wind_cos), logic.published(d.rain, 1)
  from logic.sensor_daily(at, since, until) d;
end;
comment on function api.sensor_daily is
  'Days of sensors at published precision: means of the hours when they were not suspicious and at a station that is '
  'listed at the instant. One row per sensor and local day with readings; since and until (exclusive) bound the '
  'starts of the days. Columns as in api.sensor_hourly, without station_id.';

-- The archive needs these beside the published buckets: its periods, what changed in them, and the flags of stations.

-- The months and years of the archive at an instant: months of closed hours and years of completed days, the running
-- ones as far as they have come. The first is the one with the first hour of the stations. `seen`: a change up to this
-- id of rollup.change concerns no reader; `relisted`: stations that only one of reader and database lists.
--
-- The numbers of values are those behind the monthly means. They tell what no row of the record does: hours that nobody
-- had published before, such as the import of a history.
create function logic.archive_period(at timestamptz, stations int[], relisted int[], seen bigint)
returns table (
  unit text, -- of the buckets: hour or day
  name text, -- the local month or year
  since timestamptz,
  until timestamptz,
  is_running boolean,
  is_relisted boolean,
  station_change bigint, -- the newest id of a change of stations, 0 without one
  region_change bigint,
  station_values bigint,
  region_values bigint
) language sql stable begin atomic
  with first as (
    select min(h.bucket) as hour from rollup.station_hourly h where h.station_id = any(stations)
    having min(h.bucket) is not null
  ),
  period as materialized (
    select 'hour' as unit, to_char(m.since at time zone rollup.time_zone(), 'YYYY-MM') as name, m.since,
      least(m.until, rollup.bucket_start('hour', at)) as until, m.until > at as is_running
    from first f
    cross join logic.pieces('month', 1, tstzmultirange(
      tstzrange(least(rollup.bucket_start('month', f.hour), at), rollup.bucket_add('month',
        rollup.bucket_start('month', at), 1)))) m
    where m.since < rollup.bucket_start('hour', at)
    union all
    select 'day', year::text, y.since, least(y.until, rollup.bucket_start('day', at)), y.until > at
    from first f
    cross join lateral generate_series(extract(year from f.hour at time zone rollup.time_zone())::int,
      extract(year from at at time zone rollup.time_zone())::int) year
    cross join lateral (
      select make_timestamp(year, 1, 1, 0, 0, 0) at time zone rollup.time_zone() as since,
        make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone rollup.time_zone() as until) y
    where y.since < rollup.bucket_start('day', at)
  ),
  station_month as materialized (
    select m.bucket, sum(v.values)::bigint as values
    from rollup.station_monthly m
    cross join lateral (
      select sum(n) as values from unnest(array[m.hours, m.wind_hours, m.temperature_hours,
  m.humidity_hours,
  m.pressure_hours,
  m.pm1_hours,
  m.pm25_hours,
  m.pm25_raw_hours,
  m.pm10_hours,
  m.no2_hours,
  m.so2_hours,
  m.o3_hours,
  m.dust_hours,
  m.usvh_hours,
  m.uv_hours,
  m.wind_speed_hours]) n) v
    where m.station_id = any(stations)
    group by 1
  ),
  region_month as materialized (
    select m.bucket, sum(v.values)::bigint as values
    from rollup.region_monthly m
    cross join lateral (
      select sum(n) as values from unnest(array[m.hours, m.wind_hours, m.temperature_hours,
  m.humidity_hours,
  m.pressure_hours,
  m.pm1_hours,
  m.pm25_hours,
  m.pm25_raw_hours,
  m.pm10_hours,
  m.no2_hours,
  m.so2_hours,
  m.o3_hours,
  m.dust_hours,
  m.usvh_hours,
  m.uv_hours,
  m.wind_speed_hours]) n) v
    group by 1
  )
  select p.unit, p.name, p.since, p.until, p.is_running,
    exists (select from rollup.station_hourly h
      where h.station_id = any(relisted) and h.bucket >= p.since and h.bucket < p.until),
    (select coalesce(max(c.id), 0) from rollup.change c where c.id > seen and c.shown_at is not null
      and c.since < p.until and c.until > p.since and c.region_slug is null),
    (select coalesce(max(c.id), 0) from rollup.change c where c.id > seen and c.shown_at is not null
      and c.since < p.until and c.until > p.since),
    (select coalesce(sum(m.values), 0)::bigint from station_month m where m.bucket >= p.since and m.bucket < p.until),
    (select coalesce(sum(m.values), 0)::bigint from region_month m where m.bucket >= p.since and m.bucket < p.until)
  from period p
  order by p.unit, p.name;
end;

-- The hours or days (by unit) of a period in which a station is flagged, a day if one of its hours is. Only those.
create function logic.flagged_bucket(unit text, since timestamptz, until timestamptz)
returns table (bucket timestamptz, station_id int, is_bad_thp boolean, is_bad_pm boolean)
language sql stable begin atomic
  select rollup.bucket_start(unit, b.since), f.station_id, bool_or(f.kind = 'thp'), bool_or(f.kind = 'pm')
  from raw.flagged f
  cross join lateral logic.pieces(unit, 1,
    tstzmultirange(tstzrange(greatest(f.since, flagged_bucket.since), least(f.until, flagged_bucket.until)))) b
  where f.since < flagged_bucket.until and f.until > flagged_bucket.since
  group by 1, 2;
end;

