-- Current values (C1, C2, C5), unrounded. They depend on now, so they are functions of an instant; they read raw as its owner, so
-- that who may read api need not read raw. Every argument but the instant narrows the question.

drop function if exists rollup.station_current(timestamptz, int);
create function rollup.station_current(at timestamptz, only_station int default null)
returns table (
  station_id int,
  measured_at timestamptz,
  quality smallint,
  {{each mean: $name float8}},
  wind_sin float8,
  wind_cos float8,
  rain float8
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select
    station.id,
    max(newest.measured_at),
    max(latest.quality),
    {{each mean: avg(latest.$name)}},
    avg(latest.wind_sin),
    avg(latest.wind_cos),
    avg(latest.rain)
  from raw.station station
  join raw.provider provider on provider.id = station.provider_id
  cross join lateral (
    select distinct placed.sensor_id from raw.sensor_station placed
    where placed.station_id = station.id and placed.since <= at and placed.until > at - provider.stale_after
  ) sensor
  cross join lateral (
    -- per metric, the time of the sensor's newest value that is not stale
    select
      max(r.measured_at) as measured_at,
      {{each metric: max(r.measured_at) filter (where r.$name is not null) as $name}}
    from raw.readings r
    where r.sensor_id = sensor.sensor_id and r.station_id = station.id and r.quality < 2
      and r.measured_at > at - provider.stale_after and r.measured_at <= at
  ) newest
  cross join lateral (
    -- and the hour that ends with it
    select
      -- of the hours that temperature, humidity and pressure come from: a flag of theirs keeps them out of the regions' digest
      coalesce(max(r.quality) filter (
        where r.measured_at > least(newest.temperature, newest.humidity, newest.pressure) - interval '60 minutes'), 0::smallint) as quality,
      {{each mean: avg(r.$name::float8) filter (where r.measured_at > newest.$name - interval '60 minutes') as $name}},
      avg(sind(r.wind_direction::float8)) filter (where r.measured_at > newest.wind_direction - interval '60 minutes') as wind_sin,
      avg(cosd(r.wind_direction::float8)) filter (where r.measured_at > newest.wind_direction - interval '60 minutes') as wind_cos,
      sum(r.rain::float8) filter (where r.measured_at > newest.rain - interval '60 minutes') as rain
    from raw.readings r
    where r.sensor_id = sensor.sensor_id and r.station_id = station.id and r.quality < 2
      and r.measured_at > at - provider.stale_after - interval '60 minutes' and r.measured_at <= at
  ) latest
  where newest.measured_at is not null and (only_station is null or station.id = only_station)
  group by station.id
$$;

-- Whether a station is listed (C6) and flagged (C5) at an instant.
drop function if exists rollup.station_state(timestamptz, int);
create function rollup.station_state(at timestamptz, only_station int default null)
returns table (station_id int, is_listed boolean, is_bad_thp boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select
    station.id,
    not exists (select from raw.hidden_period p where p.station_id = station.id and p.since <= at and at < p.until),
    exists (select from raw.bad_thp p where p.station_id = station.id and p.since <= at and at < p.until)
  from raw.station station
  where only_station is null or station.id = only_station
$$;

-- Compass label of 16 points (C3).
create function api.compass(degrees float8) returns text language sql immutable parallel safe
  return (array['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW'])[round((degrees / 22.5)::numeric)::int % 16 + 1];

create function api.station_current(at timestamptz, only_station int default null)
returns table (
  id int, provider text, status text, is_listed boolean, is_bad_thp boolean,
  title_en text, title_ru text, title_hy text,
  city_slug text, city_en text, city_ru text, city_hy text,
  district_slug text, district_en text, district_ru text, district_hy text,
  latitude float8, longitude float8,
  measurement_time timestamptz,
  temperature float8, humidity float8, pressure int, aqi int,
  "pm2.5" float8, "pm2.5_raw" float8, pm10 float8, pm1 float8,
  wind_speed float8, wind_direction text, uv float8, rain float8,
  no2 float8, so2 float8, o3 float8, dust float8, usvh float8
) language sql stable begin atomic
  select
    s.id, s.provider,
    case when c.station_id is null then 'offline' else 'online' end,
    state.is_listed, state.is_bad_thp,
    s.title_en, s.title_ru, s.title_hy,
    s.city_slug, s.city_en, s.city_ru, s.city_hy,
    s.district_slug, s.district_en, s.district_ru, s.district_hy,
    s.latitude, s.longitude,
    c.measured_at,
    rollup.published(c.temperature, 1), rollup.published(c.humidity, 0), round(c.pressure::numeric)::int,
    rollup.aqi(c.pm25, c.pm10),
    rollup.published_floor(c.pm25, 1), rollup.published_floor(c.pm25_raw, 1),
    rollup.published_floor(c.pm10, 1), rollup.published_floor(c.pm1, 1),
    rollup.published(c.wind_speed, 1), api.compass(rollup.wind_degrees(c.wind_sin, c.wind_cos)),
    rollup.published(c.uv, 1), rollup.published(c.rain, 1),
    rollup.published(c.no2, 1), rollup.published(c.so2, 1), rollup.published(c.o3, 1),
    rollup.published_floor(c.dust, 1), rollup.published(c.usvh, 2)
  from api.station s
  join rollup.station_state(at, only_station) state on state.station_id = s.id
  left join rollup.station_current(at, only_station) c on c.station_id = s.id
  where only_station is null or s.id = only_station; end;
