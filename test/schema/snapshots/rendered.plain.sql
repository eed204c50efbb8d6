
create function rollup.time_zone() returns text language sql immutable parallel safe return 'Asia/Yerevan';
create function rollup.origin() returns timestamptz language sql immutable parallel safe return timestamptz '1999-12-31 20:00:00+00';

create function rollup.bucket_start(unit text, at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return case unit when 'hour' then date_bin('1 hour', at, rollup.origin())
         else date_trunc(unit, at at time zone rollup.time_zone()) at time zone rollup.time_zone() end;

create function rollup.bucket_add(unit text, bucket timestamptz, n int) returns timestamptz
  language sql immutable parallel safe
  return case unit when 'hour' then bucket + n * interval '1 hour'
         -- truncated first: where the clocks skip midnight, that day begins at 01:00 but the next one at 00:00
         else (date_trunc(unit, bucket at time zone rollup.time_zone()) + n * ('1 ' || unit)::interval)
           at time zone rollup.time_zone() end;

create function rollup.aqi(pm25 float8, pm10 float8) returns int language plpgsql immutable parallel safe as $$
declare
  fine int := case when abs(pm25) < 500000 then
    greatest(round(case when abs(pm25 * 10 - round(pm25 * 10)) < 0.4999 then pm25 * 10
      else round(pm25::numeric, 1) * 10 end), 0) end::int;
  coarse int := case when abs(pm10) < 500000 then
    greatest(round(case when abs(pm10 * 10 - round(pm10 * 10)) < 0.4999 then pm10 * 10
      else round(pm10::numeric, 1) * 10 end), 0) end::int / 10;
begin
  return greatest(
    case
      when fine is null then null
      when fine <= 90 then (2 * 50 * fine + 90) / (2 * 90)
      when fine <= 354 then 51 + (2 * 49 * (fine - 91) + 263) / (2 * 263)
      when fine <= 554 then 101 + (2 * 49 * (fine - 355) + 199) / (2 * 199)
      when fine <= 1254 then 151 + (2 * 49 * (fine - 555) + 699) / (2 * 699)
      when fine <= 2254 then 201 + (2 * 99 * (fine - 1255) + 999) / (2 * 999)
      else 301 + (2 * 199 * (fine - 2255) + 999) / (2 * 999)
    end,
    case
      when coarse is null then null
      when coarse <= 54 then (2 * 50 * coarse + 54) / (2 * 54)
      when coarse <= 154 then 51 + (2 * 49 * (coarse - 55) + 99) / (2 * 99)
      when coarse <= 254 then 101 + (2 * 49 * (coarse - 155) + 99) / (2 * 99)
      when coarse <= 354 then 151 + (2 * 49 * (coarse - 255) + 99) / (2 * 99)
      when coarse <= 424 then 201 + (2 * 99 * (coarse - 355) + 69) / (2 * 69)
      else 301 + (2 * 199 * (coarse - 425) + 179) / (2 * 179)
    end);
end $$;

create function rollup.corrected(formula text, pm25_raw float8, humidity float8) returns float8
  language plpgsql immutable strict parallel safe as $$
declare
  smoke constant float8 := least(greatest((pm25_raw - 210) / 50, 0), 1); -- the share of the piece for smoke
begin
  if formula <> 'epa-2021' then
    raise exception 'unknown correction formula %', formula;
  end if;
  if abs(pm25_raw) >= 1e6 or abs(humidity) >= 1e6 then
    return null;
  end if;
  return greatest(0,
    (1 - smoke) * ((0.524 + 0.262 * least(greatest((pm25_raw - 30) / 20, 0), 1)) * pm25_raw - 0.0862 * humidity + 5.75)
    + smoke * (2.966 + 0.69 * pm25_raw + 8.84e-4 * pm25_raw * pm25_raw));
end $$;

create function rollup.time_bucket(bucket_width interval, ts timestamptz, origin timestamptz) returns timestamptz
language sql immutable parallel safe
  return date_bin(bucket_width, ts, origin);
create function rollup.time_bucket(bucket_width interval, ts timestamptz, timezone text, origin timestamptz)
  returns timestamptz
language sql stable parallel safe
  return date_trunc(case bucket_width when interval '1 month' then 'month' else 'day' end, ts, timezone);

create table rollup.sensor_hourly as select
  time_bucket('1 hour', measured_at, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  sensor_id,
  avg(temperature::float8) as temperature,
  avg(humidity::float8) as humidity,
  avg(pressure::float8) as pressure,
  avg(pm1::float8) as pm1,
  avg(pm25::float8) as pm25,
  avg(pm25_raw::float8) as pm25_raw,
  avg(pm10::float8) as pm10,
  avg(no2::float8) as no2,
  avg(so2::float8) as so2,
  avg(o3::float8) as o3,
  avg(dust::float8) as dust,
  avg(usvh::float8) as usvh,
  avg(uv::float8) as uv,
  avg(wind_speed::float8) as wind_speed,
  avg(sind(wind_direction::float8)) filter (where wind_speed is distinct from 0) as wind_sin,
  avg(cosd(wind_direction::float8)) filter (where wind_speed is distinct from 0) as wind_cos,
  sum(rain::float8) as rain
from raw.readings
where true
group by 1, 2 with no data;
alter table rollup.sensor_hourly add primary key (sensor_id, bucket);
create index on rollup.sensor_hourly (bucket);

create table rollup.station_hourly as select
  time_bucket('1 hour', s.bucket, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  p.station_id,
  count(*)::int as sensor_count,
  avg(s.temperature) as temperature,
  avg(s.humidity) as humidity,
  avg(s.pressure) as pressure,
  avg(s.pm1) as pm1,
  avg(s.pm10) as pm10,
  avg(s.no2) as no2,
  avg(s.so2) as so2,
  avg(s.o3) as o3,
  avg(s.dust) as dust,
  avg(s.usvh) as usvh,
  avg(s.uv) as uv,
  avg(s.wind_speed) as wind_speed,
  (coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021')
    * rollup.corrected('epa-2021', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021'),
      coalesce(avg(s.humidity) filter (where p.formula = 'epa-2021'), avg(s.humidity))), 0))
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021') end, 0) as pm25,
  avg(case when p.formula = 'none' then s.pm25_raw else coalesce(s.pm25_raw, s.pm25) end) as pm25_raw,
  avg(s.wind_sin) as wind_sin,
  avg(s.wind_cos) as wind_cos,
  avg(s.rain) as rain,
  rollup.aqi((coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021')
    * rollup.corrected('epa-2021', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021'),
      coalesce(avg(s.humidity) filter (where p.formula = 'epa-2021'), avg(s.humidity))), 0))
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021') end, 0), avg(s.pm10)) as aqi
from rollup.sensor_hourly s
join raw.placement p on p.sensor_id = s.sensor_id
where s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until and true
group by 1, 2 with no data;
alter table rollup.station_hourly add primary key (station_id, bucket);
create index on rollup.station_hourly (bucket);

create table rollup.region_hourly as select
  time_bucket('1 hour', h.bucket, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  m.region_slug,
  count(*)::int as station_count,
  avg(h.temperature) filter (where not m.is_flagged) as temperature,
  avg(h.humidity) filter (where not m.is_flagged) as humidity,
  avg(h.pressure) filter (where not m.is_flagged) as pressure,
  avg(h.pm1) filter (where not m.is_pm_suspect) as pm1,
  avg(h.pm25) filter (where not m.is_pm_suspect) as pm25,
  avg(h.pm25_raw) filter (where not m.is_pm_suspect) as pm25_raw,
  avg(h.pm10) filter (where not m.is_pm_suspect) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  avg(h.rain) as rain,
  rollup.aqi(
    avg(h.pm25) filter (where not m.is_pm_suspect),
    avg(h.pm10) filter (where not m.is_pm_suspect)) as aqi
from rollup.station_hourly h
join raw.membership m on m.station_id = h.station_id
where h.bucket >= m.since and h.bucket < m.until and true
group by 1, 2 with no data;
alter table rollup.region_hourly add primary key (region_slug, bucket);
create index on rollup.region_hourly (bucket);

create table rollup.station_daily as select
  time_bucket('1 day', h.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  h.station_id,
  count(*)::int as hours,
  avg(h.sensor_count)::float8 as sensor_count,
  avg(h.temperature) as temperature,
  avg(h.humidity) as humidity,
  avg(h.pressure) as pressure,
  avg(h.pm1) as pm1,
  avg(h.pm25) as pm25,
  avg(h.pm25_raw) as pm25_raw,
  avg(h.pm10) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  count(h.temperature)::int as temperature_hours,
  count(h.humidity)::int as humidity_hours,
  count(h.pressure)::int as pressure_hours,
  count(h.pm1)::int as pm1_hours,
  count(h.pm25)::int as pm25_hours,
  count(h.pm25_raw)::int as pm25_raw_hours,
  count(h.pm10)::int as pm10_hours,
  count(h.no2)::int as no2_hours,
  count(h.so2)::int as so2_hours,
  count(h.o3)::int as o3_hours,
  count(h.dust)::int as dust_hours,
  count(h.usvh)::int as usvh_hours,
  count(h.uv)::int as uv_hours,
  count(h.wind_speed)::int as wind_speed_hours,
  min(h.temperature) as min_temperature, max(h.temperature) as max_temperature,
  min(h.pm25) as min_pm25, max(h.pm25) as max_pm25,
  min(h.pm10) as min_pm10, max(h.pm10) as max_pm10,
  min(h.no2) as min_no2, max(h.no2) as max_no2,
  min(h.dust) as min_dust, max(h.dust) as max_dust,
  min(h.wind_speed) as min_wind_speed, max(h.wind_speed) as max_wind_speed,
  min(h.aqi) as min_aqi,
  max(h.aqi) as max_aqi,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  count(h.wind_sin)::int as wind_hours,
  sum(h.rain) as rain
from rollup.station_hourly h
where true
group by 1, 2 with no data;
alter table rollup.station_daily add primary key (station_id, bucket);
create index on rollup.station_daily (bucket);

create table rollup.region_daily as select
  time_bucket('1 day', h.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  h.region_slug,
  count(*)::int as hours,
  avg(h.station_count)::float8 as station_count,
  avg(h.temperature) as temperature,
  avg(h.humidity) as humidity,
  avg(h.pressure) as pressure,
  avg(h.pm1) as pm1,
  avg(h.pm25) as pm25,
  avg(h.pm25_raw) as pm25_raw,
  avg(h.pm10) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  count(h.temperature)::int as temperature_hours,
  count(h.humidity)::int as humidity_hours,
  count(h.pressure)::int as pressure_hours,
  count(h.pm1)::int as pm1_hours,
  count(h.pm25)::int as pm25_hours,
  count(h.pm25_raw)::int as pm25_raw_hours,
  count(h.pm10)::int as pm10_hours,
  count(h.no2)::int as no2_hours,
  count(h.so2)::int as so2_hours,
  count(h.o3)::int as o3_hours,
  count(h.dust)::int as dust_hours,
  count(h.usvh)::int as usvh_hours,
  count(h.uv)::int as uv_hours,
  count(h.wind_speed)::int as wind_speed_hours,
  min(h.temperature) as min_temperature, max(h.temperature) as max_temperature,
  min(h.pm25) as min_pm25, max(h.pm25) as max_pm25,
  min(h.pm10) as min_pm10, max(h.pm10) as max_pm10,
  min(h.no2) as min_no2, max(h.no2) as max_no2,
  min(h.dust) as min_dust, max(h.dust) as max_dust,
  min(h.wind_speed) as min_wind_speed, max(h.wind_speed) as max_wind_speed,
  min(h.aqi) as min_aqi,
  max(h.aqi) as max_aqi,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  count(h.wind_sin)::int as wind_hours,
  sum(h.rain) as rain
from rollup.region_hourly h
where true
group by 1, 2 with no data;
alter table rollup.region_daily add primary key (region_slug, bucket);
create index on rollup.region_daily (bucket);

create table rollup.station_monthly as select
  time_bucket('1 month', d.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  d.station_id,
  sum(d.hours)::int as hours,
  sum(d.sensor_count * d.hours) / sum(d.hours) as sensor_count,
  sum(d.temperature * d.temperature_hours) / nullif(sum(d.temperature_hours), 0) as temperature,
  sum(d.humidity * d.humidity_hours) / nullif(sum(d.humidity_hours), 0) as humidity,
  sum(d.pressure * d.pressure_hours) / nullif(sum(d.pressure_hours), 0) as pressure,
  sum(d.pm1 * d.pm1_hours) / nullif(sum(d.pm1_hours), 0) as pm1,
  sum(d.pm25 * d.pm25_hours) / nullif(sum(d.pm25_hours), 0) as pm25,
  sum(d.pm25_raw * d.pm25_raw_hours) / nullif(sum(d.pm25_raw_hours), 0) as pm25_raw,
  sum(d.pm10 * d.pm10_hours) / nullif(sum(d.pm10_hours), 0) as pm10,
  sum(d.no2 * d.no2_hours) / nullif(sum(d.no2_hours), 0) as no2,
  sum(d.so2 * d.so2_hours) / nullif(sum(d.so2_hours), 0) as so2,
  sum(d.o3 * d.o3_hours) / nullif(sum(d.o3_hours), 0) as o3,
  sum(d.dust * d.dust_hours) / nullif(sum(d.dust_hours), 0) as dust,
  sum(d.usvh * d.usvh_hours) / nullif(sum(d.usvh_hours), 0) as usvh,
  sum(d.uv * d.uv_hours) / nullif(sum(d.uv_hours), 0) as uv,
  sum(d.wind_speed * d.wind_speed_hours) / nullif(sum(d.wind_speed_hours), 0) as wind_speed,
  sum(d.temperature_hours)::int as temperature_hours,
  sum(d.humidity_hours)::int as humidity_hours,
  sum(d.pressure_hours)::int as pressure_hours,
  sum(d.pm1_hours)::int as pm1_hours,
  sum(d.pm25_hours)::int as pm25_hours,
  sum(d.pm25_raw_hours)::int as pm25_raw_hours,
  sum(d.pm10_hours)::int as pm10_hours,
  sum(d.no2_hours)::int as no2_hours,
  sum(d.so2_hours)::int as so2_hours,
  sum(d.o3_hours)::int as o3_hours,
  sum(d.dust_hours)::int as dust_hours,
  sum(d.usvh_hours)::int as usvh_hours,
  sum(d.uv_hours)::int as uv_hours,
  sum(d.wind_speed_hours)::int as wind_speed_hours,
  min(d.min_temperature) as min_temperature, max(d.max_temperature) as max_temperature,
  min(d.min_pm25) as min_pm25, max(d.max_pm25) as max_pm25,
  min(d.min_pm10) as min_pm10, max(d.max_pm10) as max_pm10,
  min(d.min_no2) as min_no2, max(d.max_no2) as max_no2,
  min(d.min_dust) as min_dust, max(d.max_dust) as max_dust,
  min(d.min_wind_speed) as min_wind_speed, max(d.max_wind_speed) as max_wind_speed,
  min(d.min_aqi) as min_aqi,
  max(d.max_aqi) as max_aqi,
  sum(d.wind_sin * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_sin,
  sum(d.wind_cos * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_cos,
  sum(d.wind_hours)::int as wind_hours,
  sum(d.rain) as rain
from rollup.station_daily d
where true
group by 1, 2 with no data;
alter table rollup.station_monthly add primary key (station_id, bucket);
create index on rollup.station_monthly (bucket);

create table rollup.region_monthly as select
  time_bucket('1 month', d.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  d.region_slug,
  sum(d.hours)::int as hours,
  sum(d.station_count * d.hours) / sum(d.hours) as station_count,
  sum(d.temperature * d.temperature_hours) / nullif(sum(d.temperature_hours), 0) as temperature,
  sum(d.humidity * d.humidity_hours) / nullif(sum(d.humidity_hours), 0) as humidity,
  sum(d.pressure * d.pressure_hours) / nullif(sum(d.pressure_hours), 0) as pressure,
  sum(d.pm1 * d.pm1_hours) / nullif(sum(d.pm1_hours), 0) as pm1,
  sum(d.pm25 * d.pm25_hours) / nullif(sum(d.pm25_hours), 0) as pm25,
  sum(d.pm25_raw * d.pm25_raw_hours) / nullif(sum(d.pm25_raw_hours), 0) as pm25_raw,
  sum(d.pm10 * d.pm10_hours) / nullif(sum(d.pm10_hours), 0) as pm10,
  sum(d.no2 * d.no2_hours) / nullif(sum(d.no2_hours), 0) as no2,
  sum(d.so2 * d.so2_hours) / nullif(sum(d.so2_hours), 0) as so2,
  sum(d.o3 * d.o3_hours) / nullif(sum(d.o3_hours), 0) as o3,
  sum(d.dust * d.dust_hours) / nullif(sum(d.dust_hours), 0) as dust,
  sum(d.usvh * d.usvh_hours) / nullif(sum(d.usvh_hours), 0) as usvh,
  sum(d.uv * d.uv_hours) / nullif(sum(d.uv_hours), 0) as uv,
  sum(d.wind_speed * d.wind_speed_hours) / nullif(sum(d.wind_speed_hours), 0) as wind_speed,
  sum(d.temperature_hours)::int as temperature_hours,
  sum(d.humidity_hours)::int as humidity_hours,
  sum(d.pressure_hours)::int as pressure_hours,
  sum(d.pm1_hours)::int as pm1_hours,
  sum(d.pm25_hours)::int as pm25_hours,
  sum(d.pm25_raw_hours)::int as pm25_raw_hours,
  sum(d.pm10_hours)::int as pm10_hours,
  sum(d.no2_hours)::int as no2_hours,
  sum(d.so2_hours)::int as so2_hours,
  sum(d.o3_hours)::int as o3_hours,
  sum(d.dust_hours)::int as dust_hours,
  sum(d.usvh_hours)::int as usvh_hours,
  sum(d.uv_hours)::int as uv_hours,
  sum(d.wind_speed_hours)::int as wind_speed_hours,
  min(d.min_temperature) as min_temperature, max(d.max_temperature) as max_temperature,
  min(d.min_pm25) as min_pm25, max(d.max_pm25) as max_pm25,
  min(d.min_pm10) as min_pm10, max(d.max_pm10) as max_pm10,
  min(d.min_no2) as min_no2, max(d.max_no2) as max_no2,
  min(d.min_dust) as min_dust, max(d.max_dust) as max_dust,
  min(d.min_wind_speed) as min_wind_speed, max(d.max_wind_speed) as max_wind_speed,
  min(d.min_aqi) as min_aqi,
  max(d.max_aqi) as max_aqi,
  sum(d.wind_sin * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_sin,
  sum(d.wind_cos * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_cos,
  sum(d.wind_hours)::int as wind_hours,
  sum(d.rain) as rain
from rollup.region_daily d
where true
group by 1, 2 with no data;
alter table rollup.region_monthly add primary key (region_slug, bucket);
create index on rollup.region_monthly (bucket);

do $$
declare
  name text;
  statement text;
begin
  foreach name in array array['logic', 'api'] loop
    if to_regnamespace(name) is not null then
      execute format('alter schema %I rename to %I', name, name || '_old');
    end if;
    execute format('create schema %I', name);
    for statement in
      select format('alter default privileges in schema %I grant %s on %s to %s', name, a.privilege_type,
        case d.defaclobjtype when 'f' then 'routines' when 'T' then 'types' when 'S' then 'sequences' else 'tables' end,
        case when a.grantee = 0 then 'public' else a.grantee::regrole::text end)
      from pg_default_acl d, aclexplode(d.defaclacl) a
      where d.defaclnamespace = to_regnamespace(name || '_old') and d.defaclrole = 'airseries_owner'::regrole
    loop
      execute statement;
    end loop;
  end loop;
end $$;
revoke all on schema logic, api from public;
-- Plain PostgreSQL: deletes expired readings, and measures tables.

-- How much time between stale months is recomputed with them: none, since each month reads its own days only.
create function logic.month_gap() returns interval language sql immutable parallel safe return interval '0';

-- Storage maintenance: nothing to do here, autovacuum is enough.
create or replace procedure rollup.maintain(now timestamptz) language sql as '';

-- Deletes readings measured before installation.retained_from, one day per transaction. Their hours are logged as
-- changed, like any others, but a refresh skips them.
create procedure logic.delete_expired_readings() language plpgsql as $$
declare
  expired constant timestamptz := (select retained_from from raw.installation);
  oldest timestamptz;
begin
  loop
    oldest := (select min(measured_at) from raw.readings);
    exit when (oldest < expired) is not true; -- `expired` may lie within a day
    delete from raw.readings
    where measured_at < least(rollup.bucket_add('day', rollup.bucket_start('day', oldest), 1), expired);
    commit;
  end loop;
end $$;

-- Size of a schema on disk in bytes.
create function logic.size_of(wanted text) returns bigint language sql stable as $$
  select sum(pg_total_relation_size(c.oid))::bigint from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = wanted and c.relkind in ('r', 'm')
$$;

-- The table that stores the sensor hours.
create function logic.storage_of_sensor_hours() returns regclass language sql stable
  return 'rollup.sensor_hourly'::regclass;

-- The number of stored sensor hours before an instant: unknown, because a count reads all of them (0.9 s for 8.4
-- million), and nothing but a person can delete any. The nightly audit counts them.
create function logic.stored_kept_hours(until timestamptz) returns bigint language sql immutable return null::bigint;

-- Functions that turn stored values into published ones.

-- Returns the value, or null if no instrument can have measured it: NaN, infinities, and magnitudes of a billion or
-- more.
create function logic.possible(value float8) returns float8 language sql immutable parallel safe
  return case when abs(value) < 1e9 then value end;

-- Rounds a value to `digits` decimals, halves away from zero, and never returns -0. Halves are judged by the 15 digits
-- that a float8 certainly holds. Values that logic.possible rejects become null. Near a half, numeric arithmetic
-- decides; elsewhere floats give the same result sooner.
create function logic.published(value float8, digits int) returns float8
  language sql immutable parallel safe return case
  when abs(value) >= 1e9 then null -- NaN compares as greater than any number
  when abs(value * 10::float8 ^ digits - round(value * 10::float8 ^ digits)) < 0.4999
    then round(value * 10::float8 ^ digits) / 10::float8 ^ digits + 0
  else round(value::numeric, digits)::float8 end;

-- Like logic.published, for concentrations of particles and gases: negative values become 0, because instruments report
-- small ones.
create function logic.published_non_negative(value float8, digits int) returns float8
  language sql immutable parallel safe return case
  when value > -1e9 and value <= 0 then 0::float8
  else logic.published(value, digits) end;

-- Direction of a mean wind vector in degrees clockwise from north, in [0, 360). Null if the vector is too short to have
-- a direction (A7), or too long to be a mean of directions.
create function logic.wind_degrees(wind_sin float8, wind_cos float8) returns float8 language sql immutable parallel safe
  return case when abs(wind_sin) < 2 and abs(wind_cos) < 2 then
    case when wind_sin * wind_sin + wind_cos * wind_cos >= 1e-12
      then (atan2d(wind_sin, wind_cos)::numeric + 360) % 360 end
  end::float8;

-- Direction of a mean wind vector as published: whole degrees from 0 to 359.
create function logic.published_direction(wind_sin float8, wind_cos float8) returns int
  language sql immutable parallel safe
  return round(logic.wind_degrees(wind_sin, wind_cos)::numeric)::int % 360;

-- Equality of aggregates (A10): the tolerance is relative, 1e-9, and absolute below 1, because terms that cancel leave
-- a sum near 0 but not at 0. Null, NaN and infinities equal only themselves.
create function logic.same(a float8, b float8) returns boolean language sql immutable parallel safe return case
  when abs(a) < 1e300 and abs(b) < 1e300 then abs(a - b) <= 1e-9 * greatest(1, abs(a), abs(b))
  else a is not distinct from b end;

-- Announces that published data may have changed: processes that cache documents read the version from api.freshness
-- every second. Call it last in a transaction: every other caller waits for the row until that transaction ends.
create function logic.raise_data_version() returns void language sql as $$
  update rollup.freshness set data_version = data_version + 1
$$;
revoke all on function logic.raise_data_version from public;

-- Distances between places, and cells of the globe by which near ones are found.

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

-- Functions on ranges of time and on the buckets that they overlap.

-- The first full hour at or after an instant (Z3). Infinities are returned unchanged.
create function logic.hour_ceiling(at timestamptz) returns timestamptz language sql immutable parallel safe
  return case when rollup.bucket_start('hour', at) = at then at else rollup.bucket_start('hour', at)
    + interval '1 hour' end;

-- The bucket of a unit that contains an instant.
create function logic.bucket(unit text, at timestamptz) returns tstzrange language sql immutable parallel safe
  return tstzrange(rollup.bucket_start(unit, at), rollup.bucket_add(unit, rollup.bucket_start(unit, at), 1));

-- Symmetric difference of two sets of ranges. Null counts as empty.
create function logic.symmetric_difference(a tstzmultirange, b tstzmultirange) returns tstzmultirange
  language sql immutable parallel safe
  return (coalesce(a, '{}') + coalesce(b, '{}')) - (coalesce(a, '{}') * coalesce(b, '{}'));

-- Extends ranges to whole buckets of a unit, keeping infinite bounds. Null counts as empty.
create function logic.widen(unit text, ranges tstzmultirange) returns tstzmultirange
  language sql immutable parallel safe
  return (select coalesce(range_agg(tstzrange(
            rollup.bucket_start(unit, lower(part)),
            rollup.bucket_add(unit, rollup.bucket_start(unit, upper(part) - interval '1 microsecond'), 1))), '{}')
          from unnest(ranges) part);

-- The whole hours inside ranges. Null counts as empty.
create function logic.whole_hours(ranges tstzmultirange) returns tstzmultirange
  language sql immutable parallel safe
  return (select coalesce(range_agg(tstzrange(hours.first, hours.next)), '{}')
          from unnest(ranges) part
          cross join lateral (select logic.hour_ceiling(lower(part)) as first,
            rollup.bucket_start('hour', upper(part)) as next) hours
          where hours.first < hours.next);

-- Joins ranges between which no more than `gap` lies, counted in hours.
create function logic.join_ranges(ranges tstzmultirange, gap interval) returns tstzmultirange language sql stable as $$
  select coalesce(range_agg(tstzrange(lower(part), upper(part) - gap)), '{}')
  from unnest((select range_agg(tstzrange(lower(part), upper(part) + gap)) from unnest(ranges) part)) part
$$;

-- Splits finite ranges into pieces of `buckets` buckets of a unit, counted from the bucket in which each range begins,
-- in order of time.
create function logic.pieces(unit text, buckets int, ranges tstzmultirange)
  returns table (since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select greatest(lower(whole), piece.first), least(upper(whole), piece.next)
  from unnest(ranges) whole
  cross join lateral (select rollup.bucket_start(unit, lower(whole)) as at) start
  cross join lateral generate_series(0, (extract(epoch from upper(whole) - start.at)
    -- a month or a day can be shorter than its interval
    / (extract(epoch from ('1 ' || unit)::interval) * 0.9 * buckets))::int + 1) n
  cross join lateral (
    select rollup.bucket_add(unit, start.at, n * buckets) as first,
      rollup.bucket_add(unit, start.at, (n + 1) * buckets) as next
  ) piece
  where piece.first < upper(whole)
  order by 1;
end;

-- The rules of the zone (Z5). They are the server's, and may change with any update of its tzdata. Those by which days
-- and months were computed are recorded in raw.zone_offset; stamps without an offset are read by them, too. Each refresh
-- begins by comparing them with its own session's, because a session keeps the rules that it has once read. Rules
-- that changed are followed or refused.

-- Local time less UTC.
create function logic.utc_offset(zone text, at timestamptz) returns interval language sql stable parallel safe
  return at at time zone zone - at at time zone 'UTC';

-- The first second between `low` and `high` at which the offset is no longer the offset at `low`. The offset at `high`
-- is another.
create function logic.clock_change(zone text, low timestamptz, high timestamptz) returns timestamptz
language plpgsql stable as $$
declare
  before constant interval := logic.utc_offset(zone, low);
  middle timestamptz;
begin
  while high - low > interval '1 second' loop
    middle := date_trunc('second', low + (high - low) / 2);
    if logic.utc_offset(zone, middle) = before then low := middle; else high := middle; end if;
  end loop;
  return high;
end $$;

-- Instants between two others, these included, at which to look at a zone. One look every six days misses no offset: of
-- all zones since 1990, the shortest period is one of six days and 23 hours (Recife, 2000).
create function logic.looks(first timestamptz, last timestamptz) returns setof timestamptz language sql immutable as $$
  select generate_series(first, last, interval '144 hours') union all select last
$$;

-- The offsets of a zone between two instants, each with its period.
create function logic.zone_offsets(zone text, first timestamptz, last timestamptz)
  returns table (since timestamptz, until timestamptz, utc_offset interval)
language sql stable as $$
  with look as (
    select at, logic.utc_offset(zone, at) as utc_offset from logic.looks(first, last) at
  ),
  change as (
    select first as at
    union all
    select logic.clock_change(zone, l.at, l.next)
    from (select at, lead(at) over w as next, utc_offset, lead(utc_offset) over w as next_offset
      from look window w as (order by at)) l
    where l.next_offset <> l.utc_offset
  )
  select at, lead(at, 1, last) over (order by at), logic.utc_offset(zone, at) from change
$$;

-- The rules by which stamps of a zone without an offset are read: of the installation's zone those recorded, of another
-- the server's. No row: the server knows no such zone.
create function logic.zone_transitions(zone text, now timestamptz) returns table (since timestamptz, utc_offset interval)
language sql stable as $$
  with recorded as (
    select z.since, z.utc_offset from raw.zone_offset z where lower(zone) = lower(rollup.time_zone())
  )
  select * from recorded
  union all
  select o.since, o.utc_offset
  from pg_timezone_names known
  cross join logic.zone_offsets(known.name, rollup.origin(), now + interval '5 years') o
  where lower(known.name) = lower(zone) and not exists (select from recorded)
$$;

-- The first instant at which this server's rules differ from the recorded ones. Null: at none.
create function logic.zone_difference() returns timestamptz language sql stable as $$
  select logic.clock_change(rollup.time_zone(), r.since, l.at)
  from raw.zone_offset r
  cross join logic.looks(r.since, r.until - interval '1 second') l(at)
  where logic.utc_offset(rollup.time_zone(), l.at) <> r.utc_offset
  order by l.at limit 1
$$;

-- Why days and months can't be computed by this server's rules from an instant on (Z1); null: they can.
create function logic.zone_fault(zone text, from_instant timestamptz, last timestamptz) returns text
language sql stable as $$
  select case when c.moves_minutes then format('from %s on its hours would begin at other minutes', c.local)
    else format('the local midnight %s would occur twice', c.midnight) end
  from (
    select since,
      since at time zone 'UTC' + utc_offset as local,
      mod(extract(epoch from utc_offset - before)::int, 3600) <> 0 as moves_minutes,
      date_trunc('day', since at time zone 'UTC' + before - interval '1 microsecond') as midnight
    from (
      select since, utc_offset, lag(utc_offset) over (order by since) as before
      from logic.zone_offsets(zone, rollup.origin(), last)
    ) o
  ) c
  where c.since >= from_instant and (c.moves_minutes or c.midnight >= c.local)
  order by c.since limit 1
$$;

-- Follows the server's rules where they are no longer the recorded ones: records them, and has the days and months from
-- the day before the first difference on computed from their hours, which don't move. A change by which they can't be
-- computed is refused: they stay as they are, and are not computed, until the rules are others. Says either with a
-- warning of SQLSTATE AS102. The refresh lock must be held, so that no other session computes meanwhile.
create function logic.follow_zone_rules(now timestamptz) returns void language plpgsql as $$
declare
  zone constant text := rollup.time_zone();
  last constant timestamptz := now + interval '5 years';
  recorded_until constant timestamptz := (select max(until) from raw.zone_offset);
  installation constant raw.installation := (select i from raw.installation i);
  difference timestamptz := logic.zone_difference();
  -- before PostgreSQL 18, zone_fault takes 5 ms of each refresh even to find nothing
  fault constant text := case when difference is not null then logic.zone_fault(zone, difference, last) end;
begin
  if fault is not null then
    if (installation.zone_refused_from, installation.zone_refused) is distinct from (difference, fault) then
      update raw.installation set zone_refused_from = difference, zone_refused = fault;
      raise warning using errcode = 'AS102', message = format(
        'the server''s rules of %s changed from %s on, and are refused: %s. Days and months from then on '
        'stay as they are', zone, difference, fault);
    end if;
    return;
  end if;
  if difference is not null or installation.zone_refused_from is not null then
    difference := least(difference, installation.zone_refused_from);
    insert into rollup.stale (from_level, since, until, reason)
    values ('station_daily', rollup.bucket_start('day', difference - interval '1 day'), 'infinity', 'zone');
    update raw.installation set zone_changed_at = now, zone_changed_from = difference, zone_refused_from = null,
      zone_refused = null;
    perform logic.raise_data_version(); -- it publishes times with their offsets
    raise warning using errcode = 'AS102', message = format(
      'the server''s rules of %s changed from %s on: days and months from then on are computed again. '
      'Restart processes that were connected before', zone, difference);
  end if;
  if difference is not null or recorded_until is null or recorded_until < last - interval '30 days' then
    delete from raw.zone_offset;
    insert into raw.zone_offset select * from logic.zone_offsets(zone, rollup.origin(), last);
  end if;
end $$;

-- The buckets of a unit that a refused change leaves as they are. The day of the difference may begin twice, so the day
-- before it is the first.
create function logic.refused_buckets(unit text) returns tstzmultirange language sql stable as $$
  select case when unit = 'hour' or i.zone_refused_from is null then '{}'
    else tstzmultirange(tstzrange(
      rollup.bucket_start(unit, rollup.bucket_start('day', i.zone_refused_from - interval '1 day')), 'infinity')) end
  from raw.installation i
$$;

revoke all on function logic.follow_zone_rules from public;

-- Derives from the periods of the network when a sensor's readings count for a station, and when a station's hours
-- count for a region.

-- Placements (P2): when a sensor was at a station, minus its suspicious periods and those that were removed with their
-- readings, split where its formula changes. Formulas change on full hours.
create view logic.placement as
  with corrected as (
    select sensor_id, formula, range_agg(tstzrange(logic.hour_ceiling(since), logic.hour_ceiling(until))) as periods
    from raw.correction group by 1, 2
  ),
  formula as (
    select sensor_id, formula, periods from corrected
    union all
    select sensor.id, 'none', '{[-infinity,infinity)}'::tstzmultirange - coalesce(of_sensor.periods, '{}')
    from raw.sensor sensor
    left join (select sensor_id, range_agg(periods) as periods from corrected group by 1) of_sensor
      on of_sensor.sensor_id = sensor.id
  )
  select located.sensor_id, located.station_id, formula.formula,
    lower(part) as since, upper(part) as until
  from (select sensor_id, station_id, range_agg(tstzrange(since, until)) as periods from raw.sensor_station
    group by 1, 2) located
  join formula on formula.sensor_id = located.sensor_id
  left join (select sensor_id, range_agg(tstzrange(since, until)) as periods from raw.suspicious_period
    group by 1) suspicious
    on suspicious.sensor_id = located.sensor_id
  left join (select sensor_id, range_agg(tstzrange(since, until)) as periods from raw.removed_period group by 1) removed
    on removed.sensor_id = located.sensor_id
  cross join unnest(located.periods * formula.periods - coalesce(suspicious.periods, '{}')
    - coalesce(removed.periods, '{}')) part;

-- The periods that screening found and that count: at stations whose operator does not vouch for the flagged
-- parameters.
create view logic.screened_period as
  select p.station_id, p.sensor_id, p.reason, p.since, p.until, p.kind, p.evidence, p.hours from raw.screened_period p
  join raw.station s on s.id = p.station_id and case p.kind when 'thp' then s.screening else not s.trusted end;

-- Flags: the periods in which a station's temperature, humidity and pressure were unreliable (kind thp, C5) or its
-- particles suspect (kind pm, C9), as set by the operator or found by screening. Regions leave the station out of the
-- flagged parameters, but not yet in an outlier's first 24 suspect hours: smoke passes, a fault lasts.
create view logic.flag as
  select station_id, kind, 'operator' as reason, null::int as sensor_id, since, until, null::jsonb as evidence,
    true as is_left_out
  from raw.flag_period
  union all
  select station_id, kind, reason, sensor_id, since, until, evidence, hours is null from logic.screened_period;

-- The full hours in which a station is flagged, and those in which regions leave it out, outwards (P3, C9).
create view logic.flagged as
  select f.station_id, f.kind, range_agg(hours.part) as periods,
    coalesce(range_agg(hours.part) filter (where f.is_left_out), '{}') as left_out
  from logic.flag f
  cross join lateral (
    select tstzrange(rollup.bucket_start('hour', f.since), logic.hour_ceiling(f.until)) as part) hours
  group by 1, 2;

-- Memberships (P3): when a station was in a region, minus its hidden periods, split where a flag begins or ends. All
-- bounds are full hours: flags are extended to whole hours, and all other bounds are rounded up.
create view logic.membership as
  with hidden as (
    select station_id, range_agg(tstzrange(logic.hour_ceiling(since), logic.hour_ceiling(until))) as periods
    from raw.hidden_period group by 1
  ),
  counted as (
    select m.station_id, m.region_slug, m.periods - coalesce(hidden.periods, '{}') as periods,
      coalesce(thp.left_out, '{}') as thp, coalesce(pm.left_out, '{}') as pm
    from (
      select station_id, region_slug,
        range_agg(tstzrange(logic.hour_ceiling(since), logic.hour_ceiling(until))) as periods
      from raw.station_region group by 1, 2
    ) m
    left join hidden using (station_id)
    left join logic.flagged thp on thp.station_id = m.station_id and thp.kind = 'thp'
    left join logic.flagged pm on pm.station_id = m.station_id and pm.kind = 'pm'
  )
  select c.station_id, c.region_slug, piece.is_flagged, piece.is_pm_suspect, lower(part) as since, upper(part) as until
  from counted c
  cross join lateral (values
    (false, false, c.periods - c.thp - c.pm), (true, false, c.periods * c.thp - c.pm),
    (false, true, c.periods * c.pm - c.thp), (true, true, c.periods * c.thp * c.pm)) piece(is_flagged, is_pm_suspect,
      periods)
  cross join unnest(piece.periods) part;

-- The first instant after the given one at which a hidden period begins or ends; null if none does.
create function logic.hidden_changes_after(at timestamptz) returns timestamptz language sql stable as $$
  select least(min(h.since) filter (where h.since > at), min(h.until) filter (where h.until > at))
  from raw.hidden_period h
$$;

-- The first instant after the given one at which a station joins or leaves a region; null if none does.
create function logic.member_changes_after(at timestamptz, only_region text) returns timestamptz
language sql stable as $$
  select least(min(m.since) filter (where m.since > at), min(m.until) filter (where m.until > at))
  from raw.station_region m where m.region_slug = only_region
$$;

-- The listed stations nearest to a place, without some, at most `most`: a JSON array with the id and the distance in km
-- of each, the nearest first, as text.
create function logic.neighbours_json(
  at timestamptz, latitude float8, longitude float8, without_stations int[], most int
) returns text language sql stable as $$
  select coalesce(json_agg(json_build_object('id', n.id, 'distance_km', n.km) order by n.km, n.id), '[]')::text
  from (
    select s.id,
      round(logic.distance_km(neighbours_json.latitude, neighbours_json.longitude, s.latitude, s.longitude)::numeric, 2)
        as km
    from raw.station s
    where s.id <> all (without_stations) and not exists (select from raw.hidden_period h
      where h.station_id = s.id and h.since <= at and at < h.until)
    order by km, s.id limit most) n
$$;

-- The city and the district that a station belongs to at an instant, hidden or not. If it belongs to several of a kind,
-- the first in the network file counts (C8). The function is in PL/pgSQL for the reason given in 70_current.sql.
create function logic.station_place(at timestamptz, only_station int default null)
returns table (station_id int, city_slug text, district_slug text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  select station_id, max(slug) filter (where kind = 'city'), max(slug) filter (where kind = 'district')
  from (
    select distinct on (m.station_id, r.kind) m.station_id, r.kind, r.slug
    from raw.station_region m join raw.region r on r.slug = m.region_slug
    where m.since <= at and at < m.until and (only_station is null or m.station_id = only_station)
    order by m.station_id, r.kind, m.position, r.slug
  ) first
  group by station_id;
end $$;

-- The city and the district that a station belongs or last belonged to, for views that have no instant. The period that
-- ends last counts.
create view logic.station_last_place as
  select m.station_id,
    (array_agg(r.slug order by m.until desc, m.position, r.slug) filter (where r.kind = 'city'))[1] as city_slug,
    (array_agg(r.slug order by m.until desc, m.position, r.slug) filter (where r.kind = 'district'))[1] as district_slug
  from raw.station_region m join raw.region r on r.slug = m.region_slug
  group by m.station_id;

-- Updates raw.placement, raw.membership and raw.flagged from the current periods. It marks the differences stale for the
-- next refresh (P4), with the reason that the record gives (R1): a sensor's differences from station hours upwards, a
-- station's from region hours upwards. It writes nothing if nothing changed. It returns how many of the affected sensors
-- and stations have data. Call it after any change of periods, while holding raw.network_lock.
create function logic.apply_periods(reason_of_flags text default 'flag', out sensors_changed int, out stations_changed int)
language plpgsql as $$
declare
  placements constant raw.placement[] := array(select (sensor_id, station_id, formula, since, until)::raw.placement
    from logic.placement);
  memberships constant raw.membership[] := array(
    select (station_id, region_slug, is_flagged, is_pm_suspect, since, until)::raw.membership from logic.membership);
  flags constant raw.flagged[] := array(select (f.station_id, f.kind, lower(part), upper(part))::raw.flagged
    from logic.flagged f cross join unnest(f.left_out) part);
  placements_before raw.placement[];
  placements_after raw.placement[];
  memberships_before raw.membership[];
  memberships_after raw.membership[];
  flags_before raw.flagged[];
  flags_after raw.flagged[];
begin
  placements_before := array(select (b.*)::raw.placement
    from (table raw.placement except select * from unnest(placements)) b);
  placements_after := array(select (a.*)::raw.placement
    from (select * from unnest(placements) except table raw.placement) a);
  memberships_before := array(select (b.*)::raw.membership
    from (table raw.membership except select * from unnest(memberships)) b);
  memberships_after := array(select (a.*)::raw.membership
    from (select * from unnest(memberships) except table raw.membership) a);
  flags_before := array(select (b.*)::raw.flagged from (table raw.flagged except select * from unnest(flags)) b);
  flags_after := array(select (a.*)::raw.flagged from (select * from unnest(flags) except table raw.flagged) a);

  delete from raw.placement p using unnest(placements_before) b where (p.sensor_id, p.since) = (b.sensor_id, b.since);
  insert into raw.placement (sensor_id, station_id, formula, since, until)
  select sensor_id, station_id, formula, since, until from unnest(placements_after);
  delete from raw.membership m using unnest(memberships_before) b
  where (m.station_id, m.region_slug, m.since) = (b.station_id, b.region_slug, b.since);
  insert into raw.membership (station_id, region_slug, is_flagged, is_pm_suspect, since, until)
  select station_id, region_slug, is_flagged, is_pm_suspect, since, until from unnest(memberships_after);
  delete from raw.flagged f using unnest(flags_before) b
  where (f.station_id, f.kind, f.since) = (b.station_id, b.kind, b.since);
  insert into raw.flagged (station_id, kind, since, until)
  select station_id, kind, since, until from unnest(flags_after);

  -- per sensor and station: the times that are in only one of the two states, or whose formula alone differs
  with before as (
    select sensor_id, station_id, formula, range_agg(tstzrange(since, until)) as periods
    from unnest(placements_before) group by 1, 2, 3
  ),
  after as (
    select sensor_id, station_id, formula, range_agg(tstzrange(since, until)) as periods
    from unnest(placements_after) group by 1, 2, 3
  ),
  corrected as (
    select sensor_id, station_id, range_agg(logic.symmetric_difference(b.periods, a.periods)) as periods
    from before b full join after a using (sensor_id, station_id, formula) group by 1, 2
  ),
  moved as (
    select sensor_id, station_id, logic.symmetric_difference(b.periods, a.periods) as periods
    from (select sensor_id, station_id, range_agg(periods) as periods from before group by 1, 2) b
    full join (select sensor_id, station_id, range_agg(periods) as periods from after group by 1, 2) a
      using (sensor_id, station_id)
  ),
  noted as (
    insert into rollup.stale (from_level, since, until, sensor_id, station_id, reason)
    select 'station_hourly', lower(part), upper(part), m.sensor_id, m.station_id, d.reason
    from moved m
    join corrected c using (sensor_id, station_id)
    cross join lateral (values ('placement', m.periods), ('formula', c.periods - m.periods)) d(reason, periods)
    cross join unnest(d.periods) part
    returning sensor_id
  )
  select count(*) into sensors_changed
  from (select distinct sensor_id from noted) n
  where exists (select from rollup.sensor_hourly h where h.sensor_id = n.sensor_id);

  -- per station and region: the times that are in only one of the two states; and the flags of each station
  with difference as (
    select 'membership' as reason, station_id, region_slug, logic.symmetric_difference(before, after) as periods
    from (select station_id, region_slug, range_agg(tstzrange(since, until)) as before
      from unnest(memberships_before) group by 1, 2) b
    full join (select station_id, region_slug, range_agg(tstzrange(since, until)) as after
      from unnest(memberships_after) group by 1, 2) a
      using (station_id, region_slug)
    union all
    select reason_of_flags, station_id, null, range_agg(logic.symmetric_difference(before, after))
    from (select station_id, kind, range_agg(tstzrange(since, until)) as before
      from unnest(flags_before) group by 1, 2) b
    full join (select station_id, kind, range_agg(tstzrange(since, until)) as after
      from unnest(flags_after) group by 1, 2) a
      using (station_id, kind)
    group by 2
  ),
  noted as (
    insert into rollup.stale (from_level, since, until, station_id, region_slug, reason)
    select 'region_hourly', lower(part), upper(part), station_id, region_slug, reason
    from difference d cross join unnest(d.periods) part
    returning station_id
  )
  select count(*) into stations_changed
  from (select distinct station_id from noted) n
  where exists (select from rollup.station_hourly h where h.station_id = n.station_id);
end $$;

revoke all on function logic.apply_periods, logic.hidden_changes_after, logic.member_changes_after,
  logic.neighbours_json from public;

-- Finds the ranges of time that a refresh recomputes at each level, from the changes that writers log and the
-- periods that others mark stale.

-- The levels in the order in which a refresh recomputes them. A change at any level in stale_from makes the level
-- stale.
create view logic.level (position, name, unit, id, stale_from) as values
  (1, 'sensor_hourly', 'hour', 'sensor_id', '{sensor_hourly}'::text[]),
  (2, 'station_hourly', 'hour', 'station_id', '{sensor_hourly,station_hourly}'::text[]),
  (3, 'region_hourly', 'hour', 'region_slug', '{sensor_hourly,station_hourly,region_hourly}'::text[]),
  (4, 'station_daily', 'day', 'station_id', '{sensor_hourly,station_hourly,station_daily}'::text[]),
  (5, 'region_daily', 'day', 'region_slug', '{sensor_hourly,station_hourly,region_hourly,station_daily}'::text[]),
  (6, 'station_monthly', 'month', 'station_id', '{sensor_hourly,station_hourly,station_daily}'::text[]),
  (7, 'region_monthly', 'month', 'region_slug', '{sensor_hourly,station_hourly,region_hourly,station_daily}'::text[]);

-- The first and the last instant of any reading or bucket; null if there is none.
create function logic.extent(out low timestamptz, out high timestamptz) language plpgsql stable as $$
declare
  level text;
  ends record;
begin
  select min(r.measured_at), max(r.measured_at) into low, high from raw.readings r;
  for level in select l.name from logic.level l loop
    execute format('select min(bucket) as low, max(bucket) as high from rollup.%I where isfinite(bucket)', level)
      into ends;
    low := least(low, ends.low);
    high := greatest(high, ends.high);
  end loop;
end $$;

-- The ranges of time that have changed since the last refresh.
create view logic.pending as
  select distinct since, until from rollup.changed
  union all select since, until from rollup.stale;

-- Claims the logged changes and the stale periods for this refresh, and opens the record of those that change what was
-- published. A period is narrowed to the hours that it can concern: those between the first and the last instant of any
-- data, or between the first and the last hour of its sensor or station.
create function logic.claim_changes(now timestamptz) returns void language plpgsql as $$
declare
  is_published constant boolean := (select refreshed_at is not null from rollup.freshness);
  opened_changes bigint[];
begin
  -- usually there are none, and finding the first and last instant touches every chunk
  if exists (select from rollup.stale where not is_taken) then
    with asked as (delete from rollup.stale where not is_taken returning *),
    extent as materialized (select low, high from logic.extent()),
    narrowed as materialized (
      select a.*, e.low, e.high
      from asked a cross join extent e where a.sensor_id is null and a.station_id is null
      union all
      select a.*, h.low, h.high
      from asked a cross join lateral (
        select (select bucket from rollup.sensor_hourly where sensor_id = a.sensor_id order by bucket limit 1) as low,
          (select bucket from rollup.sensor_hourly where sensor_id = a.sensor_id
            order by bucket desc limit 1) as high) h
      where a.sensor_id is not null
      union all
      select a.*, h.low, h.high
      from asked a cross join lateral (
        select (select bucket from rollup.station_hourly where station_id = a.station_id
          order by bucket limit 1) as low,
          (select bucket from rollup.station_hourly where station_id = a.station_id
            order by bucket desc limit 1) as high) h
      where a.station_id is not null and a.sensor_id is null
    ),
    opened as (
      insert into rollup.change (reason, station_id, region_slug, sensor_id, since, until)
      select
        -- what was never published before is not a change
        case when region_slug is not null
            and not exists (select from rollup.region_hourly h where h.region_slug = n.region_slug)
          or station_id is not null and region_slug is null
            and not exists (select from rollup.station_hourly h where h.station_id = n.station_id)
          then 'first' else reason end,
        station_id, region_slug, sensor_id, lower(part), upper(part)
      from (
        select reason, station_id, region_slug, sensor_id, logic.widen('hour', range_agg(tstzrange(since, until)))
          * tstzmultirange(tstzrange(min(rollup.bucket_start('hour', low)), greatest(min(rollup.bucket_start('hour', low)),
              least(max(rollup.bucket_start('hour', high)) + interval '1 hour', rollup.bucket_start('hour', now)))))
            as parts
        from narrowed where reason is not null and low is not null and is_published group by 1, 2, 3, 4
      ) n cross join unnest(n.parts) part
    )
    insert into rollup.stale (from_level, since, until, is_taken)
    select from_level, lower(part), upper(part), true
    from (
      -- a bucket of an upper level may begin before the first reading, and the last hour ends after the last reading
      select from_level, range_agg(tstzrange(since, until)
        * tstzrange(rollup.bucket_start('month', low), rollup.bucket_add('hour', rollup.bucket_start('hour', high), 1)))
          as parts
      from narrowed where low is not null group by 1
    ) n cross join unnest(n.parts) part;
  end if;
  with logged as (delete from rollup.changed returning *),
  opened as (
    insert into rollup.change (reason, station_id, since, until)
    select reason, station_id, lower(part), upper(part)
    from (
      select l.reason, p.station_id, logic.join_ranges(range_agg(tstzrange(l.since, l.until)
        * tstzrange(logic.hour_ceiling(p.since), rollup.bucket_start('hour', p.until))), logic.change_gap()) as parts
      from logged l
      join raw.placement p on p.sensor_id = l.sensor_id and p.since < l.until and p.until > l.since
        and logic.hour_ceiling(p.since) < rollup.bucket_start('hour', p.until)
      where l.reason is not null
      group by 1, 2
    ) c cross join unnest(c.parts) part
    returning id
  ),
  noted as (
    insert into rollup.stale (from_level, since, until, is_taken)
    select 'sensor_hourly', lower(part), upper(part), true
    from unnest((select range_agg(tstzrange(since, until)) from logged)) part
  )
  select array_agg(id) into opened_changes from opened;
  if opened_changes is not null then perform logic.split_first(opened_changes, now); end if;
end $$;

-- The claimed time within a range.
create function logic.claimed(within tstzrange) returns tstzmultirange language sql stable as $$
  select coalesce(range_agg(tstzrange(since, until) * within), '{}') from rollup.stale
  where is_taken and tstzrange(since, until) && within
$$;

-- Its length in hours.
create function logic.claimed_hours() returns float8 language sql stable as $$
  select coalesce(sum(extract(epoch from upper(part) - lower(part)))::float8 / 3600, 0)
  from unnest(logic.claimed('(,)')) part
$$;

-- Rows in an hour: the readings of the newest claimed hour before an instant, or the number of sensors if it is larger.
-- It is planned with that hour: a plan for any hour would open every chunk, which took 80 ms for six years.
create function logic.rows_per_hour(before timestamptz) returns bigint language plpgsql stable
set plan_cache_mode = force_custom_plan as $$
declare
  until constant timestamptz := upper(logic.claimed(tstzrange(null, before)));
begin
  return greatest(1, (select count(*) from raw.sensor),
    (select count(*) from raw.readings r where r.measured_at >= until - interval '1 hour' and r.measured_at < until));
end $$;

-- The time from the oldest of the newest `days` claimed days before an instant up to it; null if there is none.
create function logic.newest_days(days bigint, before timestamptz) returns tstzrange language sql stable as $$
  select tstzrange(min(since), before)
  from (
    select since from logic.pieces('day', 1, logic.widen('day', logic.claimed(tstzrange(null, before))))
    order by since desc limit days
  ) newest
  having min(since) is not null
$$;

-- The buckets of a level to recompute in a piece of time, which begins with a day. Readings before retained_from may
-- have been deleted, so sensor hours before it are not recomputed; the levels above are recomputed at any age. Changes
-- between which no more than `gap` lies are recomputed together. A month that is also stale from before the piece waits
-- for the piece that has the rest of it.
create function logic.stale_buckets(level logic.level, piece tstzrange, gap interval) returns tstzmultirange
language sql stable as $$
  select case (level).unit
    when 'month' then logic.join_ranges(logic.widen('month', parts), logic.month_gap())
      - case when exists (
          select from rollup.stale s
          where s.is_taken and s.from_level = any ((level).stale_from)
            and tstzrange(s.since, s.until) && tstzrange(rollup.bucket_start('month', lower(piece)), lower(piece))
        ) then tstzmultirange(logic.bucket('month', lower(piece))) else '{}' end
    else logic.widen((level).unit, logic.join_ranges(parts, gap) * tstzmultirange(tstzrange(
      case (level).name when 'sensor_hourly' then i.retained_from else '-infinity' end, 'infinity')))
    end - logic.refused_buckets((level).unit)
  from raw.installation i
  cross join (
    select coalesce(range_agg(tstzrange(s.since, s.until) * piece), '{}') as parts
    from rollup.stale s
    where s.is_taken and s.from_level = any ((level).stale_from) and tstzrange(s.since, s.until) && piece
  ) stale
$$;

revoke all on function logic.claim_changes from public;

-- The refresh brings the aggregates up to date with the readings and the network.

-- One step: everything claimed of the running day, then the newest days before it, as many as have about 2,000,000
-- rows, through all levels. Claiming again before each step, a caller that repeats it until nothing is `waiting` never
-- keeps the running hour waiting for longer than one piece of a backfill. When nothing is waiting, everything committed
-- before the first step is in every bucket. A claim is deleted once all levels are done, and each recomputed range is
-- committed, so the next step completes one that was interrupted. It takes a session lock: call it on a connection that
-- is closed after any error. `done` and `waiting` are hours of changes.
--
-- With `lazily`, the running day and month follow only every ten minutes, since only the running month shows them (S4):
-- recomputing them each minute would more than double a minute of 10,000 stations.
create or replace procedure rollup.refresh_step(now timestamptz, lazily boolean, inout done float8,
  inout waiting float8)
language plpgsql as $$
declare
  today constant timestamptz := rollup.bucket_start('day', now);
  is_deferred boolean; -- the running day and month wait
  rows_per_hour bigint;
  piece tstzrange;
  level logic.level;
  buckets tstzmultirange;
  part tstzrange;
begin
  call raw.acquire_lock('rollup.refresh');
  perform logic.follow_zone_rules(now);
  perform logic.claim_changes(now);
  perform logic.note_fresh_changes(now);
  is_deferred := lazily and (
    select now - running_refreshed_at between interval '0' and interval '10 minutes'
      and (running_since is null or running_since = today)
    from rollup.freshness) is true;
  with due as (
    update rollup.freshness f set running_since = null from rollup.freshness old
    where old.running_since is not null and not is_deferred
    returning old.running_since as since
  )
  insert into rollup.stale (from_level, since, until, is_taken)
  select 'station_daily', since, rollup.bucket_add('day', since, 1), true from due;
  commit;
  done := logic.claimed_hours();
  rows_per_hour := logic.rows_per_hour(today);

  foreach piece in array array[
    tstzrange(today, 'infinity'),
    logic.newest_days(greatest(2000000 / 24 / rows_per_hour, 1), today)
  ] loop
    if logic.claimed(piece) <> '{}' then
      for level in select l.* from logic.level l order by l.position loop
        -- a range costs about as much as 1,000 rows
        buckets := logic.stale_buckets(level, piece, 1000 / rows_per_hour * interval '1 hour');
        if is_deferred and level.unit <> 'hour' then
          buckets := buckets - tstzmultirange(logic.bucket(level.unit, now));
        end if;
        for part in select unnest(buckets) loop
          call rollup.recompute(level.name, lower(part), upper(part));
          commit;
        end loop;
      end loop;
      if logic.claimed(piece * tstzrange(rollup.bucket_start('month', now), 'infinity')) <> '{}' then
        update rollup.freshness set
          running_since = case when is_deferred then today end,
          running_refreshed_at = case when is_deferred then running_refreshed_at else refresh_step.now end;
      end if;
      delete from rollup.stale s where s.is_taken and s.since >= lower(piece);
      update rollup.stale s set until = lower(piece) where s.is_taken and s.until > lower(piece);
      perform logic.raise_data_version();
      commit;
    end if;
    if lower(piece) = today then
      perform logic.refresh_current(now);
      -- before the first build is complete nothing is published
      update rollup.freshness set refreshed_at = refresh_step.now where refreshed_at is not null;
      commit;
    end if;
  end loop;

  perform logic.close_changes(now);
  commit;
  waiting := logic.claimed_hours();
  done := done - waiting;
  if waiting = 0 then
    update rollup.freshness set refreshed_at = refresh_step.now, completed_at = refresh_step.now;
    commit;
  end if;
  perform logic.announce(now, waiting = 0);
  commit;
  perform raw.release_lock('rollup.refresh');
end $$;

-- Refreshes everything, the running day and month included. Every version has this procedure.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
declare
  done float8;
  waiting float8;
begin
  loop
    call rollup.refresh_step(now, false, done, waiting);
    exit when waiting = 0;
  end loop;
end $$;

-- The record: what changed in published numbers, when and why (R1). The claim of a refresh opens its rows, the step that
-- recomputes their hours closes them.

-- How much time between changed hours is told as part of one change: a station that is late day after day has one row a
-- day and not one for each of its gaps.
create function logic.change_gap() returns interval language sql immutable parallel safe return interval '24 hours';

-- Sets the changed hours apart that were never published before: they are not a change of the station. They
-- may be one of its regions, whose hours other stations had. It runs before the hours are recomputed, and only if there
-- are changes: planning it touches every chunk.
create function logic.split_first(changes bigint[], now timestamptz) returns void language sql as $$
  with opened as (delete from rollup.change c where c.id = any (changes) returning c.*),
  -- Nothing was published of a station before its first hour. While a history is imported file by file, nothing was
  -- after its last one either.
  published as materialized (
    select s.station_id, tstzmultirange(tstzrange(
      (select h.bucket from rollup.station_hourly h where h.station_id = s.station_id order by h.bucket limit 1),
      case when exists (select from rollup.change f where f.station_id = s.station_id and f.reason = 'first'
          and (f.shown_at is null or f.shown_at > split_first.now - interval '1 day'))
        then (select h.bucket + interval '1 hour' from rollup.station_hourly h where h.station_id = s.station_id
          order by h.bucket desc limit 1) end)) as hours
    from (select distinct o.station_id from opened o) s
    where exists (select from rollup.station_hourly h where h.station_id = s.station_id)
  ),
  split as materialized (
    select o.reason, o.station_id, o.hours * coalesce(p.hours, '{}') as told, o.hours - coalesce(p.hours, '{}') as first
    from (select reason, station_id, range_agg(tstzrange(since, until)) as hours from opened group by 1, 2) o
    left join published p on p.station_id = o.station_id
  ),
  of_region as materialized (
    select s.reason, s.station_id, m.region_slug, s.first * range_agg(tstzrange(m.since, m.until)) as hours
    from split s join raw.membership m on m.station_id = s.station_id
    where s.first <> '{}'
    group by s.reason, s.station_id, s.first, m.region_slug
  ),
  -- but for the hours that an import brought today
  published_of_region as (
    select r.region_slug, tstzmultirange(tstzrange(r.first_hour, null)) - coalesce(imported.hours, '{}') as hours
    from (
      select o.region_slug, (select h.bucket from rollup.region_hourly h where h.region_slug = o.region_slug
        order by h.bucket limit 1) as first_hour
      from of_region o group by 1
    ) r
    left join lateral (
      select range_agg(tstzrange(c.since, c.until) * tstzrange(m.since, m.until)) filter (where c.reason = 'first')
        - coalesce(range_agg(tstzrange(c.since, c.until)) filter (where c.region_slug = r.region_slug), '{}') as hours
      from raw.membership m
      join rollup.change c on c.station_id = m.station_id and c.since < m.until and c.until > m.since
      where m.region_slug = r.region_slug and (c.shown_at is null or c.shown_at > split_first.now - interval '1 day')
        and (c.reason = 'first' and c.region_slug is null or c.region_slug = r.region_slug)
    ) imported on true
    where r.first_hour is not null
  )
  insert into rollup.change (reason, station_id, region_slug, since, until)
  select c.reason, c.station_id, c.region_slug, lower(part), upper(part)
  from (
    select reason, station_id, null as region_slug, told as hours from split
    union all
    select 'first', station_id, null, range_agg(first) from split group by station_id
    union all
    select o.reason, o.station_id, o.region_slug, o.hours * p.hours
    from of_region o join published_of_region p using (region_slug)
  ) c
  cross join unnest(c.hours) part
$$;

-- The hours of a station by the regions that they have.
create function logic.hours_by_regions(station int, hours tstzrange)
returns table (since timestamptz, until timestamptz, regions text[]) language sql stable as $$
  select b.at, b.next, array(
    select m.region_slug from raw.membership m where m.station_id = station and m.since <= b.at and b.at < m.until
    order by 1)
  from (
    select bound.at, lead(bound.at) over (order by bound.at) as next
    from (
      select lower(hours) as at union select upper(hours)
      union
      select edge from raw.membership m cross join unnest(array[m.since, m.until]) edge
      where m.station_id = station and lower(hours) < edge and edge < upper(hours)
    ) bound
  ) b
  where b.next is not null
$$;

-- Closes the rows with nothing left to recompute. A change that goes on within a local day is one row, so that
-- what is recorded is bounded: 10,000 stations, another hundredth of them late each hour, made 1,968 rows a day, half a
-- megabyte with the indexes.
create function logic.close_changes(now timestamptz) returns void language plpgsql as $$
declare
  today constant timestamptz := rollup.bucket_start('day', now);
begin
  if not exists (select from rollup.change where shown_at is null) then return; end if;
  with shown as (
    delete from rollup.change c
    where c.shown_at is null and logic.claimed(tstzrange(c.since, c.until)) = '{}'
    returning c.*
  ),
  placed as (
    select s.reason, s.station_id, s.region_slug, s.sensor_id, s.since, s.until, null::text[] as regions
    from shown s where s.station_id is null or s.region_slug is not null
    union all
    select s.reason, s.station_id, s.region_slug, s.sensor_id, h.since, h.until, h.regions
    from shown s cross join lateral logic.hours_by_regions(s.station_id, tstzrange(s.since, s.until)) h
    where s.station_id is not null and s.region_slug is null
  ),
  continued as (
    delete from rollup.change c using placed s
    where c.shown_at >= today
      and (c.reason, coalesce(c.station_id, 0), coalesce(c.region_slug, ''), coalesce(c.sensor_id, 0))
        = (s.reason, coalesce(s.station_id, 0), coalesce(s.region_slug, ''), coalesce(s.sensor_id, 0))
      and c.regions is not distinct from s.regions
      and c.since <= s.until + logic.change_gap() and c.until >= s.since - logic.change_gap()
    returning c.*
  )
  insert into rollup.change (reason, station_id, region_slug, sensor_id, regions, since, until, shown_at)
  select reason, station_id, region_slug, sensor_id, regions, lower(part), upper(part), now
  from (
    select reason, station_id, region_slug, sensor_id, regions,
      logic.join_ranges(range_agg(tstzrange(since, until)), logic.change_gap()) as parts
    from (
      select reason, station_id, region_slug, sensor_id, regions, since, until from placed
      union all
      select reason, station_id, region_slug, sensor_id, regions, since, until from continued
    ) c group by 1, 2, 3, 4, 5
  ) c
  cross join unnest(c.parts) part;
  perform logic.raise_data_version(); -- documents show the record
end $$;

-- Hours as a JSON array of ranges, each by its first and last hour; beyond `most`, the nearest are one.
create function logic.hour_ranges(hours tstzmultirange, most int default 20) returns json language sql stable as $$
  select json_agg(json_build_object('first_hour', since, 'last_hour', rollup.bucket_add('hour', until, -1))
    order by since)
  from (
    select min(lower(part)) as since, max(upper(part)) as until
    from (
      select part, count(*) filter (where place <= most) over (order by part) as n
      from (
        select part, row_number() over (order by gap desc nulls first, part) as place
        from (select part, lower(part) - lag(upper(part)) over (order by part) as gap from unnest(hours) part) g
      ) p
    ) p
    group by n
  ) r
$$;

-- Deletes what showed more than two years ago.
create function logic.delete_old_changes(now timestamptz) returns void language sql as $$
  delete from rollup.change where shown_at < now - interval '2 years'
$$;

revoke all on function logic.split_first, logic.hours_by_regions, logic.close_changes, logic.delete_old_changes from public;

-- The triggers of raw.readings note what a writer changed: the hours, and for old hours the sensor and why (R1).

-- The trigger compares the columns of updated readings, and not their JSON: where an import replaced one parameter of
-- 240,000 readings, it took 2.8 s of 7.4, and takes 0.35 s of 4.3 now.
create or replace function raw.note_changes() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  late_before constant timestamptz := (select raw.late_before(refreshed_at) from rollup.freshness);
begin
  case tg_op
    when 'INSERT' then
      insert into rollup.changed (since, until, sensor_id, reason)
      select lower(part), upper(part), sensor_id, 'late'
      from (
        select sensor_id, range_agg(tstzrange(hour, hour + interval '1 hour')) as parts
        from (select distinct sensor_id, raw.hour_of(measured_at) as hour from new_rows
          where measured_at < late_before) h
        group by 1
      ) late
      cross join unnest(late.parts) part;
      insert into rollup.changed (since, until)
      select hour, hour + interval '1 hour'
      from (select distinct raw.hour_of(measured_at) as hour from new_rows
        where (measured_at < late_before) is not true) h;
    when 'UPDATE' then
      -- a full join is never one of row by row, which took 30 s where it was planned for one row
      with changed as (
        select distinct sensor_id, raw.hour_of(measured_at) as hour,
          case when (measured_at < late_before) is not true then null
            -- it has all that was there before: a reading whose time a person changes has not
            when n.is_new and o.is_old
              and (o.temperature is null or n.temperature = o.temperature)
  and (o.humidity is null or n.humidity = o.humidity)
  and (o.pressure is null or n.pressure = o.pressure)
  and (o.pm1 is null or n.pm1 = o.pm1)
  and (o.pm25 is null or n.pm25 = o.pm25)
  and (o.pm25_raw is null or n.pm25_raw = o.pm25_raw)
  and (o.pm10 is null or n.pm10 = o.pm10)
  and (o.no2 is null or n.no2 = o.no2)
  and (o.so2 is null or n.so2 = o.so2)
  and (o.o3 is null or n.o3 = o.o3)
  and (o.dust is null or n.dust = o.dust)
  and (o.usvh is null or n.usvh = o.usvh)
  and (o.uv is null or n.uv = o.uv)
  and (o.wind_speed is null or n.wind_speed = o.wind_speed)
  and (o.wind_direction is null or n.wind_direction = o.wind_direction)
  and (o.rain is null or n.rain = o.rain)
  and (o.rain_total is null or n.rain_total = o.rain_total)
              and (o.rain_given is null or n.rain_given = o.rain_given)
            then 'late'
            else 'corrected' end as reason
        from (select *, true as is_new from new_rows) n
        full join (select *, true as is_old from old_rows) o using (sensor_id, measured_at)
      )
      insert into rollup.changed (since, until, sensor_id, reason)
      select lower(part), upper(part), sensor_id, reason
      from (
        select sensor_id, reason, range_agg(tstzrange(hour, hour + interval '1 hour')) as parts
        from changed where reason is not null group by 1, 2
      ) c
      cross join unnest(c.parts) part
      union all
      select hour, hour + interval '1 hour', null, null from (select distinct hour from changed where reason is null) h;
    when 'TRUNCATE' then
      insert into rollup.stale (from_level, since, until, reason)
      values ('sensor_hourly', '-infinity', 'infinity', 'deleted');
  end case;
  return null;
end $$;

-- Retention: the ages at which readings are still accepted, and still kept. Readings are deleted one local month at a
-- time, at most one month a night. A month goes when it is older than RAW_RETENTION, counted from both the present and
-- the newest reading, so a wrong clock deletes little before it is noticed.

-- Refuses readings measured before `since` from now on. It waits for the writers in progress.
create procedure logic.raise_ingest_cutoff(since timestamptz) language plpgsql as $$
begin
  lock table raw.ingest_lock in exclusive mode;
  update raw.installation set ingest_cutoff = since where ingest_cutoff < since;
end $$;

-- The state of retention at an instant if readings are kept for `keep`. One row.
create function logic.retention_plan(
  at timestamptz,
  keep interval,
  out counted_from timestamptz, -- the newest stored reading or, if that is earlier, `at`; null without readings
  out cutoff timestamptz, -- readings before it are refused
  out retained_from timestamptz, -- readings before it may have been deleted
  out wanted timestamptz, -- the first month to keep; never before the cutoff
  out next timestamptz, -- the end of the first month to delete; `wanted` if there is none
  out months int -- the number of months to delete before `wanted`; counted up to 1,200
) language plpgsql stable as $$
declare
  first_reading timestamptz;
begin
  select i.ingest_cutoff, i.retained_from into cutoff, retained_from from raw.installation i;
  counted_from := (select least(at, max(r.measured_at)) from raw.readings r having max(r.measured_at) is not null);
  first_reading := (select min(r.measured_at) from raw.readings r where r.measured_at >= retained_from);
  wanted := coalesce(greatest(cutoff, rollup.bucket_start('month', counted_from - keep)), cutoff);
  next := least(wanted, rollup.bucket_add('month', rollup.bucket_start('month', first_reading), 1));
  months := (
    select count(*) from generate_series(0, 1199) n
    where rollup.bucket_add('month', rollup.bucket_start('month', first_reading), n) < wanted
  );
end $$;

-- The number of sensor hours in each month of a period, and a checksum of their values. The checksum does not depend on
-- settings of the session. A column added later does not change it either, as long as these hours have no value in it.
create function logic.kept_hours(since timestamptz, until timestamptz)
  returns table (month timestamptz, hours bigint, checksum bigint)
language sql stable set timezone = 'UTC' set extra_float_digits = 1 as $$
  select rollup.bucket_start('month', h.bucket), count(*),
    bit_xor(('x' || left(md5(jsonb_strip_nulls(to_jsonb(h))::text), 16))::bit(64)::bigint)
  from rollup.sensor_hourly h where h.bucket >= since and h.bucket < until group by 1
$$;

-- Releases the readings before `until` for deletion. It records the sensor hours of the months that lose readings; from
-- then on, refreshes leave those hours as they are. If `until` releases nothing new, it records nothing: a new record
-- would hide hours lost since the last one. A month that is recorded in part gets the hours since then, and keeps what
-- is recorded, for the same reason.
create procedure logic.retain_from(until timestamptz) language plpgsql as $$
declare
  since constant timestamptz := (select i.retained_from from raw.installation i);
begin
  if until <= since then return; end if;
  insert into rollup.expired_month (month, until, hours, checksum)
  select k.month, least(rollup.bucket_add('month', k.month, 1), retain_from.until), k.hours, k.checksum
  from logic.kept_hours(case when exists (select from rollup.expired_month) then since else '-infinity' end, until) k
  on conflict (month) do update set until = excluded.until,
    -- a month that the cutoff went back before is recorded again
    hours = case when expired_month.month < since then expired_month.hours else 0 end + excluded.hours,
    checksum = case when expired_month.month < since then expired_month.checksum else 0 end # excluded.checksum;
  perform logic.keep_last_totals(until);
  update raw.installation set retained_from = until;
end $$;

-- The months without readings whose sensor hours are not as recorded: in number or, within the period, in value.
-- Columns: since, until (the month), hours (recorded), stored (present now).
create function logic.lost_months(since timestamptz, until timestamptz)
returns table (since timestamptz, until timestamptz, hours bigint, stored bigint) language sql stable as $$
  select m.month, month.until, m.hours, there.stored
  from rollup.expired_month m
  cross join raw.installation i
  cross join lateral (select least(m.until, i.retained_from) as until) month
  cross join lateral (select count(*) as stored from rollup.sensor_hourly h
    where h.bucket >= m.month and h.bucket < month.until) there
  where there.stored <> m.hours or m.month < lost_months.until and month.until > lost_months.since
    -- by the present rules of the zone they may be of two months
    and m.checksum is distinct from (select bit_xor(k.checksum) from logic.kept_hours(m.month, month.until) k)
  order by m.month
$$;

-- How many sensor hours were recorded when their readings were deleted, and how many of these are missing now. One row.
-- missing is null where a count takes too long (logic.stored_kept_hours). A month with too few hours and one with too
-- many may hide each other here; logic.lost_months tells them apart.
create function logic.missing_kept_hours(out recorded bigint, out missing bigint) language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  retained_from constant timestamptz := (select i.retained_from from raw.installation i);
begin
  recorded := (select coalesce(sum(m.hours), 0) from rollup.expired_month m where m.month < retained_from);
  missing := recorded - logic.stored_kept_hours(retained_from);
  if missing < 0 then missing := 0; end if;
end $$;

-- Puts sensor hours back that were lost, from a table with the columns of rollup.sensor_hourly, or of an older version:
-- only hours before retained_from without a stored row. Returns their number. Run by a superuser or the owner.
create function logic.restore_kept_hours(source regclass) returns bigint language plpgsql as $$
declare
  names text;
  restored bigint;
begin
  perform logic.pause_refresh();
  select string_agg(quote_ident(a.attname), ', ') into names
  from pg_attribute a
  join pg_attribute s on s.attrelid = source and s.attname = a.attname and s.attnum > 0 and not s.attisdropped
  where a.attrelid = 'rollup.sensor_hourly'::regclass and a.attnum > 0 and not a.attisdropped;
  execute format('insert into %s (%s) select distinct on (s.sensor_id, s.bucket) %2$s from %s s
    where s.bucket < (select i.retained_from from raw.installation i)
      and not exists (select from rollup.sensor_hourly h where h.bucket = s.bucket and h.sensor_id = s.sensor_id)',
    logic.storage_of_sensor_hours(), names, source);
  get diagnostics restored = row_count;
  return restored;
end $$;

-- Waits for the refresh that runs, and holds off others until the end of the transaction.
create function logic.pause_refresh() returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('airseries'), hashtext('rollup.refresh'))
$$;

-- The hours of a sensor that were kept without readings, less those that were removed.
create function logic.kept_hours_of(sensor int) returns setof timestamptz language sql stable as $$
  select h.bucket
  from rollup.sensor_hourly h cross join raw.installation i
  where h.sensor_id = sensor and h.bucket < i.retained_from and not exists (
    select from raw.removed_period p
    where p.sensor_id = sensor and p.since < h.bucket + interval '1 hour' and p.until > h.bucket)
$$;

-- Leaves the hours that were kept without readings out of all placements from now on, of sensors or, if `station` is
-- given, of all sensors while they were there. Returns their number. To be called before these are deleted from the
-- network, while no refresh runs and holding raw.network_lock.
create function logic.remove_kept_hours(sensors int[], station int default null) returns bigint language sql as $$
  with located as (
    select sensor as sensor_id, timestamptz '-infinity' as since, timestamptz 'infinity' as until
    from unnest(sensors) sensor
    union all
    select l.sensor_id, l.since, l.until from raw.sensor_station l where l.station_id = station
  ),
  kept as (
    select l.sensor_id, l.since, least(l.until, max(hour) + interval '1 hour') as until, count(*) as hours
    from located l
    join lateral logic.kept_hours_of(l.sensor_id) hour on hour > l.since - interval '1 hour' and hour < l.until
    group by l.sensor_id, l.since, l.until
  ),
  recorded as (insert into raw.removed_period (sensor_id, since, until) select sensor_id, since, until from kept)
  select coalesce(sum(hours), 0)::bigint from kept
$$;

-- Moves the ingest cutoff back to `since`, rounded up to a full hour, and returns it. The cutoff cannot go back to an
-- hour whose readings may have been deleted: recomputing it from late readings alone would lose it. So no cutoff may be
-- earlier than the end of the last sensor hour before retained_from. Raises AS409 if `since` is, or if it is later than
-- the current cutoff.
create function logic.lower_ingest_cutoff(since timestamptz, out cutoff timestamptz) language plpgsql as $$
declare
  installation raw.installation;
  earliest timestamptz;
begin
  lock table raw.ingest_lock in exclusive mode;
  select * into installation from raw.installation;
  earliest := least(installation.retained_from, coalesce(
    (select rollup.bucket_add('hour', max(h.bucket), 1) from rollup.sensor_hourly h
      where h.bucket < installation.retained_from), '-infinity'));
  cutoff := logic.hour_ceiling(since);
  if cutoff > installation.ingest_cutoff then
    raise exception using errcode = 'AS409', message =
      case installation.ingest_cutoff when '-infinity' then 'no cutoff is set; readings of any age are accepted'
      else format('readings are already accepted from %s on', installation.ingest_cutoff) end;
  end if;
  if cutoff < earliest then
    raise exception using errcode = 'AS409', message = format(
      'readings measured before %s may have been deleted, and aggregates computed from them would be lost '
        'if late ones were accepted; the earliest cutoff is %s',
      installation.retained_from, earliest);
  end if;
  update raw.installation set ingest_cutoff = lower_ingest_cutoff.cutoff,
    retained_from = least(retained_from, lower_ingest_cutoff.cutoff);
end $$;

revoke all on function logic.retention_plan, logic.kept_hours, logic.lost_months, logic.pause_refresh,
  logic.kept_hours_of, logic.remove_kept_hours, logic.restore_kept_hours, logic.lower_ingest_cutoff from public;

-- Stores the readings of a source: a file, a push or a polled document (S2, S3). Its rows are staged first, in a table of
-- the session, so that they can be looked at as a whole; then one statement puts the rows of one sensor and time
-- together, compares them with what is stored, and stores what differs. Each function runs with the rights of the
-- caller, in one transaction: all or nothing.

-- == The stage ==

-- Makes the stage of this session, a temporary table, or empties it: nothing is left of it after a crash, and writers
-- cannot meet in it. `delete` empties a small one, because truncating it, as `on commit delete rows` would, takes 0.3 ms
-- of the 4 ms of a push.
create function logic.open_stage() returns void language plpgsql as $$
begin
  if to_regclass('pg_temp.staged_reading') is null then
    create temporary table staged_reading (
      ordinal int not null, -- in the order of the source
      sensor_id int, -- null: unreadable
      measured_at timestamptz, -- null: unreadable
      temperature real,
  humidity real,
  pressure real,
  pm1 real,
  pm25 real,
  pm25_raw real,
  pm10 real,
  no2 real,
  so2 real,
  o3 real,
  dust real,
  usvh real,
  uv real,
  wind_speed real,
  wind_direction real,
  rain real,
  rain_total real, -- null: none given, or none that can be used
      empty int not null, -- the parameters that the row has and leaves empty: a sum of $bit
      unusable int not null default 0, -- the parameters whose value cannot be used
      wrong text, -- why: out_of_bounds:pm25, one after the other with a blank between
      problem text, -- why the row cannot be used as a whole; null: only the database can know
      line bigint, -- in the source
      text text, -- as it came; null: its values say it
      -- Rows of one sensor and time that were put together have these:
      kept int, -- the ordinal of the row that has their values; null: this row is stored itself
      is_replaced boolean, -- a later row replaced a value of this one
      is_part boolean -- the kept row has a value of this one
    );
    grant select on pg_temp.staged_reading to airseries_owner; -- logic.describe_stage
  elsif pg_relation_size('pg_temp.staged_reading') > 65536 then
    truncate pg_temp.staged_reading;
  else
    delete from pg_temp.staged_reading;
  end if;
end $$;

-- The outcome of storing the rows of a source. received = accepted + unchanged + refused + unauthorized.
create type logic.stored as (
  received int,
  accepted int,
  unchanged int,
  replaced int, -- number of stored values that were replaced
  withdrawn int, -- and of those that were withdrawn
  replaced_oldest float8, -- the first and the last hour with such a value, in microseconds since 1970; null: none
  replaced_newest float8,
  without_station int, -- number of accepted readings without a placement at their time
  late_hours int, -- number of closed hours in which a sender's reading was changed
  left_out int, -- number of lines that did not fit into the quarantine
  value_reasons jsonb, -- number of values left out of rows that were not refused otherwise, by reason
  delays jsonb, -- how late the written readings are, by group: [[count, mean seconds from measurement to `now`], …]
  refused_ordinals int[], -- the rows that could not be used
  refused_reasons text[],
  unauthorized_ordinals int[], -- the rows that the sender is not authorized for; they are left out
  findings jsonb, -- of logic.look_at_stage, of a sender's readings
  stage jsonb -- of a trial, the rows of logic.describe_stage
);

-- Fills the stage of a session with readings that come as one array per column, with one element per reading, and
-- stores them: a push, or a polled document. Returns what became of them. A finding that stops 20 readings or more keeps
-- all of them from being stored; then everything but `findings` is null.
create function logic.store_readings(
  now timestamptz,
  source text,
  sensors int[],
  times float8[], -- microseconds since 1970
  problems text[], -- these and the others as in the stage
  empties int[],
  unusables int[],
  wrongs text, -- one line per reading
  lines bigint[],
  texts text, -- one line per reading
  scope_provider text, -- the provider the sender is authorized for; null: any
  scope_stations int[], -- the stations of that provider it is authorized for; null: all
  skips_unauthorized boolean, -- leave out readings of other sensors, instead of refusing them all
  only_new boolean, -- only fill in parameters that are not stored: replace and withdraw nothing
  is_trial boolean, -- store nothing, and return what would become of them (S10)
  declared int, -- these as logic.look_at_stage has them
  unsaid int,
  tolerates_few boolean, -- null: the readings are not looked at
  temperature_values real[],
  humidity_values real[],
  pressure_values real[],
  pm1_values real[],
  pm25_values real[],
  pm25_raw_values real[],
  pm10_values real[],
  no2_values real[],
  so2_values real[],
  o3_values real[],
  dust_values real[],
  usvh_values real[],
  uv_values real[],
  wind_speed_values real[],
  wind_direction_values real[],
  rain_values real[],
  rain_total_values real[]
) returns logic.stored language plpgsql
set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  is_unique boolean;
  findings jsonb := '[]';
  described jsonb;
  result logic.stored;
begin
  perform logic.open_stage();
  insert into pg_temp.staged_reading
  select g.ordinal, g.sensor_id, to_timestamp(g.microseconds / 1e6), g.temperature,
  g.humidity,
  g.pressure,
  g.pm1,
  g.pm25,
  g.pm25_raw,
  g.pm10,
  g.no2,
  g.so2,
  g.o3,
  g.dust,
  g.usvh,
  g.uv,
  g.wind_speed,
  g.wind_direction,
  g.rain,
  g.rain_total,
    g.empty, g.unusable, nullif(g.wrong, ''), g.problem, g.line, g.text
  from unnest(sensors, times, problems, empties, unusables, string_to_array(wrongs, E'\n'), lines,
      string_to_array(texts, E'\n'), temperature_values,
  humidity_values,
  pressure_values,
  pm1_values,
  pm25_values,
  pm25_raw_values,
  pm10_values,
  no2_values,
  so2_values,
  o3_values,
  dust_values,
  usvh_values,
  uv_values,
  wind_speed_values,
  wind_direction_values,
  rain_values,
  rain_total_values)
    with ordinality as g(sensor_id, microseconds, problem, empty, unusable, wrong, line,
      text, temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed,
  wind_direction,
  rain,
  rain_total, ordinal);
  is_unique := cardinality(sensors) = 1 or not logic.has_repeats();
  if tolerates_few is not null then
    findings := logic.look_at_stage(declared, unsaid, is_unique, tolerates_few);
  end if;
  if not is_trial and cardinality(sensors) >= 20 and findings @> '[{"stops": true}]' then
    result.findings := findings;
    return result;
  end if;
  if is_trial then
    described := (select jsonb_agg(to_jsonb(d)) from logic.describe_stage() d);
  end if;
  result := logic.store_staged(now, source, '-infinity', 'infinity', scope_provider, scope_stations, skips_unauthorized,
    only_new, is_unique, counts_late => true, import => null, is_trial => is_trial);
  result.findings := findings;
  result.stage := described;
  return result;
end $$;

-- Stores the staged rows of a file from `since` up to, not including, `until`; a row without a time comes before all.
create function logic.store_period(
  now timestamptz, source text, since timestamptz, until timestamptz, is_unique boolean, import int, is_trial boolean
) returns logic.stored language sql
set plan_cache_mode = force_custom_plan
set jit = off
set work_mem = '64MB'
as $$
  select * from logic.store_staged(now, source, since, until, null, null, false, false, is_unique, false, import,
    is_trial)
$$;

-- The next functions are planned once a session: planning them again took 0.85 ms of each push, as pg_stat_statements had
-- it, and a push of one takes 5.

-- The ordinals of the staged rows that the sender is not authorized for. If a sensor was at a station at the time of a
-- reading, suspicious or not, that station must be within the sender's scope. If it was at no station then, it must have
-- been at a station within that scope at some time. Unless they are skipped, raises AS403; the message lists their
-- sensors.
create function logic.unauthorized_rows(provider text, stations int[], are_skipped boolean) returns int[]
  language plpgsql stable
set plan_cache_mode = force_generic_plan
as $$
declare
  of_others int[];
  sensors text;
begin
  select coalesce(array_agg(g.ordinal), '{}'), array_to_string(array_agg(distinct g.sensor_id), ', ')
  into of_others, sensors
  from pg_temp.staged_reading g
  join raw.sensor s on s.id = g.sensor_id
  cross join lateral (
    select
      bool_or(is_own) filter (where is_then) as own_then,
      bool_or(is_own) as own_ever
    from (
      select
        st.provider_id = provider and (stations is null or st.id = any (stations)) as is_own,
        g.measured_at >= located.since and g.measured_at < located.until as is_then
      from raw.sensor_station located
      join raw.station st on st.id = located.station_id
      where located.sensor_id = g.sensor_id
    ) at_station
  ) of_sensor
  where not coalesce(of_sensor.own_then, of_sensor.own_ever, false);
  if of_others <> '{}' and not are_skipped then
    raise exception using errcode = 'AS403', message = sensors;
  end if;
  return of_others;
end $$;

-- Waits for other writers of the gauges in the stage, since of two at once neither would see the total of the other. With
-- `has_totals` there are totals among the rows, and their sensors become gauges. True if there are any.
create function logic.lock_gauges(has_totals boolean) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan
set enable_nestloop = off -- a plan for one row would join 5,000 one by one
as $$
begin
  if has_totals then
    insert into raw.rain_gauge (sensor_id)
    select distinct k.id from pg_temp.staged_reading s join raw.sensor k on k.id = s.sensor_id
    where s.rain_total is not null
    order by 1
    on conflict do nothing;
  end if;
  perform from raw.rain_gauge g where g.sensor_id in (select s.sensor_id from pg_temp.staged_reading s)
    order by g.sensor_id for update;
  return found;
end $$;

-- Raises AS503 if raw.readings is no longer a hypertable: `drop extension timescaledb cascade` leaves an ordinary table
-- that is empty; without timescaledb_post_restore() a hypertable acts like one.
create function logic.require_hypertable() returns void language plpgsql stable
set plan_cache_mode = force_generic_plan
as $$
begin
  if exists (select from only raw.readings) and (select engine = 'timescale' from raw.installation) then
    raise exception using errcode = 'AS503', message = case when current_setting('timescaledb.restoring', true) = 'on'
      then 'timescaledb.restoring is on' else 'raw.readings is no longer a hypertable' end;
  end if;
end $$;

-- True if a sensor and time stand twice in the stage.
create function logic.has_repeats() returns boolean language sql stable as $$
  select exists (
    select from pg_temp.staged_reading s where s.sensor_id is not null and s.measured_at is not null
    group by s.sensor_id, s.measured_at having count(*) > 1)
$$;

-- Puts the staged rows of a period together that have the same sensor and time (S3): of each parameter the last value
-- counts. The last row with a value is the kept one: it gets the values of the others, and the parameters that all of
-- them leave empty.
create function logic.put_together(since timestamptz, until timestamptz) returns void language plpgsql
set plan_cache_mode = force_custom_plan
set work_mem = '64MB'
-- nobody has counted the rows of a push, and joined one by one, 5,000 took more than 20 s
set enable_nestloop = off
set cpu_tuple_cost = 0.01
as $$
begin
  if not exists (
    select from pg_temp.staged_reading s
    where s.measured_at >= since and s.measured_at < until and (s.problem is null or s.problem = 'no_value')
    group by s.sensor_id, s.measured_at having count(*) > 1)
  then
    return;
  end if;
  with repeated as (
    select s.sensor_id, s.measured_at from pg_temp.staged_reading s
    where s.measured_at >= since and s.measured_at < until and (s.problem is null or s.problem = 'no_value')
    group by 1, 2 having count(*) > 1
  ),
  grouped as materialized (
    select s.*, coalesce(max(s.ordinal) filter (where s.problem is null) over key, max(s.ordinal) over key) as keep,
      max(s.ordinal) filter (where s.temperature is not null) over key as last_temperature,
  max(s.ordinal) filter (where s.humidity is not null) over key as last_humidity,
  max(s.ordinal) filter (where s.pressure is not null) over key as last_pressure,
  max(s.ordinal) filter (where s.pm1 is not null) over key as last_pm1,
  max(s.ordinal) filter (where s.pm25 is not null) over key as last_pm25,
  max(s.ordinal) filter (where s.pm25_raw is not null) over key as last_pm25_raw,
  max(s.ordinal) filter (where s.pm10 is not null) over key as last_pm10,
  max(s.ordinal) filter (where s.no2 is not null) over key as last_no2,
  max(s.ordinal) filter (where s.so2 is not null) over key as last_so2,
  max(s.ordinal) filter (where s.o3 is not null) over key as last_o3,
  max(s.ordinal) filter (where s.dust is not null) over key as last_dust,
  max(s.ordinal) filter (where s.usvh is not null) over key as last_usvh,
  max(s.ordinal) filter (where s.uv is not null) over key as last_uv,
  max(s.ordinal) filter (where s.wind_speed is not null) over key as last_wind_speed,
  max(s.ordinal) filter (where s.wind_direction is not null) over key as last_wind_direction,
  max(s.ordinal) filter (where s.rain is not null) over key as last_rain,
  max(s.ordinal) filter (where s.rain_total is not null) over key as last_rain_total
    from pg_temp.staged_reading s join repeated r on r.sensor_id = s.sensor_id and r.measured_at = s.measured_at
    where s.problem is null or s.problem = 'no_value'
    window key as (partition by s.sensor_id, s.measured_at)
  ),
  together as (
    select g.keep, max(g.temperature) filter (where g.ordinal = g.last_temperature) as temperature,
  max(g.humidity) filter (where g.ordinal = g.last_humidity) as humidity,
  max(g.pressure) filter (where g.ordinal = g.last_pressure) as pressure,
  max(g.pm1) filter (where g.ordinal = g.last_pm1) as pm1,
  max(g.pm25) filter (where g.ordinal = g.last_pm25) as pm25,
  max(g.pm25_raw) filter (where g.ordinal = g.last_pm25_raw) as pm25_raw,
  max(g.pm10) filter (where g.ordinal = g.last_pm10) as pm10,
  max(g.no2) filter (where g.ordinal = g.last_no2) as no2,
  max(g.so2) filter (where g.ordinal = g.last_so2) as so2,
  max(g.o3) filter (where g.ordinal = g.last_o3) as o3,
  max(g.dust) filter (where g.ordinal = g.last_dust) as dust,
  max(g.usvh) filter (where g.ordinal = g.last_usvh) as usvh,
  max(g.uv) filter (where g.ordinal = g.last_uv) as uv,
  max(g.wind_speed) filter (where g.ordinal = g.last_wind_speed) as wind_speed,
  max(g.wind_direction) filter (where g.ordinal = g.last_wind_direction) as wind_direction,
  max(g.rain) filter (where g.ordinal = g.last_rain) as rain,
  max(g.rain_total) filter (where g.ordinal = g.last_rain_total) as rain_total,
      bit_or(g.empty) & ~bit_or(g.unusable) as empty
    from grouped g group by 1
  )
  update pg_temp.staged_reading s set
    temperature = case when g.ordinal = g.keep then t.temperature else s.temperature end,
  humidity = case when g.ordinal = g.keep then t.humidity else s.humidity end,
  pressure = case when g.ordinal = g.keep then t.pressure else s.pressure end,
  pm1 = case when g.ordinal = g.keep then t.pm1 else s.pm1 end,
  pm25 = case when g.ordinal = g.keep then t.pm25 else s.pm25 end,
  pm25_raw = case when g.ordinal = g.keep then t.pm25_raw else s.pm25_raw end,
  pm10 = case when g.ordinal = g.keep then t.pm10 else s.pm10 end,
  no2 = case when g.ordinal = g.keep then t.no2 else s.no2 end,
  so2 = case when g.ordinal = g.keep then t.so2 else s.so2 end,
  o3 = case when g.ordinal = g.keep then t.o3 else s.o3 end,
  dust = case when g.ordinal = g.keep then t.dust else s.dust end,
  usvh = case when g.ordinal = g.keep then t.usvh else s.usvh end,
  uv = case when g.ordinal = g.keep then t.uv else s.uv end,
  wind_speed = case when g.ordinal = g.keep then t.wind_speed else s.wind_speed end,
  wind_direction = case when g.ordinal = g.keep then t.wind_direction else s.wind_direction end,
  rain = case when g.ordinal = g.keep then t.rain else s.rain end,
  rain_total = case when g.ordinal = g.keep then t.rain_total else s.rain_total end,
    empty = case when g.ordinal = g.keep then t.empty else s.empty end,
    kept = nullif(g.keep, g.ordinal),
    is_replaced = false or g.temperature is not null and g.temperature <> t.temperature
  or g.humidity is not null and g.humidity <> t.humidity
  or g.pressure is not null and g.pressure <> t.pressure
  or g.pm1 is not null and g.pm1 <> t.pm1
  or g.pm25 is not null and g.pm25 <> t.pm25
  or g.pm25_raw is not null and g.pm25_raw <> t.pm25_raw
  or g.pm10 is not null and g.pm10 <> t.pm10
  or g.no2 is not null and g.no2 <> t.no2
  or g.so2 is not null and g.so2 <> t.so2
  or g.o3 is not null and g.o3 <> t.o3
  or g.dust is not null and g.dust <> t.dust
  or g.usvh is not null and g.usvh <> t.usvh
  or g.uv is not null and g.uv <> t.uv
  or g.wind_speed is not null and g.wind_speed <> t.wind_speed
  or g.wind_direction is not null and g.wind_direction <> t.wind_direction
  or g.rain is not null and g.rain <> t.rain
  or g.rain_total is not null and g.rain_total <> t.rain_total,
    is_part = false or g.temperature is not null and g.last_temperature = g.ordinal
  or g.humidity is not null and g.last_humidity = g.ordinal
  or g.pressure is not null and g.last_pressure = g.ordinal
  or g.pm1 is not null and g.last_pm1 = g.ordinal
  or g.pm25 is not null and g.last_pm25 = g.ordinal
  or g.pm25_raw is not null and g.last_pm25_raw = g.ordinal
  or g.pm10 is not null and g.last_pm10 = g.ordinal
  or g.no2 is not null and g.last_no2 = g.ordinal
  or g.so2 is not null and g.last_so2 = g.ordinal
  or g.o3 is not null and g.last_o3 = g.ordinal
  or g.dust is not null and g.last_dust = g.ordinal
  or g.usvh is not null and g.last_usvh = g.ordinal
  or g.uv is not null and g.last_uv = g.ordinal
  or g.wind_speed is not null and g.last_wind_speed = g.ordinal
  or g.wind_direction is not null and g.last_wind_direction = g.ordinal
  or g.rain is not null and g.last_rain = g.ordinal
  or g.rain_total is not null and g.last_rain_total = g.ordinal
  from grouped g join together t on t.keep = g.keep
  where s.ordinal = g.ordinal;
end $$;

-- Notes what the staged rows of a period are about to change, so that the import can be undone (S11): of each sensor
-- the values before and after. `is_new`: nothing is stored of these sensors between the first and the last row, whose
-- times tell the planner which chunks to read. The statement has the parameters of the source alone: with all of them,
-- 240,000 new rows took 1.1 s instead of 0.3.
create function logic.note_for_undo(
  import int, since timestamptz, until timestamptz, earliest timestamptz, latest timestamptz, is_new boolean
) returns void language plpgsql as $$
declare
  given constant int := ( -- a sum of $bit
    select coalesce(bit_or(s.empty | case when s.temperature is null then 0 else 1 end
  | case when s.humidity is null then 0 else 2 end
  | case when s.pressure is null then 0 else 4 end
  | case when s.pm1 is null then 0 else 8 end
  | case when s.pm25 is null then 0 else 16 end
  | case when s.pm25_raw is null then 0 else 32 end
  | case when s.pm10 is null then 0 else 64 end
  | case when s.no2 is null then 0 else 128 end
  | case when s.so2 is null then 0 else 256 end
  | case when s.o3 is null then 0 else 512 end
  | case when s.dust is null then 0 else 1024 end
  | case when s.usvh is null then 0 else 2048 end
  | case when s.uv is null then 0 else 4096 end
  | case when s.wind_speed is null then 0 else 8192 end
  | case when s.wind_direction is null then 0 else 16384 end
  | case when s.rain is null then 0 else 32768 end
  | case when s.rain_total is null then 0 else 65536 end), 0)
    from pg_temp.staged_reading s where s.measured_at >= since and s.measured_at < until);
  columns record;
begin
  select string_agg(format(', %I', c.name), '') as names,
    string_agg(format(', case when count(c.%I) > 0 then array_agg(c.%1$I) end', c.name), '') as arrays,
    string_agg(format(', %s as %I', c.value, c.name), '') as changes
  into columns
  from (values ('temperature', 1),
  ('humidity', 2),
  ('pressure', 4),
  ('pm1', 8),
  ('pm25', 16),
  ('pm25_raw', 32),
  ('pm10', 64),
  ('no2', 128),
  ('so2', 256),
  ('o3', 512),
  ('dust', 1024),
  ('usvh', 2048),
  ('uv', 4096),
  ('wind_speed', 8192),
  ('wind_direction', 16384),
  ('rain', 32768),
  ('rain_total', 65536)) as p(name, bit)
  cross join lateral (
    select case p.name when 'rain' then 'logic.given_rain(r.rain, r.rain_total, r.rain_given)' else 'r.' || p.name end
      as known
  ) stored
  cross join lateral (
    select p.name || '_after' as name, case when is_new then 's.' || p.name
      else format('case when s.%1$s is distinct from %2$s then s.%1$s end', p.name, known) end as value
    union all
    select p.name || '_before', format('case when s.%1$s <> %2$s or s.%1$s is null and s.empty & ~s.unusable & %3$s <> 0
      then %2$s end', p.name, known, p.bit)
    where not is_new
  ) c
  where p.bit & given <> 0;
  if given = 0 then return; end if;
  execute format('
    insert into raw.import_change (import_id, sensor_id, measured_at %s)
    select $1, c.sensor_id, array_agg(c.measured_at) %s
    from (
      select s.sensor_id, s.measured_at %s
      from pg_temp.staged_reading s
      join raw.sensor k on k.id = s.sensor_id
      cross join raw.installation i
      %s
      where s.measured_at >= $2 and s.measured_at < $3 and (s.problem is null or s.problem = ''no_value'')
        and s.kept is null and s.measured_at >= rollup.origin() and s.measured_at >= i.ingest_cutoff
    ) c
    where num_nonnulls(null %s) > 0
    group by c.sensor_id', columns.names, columns.arrays, columns.changes,
    case when not is_new then 'left join raw.readings r on r.sensor_id = s.sensor_id and r.measured_at = s.measured_at
      and r.measured_at >= $4 and r.measured_at <= $5' end, columns.names)
  using import, since, until, earliest, latest;
end $$;

-- Holds off other imports and undos until the end of the transaction. If two files were stored at once, neither would
-- note the values of the other as replaced, and undoing one would take away both files' values. Senders need not wait.
create function logic.lock_imports() returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('airseries'), hashtext('raw.import'))
$$;

-- == The statement that stores ==

-- Stores the staged rows of a period as they are: nothing is wrong with them, and nothing is stored of their sensors at
-- their times, as of most histories. With nothing to compare, 240,000 rows take 1.1 s instead of 2.0. Returns how many
-- have no placement at their time. Raises serialization_failure, to be tried again, if a sender has stored one of them
-- meanwhile.
create function logic.store_new(since timestamptz, until timestamptz, out without_station int) language plpgsql
set plan_cache_mode = force_custom_plan
as $$
begin
  insert into raw.readings (measured_at, sensor_id, temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed,
  wind_direction,
  rain,
  rain_total)
  select s.measured_at, s.sensor_id, s.temperature,
  s.humidity,
  s.pressure,
  s.pm1,
  s.pm25,
  s.pm25_raw,
  s.pm10,
  s.no2,
  s.so2,
  s.o3,
  s.dust,
  s.usvh,
  s.uv,
  s.wind_speed,
  s.wind_direction,
  s.rain,
  s.rain_total
  from pg_temp.staged_reading s
  where s.measured_at >= since and s.measured_at < until;
  select count(*) into without_station
  from pg_temp.staged_reading s
  left join raw.placement p on p.sensor_id = s.sensor_id and s.measured_at >= p.since and s.measured_at < p.until
  where s.measured_at >= store_new.since and s.measured_at < store_new.until and p.sensor_id is null;
exception when unique_violation then
  raise exception using errcode = 'serialization_failure', message = 'one of the readings was stored meanwhile';
end $$;

-- Stores the usable staged rows of a period and quarantines the rest. accepted + unchanged + refused + unauthorized =
-- rows. For a sensor and a time, each value of the source replaces the stored one, a parameter that it only leaves empty
-- is withdrawn, and every other parameter stays as it is (S3). Raises AS403, and stores nothing, if the sender lacks
-- authorization for a sensor; the message lists those sensors. Raises AS503 if raw.readings is no longer a hypertable,
-- or TimescaleDB is still in the state of a restore: readings would get lost.
create function logic.store_staged(
  now timestamptz, source text, since timestamptz, until timestamptz,
  scope_provider text, scope_stations int[], skips_unauthorized boolean, only_new boolean,
  is_unique boolean, -- no sensor and time stands twice
  counts_late boolean, -- count the closed hours
  import int, -- the number of the imported file, whose changes are noted to be undone; null: they are not
  is_trial boolean -- store nothing, and return what would become of the rows: the same statement, rolled back (S10)
) returns logic.stored language plpgsql
set plan_cache_mode = force_custom_plan
as $$
declare
  -- bounds of the readings, as plain values: they tell the planner which chunks to read
  earliest timestamptz;
  latest timestamptz;
  -- Older readings are refused. Joined to the rows, raw.installation was taken for 300, and a push of 1,000 into a chunk
  -- that nobody had analyzed yet sorted all of the chunk's: 104 ms instead of 20.
  cutoff timestamptz;
  has_totals boolean;
  has_gauges boolean;
  is_odd boolean; -- a row may not be used, or not all of it
  is_new boolean := false; -- of an import: nothing is stored of these sensors between the bounds
  are_known boolean; -- these sensors
  withdrawn_sensors int[];
  withdrawn_times timestamptz[];
  withdrawn_names int[];
  rain_sensors int[];
  rain_times float8[];
  of_others int[] := '{}'; -- ordinals of the rows that the sender is not authorized for
  result logic.stored;
begin
  if is_trial then
    begin
      result := logic.store_staged(now, source, since, until, scope_provider, scope_stations, skips_unauthorized,
        only_new, is_unique, counts_late, import => null, is_trial => false);
      raise exception using errcode = 'AS200', message = 'a trial is rolled back';
    exception when sqlstate 'AS200' then
      return result;
    end;
  end if;
  if import is not null then
    perform logic.lock_imports();
  end if;
  if scope_provider is not null then
    of_others := logic.unauthorized_rows(scope_provider, scope_stations, skips_unauthorized);
  end if;
  lock table raw.ingest_lock in row exclusive mode; -- see raise_ingest_cutoff
  select i.ingest_cutoff into cutoff from raw.installation i;
  select count(*), min(s.measured_at), max(s.measured_at), bool_or(s.rain_total is not null),
    bool_or(s.problem is not null or s.wrong is not null)
  into result.received, earliest, latest, has_totals, is_odd
  from pg_temp.staged_reading s
  where (s.measured_at >= since and s.measured_at < until or s.measured_at is null and since = '-infinity');
  if not is_unique then
    perform logic.put_together(since, until);
  end if;
  has_gauges := logic.lock_gauges(has_totals);

  if import is not null then
    select bool_and(not stored.is_any), bool_and(stored.is_known) into is_new, are_known
    from (
      select distinct s.sensor_id from pg_temp.staged_reading s where s.measured_at >= since and s.measured_at < until
    ) s
    cross join lateral (
      select exists (select from raw.sensor k where k.id = s.sensor_id) as is_known,
        exists (select from raw.readings r
          where r.sensor_id = s.sensor_id and r.measured_at >= earliest and r.measured_at <= latest) as is_any) stored;
    is_new := coalesce(is_new, false);
    perform logic.note_for_undo(import, since, until, earliest, latest, is_new);
  end if;

  if is_new and are_known and is_unique and not is_odd and not has_gauges
    and earliest >= greatest(rollup.origin(), cutoff)
  then
    select result.received, s.without_station, 0, 0, 0, '[]', '{}', '{}'
    into result.accepted, result.without_station, result.replaced, result.withdrawn, result.late_hours, result.delays,
      result.refused_ordinals, result.refused_reasons
    from logic.store_new(since, until) s;
  else
    with beside as (
      -- Each row beside what is stored of its sensor and time, unless it is refused or its values are a kept row's. Of
      -- rain a source gives an amount or a total; the amount of a reading with a total is derived, and the given one is
      -- kept beside it.
      select s.ordinal, s.sensor_id, s.measured_at, s.temperature,
  s.humidity,
  s.pressure,
  s.pm1,
  s.pm25,
  s.pm25_raw,
  s.pm10,
  s.no2,
  s.so2,
  s.o3,
  s.dust,
  s.usvh,
  s.uv,
  s.wind_speed,
  s.wind_direction,
  s.rain,
  s.rain_total, s.empty & ~s.unusable as empty,
        s.unusable, s.problem, s.kept, s.is_replaced, s.is_part, usable.reason,
        r.temperature as known_temperature,
  r.humidity as known_humidity,
  r.pressure as known_pressure,
  r.pm1 as known_pm1,
  r.pm25 as known_pm25,
  r.pm25_raw as known_pm25_raw,
  r.pm10 as known_pm10,
  r.no2 as known_no2,
  r.so2 as known_so2,
  r.o3 as known_o3,
  r.dust as known_dust,
  r.usvh as known_usvh,
  r.uv as known_uv,
  r.wind_speed as known_wind_speed,
  r.wind_direction as known_wind_direction,
  r.rain_total as known_rain_total,
        logic.given_rain(r.rain, r.rain_total, r.rain_given) as known_rain
      from pg_temp.staged_reading s
      left join raw.sensor k on k.id = s.sensor_id
      cross join lateral (
        select case
          when k.id is null and s.problem is distinct from 'unreadable_line' then 'unknown_sensor'
          when s.problem <> 'no_value' then s.problem
          when s.measured_at < rollup.origin() then 'before_epoch'
          when s.measured_at < cutoff then 'older_than_retention'
        end as reason
      ) usable
      left join raw.readings r on not is_new and usable.reason is null and s.kept is null
        and r.sensor_id = s.sensor_id and r.measured_at = s.measured_at
        and r.measured_at >= earliest and r.measured_at <= latest
      where (s.measured_at >= since and s.measured_at < until or s.measured_at is null and since = '-infinity')
        and s.ordinal <> all (of_others)
    ),
    compared as materialized (
      select b.*, b.changes or b.withdraws <> 0 as is_changed
      from (
        select b.*, b.reason is null and b.kept is null and (false or b.temperature is not null and
            case when only_new then b.known_temperature is null else b.known_temperature is distinct from b.temperature end
  or b.humidity is not null and
            case when only_new then b.known_humidity is null else b.known_humidity is distinct from b.humidity end
  or b.pressure is not null and
            case when only_new then b.known_pressure is null else b.known_pressure is distinct from b.pressure end
  or b.pm1 is not null and
            case when only_new then b.known_pm1 is null else b.known_pm1 is distinct from b.pm1 end
  or b.pm25 is not null and
            case when only_new then b.known_pm25 is null else b.known_pm25 is distinct from b.pm25 end
  or b.pm25_raw is not null and
            case when only_new then b.known_pm25_raw is null else b.known_pm25_raw is distinct from b.pm25_raw end
  or b.pm10 is not null and
            case when only_new then b.known_pm10 is null else b.known_pm10 is distinct from b.pm10 end
  or b.no2 is not null and
            case when only_new then b.known_no2 is null else b.known_no2 is distinct from b.no2 end
  or b.so2 is not null and
            case when only_new then b.known_so2 is null else b.known_so2 is distinct from b.so2 end
  or b.o3 is not null and
            case when only_new then b.known_o3 is null else b.known_o3 is distinct from b.o3 end
  or b.dust is not null and
            case when only_new then b.known_dust is null else b.known_dust is distinct from b.dust end
  or b.usvh is not null and
            case when only_new then b.known_usvh is null else b.known_usvh is distinct from b.usvh end
  or b.uv is not null and
            case when only_new then b.known_uv is null else b.known_uv is distinct from b.uv end
  or b.wind_speed is not null and
            case when only_new then b.known_wind_speed is null else b.known_wind_speed is distinct from b.wind_speed end
  or b.wind_direction is not null and
            case when only_new then b.known_wind_direction is null else b.known_wind_direction is distinct from b.wind_direction end
  or b.rain is not null and
            case when only_new then b.known_rain is null else b.known_rain is distinct from b.rain end
  or b.rain_total is not null and
            case when only_new then b.known_rain_total is null else b.known_rain_total is distinct from b.rain_total end) as changes,
          case when only_new then 0
            else 0 + coalesce((b.temperature <> b.known_temperature)::int, 0)
  + coalesce((b.humidity <> b.known_humidity)::int, 0)
  + coalesce((b.pressure <> b.known_pressure)::int, 0)
  + coalesce((b.pm1 <> b.known_pm1)::int, 0)
  + coalesce((b.pm25 <> b.known_pm25)::int, 0)
  + coalesce((b.pm25_raw <> b.known_pm25_raw)::int, 0)
  + coalesce((b.pm10 <> b.known_pm10)::int, 0)
  + coalesce((b.no2 <> b.known_no2)::int, 0)
  + coalesce((b.so2 <> b.known_so2)::int, 0)
  + coalesce((b.o3 <> b.known_o3)::int, 0)
  + coalesce((b.dust <> b.known_dust)::int, 0)
  + coalesce((b.usvh <> b.known_usvh)::int, 0)
  + coalesce((b.uv <> b.known_uv)::int, 0)
  + coalesce((b.wind_speed <> b.known_wind_speed)::int, 0)
  + coalesce((b.wind_direction <> b.known_wind_direction)::int, 0)
  + coalesce((b.rain <> b.known_rain)::int, 0)
  + coalesce((b.rain_total <> b.known_rain_total)::int, 0) end as replaces,
          case when only_new or b.empty = 0 then 0
            else 0 |
              case when b.known_temperature is not null and b.temperature is null then b.empty & 1 else 0 end
  |
              case when b.known_humidity is not null and b.humidity is null then b.empty & 2 else 0 end
  |
              case when b.known_pressure is not null and b.pressure is null then b.empty & 4 else 0 end
  |
              case when b.known_pm1 is not null and b.pm1 is null then b.empty & 8 else 0 end
  |
              case when b.known_pm25 is not null and b.pm25 is null then b.empty & 16 else 0 end
  |
              case when b.known_pm25_raw is not null and b.pm25_raw is null then b.empty & 32 else 0 end
  |
              case when b.known_pm10 is not null and b.pm10 is null then b.empty & 64 else 0 end
  |
              case when b.known_no2 is not null and b.no2 is null then b.empty & 128 else 0 end
  |
              case when b.known_so2 is not null and b.so2 is null then b.empty & 256 else 0 end
  |
              case when b.known_o3 is not null and b.o3 is null then b.empty & 512 else 0 end
  |
              case when b.known_dust is not null and b.dust is null then b.empty & 1024 else 0 end
  |
              case when b.known_usvh is not null and b.usvh is null then b.empty & 2048 else 0 end
  |
              case when b.known_uv is not null and b.uv is null then b.empty & 4096 else 0 end
  |
              case when b.known_wind_speed is not null and b.wind_speed is null then b.empty & 8192 else 0 end
  |
              case when b.known_wind_direction is not null and b.wind_direction is null then b.empty & 16384 else 0 end
  |
              case when b.known_rain is not null and b.rain is null then b.empty & 32768 else 0 end
  |
              case when b.known_rain_total is not null and b.rain_total is null then b.empty & 65536 else 0 end
          end as withdraws -- a sum of $bit
        from beside b
      ) b
    ),
    written as (
      insert into raw.readings as stored (measured_at, sensor_id, temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed,
  wind_direction,
  rain,
  rain_total, rain_given)
      select c.measured_at, c.sensor_id, c.temperature,
  c.humidity,
  c.pressure,
  c.pm1,
  c.pm25,
  c.pm25_raw,
  c.pm10,
  c.no2,
  c.so2,
  c.o3,
  c.dust,
  c.usvh,
  c.uv,
  c.wind_speed,
  c.wind_direction,
  c.rain,
  c.rain_total, case when c.rain_total is not null then c.rain end
      from compared c
      where c.changes
      order by c.sensor_id, c.measured_at -- in the same order everywhere, or two writers could deadlock
      on conflict (sensor_id, measured_at) do update set
        temperature = case when only_new
          then coalesce(stored.temperature, excluded.temperature) else coalesce(excluded.temperature, stored.temperature) end,
  humidity = case when only_new
          then coalesce(stored.humidity, excluded.humidity) else coalesce(excluded.humidity, stored.humidity) end,
  pressure = case when only_new
          then coalesce(stored.pressure, excluded.pressure) else coalesce(excluded.pressure, stored.pressure) end,
  pm1 = case when only_new
          then coalesce(stored.pm1, excluded.pm1) else coalesce(excluded.pm1, stored.pm1) end,
  pm25 = case when only_new
          then coalesce(stored.pm25, excluded.pm25) else coalesce(excluded.pm25, stored.pm25) end,
  pm25_raw = case when only_new
          then coalesce(stored.pm25_raw, excluded.pm25_raw) else coalesce(excluded.pm25_raw, stored.pm25_raw) end,
  pm10 = case when only_new
          then coalesce(stored.pm10, excluded.pm10) else coalesce(excluded.pm10, stored.pm10) end,
  no2 = case when only_new
          then coalesce(stored.no2, excluded.no2) else coalesce(excluded.no2, stored.no2) end,
  so2 = case when only_new
          then coalesce(stored.so2, excluded.so2) else coalesce(excluded.so2, stored.so2) end,
  o3 = case when only_new
          then coalesce(stored.o3, excluded.o3) else coalesce(excluded.o3, stored.o3) end,
  dust = case when only_new
          then coalesce(stored.dust, excluded.dust) else coalesce(excluded.dust, stored.dust) end,
  usvh = case when only_new
          then coalesce(stored.usvh, excluded.usvh) else coalesce(excluded.usvh, stored.usvh) end,
  uv = case when only_new
          then coalesce(stored.uv, excluded.uv) else coalesce(excluded.uv, stored.uv) end,
  wind_speed = case when only_new
          then coalesce(stored.wind_speed, excluded.wind_speed) else coalesce(excluded.wind_speed, stored.wind_speed) end,
  wind_direction = case when only_new
          then coalesce(stored.wind_direction, excluded.wind_direction) else coalesce(excluded.wind_direction, stored.wind_direction) end,
  rain_total = case when only_new
          then coalesce(stored.rain_total, excluded.rain_total) else coalesce(excluded.rain_total, stored.rain_total) end,
        -- with a total, derive_rain decides
        rain = case when coalesce(excluded.rain_total, stored.rain_total) is not null then stored.rain
          when only_new then coalesce(stored.rain, excluded.rain) else coalesce(excluded.rain, stored.rain) end,
        rain_given = case when coalesce(excluded.rain_total, stored.rain_total) is not null then
          case when only_new
            then coalesce(logic.given_rain(stored.rain, stored.rain_total, stored.rain_given), excluded.rain)
            else coalesce(excluded.rain, logic.given_rain(stored.rain, stored.rain_total, stored.rain_given))
          end end
    )
    -- A row that was put together with others counts as accepted if a later row replaced a value of it, or if its
    -- values changed something with the kept row; as unchanged otherwise. One without a value that withdraws nothing is
    -- refused, but for the empty cells of rows of one parameter each, if another row of them has a value.
    select count(*) filter (where c.is_changed) + (
        select count(*) from compared together
        where together.kept is not null and together.reason is null and together.problem is null
          and (together.is_replaced and not only_new
            or together.is_part and together.kept in (select kept.ordinal from compared kept where kept.is_changed))),
      coalesce(sum(c.replaces), 0), coalesce(sum(bit_count(c.withdraws::bit(32))), 0),
      extract(epoch from rollup.bucket_start('hour',
        min(c.measured_at) filter (where c.replaces + c.withdraws <> 0))) * 1e6,
      extract(epoch from rollup.bucket_start('hour',
        max(c.measured_at) filter (where c.replaces + c.withdraws <> 0))) * 1e6,
      count(*) filter (where c.is_changed and p.sensor_id is null),
      count(distinct rollup.bucket_start('hour', c.measured_at))
        filter (where c.is_changed and counts_late and c.measured_at < rollup.bucket_start('hour', now)),
      coalesce((select jsonb_agg(jsonb_build_array(d.n, greatest(d.seconds, 0))) from (
        select count(*) as n, avg(late.seconds) as seconds
        from compared w cross join lateral (select extract(epoch from now - w.measured_at)::float8 as seconds) late
        where w.changes and counts_late
        group by width_bucket(late.seconds, array[60, 300, 1800, 10800, 86400, 604800]::float8[])) d), '[]'),
      array_agg(c.sensor_id) filter (where c.withdraws <> 0),
      array_agg(c.measured_at) filter (where c.withdraws <> 0),
      array_agg(c.withdraws) filter (where c.withdraws <> 0),
      array_agg(c.sensor_id) filter (where has_gauges and c.is_changed),
      array_agg(extract(epoch from c.measured_at)::float8 * 1e6) filter (where has_gauges and c.is_changed),
      coalesce(array_agg(c.ordinal order by c.ordinal) filter (where c.refused is not null), '{}'),
      coalesce(array_agg(c.refused order by c.ordinal) filter (where c.refused is not null), '{}')
    into result.accepted, result.replaced, result.withdrawn, result.replaced_oldest, result.replaced_newest,
      result.without_station, result.late_hours, result.delays, withdrawn_sensors, withdrawn_times, withdrawn_names,
      rain_sensors, rain_times, result.refused_ordinals, result.refused_reasons
    from (
      select c.*, coalesce(c.reason, case when not c.is_changed and (c.kept is null or c.unusable <> 0
          or c.kept not in (select k.ordinal from compared k where k.kept is null and k.problem is null))
        then c.problem end) as refused
      from compared c
    ) c
    left join raw.placement p on p.sensor_id = c.sensor_id and c.measured_at >= p.since and c.measured_at < p.until;
  end if;

  result.unauthorized_ordinals := of_others;
  result.unchanged := result.received - cardinality(of_others) - cardinality(result.refused_ordinals) - result.accepted;

  perform logic.require_hypertable();
  if withdrawn_sensors is not null then
    perform logic.withdraw_values(withdrawn_sensors, withdrawn_times, withdrawn_names);
  end if;
  if rain_sensors is not null then
    perform logic.derive_rain(rain_sensors, rain_times);
  end if;
  result.left_out := 0;
  result.value_reasons := '{}';
  if is_odd or result.refused_ordinals <> '{}' then
    select q.left_out, q.value_reasons into result.left_out, result.value_reasons
    from logic.quarantine_staged(now, source, scope_provider, scope_stations, since, until, of_others,
      result.refused_ordinals, result.refused_reasons) q;
  end if;
  return result;
end $$;

-- Withdraws parameters of readings: for each sensor and time a sum of $bit (S3). A row without any value is no reading,
-- and is deleted. Raises serialization_failure, to be tried again, if one of the rows was deleted meanwhile.
create function logic.withdraw_values(sensors int[], times timestamptz[], names int[]) returns void language plpgsql
set plan_cache_mode = force_custom_plan
set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  earliest constant timestamptz := (select min(t) from unnest(times) t);
  latest constant timestamptz := (select max(t) from unnest(times) t);
  is_deleted boolean;
  emptied_sensors int[];
  emptied_times timestamptz[];
begin
  -- An update that joins would unpack whole chunks of TimescaleDB. The row to insert has the values to withdraw, and
  -- only these: null would not tell an empty parameter from one that stays.
  with withdrawn as (
    insert into raw.readings as stored (measured_at, sensor_id, temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed,
  wind_direction,
  rain_total, rain)
    select r.measured_at, r.sensor_id,
      case when t.names & 1 <> 0 then r.temperature end,
  case when t.names & 2 <> 0 then r.humidity end,
  case when t.names & 4 <> 0 then r.pressure end,
  case when t.names & 8 <> 0 then r.pm1 end,
  case when t.names & 16 <> 0 then r.pm25 end,
  case when t.names & 32 <> 0 then r.pm25_raw end,
  case when t.names & 64 <> 0 then r.pm10 end,
  case when t.names & 128 <> 0 then r.no2 end,
  case when t.names & 256 <> 0 then r.so2 end,
  case when t.names & 512 <> 0 then r.o3 end,
  case when t.names & 1024 <> 0 then r.dust end,
  case when t.names & 2048 <> 0 then r.usvh end,
  case when t.names & 4096 <> 0 then r.uv end,
  case when t.names & 8192 <> 0 then r.wind_speed end,
  case when t.names & 16384 <> 0 then r.wind_direction end,
  case when t.names & 65536 <> 0 then r.rain_total end,
      case when t.names & 32768 <> 0 then logic.given_rain(r.rain, r.rain_total, r.rain_given) end
    from unnest(sensors, times, names) as t(sensor_id, measured_at, names)
    join raw.readings r on r.sensor_id = t.sensor_id and r.measured_at = t.measured_at
      and r.measured_at >= earliest and r.measured_at <= latest
    order by r.sensor_id, r.measured_at
    on conflict (sensor_id, measured_at) do update set
      temperature = case when excluded.temperature is null then stored.temperature end,
  humidity = case when excluded.humidity is null then stored.humidity end,
  pressure = case when excluded.pressure is null then stored.pressure end,
  pm1 = case when excluded.pm1 is null then stored.pm1 end,
  pm25 = case when excluded.pm25 is null then stored.pm25 end,
  pm25_raw = case when excluded.pm25_raw is null then stored.pm25_raw end,
  pm10 = case when excluded.pm10 is null then stored.pm10 end,
  no2 = case when excluded.no2 is null then stored.no2 end,
  so2 = case when excluded.so2 is null then stored.so2 end,
  o3 = case when excluded.o3 is null then stored.o3 end,
  dust = case when excluded.dust is null then stored.dust end,
  usvh = case when excluded.usvh is null then stored.usvh end,
  uv = case when excluded.uv is null then stored.uv end,
  wind_speed = case when excluded.wind_speed is null then stored.wind_speed end,
  wind_direction = case when excluded.wind_direction is null then stored.wind_direction end,
  rain_total = case when excluded.rain_total is null then stored.rain_total end,
      rain = case
        when stored.rain_total is null then case when excluded.rain is null then stored.rain end
        when excluded.rain_total is null then stored.rain -- derived
        when excluded.rain is null then stored.rain_given end,
      rain_given = case when excluded.rain is null and excluded.rain_total is null then stored.rain_given end
    returning sensor_id, measured_at, xmax = 0 as is_inserted, num_nonnulls(temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed,
  wind_direction,
  rain,
  rain_total) = 0 as is_empty
  )
  select bool_or(is_inserted), array_agg(sensor_id) filter (where is_empty), array_agg(measured_at) filter (where is_empty)
  into is_deleted, emptied_sensors, emptied_times
  from withdrawn;
  if is_deleted then
    raise exception using errcode = 'serialization_failure', message = 'a reading was deleted meanwhile';
  end if;
  if emptied_sensors is not null then
    perform logic.delete_empty_readings(emptied_sensors, emptied_times);
  end if;
end $$;

-- Deletes the readings without any value of these sensors, in the periods between these times that are at most a week
-- apart. Writers of readings have no right to delete others. One statement a period, with plain values: deletes by key
-- took 229 s for 5,000 readings of five years in compressed chunks.
create function logic.delete_empty_readings(sensors int[], times timestamptz[]) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  emptied record;
begin
  for emptied in
    select e.sensor_id, lower(part) as since, upper(part) - interval '7 days' as until
    from (
      select sensor_id, range_agg(tstzrange(at, at + interval '7 days')) as parts
      from unnest(sensors, times) as t(sensor_id, at) group by 1
    ) e cross join unnest(e.parts) part
  loop
    delete from raw.readings r
    where r.sensor_id = emptied.sensor_id and r.measured_at >= emptied.since and r.measured_at <= emptied.until
      and num_nonnulls(r.temperature,
  r.humidity,
  r.pressure,
  r.pm1,
  r.pm25,
  r.pm25_raw,
  r.pm10,
  r.no2,
  r.so2,
  r.o3,
  r.dust,
  r.usvh,
  r.uv,
  r.wind_speed,
  r.wind_direction,
  r.rain,
  r.rain_total) = 0;
  end loop;
end $$;

-- The amount of rain that a source gave: beside a total, `rain` is derived from it.
create function logic.given_rain(rain real, rain_total real, rain_given real) returns real language sql immutable as $$
  select case when rain_total is null then rain else rain_given end
$$;

-- Derives the rain of readings that have a total (A6): the amount since the total before, or the total itself where it
-- is smaller, because the gauge began again. For the first total, where the one before is more than 24 hours older, and
-- where the difference is out of bounds (S1), it is the amount that a source gave, or null. Each instant was written or
-- deleted, so it derives the amount then, and the amount of the next total, which now has another one before it. The
-- total before may be the last one that retention has deleted (logic.keep_last_totals). Only changed amounts are
-- written, so only their hours become stale. Times are microseconds since 1970. The caller holds the row locks of these
-- sensors in raw.rain_gauge; sensors that are not in it are left out.
create function logic.derive_rain(sensors int[], times float8[]) returns void
language plpgsql set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  -- bounds of the readings, as plain values: they tell the planner which chunks to read
  earliest constant timestamptz := (select to_timestamp(min(t) / 1e6) - interval '24 hours' from unnest(times) t);
  latest constant timestamptz := (select to_timestamp(max(t) / 1e6) + interval '24 hours' from unnest(times) t);
begin
  with written as (
    select w.sensor_id, to_timestamp(w.microseconds / 1e6) as at
    from unnest(sensors, times) as w(sensor_id, microseconds)
    join raw.rain_gauge g on g.sensor_id = w.sensor_id
    where w.microseconds is not null
  ),
  affected as (
    select w.sensor_id, lower(part) as since, upper(part) as until
    from (
      select sensor_id, range_agg(tstzrange(at - interval '24 hours', at + interval '24 hours', '[]')) as parts
      from written group by 1
    ) w cross join unnest(w.parts) part
  ),
  counted as (
    select r.sensor_id, a.since, r.measured_at, r.rain, r.rain_total, r.rain_given, true as is_stored
    from affected a
    join raw.readings r on r.sensor_id = a.sensor_id and r.measured_at >= a.since and r.measured_at <= a.until
    where r.rain_total is not null and r.measured_at >= earliest and r.measured_at <= latest
    union all
    select g.sensor_id, a.since, g.deleted_at, null, g.deleted_total, null, false
    from affected a
    join raw.rain_gauge g on g.sensor_id = a.sensor_id and g.deleted_at >= a.since and g.deleted_at <= a.until
  ),
  totals as (
    select c.*,
      -- the first 24 hours are there for the totals before
      c.is_stored and c.measured_at >= c.since + interval '24 hours' as is_affected,
      lag(c.rain_total) over before as total_before,
      lag(c.measured_at) over before >= c.measured_at - interval '24 hours' as is_near
    from counted c
    window before as (partition by c.sensor_id, c.since order by c.measured_at)
  ),
  derived as (
    select t.sensor_id, t.measured_at, t.rain, t.rain_given,
      case when t.is_near then
        t.rain_total - case when t.rain_total >= t.total_before then t.total_before else 0 end end as amount
    from totals t
    where t.is_affected
  )
  -- each of these rows exists: an update that joins would unpack whole chunks of TimescaleDB
  insert into raw.readings as stored (measured_at, sensor_id, rain)
  select d.measured_at, d.sensor_id, possible.amount
  from derived d
  cross join lateral (
    select coalesce(case when d.amount between 0 and 500 then d.amount end, d.rain_given) as amount) possible
  where d.rain is distinct from possible.amount
  order by d.sensor_id, d.measured_at
  on conflict (sensor_id, measured_at) do update set rain = excluded.rain;
end $$;

-- Keeps the last total of each gauge before an instant, from which the first amount after it is derived (A6). To be
-- called before the readings before it are deleted.
create function logic.keep_last_totals(until timestamptz) returns void language sql
set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
  update raw.rain_gauge g set deleted_at = last.measured_at, deleted_total = last.rain_total
  from raw.rain_gauge one
  left join lateral (
    select r.measured_at, r.rain_total from raw.readings r
    where r.sensor_id = one.sensor_id and r.rain_total is not null
      and r.measured_at < until and r.measured_at >= until - interval '24 hours'
    order by r.measured_at desc limit 1
  ) last on true
  where g.sensor_id = one.sensor_id
$$;

-- Deletes the readings of a sensor from `since` up to, not including, `until`. Returns how many that were.
create function logic.delete_readings(sensor int, since timestamptz, until timestamptz) returns bigint
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  deleted bigint;
begin
  perform from raw.rain_gauge g where g.sensor_id = sensor for update;
  delete from raw.readings r where r.sensor_id = sensor and r.measured_at >= since and r.measured_at < until;
  get diagnostics deleted = row_count;
  perform logic.derive_rain(array[sensor], array[extract(epoch from until)::float8 * 1e6]);
  return deleted;
end $$;

-- The instants before which readings are refused: the origin of the first hour, and the ingest cutoff, which is null if
-- there is none. Both are microseconds since 1970.
create function logic.ingest_bounds(out origin float8, out cutoff float8) language sql stable as $$
  select extract(epoch from rollup.origin()) * 1e6,
    case when isfinite(i.ingest_cutoff) then extract(epoch from i.ingest_cutoff) * 1e6 end
  from raw.installation i
$$;

revoke all on function logic.given_rain, logic.open_stage, logic.store_readings, logic.store_period,
  logic.lock_imports, logic.unauthorized_rows, logic.lock_gauges, logic.require_hypertable, logic.has_repeats,
  logic.put_together, logic.note_for_undo, logic.store_new, logic.store_staged, logic.withdraw_values,
  logic.delete_empty_readings, logic.derive_rain, logic.keep_last_totals, logic.delete_readings, logic.ingest_bounds
  from public;
grant execute on function logic.given_rain, logic.open_stage, logic.store_readings, logic.store_period,
  logic.lock_imports, logic.unauthorized_rows, logic.lock_gauges, logic.require_hypertable, logic.has_repeats,
  logic.put_together, logic.note_for_undo, logic.store_new, logic.store_staged, logic.withdraw_values,
  logic.delete_empty_readings, logic.derive_rain, logic.ingest_bounds to airseries_ingest;
grant usage on schema logic to airseries_ingest;

-- The quarantine keeps input that could not be used, with the reason, so that it can be retried.

-- Quarantines what staged rows of a period could not be used for: refused rows, and values left out of rows that were
-- stored or were refused only because no value remained (S2). A refused row that could be parsed is recorded with its
-- values, so that it can be retried. A line is recorded once per reason. Each provider's quarantine is limited to
-- 128 MiB; trimming makes room. Returns how many lines did not fit, and the number of values by reason.
create function logic.quarantine_staged(
  now timestamptz, source text, provider text, stations int[], since timestamptz, until timestamptz, of_others int[],
  refused_ordinals int[], refused_reasons text[],
  out left_out int, out value_reasons jsonb
) language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  room bigint;
  added bigint;
begin
  -- locking the provider's row also serializes its senders
  insert into raw.quarantine_load as load (provider_id) values (coalesce(provider, ''))
  on conflict (provider_id) do update set bytes = load.bytes
  returning 128 * 1024 * 1024 - load.bytes into room;

  with row as materialized (
    select s.*, r.reason, s.sensor_id is not null and s.measured_at is not null as is_understood
    from pg_temp.staged_reading s
    left join unnest(refused_ordinals, refused_reasons) as r(ordinal, reason) on r.ordinal = s.ordinal
    where (r.reason is not null or s.wrong is not null)
      and (s.measured_at >= since and s.measured_at < until or s.measured_at is null and since = '-infinity')
      and s.ordinal <> all (of_others)
  ),
  fault as (
    select row.ordinal, 'reading' as kind, row.reason from row where row.reason is not null
    union all
    select row.ordinal, 'value', v.reason from row cross join unnest(string_to_array(row.wrong, ' ')) as v(reason)
    where row.reason is null or row.reason = 'no_value'
  ),
  found as (
    select row.line, fault.kind, fault.reason,
      logic.excerpt(coalesce(row.text, jsonb_strip_nulls(jsonb_build_object('sensor_id', row.sensor_id,
        'measured_at', row.measured_at, 'temperature', row.temperature,
  'humidity', row.humidity,
  'pressure', row.pressure,
  'pm1', row.pm1,
  'pm25', row.pm25,
  'pm25_raw', row.pm25_raw,
  'pm10', row.pm10,
  'no2', row.no2,
  'so2', row.so2,
  'o3', row.o3,
  'dust', row.dust,
  'usvh', row.usvh,
  'uv', row.uv,
  'wind_speed', row.wind_speed,
  'wind_direction', row.wind_direction,
  'rain', row.rain,
  'rain_total', row.rain_total))::text),
        case when row.is_understood then 2000 else 65536 end) as text,
      case when fault.kind = 'reading' and row.is_understood then jsonb_strip_nulls(jsonb_build_object(
        'sensor_id', row.sensor_id, 'microseconds', (extract(epoch from row.measured_at) * 1000000)::bigint,
        'temperature', row.temperature,
  'humidity', row.humidity,
  'pressure', row.pressure,
  'pm1', row.pm1,
  'pm25', row.pm25,
  'pm25_raw', row.pm25_raw,
  'pm10', row.pm10,
  'no2', row.no2,
  'so2', row.so2,
  'o3', row.o3,
  'dust', row.dust,
  'usvh', row.usvh,
  'uv', row.uv,
  'wind_speed', row.wind_speed,
  'wind_direction', row.wind_direction,
  'rain', row.rain,
  'rain_total', row.rain_total,
        'unusable', to_jsonb(string_to_array(row.wrong, ' ')))) end as reading
    from fault join row on row.ordinal = fault.ordinal
  ),
  missing as materialized (
    select f.*, sum(logic.quarantine_bytes(f.text)) over (order by f.kind, f.reason, f.text) as bytes_so_far
    from (select distinct on (kind, reason, text) * from found order by kind, reason, text, line) f
    where not exists (select from raw.quarantine q
      where q.fingerprint = md5(f.kind || E'\n' || f.reason || E'\n' || coalesce(provider, '') || E'\n' || f.text))
  ),
  recorded as (
    insert into raw.quarantine (recorded_at, source, provider_id, stations, line, kind, reason, text, reading)
    select now, source, provider, stations, m.line, m.kind, m.reason, m.text, m.reading
    from missing m
    where m.bytes_so_far <= room
    order by m.bytes_so_far
    on conflict (fingerprint) do nothing
    returning logic.quarantine_bytes(quarantine.text) as bytes
  )
  select coalesce((select sum(bytes) from recorded), 0), (select count(*) from missing where bytes_so_far > room),
    coalesce((select jsonb_object_agg(reason, n) from (
      select fault.reason, count(*) as n from fault where fault.kind = 'value' group by 1) v), '{}')
  into added, left_out, value_reasons;

  update raw.quarantine_load load set bytes = load.bytes + added, left_out = load.left_out + quarantine_staged.left_out
  where load.provider_id = coalesce(provider, '');
end $$;

-- The first `most` characters of a text, and a few that tell it from others that begin like it. An excerpt is its own
-- excerpt.
create function logic.excerpt(text text, most int) returns text language sql immutable as $$
  select case when length(text) <= most + 34 then text else left(text, most) || ' …' || md5(text) end
$$;

-- The approximate size of a quarantined line in bytes: its text plus a constant for its other columns and index
-- entries.
create function logic.quarantine_bytes(text text) returns bigint
  language sql immutable as $$ select octet_length(text) + 512::bigint $$;

-- Recounts the size of a provider's quarantine after lines were deleted; '' stands for imports by hand. Returns how
-- many lines have not fitted since the last count, and adds them to the provider's dropped lines.
create function logic.recount_quarantine(provider text, out left_out int) language plpgsql as $$
begin
  select load.left_out into left_out from raw.quarantine_load load where load.provider_id = provider for update;
  if not found then
    return;
  end if;
  update raw.quarantine_load load set left_out = 0, bytes = (
    select coalesce(sum(logic.quarantine_bytes(q.text)), 0) from raw.quarantine q
    where q.provider_id = provider or q.provider_id is null and provider = '')
  where load.provider_id = provider;
  insert into raw.quarantine_dropped as dropped (provider_id, surplus) select provider, recount_quarantine.left_out
  where recount_quarantine.left_out > 0
  on conflict (provider_id) do update set surplus = dropped.surplus + excluded.surplus;
end $$;

revoke all on function logic.quarantine_staged, logic.excerpt, logic.quarantine_bytes, logic.recount_quarantine
  from public;
grant execute on function logic.quarantine_staged, logic.excerpt, logic.quarantine_bytes to airseries_ingest;

-- The air around readings, with which they are compared before they are stored: temperatures in °F and wind in km/h may
-- lie within the bounds of our units, and only the hours nearby tell (S8).

-- The medians of hours from `since` to `until`: one row of the stations at which the sensors ever were (is_own), and one
-- of the three stations nearest to each of them within 50 km. No row where there is no hour. Columns: hours of
-- temperature, temperature [°C], hours of wind, wind_speed [m/s].
create function logic.usual_values(sensors int[], since timestamptz, until timestamptz)
returns table (is_own boolean, temperature_hours int, temperature float8, wind_hours int, wind_speed float8)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan set jit = off -- compiling takes longer than the query
as $$
#variable_conflict use_column
declare
  own constant int[] := array(
    select distinct p.station_id from raw.sensor_station p where p.sensor_id = any (sensors));
  nearby constant int[] := array(
    select near.id
    from raw.station s
    cross join lateral (
      select other.id
      from raw.station other
      cross join lateral (
        select logic.distance_km(s.latitude, s.longitude, other.latitude, other.longitude) as km) apart
      where apart.km <= 50 and other.id <> all (own)
      order by apart.km, other.id limit 3
    ) near
    where s.id = any (own));
begin
  -- by an array: joined with a list of stations, five of them took 160 ms, since the planner read all stations' hours
  return query
  select h.station_id = any (own),
    count(h.temperature)::int, percentile_cont(0.5) within group (order by h.temperature),
    count(h.wind_speed)::int, percentile_cont(0.5) within group (order by h.wind_speed)
  from rollup.station_hourly h
  where h.station_id = any (own || nearby) and h.bucket >= usual_values.since and h.bucket < usual_values.until
  group by 1;
end $$;
grant execute on function logic.usual_values to airseries_ingest;

-- Takes imported files back (S11).

-- Fills the stage with the values as they were before an import, and empty ones where there was none: stored like the
-- rows of a file, they undo it. A value that another source has changed since stays, and so does one of a sensor that was
-- removed, or of a time whose readings are no longer accepted. Returns how many stay, and their hours, by sensor.
create function logic.stage_undo(import int)
returns table (sensor_id int, kept int, first_hour timestamptz, last_hour timestamptz)
language plpgsql set plan_cache_mode = force_custom_plan
-- Right after an import TimescaleDB's new chunks have no statistics: kept for a sensor, its readings were compared with
-- each value of the import, which took more than ten minutes for 3 sensors of 86,400 readings.
set enable_memoize = off
as $$
#variable_conflict use_column
declare
  -- plain values: they tell the planner which chunks to read
  earliest constant timestamptz := (
    select min(at) from raw.import_change c cross join unnest(c.measured_at) at where c.import_id = stage_undo.import);
  latest constant timestamptz := (
    select max(at) from raw.import_change c cross join unnest(c.measured_at) at where c.import_id = stage_undo.import);
begin
  create temporary table undone_reading on commit drop as
  select c.sensor_id, u.measured_at,
    case when u.temperature_after is not distinct from r.temperature then u.temperature_before end as temperature,
  case when u.humidity_after is not distinct from r.humidity then u.humidity_before end as humidity,
  case when u.pressure_after is not distinct from r.pressure then u.pressure_before end as pressure,
  case when u.pm1_after is not distinct from r.pm1 then u.pm1_before end as pm1,
  case when u.pm25_after is not distinct from r.pm25 then u.pm25_before end as pm25,
  case when u.pm25_raw_after is not distinct from r.pm25_raw then u.pm25_raw_before end as pm25_raw,
  case when u.pm10_after is not distinct from r.pm10 then u.pm10_before end as pm10,
  case when u.no2_after is not distinct from r.no2 then u.no2_before end as no2,
  case when u.so2_after is not distinct from r.so2 then u.so2_before end as so2,
  case when u.o3_after is not distinct from r.o3 then u.o3_before end as o3,
  case when u.dust_after is not distinct from r.dust then u.dust_before end as dust,
  case when u.usvh_after is not distinct from r.usvh then u.usvh_before end as usvh,
  case when u.uv_after is not distinct from r.uv then u.uv_before end as uv,
  case when u.wind_speed_after is not distinct from r.wind_speed then u.wind_speed_before end as wind_speed,
  case when u.wind_direction_after is not distinct from r.wind_direction then u.wind_direction_before end as wind_direction,
  case when u.rain_after is not distinct from r.rain then u.rain_before end as rain,
  case when u.rain_total_after is not distinct from r.rain_total then u.rain_total_before end as rain_total,
    0 | case when u.temperature_before is null and u.temperature_after = r.temperature then 1 else 0 end
  | case when u.humidity_before is null and u.humidity_after = r.humidity then 2 else 0 end
  | case when u.pressure_before is null and u.pressure_after = r.pressure then 4 else 0 end
  | case when u.pm1_before is null and u.pm1_after = r.pm1 then 8 else 0 end
  | case when u.pm25_before is null and u.pm25_after = r.pm25 then 16 else 0 end
  | case when u.pm25_raw_before is null and u.pm25_raw_after = r.pm25_raw then 32 else 0 end
  | case when u.pm10_before is null and u.pm10_after = r.pm10 then 64 else 0 end
  | case when u.no2_before is null and u.no2_after = r.no2 then 128 else 0 end
  | case when u.so2_before is null and u.so2_after = r.so2 then 256 else 0 end
  | case when u.o3_before is null and u.o3_after = r.o3 then 512 else 0 end
  | case when u.dust_before is null and u.dust_after = r.dust then 1024 else 0 end
  | case when u.usvh_before is null and u.usvh_after = r.usvh then 2048 else 0 end
  | case when u.uv_before is null and u.uv_after = r.uv then 4096 else 0 end
  | case when u.wind_speed_before is null and u.wind_speed_after = r.wind_speed then 8192 else 0 end
  | case when u.wind_direction_before is null and u.wind_direction_after = r.wind_direction then 16384 else 0 end
  | case when u.rain_before is null and u.rain_after = r.rain then 32768 else 0 end
  | case when u.rain_total_before is null and u.rain_total_after = r.rain_total then 65536 else 0 end as empty,
    0 + ((u.temperature_before is not null or u.temperature_after is not null)
      and (u.temperature_after is distinct from r.temperature or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.humidity_before is not null or u.humidity_after is not null)
      and (u.humidity_after is distinct from r.humidity or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.pressure_before is not null or u.pressure_after is not null)
      and (u.pressure_after is distinct from r.pressure or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.pm1_before is not null or u.pm1_after is not null)
      and (u.pm1_after is distinct from r.pm1 or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.pm25_before is not null or u.pm25_after is not null)
      and (u.pm25_after is distinct from r.pm25 or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.pm25_raw_before is not null or u.pm25_raw_after is not null)
      and (u.pm25_raw_after is distinct from r.pm25_raw or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.pm10_before is not null or u.pm10_after is not null)
      and (u.pm10_after is distinct from r.pm10 or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.no2_before is not null or u.no2_after is not null)
      and (u.no2_after is distinct from r.no2 or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.so2_before is not null or u.so2_after is not null)
      and (u.so2_after is distinct from r.so2 or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.o3_before is not null or u.o3_after is not null)
      and (u.o3_after is distinct from r.o3 or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.dust_before is not null or u.dust_after is not null)
      and (u.dust_after is distinct from r.dust or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.usvh_before is not null or u.usvh_after is not null)
      and (u.usvh_after is distinct from r.usvh or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.uv_before is not null or u.uv_after is not null)
      and (u.uv_after is distinct from r.uv or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.wind_speed_before is not null or u.wind_speed_after is not null)
      and (u.wind_speed_after is distinct from r.wind_speed or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.wind_direction_before is not null or u.wind_direction_after is not null)
      and (u.wind_direction_after is distinct from r.wind_direction or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.rain_before is not null or u.rain_after is not null)
      and (u.rain_after is distinct from r.rain or k.id is null or u.measured_at < i.ingest_cutoff))::int
  + ((u.rain_total_before is not null or u.rain_total_after is not null)
      and (u.rain_total_after is distinct from r.rain_total or k.id is null or u.measured_at < i.ingest_cutoff))::int as kept
  from raw.import_change c
  cross join unnest(c.measured_at, c.temperature_before, c.temperature_after,
  c.humidity_before, c.humidity_after,
  c.pressure_before, c.pressure_after,
  c.pm1_before, c.pm1_after,
  c.pm25_before, c.pm25_after,
  c.pm25_raw_before, c.pm25_raw_after,
  c.pm10_before, c.pm10_after,
  c.no2_before, c.no2_after,
  c.so2_before, c.so2_after,
  c.o3_before, c.o3_after,
  c.dust_before, c.dust_after,
  c.usvh_before, c.usvh_after,
  c.uv_before, c.uv_after,
  c.wind_speed_before, c.wind_speed_after,
  c.wind_direction_before, c.wind_direction_after,
  c.rain_before, c.rain_after,
  c.rain_total_before, c.rain_total_after)
    as u(measured_at, temperature_before, temperature_after,
  humidity_before, humidity_after,
  pressure_before, pressure_after,
  pm1_before, pm1_after,
  pm25_before, pm25_after,
  pm25_raw_before, pm25_raw_after,
  pm10_before, pm10_after,
  no2_before, no2_after,
  so2_before, so2_after,
  o3_before, o3_after,
  dust_before, dust_after,
  usvh_before, usvh_after,
  uv_before, uv_after,
  wind_speed_before, wind_speed_after,
  wind_direction_before, wind_direction_after,
  rain_before, rain_after,
  rain_total_before, rain_total_after)
  cross join raw.installation i
  left join raw.sensor k on k.id = c.sensor_id
  left join lateral (
    select r.temperature,
  r.humidity,
  r.pressure,
  r.pm1,
  r.pm25,
  r.pm25_raw,
  r.pm10,
  r.no2,
  r.so2,
  r.o3,
  r.dust,
  r.usvh,
  r.uv,
  r.wind_speed,
  r.wind_direction,
  r.rain_total, logic.given_rain(r.rain, r.rain_total, r.rain_given) as rain
    from raw.readings r
    where r.sensor_id = c.sensor_id and r.measured_at = u.measured_at
      and r.measured_at >= earliest and r.measured_at <= latest
  ) r on true
  where c.import_id = stage_undo.import;

  insert into pg_temp.staged_reading (ordinal, sensor_id, measured_at, temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed,
  wind_direction,
  rain,
  rain_total, empty, problem)
  select row_number() over (order by u.measured_at, u.sensor_id), u.sensor_id, u.measured_at, u.temperature,
  u.humidity,
  u.pressure,
  u.pm1,
  u.pm25,
  u.pm25_raw,
  u.pm10,
  u.no2,
  u.so2,
  u.o3,
  u.dust,
  u.usvh,
  u.uv,
  u.wind_speed,
  u.wind_direction,
  u.rain,
  u.rain_total,
    u.empty, case when num_nonnulls(u.temperature,
  u.humidity,
  u.pressure,
  u.pm1,
  u.pm25,
  u.pm25_raw,
  u.pm10,
  u.no2,
  u.so2,
  u.o3,
  u.dust,
  u.usvh,
  u.uv,
  u.wind_speed,
  u.wind_direction,
  u.rain,
  u.rain_total) = 0 then 'no_value' end
  from undone_reading u
  cross join raw.installation i
  join raw.sensor k on k.id = u.sensor_id
  where (u.empty <> 0 or num_nonnulls(u.temperature,
  u.humidity,
  u.pressure,
  u.pm1,
  u.pm25,
  u.pm25_raw,
  u.pm10,
  u.no2,
  u.so2,
  u.o3,
  u.dust,
  u.usvh,
  u.uv,
  u.wind_speed,
  u.wind_direction,
  u.rain,
  u.rain_total) > 0) and u.measured_at >= i.ingest_cutoff;

  return query
  select u.sensor_id, sum(u.kept)::int, rollup.bucket_start('hour', min(u.measured_at)),
    rollup.bucket_start('hour', max(u.measured_at))
  from undone_reading u where u.kept > 0 group by 1 order by 1;
end $$;

-- Deletes what is needed to undo imports from before an instant, and of readings that retention has deleted.
create function logic.delete_old_undo(before timestamptz) returns void language sql as $$
  delete from raw.import_change c using raw.import i
  where i.id = c.import_id
    and (i.imported_at < before or i.newest < (select retained_from from raw.installation))
$$;

revoke all on function logic.stage_undo, logic.delete_old_undo from public;
grant execute on function logic.stage_undo to airseries_ingest;

-- Describes the stage beside what is known (S10), before anything is stored.

-- One row for each sensor and parameter of the stage: the station where the sensor stood at the last of these readings
-- (null: none), the first and last hour, how many values, the lowest, the median and the highest, and the medians of the
-- sensor's stored hours and of stations within 50 km, from that first to that last hour (null: none there).
-- Values are in the units of raw.readings; totals of rain and directions are compared with nothing.
create function logic.describe_stage()
returns table (sensor_id int, station_id int, parameter text, first_hour timestamptz, last_hour timestamptz, count int,
  lowest float8, median float8, highest float8, stored_median float8, nearby_median float8)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan set jit = off set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  own constant int[] := array(select distinct s.sensor_id from pg_temp.staged_reading s where s.sensor_id is not null);
begin
  return query
  with value as (
    select s.sensor_id, v.parameter, s.measured_at, v.value
    from pg_temp.staged_reading s
    cross join lateral (values ('temperature', s.temperature),
  ('humidity', s.humidity),
  ('pressure', s.pressure),
  ('pm1', s.pm1),
  ('pm25', s.pm25),
  ('pm25_raw', s.pm25_raw),
  ('pm10', s.pm10),
  ('no2', s.no2),
  ('so2', s.so2),
  ('o3', s.o3),
  ('dust', s.dust),
  ('usvh', s.usvh),
  ('uv', s.uv),
  ('wind_speed', s.wind_speed),
  ('wind_direction', s.wind_direction),
  ('rain', s.rain),
  ('rain_total', s.rain_total)) as v(parameter, value)
    where v.value is not null and s.measured_at is not null and s.problem is null
  ),
  described as (
    select v.sensor_id, v.parameter, min(v.measured_at) as first, max(v.measured_at) as last, count(*)::int as count,
      min(v.value) as lowest, percentile_disc(0.5) within group (order by v.value) as median, max(v.value) as highest
    from value v group by 1, 2
  )
  select d.sensor_id, located.station_id, d.parameter, rollup.bucket_start('hour', d.first),
    rollup.bucket_start('hour', d.last), d.count, logic.shortest(d.lowest), logic.shortest(d.median),
    logic.shortest(d.highest), stored.median, nearby.median
  from described d
  left join raw.sensor_station located
    on located.sensor_id = d.sensor_id and located.since <= d.last and d.last < located.until
  left join lateral (
    select percentile_cont(0.5) within group (order by
      case d.parameter when 'temperature' then h.temperature
  when 'humidity' then h.humidity
  when 'pressure' then h.pressure
  when 'pm1' then h.pm1
  when 'pm25' then h.pm25
  when 'pm25_raw' then h.pm25_raw
  when 'pm10' then h.pm10
  when 'no2' then h.no2
  when 'so2' then h.so2
  when 'o3' then h.o3
  when 'dust' then h.dust
  when 'usvh' then h.usvh
  when 'uv' then h.uv
  when 'wind_speed' then h.wind_speed when 'rain' then h.rain end) as median
    from rollup.sensor_hourly h
    where h.sensor_id = d.sensor_id
      and h.bucket >= rollup.bucket_start('hour', d.first) and h.bucket <= d.last
  ) stored on true
  left join lateral (
    select percentile_cont(0.5) within group (order by
      case d.parameter when 'temperature' then h.temperature
  when 'humidity' then h.humidity
  when 'pressure' then h.pressure
  when 'pm1' then h.pm1
  when 'pm25' then h.pm25
  when 'pm25_raw' then h.pm25_raw
  when 'pm10' then h.pm10
  when 'no2' then h.no2
  when 'so2' then h.so2
  when 'o3' then h.o3
  when 'dust' then h.dust
  when 'usvh' then h.usvh
  when 'uv' then h.uv
  when 'wind_speed' then h.wind_speed when 'rain' then h.rain end) as median
    from rollup.station_hourly h
    where h.station_id = any (array(
        select other.id
        from raw.station s
        join raw.station other on other.id <> s.id
        cross join lateral (
          select logic.distance_km(s.latitude, s.longitude, other.latitude, other.longitude) as km) apart
        where s.id = located.station_id and apart.km <= 50 order by apart.km, other.id limit 10))
      and h.bucket >= rollup.bucket_start('hour', d.first) and h.bucket <= d.last
  ) nearby on true
  order by d.sensor_id, array_position(array['temperature',
  'humidity',
  'pressure',
  'pm1',
  'pm25',
  'pm25_raw',
  'pm10',
  'no2',
  'so2',
  'o3',
  'dust',
  'usvh',
  'uv',
  'wind_speed',
  'wind_direction',
  'rain',
  'rain_total'], d.parameter);
end $$;

-- The number of the fewest digits that is the same in single precision: 12.3 for 12.300000190734863.
create function logic.shortest(value real) returns float8 language sql immutable as $$ select value::text::float8 $$;

revoke all on function logic.describe_stage, logic.shortest from public;
grant execute on function logic.describe_stage to airseries_ingest;

-- Looks at staged rows as a whole, before any is stored: at one place for files, pushes and feeds (S7, S8).

-- The findings, as a JSON array, in the order in which a person is asked about them; `stops`: the source is asked about
-- instead of stored. With `is_unique` no sensor and time stands twice. Kinds:
--   exchanged       PM2.5 is above PM10 in each of `rows`
--   rising_rain     rain only rises, from `first` to `last` in `rows` of a sensor: it is a total
--   contradictions  as logic.contradictions has them
--   unusual         as logic.unusual_values has them
create function logic.look_at_stage(
  declared int, -- the parameters whose unit somebody declared, a sum of $bit; null: nothing can be declared
  unsaid int, -- the parameters of our own names whose unit nobody said
  is_unique boolean,
  tolerates_few boolean -- a few contradictions are corrections
) returns jsonb language plpgsql stable
set plan_cache_mode = force_custom_plan
set jit = off
set work_mem = '64MB'
-- as in logic.put_together
set enable_nestloop = off
set cpu_tuple_cost = 0.01
as $$
declare
  enough constant int := 20; -- fewer values may be an exception
  is_short constant boolean := (select count(*) from (select from pg_temp.staged_reading limit enough) s) < enough;
  repeats constant boolean := not is_unique and logic.has_repeats();
  contradictions jsonb := '[]';
  findings jsonb := '[]';
  -- of the first sensors and days
  sensors int[];
  first timestamptz;
  last timestamptz;
  temperatures int;
  warmth float8; -- the medians
  winds int;
  wind float8;
begin
  if repeats then
    contradictions := logic.contradictions(tolerates_few);
  end if;
  if is_short or declared is null then return contradictions; end if;

  with looked_at as materialized (select * from logic.first_readings(repeats)),
  exchanged as (
    select jsonb_build_object('kind', 'exchanged', 'rows', count(*), 'stops', true) as finding
    from (select coalesce(l.pm25, l.pm25_raw) as fine, l.pm10 from looked_at l) p
    where declared & (16 | 64) = 0 and p.fine is not null and p.pm10 is not null
    having count(*) >= enough and not bool_or(p.fine <= p.pm10)
  ),
  rising as (
    select jsonb_build_object('kind', 'rising_rain', 'rows', count(*), 'first', logic.shortest(min(r.rain)),
      'last', logic.shortest(max(r.rain)), 'stops', true) as finding
    from (
      select l.sensor_id, l.ordinal, l.rain,
        l.rain - lag(l.rain) over (partition by l.sensor_id order by l.measured_at, l.ordinal) as step
      from looked_at l where l.rain is not null and l.measured_at is not null
    ) r
    where declared & 32768 = 0
    group by r.sensor_id
    having count(*) filter (where r.rain > 0) >= enough and min(r.step) >= 0 and max(r.step) > 0
    order by min(r.ordinal) limit 1
  ),
  located as (select * from looked_at l where l.sensor_id is not null and l.measured_at is not null),
  begun as (select min(l.measured_at) as at from located l),
  chosen as (select l.sensor_id from located l group by 1 order by min(l.ordinal) limit 5),
  near as (
    select l.measured_at, l.temperature, l.wind_speed from located l
    where l.sensor_id in (select c.sensor_id from chosen c)
      and l.measured_at < (select b.at from begun b) + interval '30 days'
      and unsaid & (1 | 8192) <> 0
  )
  -- in the opposite order: the median is the higher one of the two in the middle
  select (select coalesce(jsonb_agg(f.finding), '[]')
      from (select finding from exchanged union all select finding from rising) f),
    (select array_agg(c.sensor_id) from chosen c), (select b.at from begun b), max(n.measured_at),
    count(n.temperature), logic.shortest(percentile_disc(0.5) within group (order by n.temperature desc)),
    count(n.wind_speed), logic.shortest(percentile_disc(0.5) within group (order by n.wind_speed desc))
  into findings, sensors, first, last, temperatures, warmth, winds, wind
  from near n;

  findings := findings || contradictions;
  if greatest(temperatures, winds) >= enough then
    findings := findings || logic.unusual_values(unsaid, sensors, first, last,
      case when temperatures >= enough then warmth end, case when winds >= enough then wind end);
  end if;
  return findings;
end $$;

-- Rows that give a parameter another value than an earlier row of the same sensor and time: `count` of `rows`. Of the
-- first such row, and the last before it with another value, the `ordinals`, sensor, time, a `parameter` and its
-- `values`. An empty array where there are none.
create function logic.contradictions(tolerates_few boolean) returns jsonb language plpgsql stable as $$
declare
  finding jsonb;
begin
  with mistaken as (
    select s.sensor_id, s.measured_at from pg_temp.staged_reading s
    where s.sensor_id is not null and s.measured_at is not null
    group by 1, 2 having false or min(s.temperature) <> max(s.temperature)
  or min(s.humidity) <> max(s.humidity)
  or min(s.pressure) <> max(s.pressure)
  or min(s.pm1) <> max(s.pm1)
  or min(s.pm25) <> max(s.pm25)
  or min(s.pm25_raw) <> max(s.pm25_raw)
  or min(s.pm10) <> max(s.pm10)
  or min(s.no2) <> max(s.no2)
  or min(s.so2) <> max(s.so2)
  or min(s.o3) <> max(s.o3)
  or min(s.dust) <> max(s.dust)
  or min(s.usvh) <> max(s.usvh)
  or min(s.uv) <> max(s.uv)
  or min(s.wind_speed) <> max(s.wind_speed)
  or min(s.wind_direction) <> max(s.wind_direction)
  or min(s.rain) <> max(s.rain)
  or min(s.rain_total) <> max(s.rain_total)
  ),
  compared as materialized (
    select s.*,
      (false or s.temperature <> min(s.temperature) over before or s.temperature <> max(s.temperature) over before
  or s.humidity <> min(s.humidity) over before or s.humidity <> max(s.humidity) over before
  or s.pressure <> min(s.pressure) over before or s.pressure <> max(s.pressure) over before
  or s.pm1 <> min(s.pm1) over before or s.pm1 <> max(s.pm1) over before
  or s.pm25 <> min(s.pm25) over before or s.pm25 <> max(s.pm25) over before
  or s.pm25_raw <> min(s.pm25_raw) over before or s.pm25_raw <> max(s.pm25_raw) over before
  or s.pm10 <> min(s.pm10) over before or s.pm10 <> max(s.pm10) over before
  or s.no2 <> min(s.no2) over before or s.no2 <> max(s.no2) over before
  or s.so2 <> min(s.so2) over before or s.so2 <> max(s.so2) over before
  or s.o3 <> min(s.o3) over before or s.o3 <> max(s.o3) over before
  or s.dust <> min(s.dust) over before or s.dust <> max(s.dust) over before
  or s.usvh <> min(s.usvh) over before or s.usvh <> max(s.usvh) over before
  or s.uv <> min(s.uv) over before or s.uv <> max(s.uv) over before
  or s.wind_speed <> min(s.wind_speed) over before or s.wind_speed <> max(s.wind_speed) over before
  or s.wind_direction <> min(s.wind_direction) over before or s.wind_direction <> max(s.wind_direction) over before
  or s.rain <> min(s.rain) over before or s.rain <> max(s.rain) over before
  or s.rain_total <> min(s.rain_total) over before or s.rain_total <> max(s.rain_total) over before) is true
        as contradicts
    from pg_temp.staged_reading s join mistaken m on m.sensor_id = s.sensor_id and m.measured_at = s.measured_at
    window before as (partition by s.sensor_id, s.measured_at order by s.ordinal
      rows between unbounded preceding and 1 preceding)
  ),
  pair as (
    select o.ordinal as earlier, c.ordinal as later, c.sensor_id, c.measured_at, v.parameter, v.one, v.other
    from (select * from compared c where c.contradicts order by c.ordinal limit 1) c
    join compared o on o.sensor_id = c.sensor_id and o.measured_at = c.measured_at and o.ordinal < c.ordinal
    cross join lateral (values ('temperature', o.temperature, c.temperature),
  ('humidity', o.humidity, c.humidity),
  ('pressure', o.pressure, c.pressure),
  ('pm1', o.pm1, c.pm1),
  ('pm25', o.pm25, c.pm25),
  ('pm25_raw', o.pm25_raw, c.pm25_raw),
  ('pm10', o.pm10, c.pm10),
  ('no2', o.no2, c.no2),
  ('so2', o.so2, c.so2),
  ('o3', o.o3, c.o3),
  ('dust', o.dust, c.dust),
  ('usvh', o.usvh, c.usvh),
  ('uv', o.uv, c.uv),
  ('wind_speed', o.wind_speed, c.wind_speed),
  ('wind_direction', o.wind_direction, c.wind_direction),
  ('rain', o.rain, c.rain),
  ('rain_total', o.rain_total, c.rain_total)) as v(parameter, one, other)
    where v.one <> v.other
    order by o.ordinal desc limit 1
  )
  select jsonb_build_array(jsonb_build_object('kind', 'contradictions', 'count', n.count, 'rows', n.rows,
    'ordinals', jsonb_build_array(p.earlier, p.later), 'sensor_id', p.sensor_id, 'measured_at', p.measured_at,
    'parameter', p.parameter, 'values', jsonb_build_array(logic.shortest(p.one), logic.shortest(p.other)),
    -- one, or one of a hundred, may be a correction
    'stops', n.count > case when tolerates_few then greatest(1, n.rows * 0.01) else 0 end))
  into finding
  from pair p
  cross join (
    select (select count(*) from compared c where c.contradicts) as count,
      (select count(*) from pg_temp.staged_reading s
        where s.sensor_id is not null and s.measured_at is not null) as rows
  ) n;
  return coalesce(finding, '[]');
end $$;

-- The readings of the first 5,000 rows. `repeats`: sensors and times may stand twice, and are put together from all
-- rows, since rows of one parameter each may stand far apart. 5,000 rows tell what a column is; among more there would
-- be the day on which a gauge begins again, and a row in which PM2.5 is as large as PM10.
create function logic.first_readings(repeats boolean) returns table (
  ordinal int, sensor_id int, measured_at timestamptz,
  temperature real, pm25 real, pm25_raw real, pm10 real, wind_speed real, rain real
) language sql stable as $$
  select min(s.ordinal), s.sensor_id, s.measured_at,
    max(s.temperature), min(s.pm25), min(s.pm25_raw), max(s.pm10), max(s.wind_speed), max(s.rain)
  from pg_temp.staged_reading s
  where s.ordinal <= 5000 or repeats and (s.sensor_id, s.measured_at) in (
    select f.sensor_id, f.measured_at from pg_temp.staged_reading f where f.ordinal <= 5000)
  -- a row without a sensor or a time stands for itself
  group by s.sensor_id, s.measured_at, case when s.sensor_id is null or s.measured_at is null then s.ordinal end
$$;

-- Temperatures in °F and wind in km/h may lie within the bounds of our units, and only the hours nearby tell (S8):
-- where the `median` of a `parameter` is far from the usual one (`usual`) of the sensors' own stations (`is_own`) or of
-- those nearby. The first five sensors and 30 days are compared, with hours from a week before to a week after: on a
-- year of 1,000 stations a push of one waits 3 ms for them, and one of all 21 ms. With 20 stations and 90 days that
-- took 1 s.
create function logic.unusual_values(
  unsaid int, sensors int[], first timestamptz, last timestamptz,
  warmth float8, wind float8 -- medians of enough values; null: there are too few
) returns jsonb language sql stable
set plan_cache_mode = force_custom_plan
set enable_nestloop = on
as $$
  select coalesce(jsonb_agg(jsonb_build_object('kind', 'unusual', 'parameter', far.parameter, 'median', far.median,
    'usual', far.usual, 'is_own', far.is_own, 'stops', true)), '[]')
  from logic.usual_values(sensors, first - interval '7 days', last + interval '7 days') u
  cross join lateral (
    -- °F are at least 20 more than °C from -15 °C on
    select 'temperature' as parameter, warmth as median, u.temperature as usual, u.is_own
    where unsaid & 1 <> 0 and u.temperature_hours >= 24 and warmth - u.temperature >= 20
    union all
    -- km/h are 3.6 times as many as m/s
    select 'wind_speed', wind, u.wind_speed, u.is_own
    where unsaid & 8192 <> 0 and u.wind_hours >= 24 and wind >= 2.5 * greatest(u.wind_speed, 0.5)
  ) far
$$;

revoke all on function logic.look_at_stage, logic.contradictions, logic.first_readings, logic.unusual_values
  from public;
grant execute on function logic.look_at_stage, logic.contradictions, logic.first_readings, logic.unusual_values,
  logic.shortest to airseries_ingest;

-- Imports the network file. The file is authoritative for everything it lists; anything it does not list stays as it
-- is.

-- Replaces the periods of one table for the listed stations or sensors. It merges adjacent and overlapping periods, and
-- does not write unchanged ones.
create procedure logic.replace_periods(period_table text, owner_column text, listed int[], columns text, periods jsonb)
  language plpgsql as $$
declare
  wanted constant text := format(
    'select %2$s, lower(part) as since, upper(part) as until
     from (
       select %2$s, range_agg(tstzrange(since, until)) as parts
       from jsonb_populate_recordset(null::raw.%1$I, $1) group by %2$s) p
     cross join unnest(parts) part', period_table, columns);
begin
  execute format('delete from raw.%1$I where %2$I = any ($2) and (%3$s, since, until) not in (%4$s)', period_table,
    owner_column, columns, wanted)
  using periods, listed;
  execute format('insert into raw.%1$I (%2$s, since, until) %3$s except select %2$s, since, until from raw.%1$I',
    period_table, columns, wanted)
  using periods;
end $$;

-- All facts about each provider, region, station and sensor, including its periods. An import compares them to find out
-- what it changed.
create view logic.network_fact as
  with station_period as (
    select station_id, jsonb_agg(to_jsonb(p) order by to_jsonb(p)) as periods
    from (
      select 'region' as kind, station_id, region_slug, position, since, until from raw.station_region
      union all select 'hidden', station_id, null, null, since, until from raw.hidden_period
      union all select 'flag ' || kind, station_id, null, null, since, until from raw.flag_period
      union all select concat_ws(' ', 'screened', reason, sensor_id), station_id, null, null, since, until
        from raw.screened_period
    ) p group by 1
  ),
  sensor_period as (
    select sensor_id, jsonb_agg(to_jsonb(p) order by to_jsonb(p)) as periods
    from (
      select 'located' as kind, sensor_id, station_id, null as formula, since, until from raw.sensor_station
      union all select 'suspicious', sensor_id, null, null, since, until from raw.suspicious_period
      union all select 'correction', sensor_id, null, formula, since, until from raw.correction
    ) p group by 1
  )
  select 'providers' as kind, id, to_jsonb(p) as facts from raw.provider p
  union all
  select 'regions', slug, to_jsonb(r) from raw.region r
  union all
  select 'stations', id::text, jsonb_build_array(to_jsonb(s), p.periods) from raw.station s
  left join station_period p on p.station_id = s.id
  union all
  select 'sensors', id::text, jsonb_build_array(to_jsonb(s), p.periods) from raw.sensor s
  left join sensor_period p on p.sensor_id = s.id
  union all
  select 'sources', name, declaration from raw.source;

-- Replaces the listed elements of the network. `network` holds validated, complete rows for the tables of schema raw:
-- providers, regions, stations, sensors, and by table the periods of these stations and sensors. Returns per kind how
-- many were added, changed and unchanged, and the ids that are not listed. With a key `sources`, all sources are
-- replaced, and the result has those that are gone. It also returns how many sensors and
-- stations have hours that the next refresh recomputes (P4).
create function logic.replace_network(network jsonb) returns jsonb language plpgsql as $$
declare
  facts_before jsonb;
  affected record;
  result jsonb;
  stations int[] := array(select (s ->> 'id')::int from jsonb_array_elements(network -> 'stations') s);
  sensors int[] := array(select (s ->> 'id')::int from jsonb_array_elements(network -> 'sensors') s);
begin
  if jsonb_array_length(network -> 'screened_period') > 0 then
    lock table raw.screen_lock in exclusive mode; -- a screening that has begun would replace what it did not see
  end if;
  lock table raw.network_lock in exclusive mode;
  facts_before := (select coalesce(jsonb_object_agg(kind || ' ' || id, facts), '{}') from logic.network_fact);

  insert into raw.provider (id, title, titles, url, image, image_dark, stale_after, pull)
  select id, title, titles, url, image, image_dark, make_interval(secs => extract(epoch from stale_after)), pull
  from jsonb_populate_recordset(null::raw.provider, network -> 'providers')
  on conflict (id) do update set title = excluded.title, titles = excluded.titles, url = excluded.url,
    image = excluded.image,
    image_dark = excluded.image_dark, stale_after = excluded.stale_after, pull = excluded.pull
  where (provider.title, provider.titles, provider.url, provider.image, provider.image_dark, provider.stale_after,
    provider.pull)
    is distinct from (excluded.title, excluded.titles, excluded.url, excluded.image, excluded.image_dark,
      excluded.stale_after, excluded.pull);
  insert into raw.region (slug, kind, city_slug, title, map_latitude, map_longitude, map_delta, is_hidden)
  select slug, kind, city_slug, title, map_latitude, map_longitude, map_delta, is_hidden
  from jsonb_populate_recordset(null::raw.region, network -> 'regions')
  on conflict (slug) do update set kind = excluded.kind, city_slug = excluded.city_slug, title = excluded.title,
    map_latitude = excluded.map_latitude, map_longitude = excluded.map_longitude, map_delta = excluded.map_delta,
      is_hidden = excluded.is_hidden
  where (region.kind, region.city_slug, region.title, region.map_latitude, region.map_longitude, region.map_delta,
    region.is_hidden)
    is distinct from (excluded.kind, excluded.city_slug, excluded.title, excluded.map_latitude, excluded.map_longitude,
      excluded.map_delta, excluded.is_hidden);
  insert into raw.station (id, provider_id, title, latitude, longitude, altitude, screening, trusted)
  select id, provider_id, title, latitude, longitude, altitude, screening, trusted
  from jsonb_populate_recordset(null::raw.station, network -> 'stations')
  on conflict (id) do update set provider_id = excluded.provider_id, title = excluded.title,
    latitude = excluded.latitude,
    longitude = excluded.longitude, altitude = excluded.altitude,
    screening = excluded.screening, trusted = excluded.trusted
  where (station.provider_id, station.title, station.latitude, station.longitude, station.altitude, station.screening,
    station.trusted)
    is distinct from (excluded.provider_id, excluded.title, excluded.latitude, excluded.longitude, excluded.altitude,
      excluded.screening,
      excluded.trusted);
  insert into raw.sensor (id, kind, device, rain)
  select id, kind, device, rain from jsonb_populate_recordset(null::raw.sensor, network -> 'sensors')
  on conflict (id) do update set kind = excluded.kind, device = excluded.device, rain = excluded.rain
  where (sensor.kind, sensor.device, sensor.rain)
    is distinct from (excluded.kind, excluded.device, excluded.rain);

  call logic.replace_periods('station_region', 'station_id', stations,
    'station_id, region_slug, position', network -> 'station_region');
  call logic.replace_periods('hidden_period', 'station_id', stations, 'station_id', network -> 'hidden_period');
  call logic.replace_periods('flag_period', 'station_id', stations, 'station_id, kind', network -> 'flag_period');
  call logic.replace_periods('sensor_station', 'sensor_id', sensors,
    'sensor_id, station_id', network -> 'sensor_station');
  call logic.replace_periods('suspicious_period', 'sensor_id', sensors, 'sensor_id', network -> 'suspicious_period');
  call logic.replace_periods('correction', 'sensor_id', sensors, 'sensor_id, formula', network -> 'correction');
  -- a recorded period is as screening last saw it, so the file only adds those that are not there
  insert into raw.screened_period (station_id, sensor_id, reason, since, until, kind, evidence, hours)
  select p.station_id, p.sensor_id, p.reason, p.since, p.until, p.kind, p.evidence, p.hours
  from jsonb_populate_recordset(null::raw.screened_period, network -> 'screened_period') p
  where not exists (
    select from raw.screened_period o
    where (o.station_id, o.sensor_id, o.reason) is not distinct from (p.station_id, p.sensor_id, p.reason)
      and o.since < p.until and o.until > p.since);
  affected := logic.apply_periods();
  if network ? 'sources' then
    delete from raw.source where not network -> 'sources' ? name;
    insert into raw.source (name, declaration) select key, value from jsonb_each(network -> 'sources')
    on conflict (name) do update set declaration = excluded.declaration
    where source.declaration <> excluded.declaration;
  end if;

  result := (
    with listed as (
      select kind, coalesce(item ->> 'id', item ->> 'slug') as id
      from unnest(array['providers', 'regions', 'stations', 'sensors']) kind
      cross join jsonb_array_elements(network -> kind) item
    ),
    compared as (
      select f.kind, f.id, l.id is not null as is_listed, f.facts, facts_before -> (f.kind || ' ' || f.id) as old
      from logic.network_fact f
      left join listed l on l.kind = f.kind and l.id = f.id
    )
    select jsonb_object_agg(kind, counts)
    from (
      select kind, jsonb_build_object(
        'added', count(*) filter (where is_listed and old is null),
        'changed', count(*) filter (where is_listed and old <> facts),
        'unchanged', count(*) filter (where is_listed and old = facts),
        'unlisted', coalesce(jsonb_agg(c.id order by length(c.id), c.id) filter (where not is_listed), '[]')) as counts
      from unnest(array['providers', 'regions', 'stations', 'sensors']) kind
      left join compared c using (kind)
      group by kind
    ) kinds
  );
  if exists (
    select from jsonb_each(result) kind where kind.value ->> 'added' <> '0' or kind.value ->> 'changed' <> '0') then
    perform logic.raise_data_version();
  end if;
  if network ? 'sources' then
    result := result || (
      select jsonb_build_object('sources', jsonb_build_object(
        'added', count(*) filter (where old is null),
        'changed', count(*) filter (where new <> old),
        'unchanged', count(*) filter (where new = old),
        'removed', coalesce(jsonb_agg(name order by name) filter (where new is null), '[]')))
      from (select key as name, value as new from jsonb_each(network -> 'sources')) given
      full join (
        select substr(key, length('sources ') + 1) as name, value as old from jsonb_each(facts_before)
        where starts_with(key, 'sources ')
      ) before using (name));
  end if;
  return result || jsonb_build_object('recomputed',
    jsonb_build_object('sensors', affected.sensors_changed, 'stations', affected.stations_changed));
end $$;

-- Runs replace_network and rolls it back. Returns the same, plus how many hours of data the next refresh would
-- recompute, and every element that would be added or changed, with the keys that differ.
create function logic.preview_network(network jsonb) returns jsonb language plpgsql as $$
declare
  facts_before constant jsonb := (select coalesce(jsonb_object_agg(kind || ' ' || id, facts), '{}')
    from logic.network_fact);
  stale_before constant rollup.stale[] := array(select s from rollup.stale s);
  preview jsonb;
begin
  preview := logic.replace_network(network);
  preview := preview || jsonb_build_object(
    'recomputed', preview -> 'recomputed' || jsonb_build_object('hours', (
      with noted as (select s from rollup.stale s except select unnest(stale_before))
      select count(*) from (
        select h.bucket from noted n
        join rollup.sensor_hourly h on h.sensor_id = (n.s).sensor_id and h.bucket > (n.s).since - interval '1 hour'
          and h.bucket < (n.s).until
        union
        select h.bucket from noted n
        join rollup.station_hourly h on h.station_id = (n.s).station_id and h.bucket >= (n.s).since
          and h.bucket < (n.s).until
        where (n.s).sensor_id is null
      ) hours)),
    'changes', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'id', id, 'keys', keys)
        order by kind, length(id), id), '[]')
      from (
        select f.kind, f.id, case when b.facts is null then '"added"' else (
            select jsonb_agg(key order by key) from jsonb_each(logic.flat_facts(f.facts))
            where value is distinct from logic.flat_facts(b.facts) -> key) end as keys
        from logic.network_fact f
        left join lateral (select facts_before -> (f.kind || ' ' || f.id) as facts) b on true
        where f.facts is distinct from b.facts
      ) changed));
  raise exception 'taken back' using errcode = 'AS103';
exception when sqlstate 'AS103' then
  return preview;
end $$;

-- The facts of an element as one object, with its periods under the key `periods`.
create function logic.flat_facts(facts jsonb) returns jsonb language sql immutable as $$
  select case when jsonb_typeof(facts) = 'object' then facts
    else (facts -> 0) || jsonb_build_object('periods', facts -> 1) end
$$;

revoke all on function logic.replace_network, logic.preview_network, logic.flat_facts from public;

-- Writes the network as a file that an import reads. Importing it changes nothing.

-- Periods as the file writes them: null for none, true for always, otherwise a list. Times are in the session's time
-- zone.
create function logic.flag_of_periods(periods tstzmultirange) returns json language sql stable as $$
  select case when periods = '{(,)}'::tstzmultirange or periods = '{[-infinity,infinity)}' then 'true'::json else (
    select json_agg(json_build_object('since', nullif(lower(part), '-infinity'),
      'until', nullif(upper(part), 'infinity')) order by part)
    from unnest(periods) part) end
$$;

create function logic.network_file() returns json language sql stable
set intervalstyle = 'iso_8601' as $$
  with hidden as (select station_id, range_agg(tstzrange(since, until)) as periods from raw.hidden_period group by 1),
  flagged as (select station_id, kind, range_agg(tstzrange(since, until)) as periods from raw.flag_period
    group by 1, 2),
  suspicious as (select sensor_id, range_agg(tstzrange(since, until)) as periods from raw.suspicious_period group by 1),
  located as (
    select sensor_id, (array_agg(station_id order by until desc, since desc))[1] as listed_under,
      case when count(*) > 1 or min(since) > '-infinity' or max(until) < 'infinity' then
        json_agg(json_build_object('id', station_id, 'since', nullif(since, '-infinity'),
          'until', nullif(until, 'infinity')) order by since) end as stations
    from raw.sensor_station group by 1
  ),
  corrected as (
    select sensor_id, case when count(*) = 1 and min(since) = '-infinity'
      and max(until) = 'infinity' then to_json(min(formula)) else
      json_agg(json_build_object('formula', formula, 'since', nullif(since, '-infinity'),
        'until', nullif(until, 'infinity')) order by since) end as correction
    from raw.correction group by 1
  ),
  sensors as (
    select located.listed_under as station_id, json_agg(json_build_object(
      'id', s.id, 'kind', s.kind, 'device', s.device, 'rain', s.rain, 'correction', corrected.correction,
      'stations', located.stations,
      'suspicious', logic.flag_of_periods(suspicious.periods)) order by s.id) as list
    from raw.sensor s
    join located on located.sensor_id = s.id
    left join corrected on corrected.sensor_id = s.id
    left join suspicious on suspicious.sensor_id = s.id
    group by 1
  ),
  screened as (
    select station_id, json_agg(json_build_object('test', reason, 'sensor', sensor_id, 'since', since,
      'until', nullif(until, 'infinity'),
      'evidence', evidence, 'hours', hours) order by since, reason, sensor_id) as list
    from raw.screened_period group by 1
  ),
  regions as (
    select r.station_id, json_agg(case when r.since = '-infinity'
      and r.until = 'infinity' then to_json(r.region_slug) else
        json_build_object('slug', r.region_slug, 'since', nullif(r.since, '-infinity'),
          'until', nullif(r.until, 'infinity')) end
      order by r.position, r.region_slug, r.since) as list
    from raw.station_region r group by 1
  )
  select json_strip_nulls(json_build_object(
    'time_zone', (select time_zone from raw.installation),
    'providers', (select coalesce(json_agg(json_build_object('id', id, 'title', coalesce(titles, to_jsonb(title)),
      'url', nullif(url, ''), 'image', nullif(image, ''), 'image_dark', nullif(image_dark, ''),
      'stale_after', stale_after::text, 'pull', pull) order by id), '[]') from raw.provider),
    'regions', (select coalesce(json_agg(json_build_object('slug', slug, 'kind', kind, 'city', city_slug,
      'title', title,
      'map', json_build_object('latitude', map_latitude, 'longitude', map_longitude, 'delta', map_delta),
      'is_hidden', nullif(is_hidden, false)) order by kind, slug), '[]') from raw.region),
    'stations', (select coalesce(json_agg(json_build_object('id', s.id, 'provider', s.provider_id, 'title', s.title,
        'latitude', s.latitude, 'longitude', s.longitude, 'altitude', s.altitude,
        'hidden', logic.flag_of_periods(hidden.periods), 'is_bad_thp', logic.flag_of_periods(thp.periods),
          'is_bad_pm', logic.flag_of_periods(pm.periods),
        'screening', nullif(s.screening, true), 'trusted', nullif(s.trusted, false),
        'regions', coalesce(regions.list, '[]'), 'sensors', coalesce(sensors.list, '[]'), 'screened', screened.list)
          order by s.id), '[]')
      from raw.station s
      left join hidden on hidden.station_id = s.id
      left join flagged thp on thp.station_id = s.id and thp.kind = 'thp'
      left join flagged pm on pm.station_id = s.id and pm.kind = 'pm'
      left join regions on regions.station_id = s.id
      left join sensors on sensors.station_id = s.id
      left join screened on screened.station_id = s.id),
    'sources', (select json_object_agg(name, declaration order by name) from raw.source)))
$$;

revoke all on function logic.flag_of_periods, logic.network_file from public;

-- Screening automatically flags stations with implausible temperature, humidity or pressure (C5). It tests closed hours
-- of sensors, so the result depends only on the readings and does not change with every one of them. A run of enough
-- suspect hours is a flagged period. A run that reaches the newest hour stays open until a good hour follows; going
-- offline does not end it.

-- Pressure of the standard atmosphere (ISO 2533) in Pa at an altitude in m.
create function logic.standard_pressure(altitude float8) returns float8 language sql immutable parallel safe
  return 101325 * (1 - 2.25577e-5 * altitude) ^ 5.25588;

-- The sensors that may have a suspect period in closed hours from `since` to `at`; all others certainly have none. It
-- looks at quarters of days, in one pass: of any 24 measured hours in a row, at least 14 lie in quarters that hold no
-- others. Compiling (jit) would take longer than that.
create function logic.suspect_sensors(since timestamptz, at timestamptz) returns setof int language plpgsql stable
set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
begin
  return query
  with quarter as (
    select h.sensor_id, p.station_id,
      bool_or(h.temperature = 0 and h.humidity = 0) as is_zero,
      min(h.pressure) as lowest_pressure, max(h.pressure) as highest_pressure, count(h.pressure) as pressures,
      min(h.humidity) as lowest_humidity, max(h.humidity) - min(h.humidity) as humidity_range,
        count(h.humidity) as humidities,
      max(h.temperature) - min(h.temperature) as temperature_range, count(h.temperature) as temperatures
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= suspect_sensors.since and h.bucket < closed
      and (h.temperature is not null or h.humidity is not null or h.pressure is not null)
    group by h.sensor_id, p.station_id, date_bin('6 hours', h.bucket, rollup.origin())
  )
  select distinct q.sensor_id
  from quarter q
  join raw.station s on s.id = q.station_id and s.screening
  group by q.sensor_id, q.station_id, s.altitude
  having bool_or(q.is_zero)
    or max(q.highest_pressure) > logic.standard_pressure(s.altitude) + 5000
      or min(q.lowest_pressure) < logic.standard_pressure(s.altitude) - 5000
    or sum(q.humidities) filter (where q.lowest_humidity >= 99.5) >= 14
    -- these ranges are wider than any that implausible_periods rounds to one value
    or sum(q.temperatures) filter (where q.temperature_range < 1e-5) >= 14
    or sum(q.humidities) filter (where q.humidity_range < 1e-5) >= 14
    or sum(q.pressures) filter (where q.highest_pressure - q.lowest_pressure < 1e-2) >= 14;
end $$;

-- The recorded periods that a screening from `since` on judges again: the periods that its hours can change (periods of
-- kind pm continue after gaps of up to 24 hours), all open ones among them. Where the station has no hour since the
-- beginning, nothing says otherwise: a network file may come before its readings.
create function logic.rejudged_periods(since timestamptz) returns setof logic.screened_period language sql stable as $$
  select p.* from logic.screened_period p
  where p.until > rejudged_periods.since - case p.kind when 'pm' then interval '24 hours' else interval '0' end
    and exists (select from rollup.station_hourly h where h.station_id = p.station_id and h.bucket >= p.since)
$$;

-- The suspect periods in closed hours from `since` to `at`, of stations with screening enabled. A run in `recorded`,
-- the periods that are judged again, with an earlier start keeps that start.
create function logic.implausible_periods(since timestamptz, at timestamptz, recorded logic.screened_period[])
returns setof logic.screened_period language plpgsql stable set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
  sensors constant int[] := array(
    select suspect from logic.suspect_sensors(since, at) suspect
    union select p.sensor_id from unnest(recorded) p);
begin
  return query
  with earlier as (
    select p.station_id, p.sensor_id, min(p.since) as since from unnest(recorded) p group by 1, 2
  ),
  hour as (
    select h.bucket, p.station_id, h.sensor_id, h.temperature, h.humidity, h.pressure
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.sensor_id = any (sensors) and h.bucket >= implausible_periods.since and h.bucket < closed
    union all
    select h.bucket, p.station_id, h.sensor_id, h.temperature, h.humidity, h.pressure
    from earlier e
    join rollup.sensor_hourly h on h.sensor_id = e.sensor_id
    join raw.placement p on p.sensor_id = h.sensor_id and p.station_id = e.station_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= e.since and h.bucket < implausible_periods.since
  ),
  tested as (
    -- per reason: the suspect value or pattern (null: not suspect), and how many such hours in a row make a period
    select h.bucket, h.station_id, h.sensor_id, j.reason, j.suspect, j.hours
    from hour h
    join raw.station s on s.id = h.station_id and s.screening
    cross join lateral (values
      ('zero_values', case when h.temperature = 0 and h.humidity = 0 then 'zero' end, 1, h.temperature is not null
        and h.humidity is not null),
      ('pressure_off_altitude',
        case when abs(h.pressure - logic.standard_pressure(s.altitude)) > 5000 then 'off' end, 1,
        h.pressure is not null and s.altitude is not null),
      ('humidity_saturated', case when h.humidity >= 99.5 then 'saturated' end, 24, h.humidity is not null),
      ('constant_temperature', round(h.temperature::numeric, 6)::text, 24, h.temperature is not null),
      ('constant_humidity', case when h.humidity < 99.5 then round(h.humidity::numeric, 6)::text end, 24,
        h.humidity is not null),
      ('constant_pressure', round(h.pressure::numeric, 3)::text, 24, h.pressure is not null)
    ) j(reason, suspect, hours, is_measured)
    where j.is_measured
  ),
  numbered as (
    select *,
      lead(bucket, 1, 'infinity') over of_reason as next,
      row_number() over of_reason - row_number() over (partition by station_id, sensor_id, reason, suspect
        order by bucket) as run
    from tested
    window of_reason as (partition by station_id, sensor_id, reason order by bucket)
  ),
  run as (
    select station_id, sensor_id, reason, min(bucket) as since, max(bucket) as last, max(next) as next
    from numbered
    where suspect is not null
    group by station_id, sensor_id, reason, suspect, run, hours
    having count(*) >= hours
  )
  -- a period ends at the latest when the sensor leaves the station, or when it is marked suspicious and no longer
  -- counts
  select r.station_id, r.sensor_id, r.reason, r.since, least(r.next, placed.until, suspicious.since),
    'thp', null::jsonb, null::timestamptz[]
  from run r
  cross join lateral (
    select coalesce(max(p.until), r.last + interval '1 hour') as until from raw.sensor_station p
    where p.sensor_id = r.sensor_id and p.station_id = r.station_id and p.since < r.last + interval '1 hour'
      and p.until > r.last
  ) placed
  cross join lateral (
    select min(p.since) as since from raw.suspicious_period p where p.sensor_id = r.sensor_id and p.since > r.last
  ) suspicious
  where least(r.next, placed.until, suspicious.since) > implausible_periods.since;
end $$;

-- Updates the screened periods from `since` on, one caller at a time, and marks the changes for the next refresh (A3,
-- A10, C5, C9). It writes nothing if nothing changed. It returns how many flags were raised and lifted.
create function logic.screen(since timestamptz, at timestamptz, out raised int, out lifted int) language plpgsql as $$
declare
  found_periods logic.screened_period[];
  recorded logic.screened_period[];
begin
  lock table raw.screen_lock in exclusive mode;
  recorded := array(select p from logic.rejudged_periods(since) p);
  found_periods := array(
    select p from logic.implausible_periods(since, at, array(select o from unnest(recorded) o where o.kind = 'thp')) p
    union all
    select p from logic.suspect_periods(since, at, array(select o from unnest(recorded) o where o.kind = 'pm')) p);
  raised := (select count(*) from unnest(found_periods) p where not exists (
    select from unnest(recorded) o
    where (o.station_id, o.sensor_id, o.reason, o.since) is not distinct from (p.station_id, p.sensor_id, p.reason,
      p.since)));
  lifted := (select count(*) from unnest(recorded) o where o.until = 'infinity' and not exists (
    select from unnest(found_periods) p
    where (o.station_id, o.sensor_id, o.reason, p.until) is not distinct from (p.station_id, p.sensor_id, p.reason,
      timestamptz 'infinity')));
  if exists (
    (select * from unnest(found_periods) except select * from unnest(recorded))
    union all (select * from unnest(recorded) except select * from unnest(found_periods))
  ) then
    call logic.replace_screened_periods(recorded, found_periods);
  end if;
end $$;

create procedure logic.replace_screened_periods(recorded logic.screened_period[], found_periods logic.screened_period[])
  language plpgsql as $$
begin
  lock table raw.network_lock in exclusive mode;
  delete from raw.screened_period p using unnest(recorded) o
  where (p.station_id, p.sensor_id, p.reason, p.since) is not distinct from (o.station_id, o.sensor_id, o.reason,
    o.since);
  insert into raw.screened_period (station_id, sensor_id, reason, since, until, kind, evidence, hours)
  select p.station_id, p.sensor_id, p.reason, p.since, p.until, p.kind, p.evidence, p.hours
  from unnest(found_periods) p
  join raw.station s on s.id = p.station_id and case p.kind when 'thp' then s.screening else not s.trusted end
  on conflict do nothing;
  perform logic.apply_periods('screening');
  perform logic.raise_data_version();
end $$;

revoke all on function logic.standard_pressure, logic.suspect_sensors, logic.rejudged_periods,
  logic.implausible_periods, logic.screen from public;

-- Screening of particles (C9). A closed hour of a station is suspect if its sensors of one kind disagree (sensors), if it
-- is one of many equal hours (flat), or if it alone is far above its neighbours (outlier). Enough suspect hours close to
-- one another are a period of kind pm.

create type logic.suspect_hour as (station_id int, reason text, bucket timestamptz, evidence jsonb);

-- The suspect hours from `since` to `until` of stations that are not trusted, by the tests that look at a station
-- alone, with their PM2.5 and the values it was compared with. Of stations with a period in `open` the hours from its
-- beginning on. Both tests use PM2.5 as the instrument gave it, since a correction also depends on humidity.
create function logic.suspect_hours_alone(since timestamptz, until timestamptz, open logic.screened_period[])
returns setof logic.suspect_hour language plpgsql stable set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  -- the means of 24 hours
  first timestamptz := since - interval '23 hours';
  stations int[] := array(select o.station_id from unnest(open) o where o.reason = 'sensors');
  first_of_open timestamptz := (select min(o.since) - interval '23 hours' from unnest(open) o
    where o.reason = 'sensors');
begin
  return query
  with judged as (
    select s.id, coalesce(o.since, suspect_hours_alone.since) as since
    from raw.station s left join unnest(open) o on o.station_id = s.id and o.reason = 'sensors'
    where not s.trusted and s.id in (select p.station_id from raw.placement p
      group by 1 having count(distinct p.sensor_id) > 1)
  ),
  -- most files name no kind, so sensors without one are of one kind
  placed as (
    select p.*, coalesce(k.kind, '') as kind
    from raw.placement p join judged on judged.id = p.station_id join raw.sensor k on k.id = p.sensor_id
  ),
  sensor_hour as (
    select p.station_id, p.kind, h.sensor_id, h.bucket, coalesce(h.pm25_raw, h.pm25) as pm25
    from rollup.sensor_hourly h
    join placed p on p.sensor_id = h.sensor_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= first and h.bucket < suspect_hours_alone.until and coalesce(h.pm25_raw, h.pm25) is not null
    union all
    select p.station_id, p.kind, h.sensor_id, h.bucket, coalesce(h.pm25_raw, h.pm25)
    from rollup.sensor_hourly h
    join placed p on p.sensor_id = h.sensor_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= first_of_open and h.bucket < first and coalesce(h.pm25_raw, h.pm25) is not null
      and h.sensor_id = any (array(select q.sensor_id from raw.placement q where q.station_id = any (stations)))
      and p.station_id = any (stations)
  ),
  with_day as (
    select *, case when count(*) over day >= 18 then avg(pm25) over day end as day
    from sensor_hour
    window day as (partition by station_id, sensor_id
      order by bucket range between interval '23 hours' preceding and current row)
  ),
  compared as (
    select h.station_id, h.kind, h.bucket,
      count(*) > 1 and max(h.pm25) - min(h.pm25) > 5 and max(h.pm25) - min(h.pm25) > 0.7 * avg(h.pm25) as hours_differ,
      count(h.day) > 1 and max(h.day) - min(h.day) > 3 and max(h.day) - min(h.day) > 0.4 * avg(h.day) as days_differ
    from with_day h join judged j on j.id = h.station_id and h.bucket >= j.since
    group by 1, 2, 3
  ),
  differing as (
    select station_id, bucket, array_agg(kind) as kinds, array_agg(kind) filter (where hours_differ) as kinds_by_hour
    from compared where hours_differ or days_differ group by 1, 2
  )
  select h.station_id, 'sensors', h.bucket,
    jsonb_build_object('pm2.5', logic.published_non_negative(avg(h.pm25), 1), 'compared_with', jsonb_agg(
    jsonb_build_object('id', h.sensor_id,
      'pm2.5', case when h.kind = any (d.kinds_by_hour) then logic.published_non_negative(h.pm25, 1)
        else logic.published_non_negative(h.day, 1) end)
    order by h.sensor_id)
      filter (where h.kind = any (d.kinds_by_hour) or h.kind = any (d.kinds) and h.day is not null))
  from differing d join with_day h on h.station_id = d.station_id and h.bucket = d.bucket
  group by h.station_id, h.bucket;

  stations := array(select o.station_id from unnest(open) o where o.reason = 'flat');
  -- a row of 48 hours
  first := since - interval '47 hours';
  first_of_open := (select min(o.since) - interval '47 hours' from unnest(open) o where o.reason = 'flat');
  return query
  with judged as (
    select s.id, coalesce(o.since, suspect_hours_alone.since) as since
    from raw.station s left join unnest(open) o on o.station_id = s.id and o.reason = 'flat'
    where not s.trusted
  ),
  hour as (
    select h.station_id, h.bucket, coalesce(h.pm25_raw, h.pm25) as pm25, h.pm10 from rollup.station_hourly h
    where h.bucket >= first and h.bucket < suspect_hours_alone.until and coalesce(h.pm25_raw, h.pm25) is not null
    union all
    select h.station_id, h.bucket, coalesce(h.pm25_raw, h.pm25), h.pm10 from rollup.station_hourly h
    where h.bucket >= first_of_open and h.bucket < first
      and coalesce(h.pm25_raw, h.pm25) is not null and h.station_id = any (stations)
  ),
  repeated as (
    -- means of equal readings may differ in their last digits
    select h.*,
      coalesce(bucket - lag(bucket) over hours = interval '1 hour' and abs(pm25 - lag(pm25) over hours) < 1e-6, false)
        as is_same,
      abs(pm10 - lag(pm10) over hours) < 1e-6 or coalesce(pm10, lag(pm10) over hours) is null as is_same_pm10
    from hour h
    window hours as (partition by station_id order by bucket)
  ),
  -- few hours repeat the one before, or are repeated
  kept as (
    select * from (select r.*, lead(is_same) over (partition by station_id order by bucket) as is_repeated
      from repeated r) r where is_same or is_repeated
  ),
  in_row as (
    select k.*, count(*) filter (where not is_same) over hours as pm25_row,
      count(*) filter (where (is_same and is_same_pm10) is not true) over hours as both_row
    from kept k
    window hours as (partition by station_id order by bucket)
  ),
  counted as (
    select r.*, count(*) over (partition by station_id, pm25_row) as pm25_hours,
      count(*) over (partition by station_id, both_row) as both_hours
    from in_row r
  )
  select h.station_id, 'flat', h.bucket,
    jsonb_strip_nulls(jsonb_build_object('pm2.5', logic.published_non_negative(h.pm25, 1),
      'pm10', logic.published_non_negative(h.pm10, 1)))
  from counted h join judged j on j.id = h.station_id and h.bucket >= j.since
  where case when h.pm25 > 0.5 then h.both_hours >= 12 or h.pm25_hours >= 24
    -- very clean air may be the same for a day
    else h.pm25_hours >= case when h.pm25 < 0 then 24 else 48 end end;
end $$;

-- The same by the test outlier. Its neighbours are stations that are not in a suspect period of the operator or in one
-- of `alone`.
create function logic.suspect_hours_among_neighbours(
  since timestamptz, until timestamptz, open logic.screened_period[], alone logic.screened_period[]
) returns setof logic.suspect_hour language plpgsql stable set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  -- from a cell to itself and its neighbours
  steps constant bigint[] := logic.cell_steps();
  first_of_open constant timestamptz := (select min(o.since) from unnest(open) o where o.reason = 'outlier');
  around_open constant int[] := array(
    select distinct near.id
    from (
      select logic.cell(s.latitude, s.longitude) + unnest(steps) as cell
      from unnest(open) o join raw.station s on s.id = o.station_id where o.reason = 'outlier'
    ) c
    join raw.station near on logic.cell(near.latitude, near.longitude) = c.cell);
begin
  return query
  with suspect as (
    select station_id, range_agg(tstzrange(rollup.bucket_start('hour', since), logic.hour_ceiling(until))) as periods
    from (
      select f.station_id, f.since, f.until from raw.flag_period f where f.kind = 'pm'
      union all select a.station_id, a.since, a.until from unnest(alone) a
    ) p group by 1
  ),
  stored as (
    select h.station_id, h.bucket, h.pm25 from rollup.station_hourly h
    where h.bucket >= suspect_hours_among_neighbours.since and h.bucket < suspect_hours_among_neighbours.until
      and h.pm25 is not null
    union all
    select h.station_id, h.bucket, h.pm25 from rollup.station_hourly h
    where h.bucket >= first_of_open and h.bucket < suspect_hours_among_neighbours.since and h.pm25 is not null
      and h.station_id = any (around_open)
  ),
  hour as materialized (
    select h.*, s.latitude, s.longitude, logic.cell(s.latitude, s.longitude) as cell,
      coalesce(p.periods @> h.bucket, false) is false as is_neighbour,
      h.pm25 > 30 and not s.trusted and h.bucket >= coalesce(o.since, suspect_hours_among_neighbours.since) as is_high
    from stored h
    join raw.station s on s.id = h.station_id
    left join suspect p on p.station_id = h.station_id
    left join unnest(open) o on o.station_id = h.station_id and o.reason = 'outlier'
  ),
  -- few stations are far enough above the lowest value in the cells around them; only those get a median
  filled as (select bucket, cell, min(hour.pm25) as lowest from hour where is_neighbour group by 1, 2),
  around as (
    select h.bucket, h.cell, min(filled.lowest) as lowest
    from (select d.*, cell + unnest(steps) as near from (select distinct bucket, cell from hour where is_high) d) h
    join filled on filled.bucket = h.bucket and filled.cell = h.near
    group by 1, 2
  ),
  pair as materialized (
    select one.station_id, one.bucket, one.pm25, other.station_id as other_id, other.pm25 as other_pm25
    from (
      select h.*, h.cell + unnest(steps) as near
      from hour h join around on around.bucket = h.bucket and around.cell = h.cell
      where h.is_high and h.pm25 > 3 * around.lowest
    ) one
    join hour other on other.bucket = one.bucket and other.cell = one.near and other.is_neighbour
      and other.station_id <> one.station_id
    where logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) <= 10
  ),
  judged as (
    select station_id, bucket, pair.pm25, percentile_cont(0.5) within group (order by other_pm25) as median,
      -- only the first hour of a period says what it was compared with: of a year among 100 neighbours that is 45 MB
      coalesce(bucket - lag(bucket) over (partition by station_id order by bucket) > interval '25 hours', true)
        as is_first
    from pair group by station_id, bucket, pair.pm25
    having count(*) >= 3 and pair.pm25 > 3 * percentile_cont(0.5) within group (order by other_pm25)
      -- smoke and fireworks reach several stations, a fault one
      and count(*) filter (where other_pm25 >= pair.pm25 / 2) <= 1
  )
  select j.station_id, 'outlier', j.bucket, case when j.is_first then
    jsonb_build_object('pm2.5', logic.published_non_negative(j.pm25, 1), 'median', logic.published_non_negative(j.median, 1),
    'compared_with', jsonb_agg(
      jsonb_build_object('id', other_id, 'pm2.5', logic.published_non_negative(other_pm25, 1)) order by other_id)) end
  from judged j left join pair on j.is_first and pair.station_id = j.station_id and pair.bucket = j.bucket
  group by j.station_id, j.bucket, j.pm25, j.median, j.is_first;
end $$;

-- The periods of suspect hours, per station and test. Suspect hours with gaps of at most 24 hours between them belong
-- together; 6 or more are a period. It is open-ended while its last hour ended less than 24 hours before `closed`. Of
-- `recorded`, an open period is judged from its beginning; one that has ended holds as it is up to `since`, and suspect
-- hours that follow continue it. An outlier keeps its suspect hours until they are 24: so they are counted whichever of
-- them later runs judge again.
create function logic.periods_of_hours(
  hours logic.suspect_hour[], recorded logic.screened_period[], since timestamptz, closed timestamptz
) returns setof logic.screened_period language sql stable as $$
  with piece as (
    select h.station_id, h.reason, h.bucket as since, h.bucket + interval '1 hour' as until, array[h.bucket] as hours,
      false as is_recorded, h.evidence
    from unnest(hours) h
    union all
    select p.station_id, p.reason, p.since, least(p.until, periods_of_hours.since),
      case when p.hours is not null then array(select h from unnest(p.hours) h where h < periods_of_hours.since) end,
      true, p.evidence
    from unnest(recorded) p where p.until < 'infinity' and p.since < periods_of_hours.since
  ),
  numbered as (
    select *, count(*) filter (where is_first) over (partition by station_id, reason order by since) as period
    from (
      select *, since - lag(until) over (partition by station_id, reason order by since) > interval '24 hours'
        as is_first from piece
    ) p
  ),
  found as (
    select station_id, reason, min(since) as since, max(until) as until,
      (array_agg(evidence order by since))[1] as evidence,
      case when reason = 'outlier' and count(hour) < 24 and not bool_or(hours is null)
        then coalesce(array_agg(hour order by hour) filter (where hour is not null), '{}') end as hours
    from numbered left join lateral unnest(hours) hour on true
    group by station_id, reason, period
    having count(hour) >= 6 or bool_or(is_recorded)
  )
  -- a period that is found again keeps its evidence
  select f.station_id, null::int, f.reason, f.since,
    case when closed - f.until < interval '24 hours' then 'infinity' else f.until end, 'pm',
    coalesce(p.evidence, f.evidence), f.hours
  from found f
  left join raw.screened_period p on p.station_id = f.station_id and p.reason = f.reason and p.since = f.since
$$;

-- The periods of kind pm in closed hours from `since` to `at`. `recorded` are the periods of that kind that are judged
-- again. The test outlier comes last and takes no neighbour away, so the result does not depend on what an earlier run
-- found by it.
create function logic.suspect_periods(since timestamptz, at timestamptz, recorded logic.screened_period[])
returns setof logic.screened_period language plpgsql stable as $$
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
  open constant logic.screened_period[] := array(
    select p from unnest(recorded) p where p.until = 'infinity' and p.since < suspect_periods.since);
  alone logic.screened_period[] := array(
    select p from logic.periods_of_hours(array(select h from logic.suspect_hours_alone(since, closed, open) h),
      array(select p from unnest(recorded) p where p.reason <> 'outlier'), since, closed) p);
begin
  return query select * from unnest(alone);
  -- those that are not judged again hold as recorded
  alone := alone || array(
    select p from logic.screened_period p
    where p.kind = 'pm' and p.reason <> 'outlier' and not exists (
      select from unnest(recorded) r where (r.station_id, r.reason, r.since) = (p.station_id, p.reason, p.since)));
  return query select p.* from logic.periods_of_hours(array(select h
    from logic.suspect_hours_among_neighbours(since, closed, open, alone) h),
    array(select p from unnest(recorded) p where p.reason = 'outlier'), since, closed) p;
end $$;

revoke all on function logic.suspect_hours_alone, logic.suspect_hours_among_neighbours,
  logic.periods_of_hours, logic.suspect_periods from public;

-- Compares pairs of PM2.5 sensors at one station, or at stations within 150 m of each other. It regresses the day means
-- of y on the day means of x, over the days among the last 30 completed local days that have at least 18 hours of both.
-- The values are as the instruments gave them. x is the sensor at a trusted station, else the one with the lower id.
create function logic.sensor_pair(at timestamptz, only_station int default null)
returns table (
  x_sensor_id int, x_station_id int, y_sensor_id int, y_station_id int, days int, slope float8, intercept float8,
    r2 float8, rmse float8
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  last_day constant timestamptz := rollup.bucket_start('day', at);
  first_day constant timestamptz := rollup.bucket_add('day', last_day, -30);
  steps constant bigint[] := logic.cell_steps();
begin
  return query
  with place as materialized (
    select s.id, s.trusted, s.latitude, s.longitude, logic.cell(s.latitude, s.longitude) as cell from raw.station s
  ),
  near as (
    select one.id, other.id as other_id
    from (select place.*, cell + unnest(steps) as near from place where only_station is null or id = only_station) one
    join place other on other.cell = one.near
    where other.id = one.id or logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) <= 0.15
  ),
  placed as (
    select distinct p.sensor_id, p.station_id, place.trusted
    from raw.placement p join place on place.id = p.station_id
    where p.until > first_day and p.since < last_day
  ),
  pair as (
    -- each pair once, with the reference as x
    select x.sensor_id as x_sensor_id, x.station_id as x_station_id, y.sensor_id as y_sensor_id,
      y.station_id as y_station_id
    from (select id, other_id from near union select other_id, id from near) n
    join placed x on x.station_id = n.id
    join placed y on y.station_id = n.other_id
    where (x.trusted, y.sensor_id) > (y.trusted, x.sensor_id)
  ),
  hour as materialized (
    select h.sensor_id, p.station_id, rollup.bucket_start('day', h.bucket) as day, h.bucket,
      coalesce(h.pm25_raw, h.pm25) as pm25
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= first_day and h.bucket < last_day and coalesce(h.pm25_raw, h.pm25) is not null
      -- so that few are looked up
      and h.sensor_id = any (array(select x_sensor_id from pair union select y_sensor_id from pair))
  ),
  day as (
    select pair.*, hx.day, avg(hx.pm25) as x, avg(hy.pm25) as y
    from pair
    join hour hx on hx.sensor_id = x_sensor_id and hx.station_id = x_station_id
    join hour hy on hy.sensor_id = y_sensor_id and hy.station_id = y_station_id and hy.bucket = hx.bucket
    group by 1, 2, 3, 4, 5
    having count(*) >= 18
  )
  select x_sensor_id, x_station_id, y_sensor_id, y_station_id, count(*)::int, regr_slope(y, x), regr_intercept(y, x),
    regr_r2(y, x),
    sqrt(avg((y - x) ^ 2))
  from day group by 1, 2, 3, 4;
end $$;

revoke all on function logic.sensor_pair from public;

-- Compares a station's clock with its neighbours' clocks. Where its hours fit theirs clearly better an hour or two
-- earlier or later, its stamps name the end of the hour, or its zone is another. Nothing is flagged by it: the air may
-- be late as well. Hours whose thermometer or particles are flagged are not compared: a thermometer on a warm wall has its
-- maximum hours before the air, and would accuse the stations around it as well as its own.

-- The three nearest stations within 10 km of each station, or of `only_stations`, that have hours from `since` on.
create function logic.nearest_stations(since timestamptz, only_stations int[] default null)
returns table (station_id int, other_id int)
language plpgsql stable set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  steps constant bigint[] := logic.cell_steps();
begin
  return query
  with place as materialized (
    select s.id, s.latitude, s.longitude, logic.cell(s.latitude, s.longitude) as cell
    from raw.station s
    where exists (select from rollup.station_hourly h
      where h.station_id = s.id and h.bucket >= nearest_stations.since)
  )
  select n.id, n.other_id
  from (
    select one.id, other.id as other_id,
      row_number() over (partition by one.id order by apart.km, other.id) as position
    from (
      select place.*, cell + unnest(steps) as near from place
      where only_stations is null or id = any (only_stations)
    ) one
    join place other on other.cell = one.near and other.id <> one.id
    cross join lateral (
      select logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) as km) apart
    where apart.km <= 10
  ) n
  where n.position <= 3;
end $$;

-- By how many hours, -2 to +2, a station's hours of the last 30 days must be moved to correlate best with the median of
-- the three nearest stations (of two: their mean; by one alone it would not be known whose clock is wrong). By
-- temperature where at least 200 hours can be compared at each shift, else by PM2.5; without both a station has no row.
-- It is clear where moving leaves less than 0.7 of what did not correlate (1 - r), and less than at any of the three.
-- Measured on hours of three stations in Beijing over two years and of three in Aberdeen over two months, in windows of
-- 30 days, each station moved by one hour and by two, with two neighbours only (the harder case):
--   part left   | temperature, 1 hour | 2 hours | PM2.5, 1 hour | 2 hours | false alarms, temperature | PM2.5
--   0.9         | 272 of 312          | 298     | 124 of 282    | 209     | 3 of 156                  | 12 of 141
--   0.8         | 254                 | 298     | 88            | 177     | 1                         | 4
--   0.7         | 228                 | 298     | 42            | 151     | 0                         | 0
--   0.6         | 211                 | 294     | 6             | 120     | 0                         | 0
-- Without the comparison with the three, 540 of 1,248 stations beside a moved one were accused by temperature at 0.7; with
-- it, 20. Also without it, a difference of r above 0.01 finds 266 and 303, with 4 false alarms; 0.8 finds 262 and 303,
-- with 1.
create function logic.station_shift(at timestamptz, only_station int default null)
returns table (
  station_id int, parameter text, hours int, shift_hours int, r float8, r_unshifted float8, is_clear boolean
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
  first constant timestamptz := closed - interval '30 days';
  -- it is compared with its neighbours, and these with theirs
  compared constant int[] := case when only_station is not null then array(
    select only_station union select n.other_id from logic.nearest_stations(first, array[only_station]) n) end;
begin
  return query
  with near as materialized (select * from logic.nearest_stations(first, compared)),
  hour as materialized (
    select h.station_id, (extract(epoch from h.bucket - first) / 3600)::int as n,
      case when thp.periods @> h.bucket then null else h.temperature end as temperature,
      case when pm.periods @> h.bucket then null else h.pm25 end as pm25
    from rollup.station_hourly h
    left join logic.flagged thp on thp.station_id = h.station_id and thp.kind = 'thp'
    left join logic.flagged pm on pm.station_id = h.station_id and pm.kind = 'pm'
    where h.bucket >= first and h.bucket < closed
      and h.station_id = any (array(select n.station_id from near n union select n.other_id from near n))
  ),
  median as materialized (
    select near.station_id, h.n,
      case count(h.temperature) when 3 then sum(h.temperature) - min(h.temperature) - max(h.temperature)
        when 2 then sum(h.temperature) / 2 end as temperature,
      case count(h.pm25) when 3 then sum(h.pm25) - min(h.pm25) - max(h.pm25)
        when 2 then sum(h.pm25) / 2 end as pm25
    from near join hour h on h.station_id = near.other_id
    group by near.station_id, h.n
  ),
  moved as materialized (
    select h.station_id, h.shift,
      regr_count(h.temperature, m.temperature)::int as temperatures, corr(h.temperature, m.temperature) as temperature_r,
      regr_count(h.pm25, m.pm25)::int as particles, corr(h.pm25, m.pm25) as pm25_r
    -- The shifts are unnested rather than joined: without statistics the planner joined the hours of a station with all
    -- of its medians first. 1,000 stations took more than 13 minutes then, and take 9 s now.
    from (select hour.*, unnest('{-2, -1, 0, 1, 2}'::int[]) as shift from hour) h
    join median m on m.station_id = h.station_id and m.n = h.n + h.shift
    group by 1, 2
  ),
  best as materialized (
    select distinct on (fit.station_id) fit.*,
      (1 - fit.r) / nullif(1 - fit.r_unshifted, 0) as left_over
    from (
      select station_id, parameter, min(hours) as least_hours, max(hours) filter (where shift = 0) as hours,
        (array_agg(shift order by r desc, abs(shift)))[1] as shift, max(r) as r,
        max(r) filter (where shift = 0) as r_unshifted
      from moved cross join lateral (values
        ('temperature', temperatures, temperature_r), ('pm25', particles, pm25_r)) p(parameter, hours, r)
      where r is not null
      group by 1, 2
      having count(*) = 5
    ) fit
    where fit.least_hours >= 200
    order by fit.station_id, fit.parameter desc
  ),
  beside as materialized (
    select n.station_id, min(other.left_over) as left_over
    from near n join best other on other.station_id = n.other_id
    group by 1
  )
  select b.station_id, b.parameter, b.hours, b.shift, b.r, b.r_unshifted,
    coalesce(b.shift <> 0 and b.left_over < 0.7 and (beside.left_over < b.left_over) is not true, false)
  from best b left join beside on beside.station_id = b.station_id
  where only_station is null or b.station_id = only_station;
end $$;

revoke all on function logic.nearest_stations from public;

-- Functions of an instant: current values (C1, C2, C4), unrounded, and the health figures of regions (W1 to W4). Their
-- other arguments select one station or region. They run with the rights of their owner, so readers of schema api need
-- no rights on the tables. They are in PL/pgSQL because an SQL function that runs with other rights is planned without
-- its arguments, over every chunk. Without force_custom_plan, PL/pgSQL would do the same from the sixth call on a
-- connection. That holds for every function with this setting.

-- The station of each sensor at an instant, since when it has been there, and how old its readings may be. All sensors,
-- or those at one station.
create function logic.placed(at timestamptz, only_station int default null)
returns table (sensor_id int, station_id int, formula text, placed_since timestamptz, stale_after interval)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  hour_since constant timestamptz := at - interval '60 minutes' - (select max(stale_after) from raw.provider);
begin
  return query
  select p.sensor_id, p.station_id, p.formula,
    -- adjoining placements at one station count as one, since a new formula does not make the sensor a new one
    case when p.since <= hour_since then '-infinity' else (
      select lower(part)
      from unnest((select range_agg(tstzrange(q.since, q.until)) from raw.placement q
        where q.sensor_id = p.sensor_id and q.station_id = p.station_id)) part
      where part @> at) end,
    provider.stale_after
  from raw.placement p
  join raw.station station on station.id = p.station_id
  join raw.provider provider on provider.id = station.provider_id
  where p.since <= at and at < p.until and (only_station is null or p.station_id = only_station);
end $$;

-- The current values of sensors at their stations at an instant (C1), computed from the readings. One row per sensor
-- with a reading that is not stale.
create function logic.sensor_current(at timestamptz, only_station int default null)
returns table (
  sensor_id int,
  station_id int,
  measured_at timestamptz, -- of the newest reading
  temperature_at timestamptz,
  humidity_at timestamptz,
  pressure_at timestamptz,
  pm1_at timestamptz,
  pm25_at timestamptz,
  pm25_raw_at timestamptz,
  pm10_at timestamptz,
  no2_at timestamptz,
  so2_at timestamptz,
  o3_at timestamptz,
  dust_at timestamptz,
  usvh_at timestamptz,
  uv_at timestamptz,
  wind_speed_at timestamptz,
  wind_direction_at timestamptz,
  rain_at timestamptz, -- when the newest value was measured
  temperature float8,
  humidity float8,
  pressure float8,
  pm1 float8,
  pm25 float8,
  pm25_raw float8,
  pm10 float8,
  no2 float8,
  so2 float8,
  o3 float8,
  dust float8,
  usvh float8,
  uv float8,
  wind_speed float8, -- the mean of the 60 minutes up to then
  wind_sin float8,
  wind_cos float8,
  rain float8 -- the sum of the 60 minutes
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  -- bounds of the readings, as plain values: they tell the planner which chunks to read
  newest_since constant timestamptz := at - (select max(stale_after) from raw.provider);
  hour_since constant timestamptz := newest_since - interval '60 minutes';
begin
  return query
  select p.sensor_id, p.station_id, newest.measured_at,
    newest.temperature,
  newest.humidity,
  newest.pressure,
  newest.pm1,
  newest.pm25,
  newest.pm25_raw,
  newest.pm10,
  newest.no2,
  newest.so2,
  newest.o3,
  newest.dust,
  newest.usvh,
  newest.uv,
  newest.wind_speed,
  newest.wind_direction,
  newest.rain, s.temperature,
  s.humidity,
  s.pressure,
  s.pm1,
  s.pm25,
  s.pm25_raw,
  s.pm10,
  s.no2,
  s.so2,
  s.o3,
  s.dust,
  s.usvh,
  s.uv,
  s.wind_speed, s.wind_sin, s.wind_cos, s.rain
  from logic.placed(at, only_station) p
  cross join lateral (
    -- per parameter, the time of the sensor's newest value, unless it is stale; a calm has no direction (A7)
    select
      max(r.measured_at) as measured_at,
      max(r.measured_at) filter (where r.temperature is not null) as temperature,
  max(r.measured_at) filter (where r.humidity is not null) as humidity,
  max(r.measured_at) filter (where r.pressure is not null) as pressure,
  max(r.measured_at) filter (where r.pm1 is not null) as pm1,
  max(r.measured_at) filter (where r.pm25 is not null) as pm25,
  max(r.measured_at) filter (where r.pm25_raw is not null) as pm25_raw,
  max(r.measured_at) filter (where r.pm10 is not null) as pm10,
  max(r.measured_at) filter (where r.no2 is not null) as no2,
  max(r.measured_at) filter (where r.so2 is not null) as so2,
  max(r.measured_at) filter (where r.o3 is not null) as o3,
  max(r.measured_at) filter (where r.dust is not null) as dust,
  max(r.measured_at) filter (where r.usvh is not null) as usvh,
  max(r.measured_at) filter (where r.uv is not null) as uv,
  max(r.measured_at) filter (where r.wind_speed is not null) as wind_speed,
      max(r.measured_at) filter (where r.wind_direction is not null and r.wind_speed is distinct from 0)
        as wind_direction,
      max(r.measured_at) filter (where r.rain is not null) as rain
    from raw.readings r
    where r.sensor_id = p.sensor_id and r.measured_at >= p.placed_since and r.measured_at > at - p.stale_after
      and r.measured_at <= at
      and r.measured_at > newest_since
  ) newest
  cross join lateral (
    -- and the mean of the 60 minutes up to that time
    select
      avg(r.temperature::float8) filter (where r.measured_at > newest.temperature - interval '60 minutes') as temperature,
  avg(r.humidity::float8) filter (where r.measured_at > newest.humidity - interval '60 minutes') as humidity,
  avg(r.pressure::float8) filter (where r.measured_at > newest.pressure - interval '60 minutes') as pressure,
  avg(r.pm1::float8) filter (where r.measured_at > newest.pm1 - interval '60 minutes') as pm1,
  avg(r.pm25::float8) filter (where r.measured_at > newest.pm25 - interval '60 minutes') as pm25,
  avg(r.pm25_raw::float8) filter (where r.measured_at > newest.pm25_raw - interval '60 minutes') as pm25_raw,
  avg(r.pm10::float8) filter (where r.measured_at > newest.pm10 - interval '60 minutes') as pm10,
  avg(r.no2::float8) filter (where r.measured_at > newest.no2 - interval '60 minutes') as no2,
  avg(r.so2::float8) filter (where r.measured_at > newest.so2 - interval '60 minutes') as so2,
  avg(r.o3::float8) filter (where r.measured_at > newest.o3 - interval '60 minutes') as o3,
  avg(r.dust::float8) filter (where r.measured_at > newest.dust - interval '60 minutes') as dust,
  avg(r.usvh::float8) filter (where r.measured_at > newest.usvh - interval '60 minutes') as usvh,
  avg(r.uv::float8) filter (where r.measured_at > newest.uv - interval '60 minutes') as uv,
  avg(r.wind_speed::float8) filter (where r.measured_at > newest.wind_speed - interval '60 minutes') as wind_speed,
      avg(sind(logic.possible(r.wind_direction))) filter (where r.wind_speed is distinct from 0
        and r.measured_at > newest.wind_direction - interval '60 minutes') as wind_sin,
      avg(cosd(logic.possible(r.wind_direction))) filter (where r.wind_speed is distinct from 0
        and r.measured_at > newest.wind_direction - interval '60 minutes') as wind_cos,
      sum(r.rain::float8) filter (where r.measured_at > newest.rain - interval '60 minutes') as rain
    from raw.readings r
    where r.sensor_id = p.sensor_id and r.measured_at >= p.placed_since
      and r.measured_at > least(newest.temperature,
  newest.humidity,
  newest.pressure,
  newest.pm1,
  newest.pm25,
  newest.pm25_raw,
  newest.pm10,
  newest.no2,
  newest.so2,
  newest.o3,
  newest.dust,
  newest.usvh,
  newest.uv,
  newest.wind_speed,
  newest.wind_direction,
  newest.rain) - interval '60 minutes' and r.measured_at <= at
      and r.measured_at > hour_since
  ) s
  where newest.measured_at is not null;
end $$;

-- Records the current values of all sensors at an instant. It raises the data version if any of them changed.
create function logic.refresh_current(at timestamptz) returns void language sql as $$
  with found as materialized (select * from logic.sensor_current(at)),
  gone as (
    delete from rollup.current c where not exists (select from found f where f.sensor_id = c.sensor_id)
    returning c.sensor_id
  ),
  changed as (
    insert into rollup.current as c (sensor_id, station_id, measured_at, temperature_at,
  humidity_at,
  pressure_at,
  pm1_at,
  pm25_at,
  pm25_raw_at,
  pm10_at,
  no2_at,
  so2_at,
  o3_at,
  dust_at,
  usvh_at,
  uv_at,
  wind_speed_at,
  wind_direction_at,
  rain_at,
      temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed, wind_sin, wind_cos, rain)
    select sensor_id, station_id, measured_at, temperature_at,
  humidity_at,
  pressure_at,
  pm1_at,
  pm25_at,
  pm25_raw_at,
  pm10_at,
  no2_at,
  so2_at,
  o3_at,
  dust_at,
  usvh_at,
  uv_at,
  wind_speed_at,
  wind_direction_at,
  rain_at, temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed, wind_sin, wind_cos,
      rain from found
    on conflict (sensor_id) do update set station_id = excluded.station_id, measured_at = excluded.measured_at,
      temperature_at = excluded.temperature_at,
  humidity_at = excluded.humidity_at,
  pressure_at = excluded.pressure_at,
  pm1_at = excluded.pm1_at,
  pm25_at = excluded.pm25_at,
  pm25_raw_at = excluded.pm25_raw_at,
  pm10_at = excluded.pm10_at,
  no2_at = excluded.no2_at,
  so2_at = excluded.so2_at,
  o3_at = excluded.o3_at,
  dust_at = excluded.dust_at,
  usvh_at = excluded.usvh_at,
  uv_at = excluded.uv_at,
  wind_speed_at = excluded.wind_speed_at,
  wind_direction_at = excluded.wind_direction_at,
  rain_at = excluded.rain_at, temperature = excluded.temperature,
  humidity = excluded.humidity,
  pressure = excluded.pressure,
  pm1 = excluded.pm1,
  pm25 = excluded.pm25,
  pm25_raw = excluded.pm25_raw,
  pm10 = excluded.pm10,
  no2 = excluded.no2,
  so2 = excluded.so2,
  o3 = excluded.o3,
  dust = excluded.dust,
  usvh = excluded.usvh,
  uv = excluded.uv,
  wind_speed = excluded.wind_speed,
      wind_sin = excluded.wind_sin, wind_cos = excluded.wind_cos, rain = excluded.rain
    where c.* is distinct from excluded.*
    returning c.sensor_id
  )
  select logic.raise_data_version() where exists (select from gone) or exists (select from changed)
$$;
revoke all on function logic.refresh_current from public;

-- The current values of the stations that are online (C1). For all stations, they are those that the last refresh
-- recorded, unless stale by now. For one station, or at an instant before the last refresh, they are computed from the
-- readings.
create function logic.station_current(at timestamptz, only_station int default null)
returns table (
  station_id int,
  measured_at timestamptz,
  temperature float8,
  humidity float8,
  pressure float8,
  pm1 float8,
  pm25 float8,
  pm25_raw float8,
  pm10 float8,
  no2 float8,
  so2 float8,
  o3 float8,
  dust float8,
  usvh float8,
  uv float8,
  wind_speed float8,
  wind_sin float8,
  wind_cos float8,
  rain float8,
  changes_at timestamptz -- when the first of the values becomes stale
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  is_recorded constant boolean := only_station is null
    and (select at >= f.refreshed_at from rollup.freshness f) is true;
begin
  return query
  select station_id, measured_at, temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed, wind_sin, wind_cos, rain, changes_at
  from (
    select
      p.station_id,
      max(l.measured_at) as measured_at,
      avg(s.temperature) as temperature,
  avg(s.humidity) as humidity,
  avg(s.pressure) as pressure,
  avg(s.pm1) as pm1,
  avg(s.pm10) as pm10,
  avg(s.no2) as no2,
  avg(s.so2) as so2,
  avg(s.o3) as o3,
  avg(s.dust) as dust,
  avg(s.usvh) as usvh,
  avg(s.uv) as uv,
  avg(s.wind_speed) as wind_speed,
      (coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021')
    * rollup.corrected('epa-2021', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021'),
      coalesce(avg(s.humidity) filter (where p.formula = 'epa-2021'), avg(s.humidity))), 0))
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021') end, 0) as pm25,
      avg(case when p.formula = 'none' then s.pm25_raw else coalesce(s.pm25_raw, s.pm25) end) as pm25_raw,
      avg(s.wind_sin) as wind_sin,
      avg(s.wind_cos) as wind_cos,
      avg(s.rain) as rain,
      min(least(case when l.temperature_at > p.usable_since then l.temperature_at end,
  case when l.humidity_at > p.usable_since then l.humidity_at end,
  case when l.pressure_at > p.usable_since then l.pressure_at end,
  case when l.pm1_at > p.usable_since then l.pm1_at end,
  case when l.pm25_at > p.usable_since then l.pm25_at end,
  case when l.pm25_raw_at > p.usable_since then l.pm25_raw_at end,
  case when l.pm10_at > p.usable_since then l.pm10_at end,
  case when l.no2_at > p.usable_since then l.no2_at end,
  case when l.so2_at > p.usable_since then l.so2_at end,
  case when l.o3_at > p.usable_since then l.o3_at end,
  case when l.dust_at > p.usable_since then l.dust_at end,
  case when l.usvh_at > p.usable_since then l.usvh_at end,
  case when l.uv_at > p.usable_since then l.uv_at end,
  case when l.wind_speed_at > p.usable_since then l.wind_speed_at end,
  case when l.wind_direction_at > p.usable_since then l.wind_direction_at end,
  case when l.rain_at > p.usable_since then l.rain_at end) + p.stale_after)
        as changes_at
    from (select *, at - stale_after as usable_since from logic.placed(at, only_station)) p
    join (
      select sensor_id, station_id, measured_at, temperature_at,
  humidity_at,
  pressure_at,
  pm1_at,
  pm25_at,
  pm25_raw_at,
  pm10_at,
  no2_at,
  so2_at,
  o3_at,
  dust_at,
  usvh_at,
  uv_at,
  wind_speed_at,
  wind_direction_at,
  rain_at, temperature,
  humidity,
  pressure,
  pm1,
  pm25,
  pm25_raw,
  pm10,
  no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed, wind_sin,
        wind_cos, rain
      from rollup.current where is_recorded
      union all
      select * from logic.sensor_current(at, only_station) where not is_recorded
    ) l on l.sensor_id = p.sensor_id and l.station_id = p.station_id and l.measured_at >= p.placed_since
      and l.measured_at > p.usable_since
    cross join lateral (
      select
        case when l.temperature_at > p.usable_since then l.temperature end as temperature,
  case when l.humidity_at > p.usable_since then l.humidity end as humidity,
  case when l.pressure_at > p.usable_since then l.pressure end as pressure,
  case when l.pm1_at > p.usable_since then l.pm1 end as pm1,
  case when l.pm25_at > p.usable_since then l.pm25 end as pm25,
  case when l.pm25_raw_at > p.usable_since then l.pm25_raw end as pm25_raw,
  case when l.pm10_at > p.usable_since then l.pm10 end as pm10,
  case when l.no2_at > p.usable_since then l.no2 end as no2,
  case when l.so2_at > p.usable_since then l.so2 end as so2,
  case when l.o3_at > p.usable_since then l.o3 end as o3,
  case when l.dust_at > p.usable_since then l.dust end as dust,
  case when l.usvh_at > p.usable_since then l.usvh end as usvh,
  case when l.uv_at > p.usable_since then l.uv end as uv,
  case when l.wind_speed_at > p.usable_since then l.wind_speed end as wind_speed,
        case when l.wind_direction_at > p.usable_since then l.wind_sin end as wind_sin,
        case when l.wind_direction_at > p.usable_since then l.wind_cos end as wind_cos,
        case when l.rain_at > p.usable_since then l.rain end as rain
    ) s
    group by p.station_id
  ) current;
end $$;

-- Says whether a station is listed (C6), flagged (C5), and has suspect particles (C9) at an instant. changes_at is the
-- next known change of these, or of its regions, sensors or readings: a period begins or ends, or a reading of a clock
-- that is ahead comes due (by up to five minutes, S3).
create function logic.station_state(at timestamptz, only_station int default null)
returns table (station_id int, is_listed boolean, is_bad_thp boolean, is_bad_pm boolean, changes_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  select
    station.id,
    coalesce(bool_or(p.kind = 'hidden' and p.since <= at and at < p.until), false) is false,
    coalesce(bool_or(p.kind = 'thp' and p.since <= at and at < p.until), false),
    coalesce(bool_or(p.kind = 'pm' and p.since <= at and at < p.until), false),
    least(
      min(p.since) filter (where p.since > at and p.since < 'infinity'),
      min(p.until) filter (where p.until > at and p.until < 'infinity'))
  from raw.station station
  left join (
    select 'hidden' as kind, h.station_id, h.since, h.until from raw.hidden_period h
    union all select f.kind, f.station_id, f.since, f.until from logic.flag f
    -- the conditions skip most of these, which last as long as their station does
    union all select 'placement', p.station_id, p.since, p.until
      from raw.placement p where p.since > at or p.until < 'infinity'
    union all select 'region', m.station_id, m.since, m.until
      from raw.station_region m where m.since > at or m.until < 'infinity'
    union all
    select 'reading', p.station_id, r.measured_at, 'infinity'
    from raw.readings r
    join raw.placement p on p.sensor_id = r.sensor_id and p.since <= at and at < p.until
    where r.measured_at > at and r.measured_at <= at + interval '5 minutes'
  ) p on p.station_id = station.id
  where only_station is null or station.id = only_station
  group by station.id;
end $$;

-- Say whether anything was ever measured at a station or in a region.
create function logic.station_has_measured(id int) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from rollup.station_monthly m where m.station_id = id)
$$;
create function logic.region_has_measured(slug text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from rollup.region_monthly m where m.region_slug = slug)
$$;

-- Records the digest of an instant: for each region, the mean over its stations that are online and listed (C4). It
-- leaves out temperature, humidity and pressure of flagged stations (C5), and suspect particles (C9). A region without
-- any such station gets a row with station_count 0. Idempotent.
create procedure logic.make_digest(at timestamptz) language sql as $$
  with made as (
    insert into rollup.digest (made_at, region_slug, station_count, pm_stations, pm_left_out, temperature,
  humidity,
  pressure,
      pm1,
  pm25,
  pm25_raw,
  pm10, no2,
  so2,
  o3,
  dust,
  usvh,
  uv,
  wind_speed, wind_sin, wind_cos, rain)
    select
      at,
      region.slug,
      count(c.station_id),
      count(coalesce(c.pm1,
  c.pm25,
  c.pm25_raw,
  c.pm10)) filter (where not m.is_pm_suspect),
      count(coalesce(c.pm1,
  c.pm25,
  c.pm25_raw,
  c.pm10)) filter (where m.is_pm_suspect),
      avg(c.temperature) filter (where not m.is_flagged),
  avg(c.humidity) filter (where not m.is_flagged),
  avg(c.pressure) filter (where not m.is_flagged),
      avg(c.pm1) filter (where not m.is_pm_suspect),
  avg(c.pm25) filter (where not m.is_pm_suspect),
  avg(c.pm25_raw) filter (where not m.is_pm_suspect),
  avg(c.pm10) filter (where not m.is_pm_suspect),
      avg(c.no2),
  avg(c.so2),
  avg(c.o3),
  avg(c.dust),
  avg(c.usvh),
  avg(c.uv),
  avg(c.wind_speed),
      avg(c.wind_sin),
      avg(c.wind_cos),
      avg(c.rain)
    from raw.region region
    left join (
      raw.membership m
      join logic.station_state(at) state on state.station_id = m.station_id and state.is_listed
      join logic.station_current(at) c on c.station_id = m.station_id
    ) on m.region_slug = region.slug and m.since <= at and at < m.until
    group by region.slug
    on conflict (region_slug, made_at) do nothing
    returning 1
  )
  select logic.raise_data_version() where exists (select from made);
$$;

-- The newest digest of each region, if it is at most 30 minutes old, and the health figures of the region.
create function logic.region_current(at timestamptz, only_region text default null)
returns table (
  region_slug text,
  made_at timestamptz,
  station_count int,
  temperature float8,
  humidity float8,
  pressure float8,
  pm25 float8,
  pm10 float8,
  no2 float8,
  who_daily float8, -- µg/m³, W1
  who_year float8, -- µg/m³, W2
  who_exceedance_days int,
  month float8, -- µg/m³, mean of the last 30 completed days
  changes_at timestamptz -- the first of: the hour closes, the digest is too old, the next digest counts
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  -- bounds of the closed hours and of the completed local days before the instant
  hour constant timestamptz := rollup.bucket_start('hour', at);
  hour_24 constant timestamptz := rollup.bucket_add('hour', hour, -24);
  next_hour constant timestamptz := rollup.bucket_add('hour', hour, 1);
  day constant timestamptz := rollup.bucket_start('day', at);
  day_30 constant timestamptz := rollup.bucket_add('day', day, -30);
  day_365 constant timestamptz := rollup.bucket_add('day', day, -365);
begin
  return query
  select
    region.slug, digest.made_at, digest.station_count, digest.temperature,
  digest.humidity,
  digest.pressure,
  digest.pm25,
  digest.pm10,
  digest.no2,
    hours.mean, days.year, days.exceedances, days.month,
    least(
      next_hour,
      digest.made_at + interval '30 minutes' + interval '1 microsecond',
      (select min(d.made_at) from rollup.digest d where d.region_slug = region.slug and d.made_at > at)
    )
  from raw.region region
  left join lateral (
    select * from rollup.digest d
    where d.region_slug = region.slug and d.made_at <= at and d.made_at >= at - interval '30 minutes'
    order by d.made_at desc limit 1
  ) digest on digest.station_count > 0
  cross join lateral (
    select case when count(logic.possible(h.pm25)) >= 18 then avg(logic.possible(h.pm25)) end as mean
    from rollup.region_hourly h
    where h.region_slug = region.slug and h.bucket >= hour_24 and h.bucket < hour
  ) hours
  cross join lateral (
    select
      avg(logic.possible(d.pm25)) as year,
      count(*) filter (where logic.possible(d.pm25) > 15)::int as exceedances,
      avg(logic.possible(d.pm25)) filter (where d.bucket >= day_30) as month
    from rollup.region_daily d
    where d.region_slug = region.slug and d.bucket >= day_365 and d.bucket < day
  ) days
  where only_region is null or region.slug = only_region;
end $$;

-- Sensors with their latest station at an instant, and the times of their first and last reading. With only_listed,
-- only listed stations count (C6).
create function logic.sensor_state(at timestamptz, only_listed boolean)
returns table (
  id int, station_id int, kind text, device text, altitude float8,
  first_measurement_time timestamptz, last_measurement_time timestamptz, is_suspicious boolean
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select
    sensor.id, located.station_id, sensor.kind, sensor.device, station.altitude, measured.first, measured.last,
    exists (select from raw.suspicious_period p where p.sensor_id = sensor.id and p.since <= at and at < p.until)
  from raw.sensor sensor
  cross join lateral (
    select p.station_id from raw.sensor_station p
    where p.sensor_id = sensor.id and p.since <= at
      and (not only_listed or p.station_id in (select state.station_id from logic.station_state(at) state
        where state.is_listed))
    order by p.since desc limit 1
  ) located
  join raw.station station on station.id = located.station_id
  cross join lateral (
    select min(oldest.measured_at) as first, max(newest.measured_at) as last
    from (
      select timestamptz '-infinity' as since, timestamptz 'infinity' as until where not only_listed
      union all
      select p.since, p.until from raw.sensor_station p
      where only_listed and p.sensor_id = sensor.id
        and p.station_id in (select state.station_id from logic.station_state(at) state where state.is_listed)
    ) stay
    left join lateral (
      select r.measured_at from raw.readings r
      where r.sensor_id = sensor.id and r.measured_at >= stay.since and r.measured_at < stay.until
        and r.measured_at <= at
      order by r.measured_at limit 1
    ) oldest on true
    left join lateral (
      select r.measured_at from raw.readings r
      where r.sensor_id = sensor.id and r.measured_at >= stay.since and r.measured_at < stay.until
        and r.measured_at <= at
      order by r.measured_at desc limit 1
    ) newest on true
  ) measured
$$;

-- State of the service for metrics. The functions run with the rights of their owner, since readers of schema api may
-- not read the tables.

-- The newest measurement of each of the given providers. It takes one index probe per period of a sensor at a station.
create function logic.newest_measurement(at timestamptz, providers text[])
  returns table (provider text, measured_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select station.provider_id, max(newest.measured_at)
  from raw.station station
  join raw.sensor_station located on located.station_id = station.id and located.since <= at
  cross join lateral (
    select r.measured_at from raw.readings r
    where r.sensor_id = located.sensor_id and r.measured_at >= located.since and r.measured_at < located.until
      and r.measured_at <= at
    order by r.measured_at desc limit 1
  ) newest
  where station.provider_id = any (providers)
  group by station.provider_id
$$;

-- The newest bucket of each published aggregate at an instant. Future buckets, left by a clock that was ahead, are
-- ignored.
create function logic.newest_bucket(at timestamptz) returns table (subject text, resolution text, bucket timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'station', 'hour', (select max(bucket) from rollup.station_hourly where bucket <= at)
  union all select 'station', 'day', (select max(bucket) from rollup.station_daily where bucket <= at)
  union all select 'station', 'month', (select max(bucket) from rollup.station_monthly where bucket <= at)
  union all select 'region', 'hour', (select max(bucket) from rollup.region_hourly where bucket <= at)
  union all select 'region', 'day', (select max(bucket) from rollup.region_daily where bucket <= at)
  union all select 'region', 'month', (select max(bucket) from rollup.region_monthly where bucket <= at)
$$;

-- Size on disk of raw data and of aggregates in bytes.
create function logic.storage() returns table (schema text, bytes float8) language sql stable security definer
  set search_path = public, pg_temp as $$
  select 'raw', logic.size_of('raw')::float8 union all select 'rollup', logic.size_of('rollup')::float8
$$;

-- Listed stations that are offline (C2) but have measured before. A station without any reading is left out: it never
-- sent one, or retention has deleted them all. In PL/pgSQL for the reason given in 70_current.sql.
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

-- Plain PostgreSQL: recomputes the buckets of a level that lie within the range, for all subjects, with the level's own
-- select. A cached plan would not know the range, and compiling (jit) a statement takes longer than running it for one
-- hour.
create or replace procedure rollup.recompute(level text, since timestamptz, until timestamptz) language plpgsql
set plan_cache_mode = force_custom_plan set jit = off as $$
#variable_conflict use_column
begin
  case level
  when 'sensor_hourly' then
    delete from rollup.sensor_hourly where bucket >= $2 and bucket < $3;
    insert into rollup.sensor_hourly
    select
  time_bucket('1 hour', measured_at, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  sensor_id,
  avg(temperature::float8) as temperature,
  avg(humidity::float8) as humidity,
  avg(pressure::float8) as pressure,
  avg(pm1::float8) as pm1,
  avg(pm25::float8) as pm25,
  avg(pm25_raw::float8) as pm25_raw,
  avg(pm10::float8) as pm10,
  avg(no2::float8) as no2,
  avg(so2::float8) as so2,
  avg(o3::float8) as o3,
  avg(dust::float8) as dust,
  avg(usvh::float8) as usvh,
  avg(uv::float8) as uv,
  avg(wind_speed::float8) as wind_speed,
  avg(sind(wind_direction::float8)) filter (where wind_speed is distinct from 0) as wind_sin,
  avg(cosd(wind_direction::float8)) filter (where wind_speed is distinct from 0) as wind_cos,
  sum(rain::float8) as rain
from raw.readings
where measured_at >= $2 and measured_at < $3
group by 1, 2;
  when 'station_hourly' then
    delete from rollup.station_hourly where bucket >= $2 and bucket < $3;
    insert into rollup.station_hourly
    select
  time_bucket('1 hour', s.bucket, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  p.station_id,
  count(*)::int as sensor_count,
  avg(s.temperature) as temperature,
  avg(s.humidity) as humidity,
  avg(s.pressure) as pressure,
  avg(s.pm1) as pm1,
  avg(s.pm10) as pm10,
  avg(s.no2) as no2,
  avg(s.so2) as so2,
  avg(s.o3) as o3,
  avg(s.dust) as dust,
  avg(s.usvh) as usvh,
  avg(s.uv) as uv,
  avg(s.wind_speed) as wind_speed,
  (coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021')
    * rollup.corrected('epa-2021', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021'),
      coalesce(avg(s.humidity) filter (where p.formula = 'epa-2021'), avg(s.humidity))), 0))
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021') end, 0) as pm25,
  avg(case when p.formula = 'none' then s.pm25_raw else coalesce(s.pm25_raw, s.pm25) end) as pm25_raw,
  avg(s.wind_sin) as wind_sin,
  avg(s.wind_cos) as wind_cos,
  avg(s.rain) as rain,
  rollup.aqi((coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021')
    * rollup.corrected('epa-2021', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021'),
      coalesce(avg(s.humidity) filter (where p.formula = 'epa-2021'), avg(s.humidity))), 0))
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021') end, 0), avg(s.pm10)) as aqi
from rollup.sensor_hourly s
join raw.placement p on p.sensor_id = s.sensor_id
where s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until and s.bucket >= $2 and s.bucket < $3
group by 1, 2;
  when 'region_hourly' then
    delete from rollup.region_hourly where bucket >= $2 and bucket < $3;
    insert into rollup.region_hourly
    select
  time_bucket('1 hour', h.bucket, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  m.region_slug,
  count(*)::int as station_count,
  avg(h.temperature) filter (where not m.is_flagged) as temperature,
  avg(h.humidity) filter (where not m.is_flagged) as humidity,
  avg(h.pressure) filter (where not m.is_flagged) as pressure,
  avg(h.pm1) filter (where not m.is_pm_suspect) as pm1,
  avg(h.pm25) filter (where not m.is_pm_suspect) as pm25,
  avg(h.pm25_raw) filter (where not m.is_pm_suspect) as pm25_raw,
  avg(h.pm10) filter (where not m.is_pm_suspect) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  avg(h.rain) as rain,
  rollup.aqi(
    avg(h.pm25) filter (where not m.is_pm_suspect),
    avg(h.pm10) filter (where not m.is_pm_suspect)) as aqi
from rollup.station_hourly h
join raw.membership m on m.station_id = h.station_id
where h.bucket >= m.since and h.bucket < m.until and h.bucket >= $2 and h.bucket < $3
group by 1, 2;
  when 'station_daily' then
    delete from rollup.station_daily where bucket >= $2 and bucket < $3;
    insert into rollup.station_daily
    select
  time_bucket('1 day', h.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  h.station_id,
  count(*)::int as hours,
  avg(h.sensor_count)::float8 as sensor_count,
  avg(h.temperature) as temperature,
  avg(h.humidity) as humidity,
  avg(h.pressure) as pressure,
  avg(h.pm1) as pm1,
  avg(h.pm25) as pm25,
  avg(h.pm25_raw) as pm25_raw,
  avg(h.pm10) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  count(h.temperature)::int as temperature_hours,
  count(h.humidity)::int as humidity_hours,
  count(h.pressure)::int as pressure_hours,
  count(h.pm1)::int as pm1_hours,
  count(h.pm25)::int as pm25_hours,
  count(h.pm25_raw)::int as pm25_raw_hours,
  count(h.pm10)::int as pm10_hours,
  count(h.no2)::int as no2_hours,
  count(h.so2)::int as so2_hours,
  count(h.o3)::int as o3_hours,
  count(h.dust)::int as dust_hours,
  count(h.usvh)::int as usvh_hours,
  count(h.uv)::int as uv_hours,
  count(h.wind_speed)::int as wind_speed_hours,
  min(h.temperature) as min_temperature, max(h.temperature) as max_temperature,
  min(h.pm25) as min_pm25, max(h.pm25) as max_pm25,
  min(h.pm10) as min_pm10, max(h.pm10) as max_pm10,
  min(h.no2) as min_no2, max(h.no2) as max_no2,
  min(h.dust) as min_dust, max(h.dust) as max_dust,
  min(h.wind_speed) as min_wind_speed, max(h.wind_speed) as max_wind_speed,
  min(h.aqi) as min_aqi,
  max(h.aqi) as max_aqi,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  count(h.wind_sin)::int as wind_hours,
  sum(h.rain) as rain
from rollup.station_hourly h
where h.bucket >= $2 and h.bucket < $3
group by 1, 2;
  when 'region_daily' then
    delete from rollup.region_daily where bucket >= $2 and bucket < $3;
    insert into rollup.region_daily
    select
  time_bucket('1 day', h.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  h.region_slug,
  count(*)::int as hours,
  avg(h.station_count)::float8 as station_count,
  avg(h.temperature) as temperature,
  avg(h.humidity) as humidity,
  avg(h.pressure) as pressure,
  avg(h.pm1) as pm1,
  avg(h.pm25) as pm25,
  avg(h.pm25_raw) as pm25_raw,
  avg(h.pm10) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  count(h.temperature)::int as temperature_hours,
  count(h.humidity)::int as humidity_hours,
  count(h.pressure)::int as pressure_hours,
  count(h.pm1)::int as pm1_hours,
  count(h.pm25)::int as pm25_hours,
  count(h.pm25_raw)::int as pm25_raw_hours,
  count(h.pm10)::int as pm10_hours,
  count(h.no2)::int as no2_hours,
  count(h.so2)::int as so2_hours,
  count(h.o3)::int as o3_hours,
  count(h.dust)::int as dust_hours,
  count(h.usvh)::int as usvh_hours,
  count(h.uv)::int as uv_hours,
  count(h.wind_speed)::int as wind_speed_hours,
  min(h.temperature) as min_temperature, max(h.temperature) as max_temperature,
  min(h.pm25) as min_pm25, max(h.pm25) as max_pm25,
  min(h.pm10) as min_pm10, max(h.pm10) as max_pm10,
  min(h.no2) as min_no2, max(h.no2) as max_no2,
  min(h.dust) as min_dust, max(h.dust) as max_dust,
  min(h.wind_speed) as min_wind_speed, max(h.wind_speed) as max_wind_speed,
  min(h.aqi) as min_aqi,
  max(h.aqi) as max_aqi,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  count(h.wind_sin)::int as wind_hours,
  sum(h.rain) as rain
from rollup.region_hourly h
where h.bucket >= $2 and h.bucket < $3
group by 1, 2;
  when 'station_monthly' then
    delete from rollup.station_monthly where bucket >= $2 and bucket < $3;
    insert into rollup.station_monthly
    select
  time_bucket('1 month', d.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  d.station_id,
  sum(d.hours)::int as hours,
  sum(d.sensor_count * d.hours) / sum(d.hours) as sensor_count,
  sum(d.temperature * d.temperature_hours) / nullif(sum(d.temperature_hours), 0) as temperature,
  sum(d.humidity * d.humidity_hours) / nullif(sum(d.humidity_hours), 0) as humidity,
  sum(d.pressure * d.pressure_hours) / nullif(sum(d.pressure_hours), 0) as pressure,
  sum(d.pm1 * d.pm1_hours) / nullif(sum(d.pm1_hours), 0) as pm1,
  sum(d.pm25 * d.pm25_hours) / nullif(sum(d.pm25_hours), 0) as pm25,
  sum(d.pm25_raw * d.pm25_raw_hours) / nullif(sum(d.pm25_raw_hours), 0) as pm25_raw,
  sum(d.pm10 * d.pm10_hours) / nullif(sum(d.pm10_hours), 0) as pm10,
  sum(d.no2 * d.no2_hours) / nullif(sum(d.no2_hours), 0) as no2,
  sum(d.so2 * d.so2_hours) / nullif(sum(d.so2_hours), 0) as so2,
  sum(d.o3 * d.o3_hours) / nullif(sum(d.o3_hours), 0) as o3,
  sum(d.dust * d.dust_hours) / nullif(sum(d.dust_hours), 0) as dust,
  sum(d.usvh * d.usvh_hours) / nullif(sum(d.usvh_hours), 0) as usvh,
  sum(d.uv * d.uv_hours) / nullif(sum(d.uv_hours), 0) as uv,
  sum(d.wind_speed * d.wind_speed_hours) / nullif(sum(d.wind_speed_hours), 0) as wind_speed,
  sum(d.temperature_hours)::int as temperature_hours,
  sum(d.humidity_hours)::int as humidity_hours,
  sum(d.pressure_hours)::int as pressure_hours,
  sum(d.pm1_hours)::int as pm1_hours,
  sum(d.pm25_hours)::int as pm25_hours,
  sum(d.pm25_raw_hours)::int as pm25_raw_hours,
  sum(d.pm10_hours)::int as pm10_hours,
  sum(d.no2_hours)::int as no2_hours,
  sum(d.so2_hours)::int as so2_hours,
  sum(d.o3_hours)::int as o3_hours,
  sum(d.dust_hours)::int as dust_hours,
  sum(d.usvh_hours)::int as usvh_hours,
  sum(d.uv_hours)::int as uv_hours,
  sum(d.wind_speed_hours)::int as wind_speed_hours,
  min(d.min_temperature) as min_temperature, max(d.max_temperature) as max_temperature,
  min(d.min_pm25) as min_pm25, max(d.max_pm25) as max_pm25,
  min(d.min_pm10) as min_pm10, max(d.max_pm10) as max_pm10,
  min(d.min_no2) as min_no2, max(d.max_no2) as max_no2,
  min(d.min_dust) as min_dust, max(d.max_dust) as max_dust,
  min(d.min_wind_speed) as min_wind_speed, max(d.max_wind_speed) as max_wind_speed,
  min(d.min_aqi) as min_aqi,
  max(d.max_aqi) as max_aqi,
  sum(d.wind_sin * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_sin,
  sum(d.wind_cos * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_cos,
  sum(d.wind_hours)::int as wind_hours,
  sum(d.rain) as rain
from rollup.station_daily d
where d.bucket >= $2 and d.bucket < $3
group by 1, 2;
  when 'region_monthly' then
    delete from rollup.region_monthly where bucket >= $2 and bucket < $3;
    insert into rollup.region_monthly
    select
  time_bucket('1 month', d.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  d.region_slug,
  sum(d.hours)::int as hours,
  sum(d.station_count * d.hours) / sum(d.hours) as station_count,
  sum(d.temperature * d.temperature_hours) / nullif(sum(d.temperature_hours), 0) as temperature,
  sum(d.humidity * d.humidity_hours) / nullif(sum(d.humidity_hours), 0) as humidity,
  sum(d.pressure * d.pressure_hours) / nullif(sum(d.pressure_hours), 0) as pressure,
  sum(d.pm1 * d.pm1_hours) / nullif(sum(d.pm1_hours), 0) as pm1,
  sum(d.pm25 * d.pm25_hours) / nullif(sum(d.pm25_hours), 0) as pm25,
  sum(d.pm25_raw * d.pm25_raw_hours) / nullif(sum(d.pm25_raw_hours), 0) as pm25_raw,
  sum(d.pm10 * d.pm10_hours) / nullif(sum(d.pm10_hours), 0) as pm10,
  sum(d.no2 * d.no2_hours) / nullif(sum(d.no2_hours), 0) as no2,
  sum(d.so2 * d.so2_hours) / nullif(sum(d.so2_hours), 0) as so2,
  sum(d.o3 * d.o3_hours) / nullif(sum(d.o3_hours), 0) as o3,
  sum(d.dust * d.dust_hours) / nullif(sum(d.dust_hours), 0) as dust,
  sum(d.usvh * d.usvh_hours) / nullif(sum(d.usvh_hours), 0) as usvh,
  sum(d.uv * d.uv_hours) / nullif(sum(d.uv_hours), 0) as uv,
  sum(d.wind_speed * d.wind_speed_hours) / nullif(sum(d.wind_speed_hours), 0) as wind_speed,
  sum(d.temperature_hours)::int as temperature_hours,
  sum(d.humidity_hours)::int as humidity_hours,
  sum(d.pressure_hours)::int as pressure_hours,
  sum(d.pm1_hours)::int as pm1_hours,
  sum(d.pm25_hours)::int as pm25_hours,
  sum(d.pm25_raw_hours)::int as pm25_raw_hours,
  sum(d.pm10_hours)::int as pm10_hours,
  sum(d.no2_hours)::int as no2_hours,
  sum(d.so2_hours)::int as so2_hours,
  sum(d.o3_hours)::int as o3_hours,
  sum(d.dust_hours)::int as dust_hours,
  sum(d.usvh_hours)::int as usvh_hours,
  sum(d.uv_hours)::int as uv_hours,
  sum(d.wind_speed_hours)::int as wind_speed_hours,
  min(d.min_temperature) as min_temperature, max(d.max_temperature) as max_temperature,
  min(d.min_pm25) as min_pm25, max(d.max_pm25) as max_pm25,
  min(d.min_pm10) as min_pm10, max(d.max_pm10) as max_pm10,
  min(d.min_no2) as min_no2, max(d.max_no2) as max_no2,
  min(d.min_dust) as min_dust, max(d.max_dust) as max_dust,
  min(d.min_wind_speed) as min_wind_speed, max(d.max_wind_speed) as max_wind_speed,
  min(d.min_aqi) as min_aqi,
  max(d.max_aqi) as max_aqi,
  sum(d.wind_sin * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_sin,
  sum(d.wind_cos * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_cos,
  sum(d.wind_hours)::int as wind_hours,
  sum(d.rain) as rain
from rollup.region_daily d
where d.bucket >= $2 and d.bucket < $3
group by 1, 2;
  end case;
end $$;


-- True if nothing in a bucket waits for a refresh, or for rules of the zone by which it can be computed (Z5).
create function logic.is_up_to_date(level text, bucket timestamptz) returns boolean language sql stable as $oracle$
  select not exists (
    select from logic.pending p
    where p.until > bucket and p.since < rollup.bucket_add(l.unit, bucket, 1))
    and not logic.refused_buckets(l.unit) @> bucket
  from logic.level l where l.name = is_up_to_date.level
$oracle$;

-- Which of these columns differ, by the equality of rule A10. Naming them in the statement below took 8 ms of the 28 of a small audit, to plan it.
create function logic.differing_columns(columns text[], stored json, expected json) returns text[] language sql immutable as $oracle$
  select array_agg(columns[s.position] order by s.position)
  from json_each_text(stored) with ordinality s(name, value, position)
  join json_each_text(expected) e(name, value) using (name)
  where case when s.value is distinct from e.value then logic.same(s.value::float8, e.value::float8) is not true end
$oracle$;

-- Compares whole days. It is in PL/pgSQL so that it is planned with the period. The planner can't know how large the parts are: what it takes for a few rows
-- would be looped over.
create function logic.differences_of_days(timestamptz, timestamptz)
returns table (level text, bucket timestamptz, subject text, columns text[]) language plpgsql stable
set search_path = rollup, public set plan_cache_mode = force_custom_plan set enable_nestloop = off set jit = off as $oracle$
#variable_conflict use_column
declare
  readings_since constant timestamptz := greatest($1, (select i.retained_from from raw.installation i));
  month_since constant timestamptz := bucket_start('month', $1);
  month_until constant timestamptz := bucket_add('month', bucket_start('month', $2 - interval '1 microsecond'), 1);
begin
  return query
  with placement as materialized (select * from logic.placement), membership as materialized (select * from logic.membership),
  sensor_hourly as materialized (
select
  time_bucket('1 hour', measured_at, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  sensor_id,
  avg(temperature::float8) as temperature,
  avg(humidity::float8) as humidity,
  avg(pressure::float8) as pressure,
  avg(pm1::float8) as pm1,
  avg(pm25::float8) as pm25,
  avg(pm25_raw::float8) as pm25_raw,
  avg(pm10::float8) as pm10,
  avg(no2::float8) as no2,
  avg(so2::float8) as so2,
  avg(o3::float8) as o3,
  avg(dust::float8) as dust,
  avg(usvh::float8) as usvh,
  avg(uv::float8) as uv,
  avg(wind_speed::float8) as wind_speed,
  avg(sind(wind_direction::float8)) filter (where wind_speed is distinct from 0) as wind_sin,
  avg(cosd(wind_direction::float8)) filter (where wind_speed is distinct from 0) as wind_cos,
  sum(rain::float8) as rain
from raw.readings
where measured_at >= readings_since and measured_at < $2
group by 1, 2
union all select * from rollup.sensor_hourly where bucket >= $1 and bucket < least($2, readings_since)
),
station_hourly as materialized (
select
  time_bucket('1 hour', s.bucket, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  p.station_id,
  count(*)::int as sensor_count,
  avg(s.temperature) as temperature,
  avg(s.humidity) as humidity,
  avg(s.pressure) as pressure,
  avg(s.pm1) as pm1,
  avg(s.pm10) as pm10,
  avg(s.no2) as no2,
  avg(s.so2) as so2,
  avg(s.o3) as o3,
  avg(s.dust) as dust,
  avg(s.usvh) as usvh,
  avg(s.uv) as uv,
  avg(s.wind_speed) as wind_speed,
  (coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021')
    * rollup.corrected('epa-2021', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021'),
      coalesce(avg(s.humidity) filter (where p.formula = 'epa-2021'), avg(s.humidity))), 0))
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021') end, 0) as pm25,
  avg(case when p.formula = 'none' then s.pm25_raw else coalesce(s.pm25_raw, s.pm25) end) as pm25_raw,
  avg(s.wind_sin) as wind_sin,
  avg(s.wind_cos) as wind_cos,
  avg(s.rain) as rain,
  rollup.aqi((coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021')
    * rollup.corrected('epa-2021', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021'),
      coalesce(avg(s.humidity) filter (where p.formula = 'epa-2021'), avg(s.humidity))), 0))
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = 'epa-2021') end, 0), avg(s.pm10)) as aqi
from sensor_hourly s
join placement p on p.sensor_id = s.sensor_id
where s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until and true
group by 1, 2
),
region_hourly as materialized (
select
  time_bucket('1 hour', h.bucket, origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  m.region_slug,
  count(*)::int as station_count,
  avg(h.temperature) filter (where not m.is_flagged) as temperature,
  avg(h.humidity) filter (where not m.is_flagged) as humidity,
  avg(h.pressure) filter (where not m.is_flagged) as pressure,
  avg(h.pm1) filter (where not m.is_pm_suspect) as pm1,
  avg(h.pm25) filter (where not m.is_pm_suspect) as pm25,
  avg(h.pm25_raw) filter (where not m.is_pm_suspect) as pm25_raw,
  avg(h.pm10) filter (where not m.is_pm_suspect) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  avg(h.rain) as rain,
  rollup.aqi(
    avg(h.pm25) filter (where not m.is_pm_suspect),
    avg(h.pm10) filter (where not m.is_pm_suspect)) as aqi
from station_hourly h
join membership m on m.station_id = h.station_id
where h.bucket >= m.since and h.bucket < m.until and true
group by 1, 2
),
station_daily as materialized (
select
  time_bucket('1 day', h.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  h.station_id,
  count(*)::int as hours,
  avg(h.sensor_count)::float8 as sensor_count,
  avg(h.temperature) as temperature,
  avg(h.humidity) as humidity,
  avg(h.pressure) as pressure,
  avg(h.pm1) as pm1,
  avg(h.pm25) as pm25,
  avg(h.pm25_raw) as pm25_raw,
  avg(h.pm10) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  count(h.temperature)::int as temperature_hours,
  count(h.humidity)::int as humidity_hours,
  count(h.pressure)::int as pressure_hours,
  count(h.pm1)::int as pm1_hours,
  count(h.pm25)::int as pm25_hours,
  count(h.pm25_raw)::int as pm25_raw_hours,
  count(h.pm10)::int as pm10_hours,
  count(h.no2)::int as no2_hours,
  count(h.so2)::int as so2_hours,
  count(h.o3)::int as o3_hours,
  count(h.dust)::int as dust_hours,
  count(h.usvh)::int as usvh_hours,
  count(h.uv)::int as uv_hours,
  count(h.wind_speed)::int as wind_speed_hours,
  min(h.temperature) as min_temperature, max(h.temperature) as max_temperature,
  min(h.pm25) as min_pm25, max(h.pm25) as max_pm25,
  min(h.pm10) as min_pm10, max(h.pm10) as max_pm10,
  min(h.no2) as min_no2, max(h.no2) as max_no2,
  min(h.dust) as min_dust, max(h.dust) as max_dust,
  min(h.wind_speed) as min_wind_speed, max(h.wind_speed) as max_wind_speed,
  min(h.aqi) as min_aqi,
  max(h.aqi) as max_aqi,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  count(h.wind_sin)::int as wind_hours,
  sum(h.rain) as rain
from station_hourly h
where true
group by 1, 2
),
region_daily as materialized (
select
  time_bucket('1 day', h.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  h.region_slug,
  count(*)::int as hours,
  avg(h.station_count)::float8 as station_count,
  avg(h.temperature) as temperature,
  avg(h.humidity) as humidity,
  avg(h.pressure) as pressure,
  avg(h.pm1) as pm1,
  avg(h.pm25) as pm25,
  avg(h.pm25_raw) as pm25_raw,
  avg(h.pm10) as pm10,
  avg(h.no2) as no2,
  avg(h.so2) as so2,
  avg(h.o3) as o3,
  avg(h.dust) as dust,
  avg(h.usvh) as usvh,
  avg(h.uv) as uv,
  avg(h.wind_speed) as wind_speed,
  count(h.temperature)::int as temperature_hours,
  count(h.humidity)::int as humidity_hours,
  count(h.pressure)::int as pressure_hours,
  count(h.pm1)::int as pm1_hours,
  count(h.pm25)::int as pm25_hours,
  count(h.pm25_raw)::int as pm25_raw_hours,
  count(h.pm10)::int as pm10_hours,
  count(h.no2)::int as no2_hours,
  count(h.so2)::int as so2_hours,
  count(h.o3)::int as o3_hours,
  count(h.dust)::int as dust_hours,
  count(h.usvh)::int as usvh_hours,
  count(h.uv)::int as uv_hours,
  count(h.wind_speed)::int as wind_speed_hours,
  min(h.temperature) as min_temperature, max(h.temperature) as max_temperature,
  min(h.pm25) as min_pm25, max(h.pm25) as max_pm25,
  min(h.pm10) as min_pm10, max(h.pm10) as max_pm10,
  min(h.no2) as min_no2, max(h.no2) as max_no2,
  min(h.dust) as min_dust, max(h.dust) as max_dust,
  min(h.wind_speed) as min_wind_speed, max(h.wind_speed) as max_wind_speed,
  min(h.aqi) as min_aqi,
  max(h.aqi) as max_aqi,
  avg(h.wind_sin) as wind_sin,
  avg(h.wind_cos) as wind_cos,
  count(h.wind_sin)::int as wind_hours,
  sum(h.rain) as rain
from region_hourly h
where true
group by 1, 2
),
station_monthly as materialized (
select
  time_bucket('1 month', d.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  d.station_id,
  sum(d.hours)::int as hours,
  sum(d.sensor_count * d.hours) / sum(d.hours) as sensor_count,
  sum(d.temperature * d.temperature_hours) / nullif(sum(d.temperature_hours), 0) as temperature,
  sum(d.humidity * d.humidity_hours) / nullif(sum(d.humidity_hours), 0) as humidity,
  sum(d.pressure * d.pressure_hours) / nullif(sum(d.pressure_hours), 0) as pressure,
  sum(d.pm1 * d.pm1_hours) / nullif(sum(d.pm1_hours), 0) as pm1,
  sum(d.pm25 * d.pm25_hours) / nullif(sum(d.pm25_hours), 0) as pm25,
  sum(d.pm25_raw * d.pm25_raw_hours) / nullif(sum(d.pm25_raw_hours), 0) as pm25_raw,
  sum(d.pm10 * d.pm10_hours) / nullif(sum(d.pm10_hours), 0) as pm10,
  sum(d.no2 * d.no2_hours) / nullif(sum(d.no2_hours), 0) as no2,
  sum(d.so2 * d.so2_hours) / nullif(sum(d.so2_hours), 0) as so2,
  sum(d.o3 * d.o3_hours) / nullif(sum(d.o3_hours), 0) as o3,
  sum(d.dust * d.dust_hours) / nullif(sum(d.dust_hours), 0) as dust,
  sum(d.usvh * d.usvh_hours) / nullif(sum(d.usvh_hours), 0) as usvh,
  sum(d.uv * d.uv_hours) / nullif(sum(d.uv_hours), 0) as uv,
  sum(d.wind_speed * d.wind_speed_hours) / nullif(sum(d.wind_speed_hours), 0) as wind_speed,
  sum(d.temperature_hours)::int as temperature_hours,
  sum(d.humidity_hours)::int as humidity_hours,
  sum(d.pressure_hours)::int as pressure_hours,
  sum(d.pm1_hours)::int as pm1_hours,
  sum(d.pm25_hours)::int as pm25_hours,
  sum(d.pm25_raw_hours)::int as pm25_raw_hours,
  sum(d.pm10_hours)::int as pm10_hours,
  sum(d.no2_hours)::int as no2_hours,
  sum(d.so2_hours)::int as so2_hours,
  sum(d.o3_hours)::int as o3_hours,
  sum(d.dust_hours)::int as dust_hours,
  sum(d.usvh_hours)::int as usvh_hours,
  sum(d.uv_hours)::int as uv_hours,
  sum(d.wind_speed_hours)::int as wind_speed_hours,
  min(d.min_temperature) as min_temperature, max(d.max_temperature) as max_temperature,
  min(d.min_pm25) as min_pm25, max(d.max_pm25) as max_pm25,
  min(d.min_pm10) as min_pm10, max(d.max_pm10) as max_pm10,
  min(d.min_no2) as min_no2, max(d.max_no2) as max_no2,
  min(d.min_dust) as min_dust, max(d.max_dust) as max_dust,
  min(d.min_wind_speed) as min_wind_speed, max(d.max_wind_speed) as max_wind_speed,
  min(d.min_aqi) as min_aqi,
  max(d.max_aqi) as max_aqi,
  sum(d.wind_sin * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_sin,
  sum(d.wind_cos * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_cos,
  sum(d.wind_hours)::int as wind_hours,
  sum(d.rain) as rain
from (select * from station_daily union all select  from rollup.station_daily
    where (bucket >= month_since and bucket < $1 or bucket >= $2 and bucket < month_until) and hours > 0) d
where true
group by 1, 2
),
region_monthly as materialized (
select
  time_bucket('1 month', d.bucket, timezone => 'Asia/Yerevan', origin => timestamptz '1999-12-31 20:00:00+00') as bucket,
  d.region_slug,
  sum(d.hours)::int as hours,
  sum(d.station_count * d.hours) / sum(d.hours) as station_count,
  sum(d.temperature * d.temperature_hours) / nullif(sum(d.temperature_hours), 0) as temperature,
  sum(d.humidity * d.humidity_hours) / nullif(sum(d.humidity_hours), 0) as humidity,
  sum(d.pressure * d.pressure_hours) / nullif(sum(d.pressure_hours), 0) as pressure,
  sum(d.pm1 * d.pm1_hours) / nullif(sum(d.pm1_hours), 0) as pm1,
  sum(d.pm25 * d.pm25_hours) / nullif(sum(d.pm25_hours), 0) as pm25,
  sum(d.pm25_raw * d.pm25_raw_hours) / nullif(sum(d.pm25_raw_hours), 0) as pm25_raw,
  sum(d.pm10 * d.pm10_hours) / nullif(sum(d.pm10_hours), 0) as pm10,
  sum(d.no2 * d.no2_hours) / nullif(sum(d.no2_hours), 0) as no2,
  sum(d.so2 * d.so2_hours) / nullif(sum(d.so2_hours), 0) as so2,
  sum(d.o3 * d.o3_hours) / nullif(sum(d.o3_hours), 0) as o3,
  sum(d.dust * d.dust_hours) / nullif(sum(d.dust_hours), 0) as dust,
  sum(d.usvh * d.usvh_hours) / nullif(sum(d.usvh_hours), 0) as usvh,
  sum(d.uv * d.uv_hours) / nullif(sum(d.uv_hours), 0) as uv,
  sum(d.wind_speed * d.wind_speed_hours) / nullif(sum(d.wind_speed_hours), 0) as wind_speed,
  sum(d.temperature_hours)::int as temperature_hours,
  sum(d.humidity_hours)::int as humidity_hours,
  sum(d.pressure_hours)::int as pressure_hours,
  sum(d.pm1_hours)::int as pm1_hours,
  sum(d.pm25_hours)::int as pm25_hours,
  sum(d.pm25_raw_hours)::int as pm25_raw_hours,
  sum(d.pm10_hours)::int as pm10_hours,
  sum(d.no2_hours)::int as no2_hours,
  sum(d.so2_hours)::int as so2_hours,
  sum(d.o3_hours)::int as o3_hours,
  sum(d.dust_hours)::int as dust_hours,
  sum(d.usvh_hours)::int as usvh_hours,
  sum(d.uv_hours)::int as uv_hours,
  sum(d.wind_speed_hours)::int as wind_speed_hours,
  min(d.min_temperature) as min_temperature, max(d.max_temperature) as max_temperature,
  min(d.min_pm25) as min_pm25, max(d.max_pm25) as max_pm25,
  min(d.min_pm10) as min_pm10, max(d.max_pm10) as max_pm10,
  min(d.min_no2) as min_no2, max(d.max_no2) as max_no2,
  min(d.min_dust) as min_dust, max(d.max_dust) as max_dust,
  min(d.min_wind_speed) as min_wind_speed, max(d.max_wind_speed) as max_wind_speed,
  min(d.min_aqi) as min_aqi,
  max(d.max_aqi) as max_aqi,
  sum(d.wind_sin * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_sin,
  sum(d.wind_cos * d.wind_hours) / nullif(sum(d.wind_hours), 0) as wind_cos,
  sum(d.wind_hours)::int as wind_hours,
  sum(d.rain) as rain
from (select * from region_daily union all select  from rollup.region_daily
    where (bucket >= month_since and bucket < $1 or bucket >= $2 and bucket < month_until) and hours > 0) d
where true
group by 1, 2
),
  difference(level, bucket, subject, columns) as materialized (
select 'sensor_hourly', coalesce(s.bucket, e.bucket), coalesce(s.sensor_id, e.sensor_id)::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}'
    else logic.differing_columns('{}', to_json(row()), to_json(row())) end
from (select * from rollup.sensor_hourly where bucket >= $1 and bucket < $2) s
full join sensor_hourly e on s.bucket = e.bucket and s.sensor_id = e.sensor_id
where s.bucket is null or e.bucket is null or not (
  )
union all
select 'sensor_hourly', bucket, sensor_id::text, '{doubled}'::text[]
from rollup.sensor_hourly where bucket >= $1 and bucket < $2
group by bucket, sensor_id having count(*) > 1
union all
select 'station_hourly', coalesce(s.bucket, e.bucket), coalesce(s.station_id, e.station_id)::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}'
    else logic.differing_columns('{}', to_json(row()), to_json(row())) end
from (select * from rollup.station_hourly where bucket >= $1 and bucket < $2) s
full join station_hourly e on s.bucket = e.bucket and s.station_id = e.station_id
where s.bucket is null or e.bucket is null or not (
  )
union all
select 'station_hourly', bucket, station_id::text, '{doubled}'::text[]
from rollup.station_hourly where bucket >= $1 and bucket < $2
group by bucket, station_id having count(*) > 1
union all
select 'region_hourly', coalesce(s.bucket, e.bucket), coalesce(s.region_slug, e.region_slug)::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}'
    else logic.differing_columns('{}', to_json(row()), to_json(row())) end
from (select * from rollup.region_hourly where bucket >= $1 and bucket < $2) s
full join region_hourly e on s.bucket = e.bucket and s.region_slug = e.region_slug
where s.bucket is null or e.bucket is null or not (
  )
union all
select 'region_hourly', bucket, region_slug::text, '{doubled}'::text[]
from rollup.region_hourly where bucket >= $1 and bucket < $2
group by bucket, region_slug having count(*) > 1
union all
select 'station_daily', coalesce(s.bucket, e.bucket), coalesce(s.station_id, e.station_id)::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}'
    else logic.differing_columns('{}', to_json(row()), to_json(row())) end
from (select * from rollup.station_daily where bucket >= $1 and bucket < $2) s
full join station_daily e on s.bucket = e.bucket and s.station_id = e.station_id
where s.bucket is null or e.bucket is null or not (
  )
union all
select 'station_daily', bucket, station_id::text, '{doubled}'::text[]
from rollup.station_daily where bucket >= $1 and bucket < $2
group by bucket, station_id having count(*) > 1
union all
select 'region_daily', coalesce(s.bucket, e.bucket), coalesce(s.region_slug, e.region_slug)::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}'
    else logic.differing_columns('{}', to_json(row()), to_json(row())) end
from (select * from rollup.region_daily where bucket >= $1 and bucket < $2) s
full join region_daily e on s.bucket = e.bucket and s.region_slug = e.region_slug
where s.bucket is null or e.bucket is null or not (
  )
union all
select 'region_daily', bucket, region_slug::text, '{doubled}'::text[]
from rollup.region_daily where bucket >= $1 and bucket < $2
group by bucket, region_slug having count(*) > 1
union all
select 'station_monthly', coalesce(s.bucket, e.bucket), coalesce(s.station_id, e.station_id)::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}'
    else logic.differing_columns('{}', to_json(row()), to_json(row())) end
from (select * from rollup.station_monthly where bucket >= month_since and bucket < month_until) s
full join station_monthly e on s.bucket = e.bucket and s.station_id = e.station_id
where s.bucket is null or e.bucket is null or not (
  )
union all
select 'station_monthly', bucket, station_id::text, '{doubled}'::text[]
from rollup.station_monthly where bucket >= month_since and bucket < month_until
group by bucket, station_id having count(*) > 1
union all
select 'region_monthly', coalesce(s.bucket, e.bucket), coalesce(s.region_slug, e.region_slug)::text,
  case when s.bucket is null then '{missing}' when e.bucket is null then '{surplus}'
    else logic.differing_columns('{}', to_json(row()), to_json(row())) end
from (select * from rollup.region_monthly where bucket >= month_since and bucket < month_until) s
full join region_monthly e on s.bucket = e.bucket and s.region_slug = e.region_slug
where s.bucket is null or e.bucket is null or not (
  )
union all
select 'region_monthly', bucket, region_slug::text, '{doubled}'::text[]
from rollup.region_monthly where bucket >= month_since and bucket < month_until
group by bucket, region_slug having count(*) > 1
  )
  -- a doubled bucket is found once as doubled, and once or twice as what its rows differ in. As surplus it must not be repaired unasked
  select distinct on (d.level, d.bucket, d.subject) d.*
  from difference d
  where logic.is_up_to_date(d.level, d.bucket)
  order by d.level, d.bucket, d.subject, d.columns = '{surplus}' desc, d.columns = '{doubled}' desc;
end $oracle$;

-- The whole days of a period, as far as they have readings or buckets: month by month, or in pieces of about half a million sensor hours, which
-- take less memory and time.
create function logic.audited_days(since timestamptz, until timestamptz) returns table (since timestamptz, until timestamptz) language sql stable as $oracle$
  select piece.since, piece.until
  from (select e.low, e.high from logic.extent() e where e.low is not null) extent
  cross join logic.pieces('month', 1, logic.widen('day', tstzmultirange(tstzrange(extent.low, extent.high + interval '1 microsecond'))
    * tstzmultirange(tstzrange(audited_days.since, audited_days.until)))) month
  cross join logic.pieces('day', greatest(20000 / greatest((select count(*) from raw.sensor), 1), 1)::int, tstzmultirange(tstzrange(month.since, month.until))) piece
  order by 1
$oracle$;

create function logic.differences(since timestamptz, until timestamptz)
returns table (level text, bucket timestamptz, subject text, columns text[]) language sql stable as $oracle$
  select * from logic.differences_of_days(
    rollup.bucket_start('day', since),
    rollup.bucket_add('day', rollup.bucket_start('day', until - interval '1 microsecond'), 1))
$oracle$;

-- The periods by which readings count for stations, and stations for regions, that differ from those that the network gives.
create function logic.period_differences() returns table (level text, bucket timestamptz, subject text, columns text[]) language sql stable as $oracle$
  select 'placement', coalesce(s.since, e.since), coalesce(s.sensor_id, e.sensor_id)::text,
    case when s is null then '{missing}' when e is null then '{surplus}' else '{station_id,formula,until}' end::text[]
  from raw.placement s full join logic.placement e on e.sensor_id = s.sensor_id and e.since = s.since
  where (s.station_id, s.formula, s.until) is distinct from (e.station_id, e.formula, e.until)
  union all
  select 'membership', coalesce(s.since, e.since), coalesce(s.station_id, e.station_id) || ' ' || coalesce(s.region_slug, e.region_slug),
    case when s is null then '{missing}' when e is null then '{surplus}' else '{is_flagged,is_pm_suspect,until}' end::text[]
  from raw.membership s full join logic.membership e on e.station_id = s.station_id and e.region_slug = s.region_slug and e.since = s.since
  where (s.is_flagged, s.is_pm_suspect, s.until) is distinct from (e.is_flagged, e.is_pm_suspect, e.until)
  union all
  select 'flagged', coalesce(s.since, e.since), coalesce(s.station_id, e.station_id) || ' ' || coalesce(s.kind, e.kind),
    case when s is null then '{missing}' when e is null then '{surplus}' else '{until}' end::text[]
  from raw.flagged s
  full join (select f.station_id, f.kind, lower(part) as since, upper(part) as until from logic.flagged f cross join unnest(f.left_out) part) e
    on e.station_id = s.station_id and e.kind = s.kind and e.since = s.since
  where s.until is distinct from e.until
$oracle$;

revoke all on function logic.period_differences, logic.differing_columns, logic.differences_of_days, logic.is_up_to_date, logic.audited_days, logic.differences from public;
-- The published network: providers, regions, stations, sensors and flags. A title missing in a locale falls back to
-- English, any language, slug or id.

create function api.title(titles jsonb, locale text, fallback text) returns text language sql immutable parallel safe
  return coalesce(titles ->> locale, titles ->> 'en', (select min(value) from jsonb_each_text(titles)), fallback);
comment on function api.title is
  'The title in a locale, else in English, else in any language, else the given text. Null only if all of these are '
  'null.';

create view api.provider as
  select id, title, url, image, image_dark from raw.provider;
comment on view api.provider is 'Operators of stations. One row per provider.';
comment on column api.provider.id is 'slug of the provider; stations refer to it';
comment on column api.provider.title is
  'human-readable name, in English if there is one (api.provider_title has the others)';
comment on column api.provider.url is 'link to the provider’s page, or an empty string';
comment on column api.provider.image is 'URL of the icon for light surfaces, or an empty string';
comment on column api.provider.image_dark is 'URL of the icon for dark surfaces, or an empty string';

create view api.provider_title as
  select p.id as provider_id, l.locale, api.title(p.titles, l.locale, p.title) as title
  from raw.provider p
  cross join (values ('en'),
  ('ru'),
  ('hy')) as l(locale);
comment on view api.provider_title is 'Titles of providers. One row per provider and locale: join on both.';
comment on column api.provider_title.provider_id is 'slug of the provider';
comment on column api.provider_title.locale is 'language of the title, as in the paths of the API';
comment on column api.provider_title.title is 'title in the locale, else in English, else in any language';

create view api.region as
  select
    r.slug,
    r.kind,
    r.city_slug,
    -- five decimals are about a metre; values computed from stations have many more
    round(r.map_latitude::numeric, 5)::float8 as map_latitude,
    round(r.map_longitude::numeric, 5)::float8 as map_longitude,
    round(r.map_delta::numeric, 5)::float8 as map_delta,
    case when r.kind = 'city' then r.is_hidden end as is_hidden
  from raw.region r;
comment on view api.region is 'Cities and districts: attributes that do not depend on time. One row per region.';
comment on column api.region.slug is 'slug of the city or district';
comment on column api.region.kind is 'city or district';
comment on column api.region.city_slug is 'slug of the city a district belongs to; null for a city';
comment on column api.region.map_latitude is 'latitude of the centre of the map, WGS 84 [degrees]';
comment on column api.region.map_longitude is 'longitude of the centre of the map, WGS 84 [degrees]';
comment on column api.region.map_delta is 'span of the map [degrees]';
comment on column api.region.is_hidden is 'whether the city is hidden from some listings; null for a district';

create view api.region_title as
  select
    r.slug as region_slug,
    l.locale,
    api.title(r.title, l.locale, r.slug) as title,
    api.title(c.title, l.locale, c.slug) as city
  from raw.region r
  cross join (values ('en'),
  ('ru'),
  ('hy')) as l(locale)
  left join raw.region c on c.slug = r.city_slug;
comment on view api.region_title is 'Titles of cities and districts. One row per region and locale: join on both.';
comment on column api.region_title.region_slug is 'slug of the city or district';
comment on column api.region_title.locale is 'language of the titles, as in the paths of the API';
comment on column api.region_title.title is 'title in the locale, else in English, else in any language, else the slug';
comment on column api.region_title.city is
  'title of the city a district belongs to, with the same fallbacks; null for a city';

create view api.station as
  select
    s.id,
    s.provider_id as provider,
    p.city_slug,
    p.district_slug,
    s.latitude,
    s.longitude,
    s.title ->> 'en' as title_en,
    (select value from jsonb_each_text(s.title) order by key = 'en', key limit 1) as title_local
  from raw.station s
  left join logic.station_last_place p on p.station_id = s.id;
comment on view api.station is
  'Stations, including hidden ones: attributes that do not depend on time. One row per station.';
comment on column api.station.id is 'station id';
comment on column api.station.provider is 'slug of the provider';
comment on column api.station.city_slug is
  'slug of the city that the station belongs or last belonged to; null if there is none (api.station_current has the '
  'city at an instant)';
comment on column api.station.district_slug is
  'slug of the district that the station belongs or last belonged to; null if there is none';
comment on column api.station.latitude is 'latitude, WGS 84 [degrees]';
comment on column api.station.longitude is 'longitude, WGS 84 [degrees]';
comment on column api.station.title_en is 'title in English; null if it was given in other languages only';
comment on column api.station.title_local is
  'title in the first language other than English, by language code; else in English';

create view api.station_title as
  select
    s.id as station_id,
    l.locale,
    api.title(s.title, l.locale, s.id::text) as title,
    api.title(c.title, l.locale, c.slug) as city,
    api.title(d.title, l.locale, d.slug) as district
  from raw.station s
  cross join (values ('en'),
  ('ru'),
  ('hy')) as l(locale)
  left join logic.station_last_place p on p.station_id = s.id
  left join raw.region c on c.slug = p.city_slug
  left join raw.region d on d.slug = p.district_slug;
comment on view api.station_title is
  'Titles of stations and of their cities and districts. One row per station and locale: join on both.';
comment on column api.station_title.station_id is 'station id';
comment on column api.station_title.locale is 'language of the titles, as in the paths of the API';
comment on column api.station_title.title is 'title in the locale, else in English, else in any language, else the id';
comment on column api.station_title.city is
  'title of the city that the station belongs or last belonged to, in the locale, else in English, else in any '
  'language, else its slug; null if there is none';
comment on column api.station_title.district is
  'title of the district that the station belongs or last belonged to, with the same fallbacks; null if there is none';

create view api.station_flag as
  select station_id, kind, reason, sensor_id, nullif(since, '-infinity') as since, nullif(until, 'infinity') as until,
    (evidence ->> 'pm2.5')::float8 as "pm2.5", (evidence ->> 'median')::float8 as median,
      (evidence -> 'compared_with')::text as compared_with, is_left_out
  from logic.flag;
comment on view api.station_flag is
  'Periods in which temperature, humidity and pressure of a station were unreliable (C5) or its particles suspect '
  '(C9). One row per period and reason.';
comment on column api.station_flag.station_id is 'station id';
comment on column api.station_flag.kind is
  'parameters that are flagged: thp (temperature, humidity and pressure) or pm (PM1, PM2.5, PM10 and the index)';
comment on column api.station_flag.is_left_out is
  'whether means of regions leave them out; not in an outlier of fewer than 24 suspect hours, since smoke passes';
comment on column api.station_flag.reason is
  'operator, or the screening test that found it. For thp: zero_values, pressure_off_altitude, humidity_saturated, '
  'constant_temperature, constant_humidity, constant_pressure; for pm: sensors (the sensors of one kind disagree), '
  'flat (12 equal hours of PM2.5 and PM10, 24 of PM2.5, or 48 from 0 to 0.5 µg/m³), outlier (alone far above its '
  'neighbours)';
comment on column api.station_flag.sensor_id is
  'the sensor with the implausible readings; null for pm, and for flags that the operator set';
comment on column api.station_flag."pm2.5" is
  'PM2.5 of the first suspect hour; null unless screening set a flag of kind pm [µg/m³]';
comment on column api.station_flag.median is
  'median of the neighbours in that hour; null unless the reason is outlier [µg/m³]';
comment on column api.station_flag.compared_with is
  'JSON array of the sensors or stations compared, each with its id and its PM2.5 in that hour or, where only the '
  'means of 24 hours disagree, its mean of 24 hours; null unless the reason is sensors or outlier [µg/m³]';
comment on column api.station_flag.since is 'start of the period; null: unbounded';
comment on column api.station_flag.until is 'end of the period, exclusive; null: still open';

create function api.sensor(at timestamptz, only_listed boolean default false)
returns table (
  id int, station_id int, kind text, device text, altitude float8,
  first_measurement_time timestamptz, last_measurement_time timestamptz, is_suspicious boolean
) language sql stable begin atomic
  select s.id, s.station_id, s.kind, s.device, s.altitude, s.first_measurement_time, s.last_measurement_time,
    s.is_suspicious
  from logic.sensor_state(at, only_listed) s;
end;
comment on function api.sensor is
  'Sensors with their latest station at an instant. With only_listed, only stations that are listed then count, '
  'and a sensor that was at none of them has no row. One row per sensor.
Columns:
  id (sensor id),
  station_id (station id),
  kind (kind of sensor),
  device (id that the device containing it reports),
  altitude (of the station above sea level [m]),
  first_measurement_time and last_measurement_time (of its first and last reading; with only_listed, among '
  'those at listed stations),
  is_suspicious (whether its readings are currently excluded from all results).';

-- Functions that put the air quality index into words, for people to read.

create function api.aqi_category(aqi int) returns text language sql immutable parallel safe
  return case
    when aqi <= 50 then 'Good'
    when aqi <= 100 then 'Moderate'
    when aqi <= 150 then 'Unhealthy for sensitive groups'
    when aqi <= 200 then 'Unhealthy'
    when aqi <= 300 then 'Very unhealthy'
    when aqi > 300 then 'Hazardous'
  end;
comment on function api.aqi_category is
  'Category of the US EPA air quality index of PM2.5 and PM10, in English; null for null.';

create function api.aqi_text(aqi int) returns text language sql immutable parallel safe
  return aqi || ' · ' || api.aqi_category(aqi);
comment on function api.aqi_text is
  'The US EPA air quality index of PM2.5 and PM10 with its category, such as "79 · Moderate"; null for null.';

-- Stations with their current values, named as in the specification (C1, C2, C3, C5).

create function api.compass(degrees float8) returns text language sql immutable parallel safe
  return (array['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW',
    'NNW'])[round((degrees / 22.5)::numeric)::int % 16 + 1];
comment on function api.compass is
  'Compass point, one of 16 (N, NNE, …), of a direction in degrees clockwise from north; Latin letters in every '
  'locale (C3).';

create function api.station_current(at timestamptz, only_station int default null, locale text default 'en')
returns table (
  id int, provider text, status text, is_listed boolean, is_bad_thp boolean, is_bad_pm boolean, has_measured boolean,
  title text, city_slug text, city text, district_slug text, district text,
  latitude float8, longitude float8,
  measurement_time timestamptz,
  aqi int, "temperature" float8,
  "humidity" float8,
  "pressure" int,
  "pm1" float8,
  "pm2.5" float8,
  "pm2.5_raw" float8,
  "pm10" float8,
  "no2" float8,
  "so2" float8,
  "o3" float8,
  "dust" float8,
  "usvh" float8,
  "uv" float8,
  "wind_speed" float8, wind_direction text, rain float8,
  valid_until timestamptz
) language sql stable begin atomic
  select
    s.id, s.provider,
    case when c.station_id is null then 'offline' else 'online' end,
    state.is_listed, state.is_bad_thp, state.is_bad_pm,
    c.station_id is not null or logic.station_has_measured(s.id),
    (select t.title from api.station_title t where t.station_id = s.id and t.locale = station_current.locale),
    place.city_slug, (select t.title from api.region_title t
      where t.region_slug = place.city_slug and t.locale = station_current.locale),
    place.district_slug, (select t.title from api.region_title t
      where t.region_slug = place.district_slug and t.locale = station_current.locale),
    s.latitude, s.longitude,
    c.measured_at,
    rollup.aqi(c.pm25, c.pm10), logic.published(c.temperature, 1)::float8,
  logic.published(c.humidity, 0)::float8,
  logic.published(c.pressure, 0)::int,
  logic.published_non_negative(c.pm1, 1)::float8,
  logic.published_non_negative(c.pm25, 1)::float8,
  logic.published_non_negative(c.pm25_raw, 1)::float8,
  logic.published_non_negative(c.pm10, 1)::float8,
  logic.published_non_negative(c.no2, 1)::float8,
  logic.published_non_negative(c.so2, 1)::float8,
  logic.published_non_negative(c.o3, 1)::float8,
  logic.published_non_negative(c.dust, 1)::float8,
  logic.published(c.usvh, 2)::float8,
  logic.published(c.uv, 1)::float8,
  logic.published(c.wind_speed, 1)::float8,
    api.compass(logic.wind_degrees(c.wind_sin, c.wind_cos)), logic.published(c.rain, 1),
    least(c.changes_at, state.changes_at)
  from api.station s
  join logic.station_state(at, only_station) state on state.station_id = s.id
  left join logic.station_place(at, only_station) place on place.station_id = s.id
  left join logic.station_current(at, only_station) c on c.station_id = s.id
  where only_station is null or s.id = only_station;
end;
comment on function api.station_current is
  'All stations at an instant, or only the given one (no row if it is unknown). Each parameter is the mean of the '
  'hour up to its newest value; it is null if that value is stale or missing. A station whose values are all stale '
  'or missing is offline. Titles are in the given locale, one of those in the paths of the API.
Columns as in api.station and api.station_title, and:
  status (online or offline),
  is_listed (whether it appears in lists; a hidden station does not),
  is_bad_thp (whether temperature, humidity and pressure look unreliable),
  is_bad_pm (whether PM1, PM2.5, PM10 and the index are suspect; api.station_flag says whether regions leave them out),
  has_measured (whether it has ever measured anything there),
  measurement_time (of the newest reading; null if offline),
  aqi (of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]),
  "temperature" (air temperature [°C]),
  "humidity" (relative humidity [%]),
  "pressure" (air pressure [Pa]),
  "pm1" (PM1 [µg/m³]),
  "pm2.5" (PM2.5, corrected where a correction applies [µg/m³]),
  "pm2.5_raw" (PM2.5 as the instrument gave it [µg/m³]),
  "pm10" (PM10 [µg/m³]),
  "no2" (nitrogen dioxide [ppb]),
  "so2" (sulphur dioxide [µg/m³]),
  "o3" (ozone [µg/m³]),
  "dust" (dust (total particulate matter) [µg/m³]),
  "usvh" (radiation dose rate [µSv/h]),
  "uv" (ultraviolet index [UV index]),
  "wind_speed" (wind speed [m/s]),
  wind_direction (compass point),
  rain (sum of the hour [mm]),
  valid_until (the first instant at which any of this changes without new data; null: never).';

-- Hours of a station, named as in the specification, at published precision.
create view api.station_hourly as
  select
    b.bucket as timestamp,
    b.station_id,
    b.sensor_count,
    logic.published(b.temperature, 1) as avg_temperature,
  logic.published(b.humidity, 0) as avg_humidity,
  logic.published(b.pressure, 0) as avg_pressure,
  logic.published_non_negative(b.pm1, 1) as avg_pm1,
  logic.published_non_negative(b.pm25, 1) as avg_pm25,
  logic.published_non_negative(b.pm25_raw, 1) as avg_pm25_raw,
  logic.published_non_negative(b.pm10, 1) as avg_pm10,
  logic.published_non_negative(b.no2, 1) as avg_no2,
  logic.published_non_negative(b.so2, 1) as avg_so2,
  logic.published_non_negative(b.o3, 1) as avg_o3,
  logic.published_non_negative(b.dust, 1) as avg_dust,
  logic.published(b.usvh, 2) as avg_usvh,
  logic.published(b.uv, 1) as avg_uv,
  logic.published(b.wind_speed, 1) as avg_wind_speed,
    logic.published_direction(b.wind_sin, b.wind_cos) as avg_wind_direction,
    logic.published(b.rain, 1) as total_rain,
    b.aqi
  from rollup.station_hourly b;
comment on view api.station_hourly is 'station hours at published precision. One row per hour with readings.';
comment on column api.station_hourly.timestamp is 'start of the hour';
comment on column api.station_hourly.station_id is 'station id';
comment on column api.station_hourly.sensor_count is 'number of sensors in the mean [sensors]';
comment on column api.station_hourly.avg_temperature is 'air temperature, mean of the hour [°C]';
  comment on column api.station_hourly.avg_humidity is 'relative humidity, mean of the hour [%]';
  comment on column api.station_hourly.avg_pressure is 'air pressure, mean of the hour [Pa]';
  comment on column api.station_hourly.avg_pm1 is 'PM1, mean of the hour [µg/m³]';
  comment on column api.station_hourly.avg_pm25 is 'PM2.5, corrected where a correction applies, mean of the hour [µg/m³]';
  comment on column api.station_hourly.avg_pm25_raw is 'PM2.5 as the instrument gave it, mean of the hour [µg/m³]';
  comment on column api.station_hourly.avg_pm10 is 'PM10, mean of the hour [µg/m³]';
  comment on column api.station_hourly.avg_no2 is 'nitrogen dioxide, mean of the hour [ppb]';
  comment on column api.station_hourly.avg_so2 is 'sulphur dioxide, mean of the hour [µg/m³]';
  comment on column api.station_hourly.avg_o3 is 'ozone, mean of the hour [µg/m³]';
  comment on column api.station_hourly.avg_dust is 'dust (total particulate matter), mean of the hour [µg/m³]';
  comment on column api.station_hourly.avg_usvh is 'radiation dose rate, mean of the hour [µSv/h]';
  comment on column api.station_hourly.avg_uv is 'ultraviolet index, mean of the hour [UV index]';
  comment on column api.station_hourly.avg_wind_speed is 'wind speed, mean of the hour [m/s]';
comment on column api.station_hourly.avg_wind_direction is
  'direction of the mean wind vector of the hour, clockwise from north [degrees]';
comment on column api.station_hourly.total_rain is 'precipitation, sum of the hour [mm]';
comment on column api.station_hourly.aqi is
  'US EPA air quality index of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]';

-- Hours of a region, named as in the specification, at published precision.
create view api.region_hourly as
  select
    b.bucket as timestamp,
    b.region_slug,
    b.station_count,
    logic.published(b.temperature, 1) as avg_temperature,
  logic.published(b.humidity, 0) as avg_humidity,
  logic.published(b.pressure, 0) as avg_pressure,
  logic.published_non_negative(b.pm1, 1) as avg_pm1,
  logic.published_non_negative(b.pm25, 1) as avg_pm25,
  logic.published_non_negative(b.pm25_raw, 1) as avg_pm25_raw,
  logic.published_non_negative(b.pm10, 1) as avg_pm10,
  logic.published_non_negative(b.no2, 1) as avg_no2,
  logic.published_non_negative(b.so2, 1) as avg_so2,
  logic.published_non_negative(b.o3, 1) as avg_o3,
  logic.published_non_negative(b.dust, 1) as avg_dust,
  logic.published(b.usvh, 2) as avg_usvh,
  logic.published(b.uv, 1) as avg_uv,
  logic.published(b.wind_speed, 1) as avg_wind_speed,
    logic.published_direction(b.wind_sin, b.wind_cos) as avg_wind_direction,
    logic.published(b.rain, 1) as total_rain,
    b.aqi
  from rollup.region_hourly b;
comment on view api.region_hourly is 'region hours at published precision. One row per hour with readings.';
comment on column api.region_hourly.timestamp is 'start of the hour';
comment on column api.region_hourly.region_slug is 'slug of the city or district';
comment on column api.region_hourly.station_count is 'number of stations in the mean [stations]';
comment on column api.region_hourly.avg_temperature is 'air temperature, mean of the hour [°C]';
  comment on column api.region_hourly.avg_humidity is 'relative humidity, mean of the hour [%]';
  comment on column api.region_hourly.avg_pressure is 'air pressure, mean of the hour [Pa]';
  comment on column api.region_hourly.avg_pm1 is 'PM1, mean of the hour [µg/m³]';
  comment on column api.region_hourly.avg_pm25 is 'PM2.5, corrected where a correction applies, mean of the hour [µg/m³]';
  comment on column api.region_hourly.avg_pm25_raw is 'PM2.5 as the instrument gave it, mean of the hour [µg/m³]';
  comment on column api.region_hourly.avg_pm10 is 'PM10, mean of the hour [µg/m³]';
  comment on column api.region_hourly.avg_no2 is 'nitrogen dioxide, mean of the hour [ppb]';
  comment on column api.region_hourly.avg_so2 is 'sulphur dioxide, mean of the hour [µg/m³]';
  comment on column api.region_hourly.avg_o3 is 'ozone, mean of the hour [µg/m³]';
  comment on column api.region_hourly.avg_dust is 'dust (total particulate matter), mean of the hour [µg/m³]';
  comment on column api.region_hourly.avg_usvh is 'radiation dose rate, mean of the hour [µSv/h]';
  comment on column api.region_hourly.avg_uv is 'ultraviolet index, mean of the hour [UV index]';
  comment on column api.region_hourly.avg_wind_speed is 'wind speed, mean of the hour [m/s]';
comment on column api.region_hourly.avg_wind_direction is
  'direction of the mean wind vector of the hour, clockwise from north [degrees]';
comment on column api.region_hourly.total_rain is 'precipitation, sum of the hour [mm]';
comment on column api.region_hourly.aqi is
  'US EPA air quality index of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]';

-- The daily buckets of a station, with the extremes of their hourly means (A5).
create view api.station_daily as
  select
    b.bucket as timestamp,
    b.station_id,
    logic.published(b.sensor_count, 0)::int as sensor_count,
    logic.published(b.temperature, 1) as avg_temperature,
  logic.published(b.humidity, 0) as avg_humidity,
  logic.published(b.pressure, 0) as avg_pressure,
  logic.published_non_negative(b.pm1, 1) as avg_pm1,
  logic.published_non_negative(b.pm25, 1) as avg_pm25,
  logic.published_non_negative(b.pm25_raw, 1) as avg_pm25_raw,
  logic.published_non_negative(b.pm10, 1) as avg_pm10,
  logic.published_non_negative(b.no2, 1) as avg_no2,
  logic.published_non_negative(b.so2, 1) as avg_so2,
  logic.published_non_negative(b.o3, 1) as avg_o3,
  logic.published_non_negative(b.dust, 1) as avg_dust,
  logic.published(b.usvh, 2) as avg_usvh,
  logic.published(b.uv, 1) as avg_uv,
  logic.published(b.wind_speed, 1) as avg_wind_speed,
    logic.published_direction(b.wind_sin, b.wind_cos) as avg_wind_direction,
    logic.published(b.rain, 1) as total_rain,
    rollup.aqi(b.pm25, b.pm10) as aqi, -- of the published means (Q3)
    logic.published(b.min_temperature, 1) as min_temperature, logic.published(b.max_temperature, 1) as max_temperature,
  logic.published_non_negative(b.min_pm25, 1) as min_pm25, logic.published_non_negative(b.max_pm25, 1) as max_pm25,
  logic.published_non_negative(b.min_pm10, 1) as min_pm10, logic.published_non_negative(b.max_pm10, 1) as max_pm10,
  logic.published_non_negative(b.min_no2, 1) as min_no2, logic.published_non_negative(b.max_no2, 1) as max_no2,
  logic.published_non_negative(b.min_dust, 1) as min_dust, logic.published_non_negative(b.max_dust, 1) as max_dust,
  logic.published(b.min_wind_speed, 1) as min_wind_speed, logic.published(b.max_wind_speed, 1) as max_wind_speed,
    b.min_aqi,
    b.max_aqi
  from rollup.station_daily b;
comment on view api.station_daily is
  'station daily buckets in local time, at published precision. One row per bucket with readings.';
comment on column api.station_daily.timestamp is 'start of the bucket';
comment on column api.station_daily.station_id is 'station id';
comment on column api.station_daily.sensor_count is
  'number of sensors, mean over the hours in the bucket, rounded [sensors]';
comment on column api.station_daily.avg_temperature is
  'air temperature, mean of the hours in the bucket [°C]';
  comment on column api.station_daily.avg_humidity is
  'relative humidity, mean of the hours in the bucket [%]';
  comment on column api.station_daily.avg_pressure is
  'air pressure, mean of the hours in the bucket [Pa]';
  comment on column api.station_daily.avg_pm1 is
  'PM1, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_daily.avg_pm25 is
  'PM2.5, corrected where a correction applies, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_daily.avg_pm25_raw is
  'PM2.5 as the instrument gave it, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_daily.avg_pm10 is
  'PM10, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_daily.avg_no2 is
  'nitrogen dioxide, mean of the hours in the bucket [ppb]';
  comment on column api.station_daily.avg_so2 is
  'sulphur dioxide, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_daily.avg_o3 is
  'ozone, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_daily.avg_dust is
  'dust (total particulate matter), mean of the hours in the bucket [µg/m³]';
  comment on column api.station_daily.avg_usvh is
  'radiation dose rate, mean of the hours in the bucket [µSv/h]';
  comment on column api.station_daily.avg_uv is
  'ultraviolet index, mean of the hours in the bucket [UV index]';
  comment on column api.station_daily.avg_wind_speed is
  'wind speed, mean of the hours in the bucket [m/s]';
comment on column api.station_daily.avg_wind_direction is
  'direction of the mean wind vector of the bucket, clockwise from north [degrees]';
comment on column api.station_daily.total_rain is 'precipitation, sum of the bucket [mm]';
comment on column api.station_daily.aqi is
  'US EPA air quality index of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]';
comment on column api.station_daily.min_temperature is
  'air temperature, lowest hourly mean in the bucket [°C]';
comment on column api.station_daily.max_temperature is 'air temperature, highest hourly mean in the bucket [°C]';
  comment on column api.station_daily.min_pm25 is
  'PM2.5, corrected where a correction applies, lowest hourly mean in the bucket [µg/m³]';
comment on column api.station_daily.max_pm25 is 'PM2.5, corrected where a correction applies, highest hourly mean in the bucket [µg/m³]';
  comment on column api.station_daily.min_pm10 is
  'PM10, lowest hourly mean in the bucket [µg/m³]';
comment on column api.station_daily.max_pm10 is 'PM10, highest hourly mean in the bucket [µg/m³]';
  comment on column api.station_daily.min_no2 is
  'nitrogen dioxide, lowest hourly mean in the bucket [ppb]';
comment on column api.station_daily.max_no2 is 'nitrogen dioxide, highest hourly mean in the bucket [ppb]';
  comment on column api.station_daily.min_dust is
  'dust (total particulate matter), lowest hourly mean in the bucket [µg/m³]';
comment on column api.station_daily.max_dust is 'dust (total particulate matter), highest hourly mean in the bucket [µg/m³]';
  comment on column api.station_daily.min_wind_speed is
  'wind speed, lowest hourly mean in the bucket [m/s]';
comment on column api.station_daily.max_wind_speed is 'wind speed, highest hourly mean in the bucket [m/s]';
comment on column api.station_daily.min_aqi is
  'US EPA air quality index of PM2.5 and PM10, lowest of the hours in the bucket [US EPA AQI]';
comment on column api.station_daily.max_aqi is
  'US EPA air quality index of PM2.5 and PM10, highest of the hours in the bucket [US EPA AQI]';

-- The monthly buckets of a station, with the extremes of their hourly means (A5).
create view api.station_monthly as
  select
    b.bucket as timestamp,
    b.station_id,
    logic.published(b.sensor_count, 0)::int as sensor_count,
    logic.published(b.temperature, 1) as avg_temperature,
  logic.published(b.humidity, 0) as avg_humidity,
  logic.published(b.pressure, 0) as avg_pressure,
  logic.published_non_negative(b.pm1, 1) as avg_pm1,
  logic.published_non_negative(b.pm25, 1) as avg_pm25,
  logic.published_non_negative(b.pm25_raw, 1) as avg_pm25_raw,
  logic.published_non_negative(b.pm10, 1) as avg_pm10,
  logic.published_non_negative(b.no2, 1) as avg_no2,
  logic.published_non_negative(b.so2, 1) as avg_so2,
  logic.published_non_negative(b.o3, 1) as avg_o3,
  logic.published_non_negative(b.dust, 1) as avg_dust,
  logic.published(b.usvh, 2) as avg_usvh,
  logic.published(b.uv, 1) as avg_uv,
  logic.published(b.wind_speed, 1) as avg_wind_speed,
    logic.published_direction(b.wind_sin, b.wind_cos) as avg_wind_direction,
    logic.published(b.rain, 1) as total_rain,
    rollup.aqi(b.pm25, b.pm10) as aqi, -- of the published means (Q3)
    logic.published(b.min_temperature, 1) as min_temperature, logic.published(b.max_temperature, 1) as max_temperature,
  logic.published_non_negative(b.min_pm25, 1) as min_pm25, logic.published_non_negative(b.max_pm25, 1) as max_pm25,
  logic.published_non_negative(b.min_pm10, 1) as min_pm10, logic.published_non_negative(b.max_pm10, 1) as max_pm10,
  logic.published_non_negative(b.min_no2, 1) as min_no2, logic.published_non_negative(b.max_no2, 1) as max_no2,
  logic.published_non_negative(b.min_dust, 1) as min_dust, logic.published_non_negative(b.max_dust, 1) as max_dust,
  logic.published(b.min_wind_speed, 1) as min_wind_speed, logic.published(b.max_wind_speed, 1) as max_wind_speed,
    b.min_aqi,
    b.max_aqi
  from rollup.station_monthly b;
comment on view api.station_monthly is
  'station monthly buckets in local time, at published precision. One row per bucket with readings.';
comment on column api.station_monthly.timestamp is 'start of the bucket';
comment on column api.station_monthly.station_id is 'station id';
comment on column api.station_monthly.sensor_count is
  'number of sensors, mean over the hours in the bucket, rounded [sensors]';
comment on column api.station_monthly.avg_temperature is
  'air temperature, mean of the hours in the bucket [°C]';
  comment on column api.station_monthly.avg_humidity is
  'relative humidity, mean of the hours in the bucket [%]';
  comment on column api.station_monthly.avg_pressure is
  'air pressure, mean of the hours in the bucket [Pa]';
  comment on column api.station_monthly.avg_pm1 is
  'PM1, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_monthly.avg_pm25 is
  'PM2.5, corrected where a correction applies, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_monthly.avg_pm25_raw is
  'PM2.5 as the instrument gave it, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_monthly.avg_pm10 is
  'PM10, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_monthly.avg_no2 is
  'nitrogen dioxide, mean of the hours in the bucket [ppb]';
  comment on column api.station_monthly.avg_so2 is
  'sulphur dioxide, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_monthly.avg_o3 is
  'ozone, mean of the hours in the bucket [µg/m³]';
  comment on column api.station_monthly.avg_dust is
  'dust (total particulate matter), mean of the hours in the bucket [µg/m³]';
  comment on column api.station_monthly.avg_usvh is
  'radiation dose rate, mean of the hours in the bucket [µSv/h]';
  comment on column api.station_monthly.avg_uv is
  'ultraviolet index, mean of the hours in the bucket [UV index]';
  comment on column api.station_monthly.avg_wind_speed is
  'wind speed, mean of the hours in the bucket [m/s]';
comment on column api.station_monthly.avg_wind_direction is
  'direction of the mean wind vector of the bucket, clockwise from north [degrees]';
comment on column api.station_monthly.total_rain is 'precipitation, sum of the bucket [mm]';
comment on column api.station_monthly.aqi is
  'US EPA air quality index of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]';
comment on column api.station_monthly.min_temperature is
  'air temperature, lowest hourly mean in the bucket [°C]';
comment on column api.station_monthly.max_temperature is 'air temperature, highest hourly mean in the bucket [°C]';
  comment on column api.station_monthly.min_pm25 is
  'PM2.5, corrected where a correction applies, lowest hourly mean in the bucket [µg/m³]';
comment on column api.station_monthly.max_pm25 is 'PM2.5, corrected where a correction applies, highest hourly mean in the bucket [µg/m³]';
  comment on column api.station_monthly.min_pm10 is
  'PM10, lowest hourly mean in the bucket [µg/m³]';
comment on column api.station_monthly.max_pm10 is 'PM10, highest hourly mean in the bucket [µg/m³]';
  comment on column api.station_monthly.min_no2 is
  'nitrogen dioxide, lowest hourly mean in the bucket [ppb]';
comment on column api.station_monthly.max_no2 is 'nitrogen dioxide, highest hourly mean in the bucket [ppb]';
  comment on column api.station_monthly.min_dust is
  'dust (total particulate matter), lowest hourly mean in the bucket [µg/m³]';
comment on column api.station_monthly.max_dust is 'dust (total particulate matter), highest hourly mean in the bucket [µg/m³]';
  comment on column api.station_monthly.min_wind_speed is
  'wind speed, lowest hourly mean in the bucket [m/s]';
comment on column api.station_monthly.max_wind_speed is 'wind speed, highest hourly mean in the bucket [m/s]';
comment on column api.station_monthly.min_aqi is
  'US EPA air quality index of PM2.5 and PM10, lowest of the hours in the bucket [US EPA AQI]';
comment on column api.station_monthly.max_aqi is
  'US EPA air quality index of PM2.5 and PM10, highest of the hours in the bucket [US EPA AQI]';

-- The daily buckets of a region, with the extremes of their hourly means (A5).
create view api.region_daily as
  select
    b.bucket as timestamp,
    b.region_slug,
    logic.published(b.station_count, 0)::int as station_count,
    logic.published(b.temperature, 1) as avg_temperature,
  logic.published(b.humidity, 0) as avg_humidity,
  logic.published(b.pressure, 0) as avg_pressure,
  logic.published_non_negative(b.pm1, 1) as avg_pm1,
  logic.published_non_negative(b.pm25, 1) as avg_pm25,
  logic.published_non_negative(b.pm25_raw, 1) as avg_pm25_raw,
  logic.published_non_negative(b.pm10, 1) as avg_pm10,
  logic.published_non_negative(b.no2, 1) as avg_no2,
  logic.published_non_negative(b.so2, 1) as avg_so2,
  logic.published_non_negative(b.o3, 1) as avg_o3,
  logic.published_non_negative(b.dust, 1) as avg_dust,
  logic.published(b.usvh, 2) as avg_usvh,
  logic.published(b.uv, 1) as avg_uv,
  logic.published(b.wind_speed, 1) as avg_wind_speed,
    logic.published_direction(b.wind_sin, b.wind_cos) as avg_wind_direction,
    logic.published(b.rain, 1) as total_rain,
    rollup.aqi(b.pm25, b.pm10) as aqi, -- of the published means (Q3)
    logic.published(b.min_temperature, 1) as min_temperature, logic.published(b.max_temperature, 1) as max_temperature,
  logic.published_non_negative(b.min_pm25, 1) as min_pm25, logic.published_non_negative(b.max_pm25, 1) as max_pm25,
  logic.published_non_negative(b.min_pm10, 1) as min_pm10, logic.published_non_negative(b.max_pm10, 1) as max_pm10,
  logic.published_non_negative(b.min_no2, 1) as min_no2, logic.published_non_negative(b.max_no2, 1) as max_no2,
  logic.published_non_negative(b.min_dust, 1) as min_dust, logic.published_non_negative(b.max_dust, 1) as max_dust,
  logic.published(b.min_wind_speed, 1) as min_wind_speed, logic.published(b.max_wind_speed, 1) as max_wind_speed,
    b.min_aqi,
    b.max_aqi
  from rollup.region_daily b;
comment on view api.region_daily is
  'region daily buckets in local time, at published precision. One row per bucket with readings.';
comment on column api.region_daily.timestamp is 'start of the bucket';
comment on column api.region_daily.region_slug is 'slug of the city or district';
comment on column api.region_daily.station_count is
  'number of stations, mean over the hours in the bucket, rounded [stations]';
comment on column api.region_daily.avg_temperature is
  'air temperature, mean of the hours in the bucket [°C]';
  comment on column api.region_daily.avg_humidity is
  'relative humidity, mean of the hours in the bucket [%]';
  comment on column api.region_daily.avg_pressure is
  'air pressure, mean of the hours in the bucket [Pa]';
  comment on column api.region_daily.avg_pm1 is
  'PM1, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_daily.avg_pm25 is
  'PM2.5, corrected where a correction applies, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_daily.avg_pm25_raw is
  'PM2.5 as the instrument gave it, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_daily.avg_pm10 is
  'PM10, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_daily.avg_no2 is
  'nitrogen dioxide, mean of the hours in the bucket [ppb]';
  comment on column api.region_daily.avg_so2 is
  'sulphur dioxide, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_daily.avg_o3 is
  'ozone, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_daily.avg_dust is
  'dust (total particulate matter), mean of the hours in the bucket [µg/m³]';
  comment on column api.region_daily.avg_usvh is
  'radiation dose rate, mean of the hours in the bucket [µSv/h]';
  comment on column api.region_daily.avg_uv is
  'ultraviolet index, mean of the hours in the bucket [UV index]';
  comment on column api.region_daily.avg_wind_speed is
  'wind speed, mean of the hours in the bucket [m/s]';
comment on column api.region_daily.avg_wind_direction is
  'direction of the mean wind vector of the bucket, clockwise from north [degrees]';
comment on column api.region_daily.total_rain is 'precipitation, sum of the bucket [mm]';
comment on column api.region_daily.aqi is
  'US EPA air quality index of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]';
comment on column api.region_daily.min_temperature is
  'air temperature, lowest hourly mean in the bucket [°C]';
comment on column api.region_daily.max_temperature is 'air temperature, highest hourly mean in the bucket [°C]';
  comment on column api.region_daily.min_pm25 is
  'PM2.5, corrected where a correction applies, lowest hourly mean in the bucket [µg/m³]';
comment on column api.region_daily.max_pm25 is 'PM2.5, corrected where a correction applies, highest hourly mean in the bucket [µg/m³]';
  comment on column api.region_daily.min_pm10 is
  'PM10, lowest hourly mean in the bucket [µg/m³]';
comment on column api.region_daily.max_pm10 is 'PM10, highest hourly mean in the bucket [µg/m³]';
  comment on column api.region_daily.min_no2 is
  'nitrogen dioxide, lowest hourly mean in the bucket [ppb]';
comment on column api.region_daily.max_no2 is 'nitrogen dioxide, highest hourly mean in the bucket [ppb]';
  comment on column api.region_daily.min_dust is
  'dust (total particulate matter), lowest hourly mean in the bucket [µg/m³]';
comment on column api.region_daily.max_dust is 'dust (total particulate matter), highest hourly mean in the bucket [µg/m³]';
  comment on column api.region_daily.min_wind_speed is
  'wind speed, lowest hourly mean in the bucket [m/s]';
comment on column api.region_daily.max_wind_speed is 'wind speed, highest hourly mean in the bucket [m/s]';
comment on column api.region_daily.min_aqi is
  'US EPA air quality index of PM2.5 and PM10, lowest of the hours in the bucket [US EPA AQI]';
comment on column api.region_daily.max_aqi is
  'US EPA air quality index of PM2.5 and PM10, highest of the hours in the bucket [US EPA AQI]';

-- The monthly buckets of a region, with the extremes of their hourly means (A5).
create view api.region_monthly as
  select
    b.bucket as timestamp,
    b.region_slug,
    logic.published(b.station_count, 0)::int as station_count,
    logic.published(b.temperature, 1) as avg_temperature,
  logic.published(b.humidity, 0) as avg_humidity,
  logic.published(b.pressure, 0) as avg_pressure,
  logic.published_non_negative(b.pm1, 1) as avg_pm1,
  logic.published_non_negative(b.pm25, 1) as avg_pm25,
  logic.published_non_negative(b.pm25_raw, 1) as avg_pm25_raw,
  logic.published_non_negative(b.pm10, 1) as avg_pm10,
  logic.published_non_negative(b.no2, 1) as avg_no2,
  logic.published_non_negative(b.so2, 1) as avg_so2,
  logic.published_non_negative(b.o3, 1) as avg_o3,
  logic.published_non_negative(b.dust, 1) as avg_dust,
  logic.published(b.usvh, 2) as avg_usvh,
  logic.published(b.uv, 1) as avg_uv,
  logic.published(b.wind_speed, 1) as avg_wind_speed,
    logic.published_direction(b.wind_sin, b.wind_cos) as avg_wind_direction,
    logic.published(b.rain, 1) as total_rain,
    rollup.aqi(b.pm25, b.pm10) as aqi, -- of the published means (Q3)
    logic.published(b.min_temperature, 1) as min_temperature, logic.published(b.max_temperature, 1) as max_temperature,
  logic.published_non_negative(b.min_pm25, 1) as min_pm25, logic.published_non_negative(b.max_pm25, 1) as max_pm25,
  logic.published_non_negative(b.min_pm10, 1) as min_pm10, logic.published_non_negative(b.max_pm10, 1) as max_pm10,
  logic.published_non_negative(b.min_no2, 1) as min_no2, logic.published_non_negative(b.max_no2, 1) as max_no2,
  logic.published_non_negative(b.min_dust, 1) as min_dust, logic.published_non_negative(b.max_dust, 1) as max_dust,
  logic.published(b.min_wind_speed, 1) as min_wind_speed, logic.published(b.max_wind_speed, 1) as max_wind_speed,
    b.min_aqi,
    b.max_aqi
  from rollup.region_monthly b;
comment on view api.region_monthly is
  'region monthly buckets in local time, at published precision. One row per bucket with readings.';
comment on column api.region_monthly.timestamp is 'start of the bucket';
comment on column api.region_monthly.region_slug is 'slug of the city or district';
comment on column api.region_monthly.station_count is
  'number of stations, mean over the hours in the bucket, rounded [stations]';
comment on column api.region_monthly.avg_temperature is
  'air temperature, mean of the hours in the bucket [°C]';
  comment on column api.region_monthly.avg_humidity is
  'relative humidity, mean of the hours in the bucket [%]';
  comment on column api.region_monthly.avg_pressure is
  'air pressure, mean of the hours in the bucket [Pa]';
  comment on column api.region_monthly.avg_pm1 is
  'PM1, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_monthly.avg_pm25 is
  'PM2.5, corrected where a correction applies, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_monthly.avg_pm25_raw is
  'PM2.5 as the instrument gave it, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_monthly.avg_pm10 is
  'PM10, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_monthly.avg_no2 is
  'nitrogen dioxide, mean of the hours in the bucket [ppb]';
  comment on column api.region_monthly.avg_so2 is
  'sulphur dioxide, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_monthly.avg_o3 is
  'ozone, mean of the hours in the bucket [µg/m³]';
  comment on column api.region_monthly.avg_dust is
  'dust (total particulate matter), mean of the hours in the bucket [µg/m³]';
  comment on column api.region_monthly.avg_usvh is
  'radiation dose rate, mean of the hours in the bucket [µSv/h]';
  comment on column api.region_monthly.avg_uv is
  'ultraviolet index, mean of the hours in the bucket [UV index]';
  comment on column api.region_monthly.avg_wind_speed is
  'wind speed, mean of the hours in the bucket [m/s]';
comment on column api.region_monthly.avg_wind_direction is
  'direction of the mean wind vector of the bucket, clockwise from north [degrees]';
comment on column api.region_monthly.total_rain is 'precipitation, sum of the bucket [mm]';
comment on column api.region_monthly.aqi is
  'US EPA air quality index of PM2.5 and PM10 as published; it does not cover gases [US EPA AQI]';
comment on column api.region_monthly.min_temperature is
  'air temperature, lowest hourly mean in the bucket [°C]';
comment on column api.region_monthly.max_temperature is 'air temperature, highest hourly mean in the bucket [°C]';
  comment on column api.region_monthly.min_pm25 is
  'PM2.5, corrected where a correction applies, lowest hourly mean in the bucket [µg/m³]';
comment on column api.region_monthly.max_pm25 is 'PM2.5, corrected where a correction applies, highest hourly mean in the bucket [µg/m³]';
  comment on column api.region_monthly.min_pm10 is
  'PM10, lowest hourly mean in the bucket [µg/m³]';
comment on column api.region_monthly.max_pm10 is 'PM10, highest hourly mean in the bucket [µg/m³]';
  comment on column api.region_monthly.min_no2 is
  'nitrogen dioxide, lowest hourly mean in the bucket [ppb]';
comment on column api.region_monthly.max_no2 is 'nitrogen dioxide, highest hourly mean in the bucket [ppb]';
  comment on column api.region_monthly.min_dust is
  'dust (total particulate matter), lowest hourly mean in the bucket [µg/m³]';
comment on column api.region_monthly.max_dust is 'dust (total particulate matter), highest hourly mean in the bucket [µg/m³]';
  comment on column api.region_monthly.min_wind_speed is
  'wind speed, lowest hourly mean in the bucket [m/s]';
comment on column api.region_monthly.max_wind_speed is 'wind speed, highest hourly mean in the bucket [m/s]';
comment on column api.region_monthly.min_aqi is
  'US EPA air quality index of PM2.5 and PM10, lowest of the hours in the bucket [US EPA AQI]';
comment on column api.region_monthly.max_aqi is
  'US EPA air quality index of PM2.5 and PM10, highest of the hours in the bucket [US EPA AQI]';

-- The history windows at an instant (H1): closed hours, completed days, and months including the current one.
create function api.history_window(at timestamptz)
returns table (series text, unit text, since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select w.series, w.unit,
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running - w.buckets),
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running)
  from (values ('24h', 'hour', 24, 0),
  ('7d', 'hour', 168, 0),
  ('30d', 'day', 30, 0),
  ('1y', 'month', 12, 1),
  ('2y', 'month', 24, 1)) as w(series, unit, buckets, running);
end;
comment on function api.history_window is
  'The history windows at an instant. One row per window. Columns: series (key of the window), unit (of its buckets: '
  'hour, day or month), since, until (half-open bounds).';

-- The history windows in one row, with the range of each unit that covers all of its windows. History queries read
-- these ranges.
create function api.history_bounds(at timestamptz)
returns table (
  hours_since timestamptz, hours_until timestamptz, days_since timestamptz, days_until timestamptz,
    months_since timestamptz, months_until timestamptz,
  since_24h timestamptz, until_24h timestamptz,
  since_7d timestamptz, until_7d timestamptz,
  since_30d timestamptz, until_30d timestamptz,
  since_1y timestamptz, until_1y timestamptz,
  since_2y timestamptz, until_2y timestamptz
) language sql immutable parallel safe begin atomic
  select
    min(w.since) filter (where w.unit = 'hour'), max(w.until) filter (where w.unit = 'hour'),
    min(w.since) filter (where w.unit = 'day'), max(w.until) filter (where w.unit = 'day'),
    min(w.since) filter (where w.unit = 'month'), max(w.until) filter (where w.unit = 'month'),
    min(w.since) filter (where w.series = '24h'), max(w.until) filter (where w.series = '24h'),
  min(w.since) filter (where w.series = '7d'), max(w.until) filter (where w.series = '7d'),
  min(w.since) filter (where w.series = '30d'), max(w.until) filter (where w.series = '30d'),
  min(w.since) filter (where w.series = '1y'), max(w.until) filter (where w.series = '1y'),
  min(w.since) filter (where w.series = '2y'), max(w.until) filter (where w.series = '2y')
  from api.history_window(at) w;
end;
comment on function api.history_bounds is
  'The history windows of an instant as the arguments of api.station_history_json and api.region_history_json. One '
  'row. Columns: hours_since, hours_until, days_since, days_until, months_since, months_until (the range of a unit '
  'that covers all of its windows), since_24h, until_24h,
  since_7d, until_7d,
  since_30d, until_30d,
  since_1y, until_1y,
  since_2y, until_2y (all half-open).';

-- Windows move only when an hour closes, since days and months end with an hour.
create function api.history_valid_until(at timestamptz) returns timestamptz language sql immutable parallel safe
  return rollup.bucket_add('hour', rollup.bucket_start('hour', at), 1);
comment on function api.history_valid_until is
  'The first instant after the given one at which the history windows move.';

-- The history document of one station in parts. The parts are JSON, because the driver would need as long to decode
-- columns as the database to read the rows. The plan is made once per connection, because planning costs as much as all
-- the rest. A cached plan skips the chunks beyond the bounds when it starts.
create function api.station_history_json(
  only_station int, hours_since timestamptz, hours_until timestamptz,
  days_since timestamptz, days_until timestamptz, months_since timestamptz, months_until timestamptz,
  since_24h timestamptz, until_24h timestamptz,
  since_7d timestamptz, until_7d timestamptz,
  since_30d timestamptz, until_30d timestamptz,
  since_1y timestamptz, until_1y timestamptz,
  since_2y timestamptz, until_2y timestamptz)
returns table ("24h" text,
  "7d" text,
  "30d" text,
  "1y" text,
  "2y" text, data_version int) language plpgsql stable parallel safe
  set plan_cache_mode = force_generic_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
begin
  return query
  select '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'hour' and p.timestamp >= since_24h and p.timestamp < until_24h), '') || ']',
  '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'hour' and p.timestamp >= since_7d and p.timestamp < until_7d), '') || ']',
  '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'day' and p.timestamp >= since_30d and p.timestamp < until_30d), '') || ']',
  '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'month' and p.timestamp >= since_1y and p.timestamp < until_1y), '') || ']',
  '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'month' and p.timestamp >= since_2y and p.timestamp < until_2y), '') || ']',
    (select f.data_version from api.freshness f)
  from (
    select 'hour' as unit, b.timestamp, (select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_pm25_raw, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, b.aqi) point)::text as point
    from api.station_hourly b
    where b.station_id = only_station and b.timestamp >= hours_since and b.timestamp < hours_until
    union all
    select 'day', b.timestamp, (select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_pm25_raw, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, case when b.min_temperature is not null and b.max_temperature is not null then array[b.min_temperature, b.max_temperature] end as range_temperature, case when b.min_pm25 is not null and b.max_pm25 is not null then array[b.min_pm25, b.max_pm25] end as range_pm25, case when b.min_pm10 is not null and b.max_pm10 is not null then array[b.min_pm10, b.max_pm10] end as range_pm10, case when b.min_dust is not null and b.max_dust is not null then array[b.min_dust, b.max_dust] end as range_dust, case when b.min_wind_speed is not null and b.max_wind_speed is not null then array[b.min_wind_speed, b.max_wind_speed] end as range_wind_speed, case when b.min_aqi is not null and b.max_aqi is not null then array[b.min_aqi, b.max_aqi] end as range_aqi, b.aqi, b.min_temperature, b.max_temperature, b.min_pm25, b.max_pm25, b.min_pm10, b.max_pm10, b.min_no2, b.max_no2, b.min_dust, b.max_dust, b.min_wind_speed, b.max_wind_speed) point)::text
    from api.station_daily b
    where b.station_id = only_station and b.timestamp >= days_since and b.timestamp < days_until
    union all
    select 'month', b.timestamp, (select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_pm25_raw, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, case when b.min_temperature is not null and b.max_temperature is not null then array[b.min_temperature, b.max_temperature] end as range_temperature, case when b.min_pm25 is not null and b.max_pm25 is not null then array[b.min_pm25, b.max_pm25] end as range_pm25, case when b.min_pm10 is not null and b.max_pm10 is not null then array[b.min_pm10, b.max_pm10] end as range_pm10, case when b.min_dust is not null and b.max_dust is not null then array[b.min_dust, b.max_dust] end as range_dust, case when b.min_wind_speed is not null and b.max_wind_speed is not null then array[b.min_wind_speed, b.max_wind_speed] end as range_wind_speed, case when b.min_aqi is not null and b.max_aqi is not null then array[b.min_aqi, b.max_aqi] end as range_aqi, b.aqi, b.min_temperature, b.max_temperature, b.min_pm25, b.max_pm25, b.min_pm10, b.max_pm10, b.min_no2, b.max_no2, b.min_dust, b.max_dust, b.min_wind_speed, b.max_wind_speed) point)::text
    from api.station_monthly b where b.station_id = only_station and b.timestamp >= months_since
      -- hides the range from the planner, which would expect a single month in it
      and (b.timestamp < months_until) is true
  ) p
  having exists (select from api.station s where s.id = only_station);
end $$;
comment on function api.station_history_json is
  'The history document of a station in parts. Its other arguments are the columns of api.history_bounds. One '
  'row; none for an unknown station_id. Columns: 24h,
  7d,
  30d,
  1y,
  2y (each a JSON array of the points of the window in '
  'the order of time, as text), data_version.';

-- The history of one station as rows and columns, for the windows of an instant. It is planned in the same way.
create function api.station_history(at timestamptz, only_station int)
returns table (
  series text,
  "timestamp" timestamptz,
  sensor_count int,
  avg_temperature float8,
  avg_humidity float8,
  avg_pressure float8,
  avg_pm1 float8,
  avg_pm25 float8,
  avg_pm25_raw float8,
  avg_pm10 float8,
  avg_no2 float8,
  avg_so2 float8,
  avg_o3 float8,
  avg_dust float8,
  avg_usvh float8,
  avg_uv float8,
  avg_wind_speed float8,
  avg_wind_direction int,
  total_rain float8,
  aqi int,
  min_temperature float8, max_temperature float8,
  min_pm25 float8, max_pm25 float8,
  min_pm10 float8, max_pm10 float8,
  min_no2 float8, max_no2 float8,
  min_dust float8, max_dust float8,
  min_wind_speed float8, max_wind_speed float8,
  min_aqi int,
  max_aqi int
) language plpgsql stable parallel safe
  set plan_cache_mode = force_generic_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  range record;
begin
  select * into range from api.history_bounds(at);
  return query
  -- otherwise one would be computed for every row of the other
  with w as materialized (select * from api.history_window(at)), b as materialized (
    select 'hour' as unit, b.*, null::float8 as min_temperature, null::float8 as max_temperature,
  null::float8 as min_pm25, null::float8 as max_pm25,
  null::float8 as min_pm10, null::float8 as max_pm10,
  null::float8 as min_no2, null::float8 as max_no2,
  null::float8 as min_dust, null::float8 as max_dust,
  null::float8 as min_wind_speed, null::float8 as max_wind_speed,
      null::int as min_aqi, null::int as max_aqi
    from api.station_hourly b
    where b.station_id = only_station and b.timestamp >= range.hours_since and b.timestamp < range.hours_until
    union all
    select 'day', b.*
    from api.station_daily b
    where b.station_id = only_station and b.timestamp >= range.days_since and b.timestamp < range.days_until
    union all
    select 'month', b.*
    from api.station_monthly b
    where b.station_id = only_station and b.timestamp >= range.months_since
      and (b.timestamp < range.months_until) is true
  )
  select w.series, b.timestamp, b.sensor_count, b.avg_temperature,
  b.avg_humidity,
  b.avg_pressure,
  b.avg_pm1,
  b.avg_pm25,
  b.avg_pm25_raw,
  b.avg_pm10,
  b.avg_no2,
  b.avg_so2,
  b.avg_o3,
  b.avg_dust,
  b.avg_usvh,
  b.avg_uv,
  b.avg_wind_speed, b.avg_wind_direction, b.total_rain, b.aqi,
    b.min_temperature, b.max_temperature,
  b.min_pm25, b.max_pm25,
  b.min_pm10, b.max_pm10,
  b.min_no2, b.max_no2,
  b.min_dust, b.max_dust,
  b.min_wind_speed, b.max_wind_speed, b.min_aqi, b.max_aqi
  from b join w on w.unit = b.unit and b.timestamp >= w.since and b.timestamp < w.until;
end $$;
comment on function api.station_history is
  'The buckets of a station in the history windows of an instant, one row per bucket and window; none for an '
  'unknown station_id. Hours have no extremes. Columns: series (key of the window), and the columns of '
  'api.station_daily.';

-- The history document of one region in parts. The parts are JSON, because the driver would need as long to decode
-- columns as the database to read the rows. The plan is made once per connection, because planning costs as much as all
-- the rest. A cached plan skips the chunks beyond the bounds when it starts.
create function api.region_history_json(
  only_region text, hours_since timestamptz, hours_until timestamptz,
  days_since timestamptz, days_until timestamptz, months_since timestamptz, months_until timestamptz,
  since_24h timestamptz, until_24h timestamptz,
  since_7d timestamptz, until_7d timestamptz,
  since_30d timestamptz, until_30d timestamptz,
  since_1y timestamptz, until_1y timestamptz,
  since_2y timestamptz, until_2y timestamptz)
returns table ("24h" text,
  "7d" text,
  "30d" text,
  "1y" text,
  "2y" text, data_version int) language plpgsql stable parallel safe
  set plan_cache_mode = force_generic_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
begin
  return query
  select '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'hour' and p.timestamp >= since_24h and p.timestamp < until_24h), '') || ']',
  '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'hour' and p.timestamp >= since_7d and p.timestamp < until_7d), '') || ']',
  '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'day' and p.timestamp >= since_30d and p.timestamp < until_30d), '') || ']',
  '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'month' and p.timestamp >= since_1y and p.timestamp < until_1y), '') || ']',
  '[' || coalesce(string_agg(p.point, ',' order by p.timestamp)
    filter (where p.unit = 'month' and p.timestamp >= since_2y and p.timestamp < until_2y), '') || ']',
    (select f.data_version from api.freshness f)
  from (
    select 'hour' as unit, b.timestamp, (select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, b.station_count, b.aqi) point)::text as point
    from api.region_hourly b
    where b.region_slug = only_region and b.timestamp >= hours_since and b.timestamp < hours_until
    union all
    select 'day', b.timestamp, (select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, b.station_count, case when b.min_temperature is not null and b.max_temperature is not null then array[b.min_temperature, b.max_temperature] end as range_temperature, case when b.min_pm25 is not null and b.max_pm25 is not null then array[b.min_pm25, b.max_pm25] end as range_pm25, case when b.min_pm10 is not null and b.max_pm10 is not null then array[b.min_pm10, b.max_pm10] end as range_pm10, case when b.min_dust is not null and b.max_dust is not null then array[b.min_dust, b.max_dust] end as range_dust, case when b.min_wind_speed is not null and b.max_wind_speed is not null then array[b.min_wind_speed, b.max_wind_speed] end as range_wind_speed, case when b.min_aqi is not null and b.max_aqi is not null then array[b.min_aqi, b.max_aqi] end as range_aqi, b.aqi, b.min_temperature, b.max_temperature, b.min_pm25, b.max_pm25, b.min_pm10, b.max_pm10, b.min_no2, b.max_no2, b.min_dust, b.max_dust, b.min_wind_speed, b.max_wind_speed) point)::text
    from api.region_daily b
    where b.region_slug = only_region and b.timestamp >= days_since and b.timestamp < days_until
    union all
    select 'month', b.timestamp, (select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, b.station_count, case when b.min_temperature is not null and b.max_temperature is not null then array[b.min_temperature, b.max_temperature] end as range_temperature, case when b.min_pm25 is not null and b.max_pm25 is not null then array[b.min_pm25, b.max_pm25] end as range_pm25, case when b.min_pm10 is not null and b.max_pm10 is not null then array[b.min_pm10, b.max_pm10] end as range_pm10, case when b.min_dust is not null and b.max_dust is not null then array[b.min_dust, b.max_dust] end as range_dust, case when b.min_wind_speed is not null and b.max_wind_speed is not null then array[b.min_wind_speed, b.max_wind_speed] end as range_wind_speed, case when b.min_aqi is not null and b.max_aqi is not null then array[b.min_aqi, b.max_aqi] end as range_aqi, b.aqi, b.min_temperature, b.max_temperature, b.min_pm25, b.max_pm25, b.min_pm10, b.max_pm10, b.min_no2, b.max_no2, b.min_dust, b.max_dust, b.min_wind_speed, b.max_wind_speed) point)::text
    from api.region_monthly b where b.region_slug = only_region and b.timestamp >= months_since
      -- hides the range from the planner, which would expect a single month in it
      and (b.timestamp < months_until) is true
  ) p
  having exists (select from api.region s where s.slug = only_region);
end $$;
comment on function api.region_history_json is
  'The history document of a region in parts. Its other arguments are the columns of api.history_bounds. One '
  'row; none for an unknown region_slug. Columns: 24h,
  7d,
  30d,
  1y,
  2y (each a JSON array of the points of the window in '
  'the order of time, as text), data_version.';

-- The history of one region as rows and columns, for the windows of an instant. It is planned in the same way.
create function api.region_history(at timestamptz, only_region text)
returns table (
  series text,
  "timestamp" timestamptz,
  station_count int,
  avg_temperature float8,
  avg_humidity float8,
  avg_pressure float8,
  avg_pm1 float8,
  avg_pm25 float8,
  avg_pm25_raw float8,
  avg_pm10 float8,
  avg_no2 float8,
  avg_so2 float8,
  avg_o3 float8,
  avg_dust float8,
  avg_usvh float8,
  avg_uv float8,
  avg_wind_speed float8,
  avg_wind_direction int,
  total_rain float8,
  aqi int,
  min_temperature float8, max_temperature float8,
  min_pm25 float8, max_pm25 float8,
  min_pm10 float8, max_pm10 float8,
  min_no2 float8, max_no2 float8,
  min_dust float8, max_dust float8,
  min_wind_speed float8, max_wind_speed float8,
  min_aqi int,
  max_aqi int
) language plpgsql stable parallel safe
  set plan_cache_mode = force_generic_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  range record;
begin
  select * into range from api.history_bounds(at);
  return query
  -- otherwise one would be computed for every row of the other
  with w as materialized (select * from api.history_window(at)), b as materialized (
    select 'hour' as unit, b.*, null::float8 as min_temperature, null::float8 as max_temperature,
  null::float8 as min_pm25, null::float8 as max_pm25,
  null::float8 as min_pm10, null::float8 as max_pm10,
  null::float8 as min_no2, null::float8 as max_no2,
  null::float8 as min_dust, null::float8 as max_dust,
  null::float8 as min_wind_speed, null::float8 as max_wind_speed,
      null::int as min_aqi, null::int as max_aqi
    from api.region_hourly b
    where b.region_slug = only_region and b.timestamp >= range.hours_since and b.timestamp < range.hours_until
    union all
    select 'day', b.*
    from api.region_daily b
    where b.region_slug = only_region and b.timestamp >= range.days_since and b.timestamp < range.days_until
    union all
    select 'month', b.*
    from api.region_monthly b
    where b.region_slug = only_region and b.timestamp >= range.months_since
      and (b.timestamp < range.months_until) is true
  )
  select w.series, b.timestamp, b.station_count, b.avg_temperature,
  b.avg_humidity,
  b.avg_pressure,
  b.avg_pm1,
  b.avg_pm25,
  b.avg_pm25_raw,
  b.avg_pm10,
  b.avg_no2,
  b.avg_so2,
  b.avg_o3,
  b.avg_dust,
  b.avg_usvh,
  b.avg_uv,
  b.avg_wind_speed, b.avg_wind_direction, b.total_rain, b.aqi,
    b.min_temperature, b.max_temperature,
  b.min_pm25, b.max_pm25,
  b.min_pm10, b.max_pm10,
  b.min_no2, b.max_no2,
  b.min_dust, b.max_dust,
  b.min_wind_speed, b.max_wind_speed, b.min_aqi, b.max_aqi
  from b join w on w.unit = b.unit and b.timestamp >= w.since and b.timestamp < w.until;
end $$;
comment on function api.region_history is
  'The buckets of a region in the history windows of an instant, one row per bucket and window; none for an '
  'unknown region_slug. Hours have no extremes. Columns: series (key of the window), and the columns of '
  'api.region_daily.';

-- Regions with their current values and health figures, named as in the specification (C4, W1 to W4).

create function api.exceedance(mean float8, guideline float8) returns float8 language sql immutable parallel safe
  return case when mean > 1.15 * guideline then round((mean / guideline)::numeric, 1)::float8 end;
comment on function api.exceedance is
  'Ratio of a mean to its guideline (in the same unit), to one decimal; null unless the unrounded mean is more than '
  '15 % above the guideline (W3).';

create function api.region_current(at timestamptz, only_region text default null, locale text default 'en')
returns table (
  slug text, kind text, title text, city_slug text, city text,
  measurement_time timestamptz,
  aqi int, "temperature" float8,
  "humidity" float8,
  "pressure" int,
  "pm2.5" float8,
  "pm10" float8,
  "no2" float8,
  station_count int,
  "who_daily_pm2.5" float8, who_daily_exceedance float8,
  "who_year_pm2.5" float8, who_yearly_exceedance float8, "who_pm2.5_exceedance_days" int,
  month_cigarettes float8,
  map_latitude float8, map_longitude float8, map_delta float8, is_hidden boolean, has_measured boolean,
  valid_until timestamptz
) language sql stable begin atomic
  select
    r.slug, r.kind, t.title, r.city_slug, t.city,
    c.made_at,
    rollup.aqi(c.pm25, c.pm10), logic.published(c.temperature, 1)::float8,
  logic.published(c.humidity, 0)::float8,
  logic.published(c.pressure, 0)::int,
  logic.published_non_negative(c.pm25, 1)::float8,
  logic.published_non_negative(c.pm10, 1)::float8,
  logic.published_non_negative(c.no2, 1)::float8,
    c.station_count,
    logic.published_non_negative(c.who_daily, 1), api.exceedance(c.who_daily, 15),
    logic.published_non_negative(c.who_year, 1), api.exceedance(c.who_year, 5), coalesce(c.who_exceedance_days, 0),
    logic.published_non_negative(c.month * 30 / 22, 1),
    r.map_latitude, r.map_longitude, r.map_delta, r.is_hidden,
    c.made_at is not null or logic.region_has_measured(r.slug),
    c.changes_at
  from api.region r
  join api.region_title t on t.region_slug = r.slug and t.locale = region_current.locale
  join logic.region_current(at, only_region) c on c.region_slug = r.slug
  where only_region is null or r.slug = only_region;
end;
comment on function api.region_current is
  'All regions at an instant, or only the given one (no row if it is unknown). Current values come from the newest '
  'digest and are null if it is older than 30 minutes; health figures come from closed hours and completed days. '
  'Titles are in the given locale, one of those in the paths of the API.
Columns as in api.region and api.region_title, and:
  measurement_time (of the digest used),
  "temperature" (air temperature [°C]),
  "humidity" (relative humidity [%]),
  "pressure" (air pressure [Pa]),
  "pm2.5" (PM2.5, corrected where a correction applies [µg/m³]),
  "pm10" (PM10 [µg/m³]),
  "no2" (nitrogen dioxide [ppb]),
  aqi (of PM2.5 and PM10 only, as published: it says nothing about gases [US EPA AQI]),
  station_count (in the digest [stations]),
  "who_daily_pm2.5" (mean of the last 24 closed hours [µg/m³]),
  who_daily_exceedance (its ratio to the guideline of 15 µg/m³, see api.exceedance [times]),
  "who_year_pm2.5" (mean of the last 365 completed days [µg/m³]),
  who_yearly_exceedance (its ratio to the guideline of 5 µg/m³, see api.exceedance [times]),
  "who_pm2.5_exceedance_days" (days above 15 µg/m³ among those 365 [days]),
  month_cigarettes (mean PM2.5 of the last 30 completed days × 30 / 22 [cigarettes]),
  has_measured (whether anything was ever measured in it),
  valid_until (the first instant at which any of this changes without new data).';

-- The state of the service itself, for readiness checks, metrics and the operator's dashboard.

-- The version of this database. Processes that may only read schema api check that it matches theirs.
create view api.installation as
  select time_zone, epoch::text as epoch, engine, (select count(*)::int from raw.migration) as migrations, rollups,
    repeatable
  from raw.installation;
comment on view api.installation is 'Settings fixed at installation, and the version of this database. One row.';
comment on column api.installation.time_zone is 'IANA time zone of its hours, days and months';
comment on column api.installation.epoch is 'local date on which the first hour, day and month begin';
comment on column api.installation.engine is 'engine that stores the aggregates';
comment on column api.installation.migrations is 'number of migrations applied';
comment on column api.installation.rollups is 'fingerprint of the SQL that built the aggregates';
comment on column api.installation.repeatable is 'fingerprint of the SQL that built schemas logic and api';

-- The time of the last refresh. It is null before the first build is complete, when the API has nothing to serve yet.
create view api.freshness as
  select
    f.refreshed_at,
    f.completed_at,
    f.data_version,
    (select max(made_at) from rollup.digest) as digest_at,
    -- the server, its timeline (a promotion changes it), the database and the table (a restore changes them)
    concat_ws('-',
      (select system_identifier from pg_control_system()),
      greatest((select timeline_id from pg_control_checkpoint()),
        (select min_recovery_end_timeline from pg_control_recovery())),
      (select oid from pg_database where datname = current_database()),
      f.tableoid) as history
  from rollup.freshness f;
comment on view api.freshness is 'How up to date the aggregates are. One row.';
comment on column api.freshness.refreshed_at is
  'readings of the running day accepted before it are in the aggregates; null before the first build';
comment on column api.freshness.completed_at is
  'all readings accepted before it are in the aggregates; older than refreshed_at while a backfill is being worked off';
comment on column api.freshness.digest_at is 'instant of the newest digest of the regions; null before the first';
comment on column api.freshness.data_version is 'increases whenever published data may have changed';
comment on column api.freshness.history is
  'history in which data_version counts; a restore or the promotion of a replica begins another';

-- A replica may lack what its primary has; a primary that has less than before was set back.
create view api.server as select pg_is_in_recovery() as is_replica;
comment on view api.server is 'The server that runs the query. One row.';
comment on column api.server.is_replica is 'whether it follows a primary';

-- Counts the listed stations of each provider that are online or offline, and finds its newest measurement. It searches
-- readings only for providers without a station online.
create function api.provider_state(at timestamptz)
returns table (provider text, measurement_time timestamptz, online int, offline int) language sql stable begin atomic
  with state as materialized (
    select p.id as provider, max(s.measurement_time) as newest,
      (count(*) filter (where s.status = 'online' and s.is_listed))::int as online,
      (count(*) filter (where s.status = 'offline' and s.is_listed))::int as offline
    from api.provider p
    left join api.station_current(at) s on s.provider = p.id
    group by p.id
  )
  select s.provider, coalesce(s.newest, n.measured_at), s.online, s.offline
  from state s
  left join logic.newest_measurement(at,
    array(select offline.provider from state offline where offline.newest is null)) n on n.provider = s.provider;
end;
comment on function api.provider_state is
  'Every provider at an instant. One row per provider. Columns: provider (slug), measurement_time (newest measurement '
  'of its sensors; null if there is none), online and offline (listed stations with that status [stations]).';

create function api.newest_bucket(at timestamptz) returns table (subject text, resolution text, "timestamp" timestamptz)
language sql stable begin atomic
  select n.subject, n.resolution, n.bucket from logic.newest_bucket(at) n;
end;
comment on function api.newest_bucket is
  'The newest bucket of each published aggregate at an instant. One row per aggregate. Columns: subject (station or '
  'region), resolution (hour, day or month), timestamp (start of the bucket; null if there is none).';

-- An audit of one past month says nothing about today, so only audits of at least the nightly one's period count.
create view api.last_audit as
  select made_at, differing from rollup.audit
  where since <= made_at - interval '34 days' and until >= made_at
  order by made_at desc limit 1;
comment on view api.last_audit is
  'The latest audit that covered at least the period of the nightly one. No row before the first.';
comment on column api.last_audit.made_at is 'time of the audit';
comment on column api.last_audit.differing is 'buckets that differed from the readings [buckets]';

create view api.quarantine_lines as
  select reason, count(*)::int as lines from raw.quarantine where kind = 'reading' group by reason;
comment on view api.quarantine_lines is
  'Readings in quarantine (not single values of accepted readings). One row per reason.';
comment on column api.quarantine_lines.reason is 'why the readings could not be used';
comment on column api.quarantine_lines.lines is 'number of readings [readings]';

create view api.storage as
  select s.schema, s.bytes from logic.storage() s;
comment on view api.storage is 'Disk space used, including indexes and compressed chunks. One row per schema.';
comment on column api.storage.schema is 'raw (readings, network, quarantine) or rollup (aggregates)';
comment on column api.storage.bytes is 'size [bytes]';

create view api.kept_hours as
  select k.recorded::float8 as recorded, k.missing::float8 as missing from logic.missing_kept_hours() k;
comment on view api.kept_hours is
  'Sensor hours whose readings retention has deleted, so that nothing can compute them again. One row.';
comment on column api.kept_hours.recorded is 'hours recorded when their readings were deleted [h]';
comment on column api.kept_hours.missing is
  'hours missing now; null where only the audit counts them [h]';

-- Stations that need attention at an instant: those that are offline (logic/80_offline.sql) and those in a flag period
-- (C5, C9). Each row can be an alert; no row means all is well.

create function api.station_offline(at timestamptz)
returns table (station_id int, last_measurement_time timestamptz, offline_minutes int) language sql stable begin atomic
  select s.station_id, s.last_measurement_time, s.offline_minutes from logic.station_offline(at) s;
end;
comment on function api.station_offline is
  'Listed stations that are offline at an instant but have measured before; no row if there are none. Columns: '
  'station_id (station id), last_measurement_time (of the newest reading that counts), offline_minutes (since then '
  '[min]).';

create function api.station_suspect(at timestamptz)
returns table (station_id int, kind text, tests text, since timestamptz, is_left_out boolean, detail text)
language sql stable begin atomic
  select f.station_id, f.kind, string_agg(distinct replace(f.reason, '_', ' '), ', '),
    min(f.since) filter (where f.reason <> 'operator'), bool_or(f.is_left_out),
    string_agg(concat(replace(f.reason, '_', ' '), ' of sensor ' || f.sensor_id, ', ' || f."pm2.5" || ' µg/m³',
        case f.reason when 'sensors' then ', its sensors ' || compared.each
          when 'outlier' then ', median of ' || compared.stations || ' neighbours ' || f.median end),
      '; ' order by f.reason, f.sensor_id)
  from api.station_flag f
  join logic.station_state(at) state on state.station_id = f.station_id and state.is_listed
  cross join lateral (
    select count(*) as stations,
      string_agg((c ->> 'id') || ': ' || (c ->> 'pm2.5'), ', ' order by (c ->> 'id')::int) as each
    from json_array_elements(f.compared_with::json) c
  ) compared
  where coalesce(f.since <= at, true) and coalesce(f.until > at, true)
  group by f.station_id, f.kind;
end;
comment on function api.station_suspect is
  'Listed stations in a flag period at an instant; one row per station and kind, none if there is no such station.
Columns:
  station_id (station id),
  kind (thp or pm, as in api.station_flag),
  tests (the reasons of the periods, comma-separated; operator, if a flag was set by hand),
  since (start of the earliest period that screening found; null if only the operator set a flag),
  is_left_out (whether regions leave them out; not yet for an outlier of fewer than 24 suspect hours),
  detail (the periods in words: test, sensor, PM2.5 of the first suspect hour, and what it was compared with '
  '[µg/m³]).';

-- Measures how complete the days and months of stations are (A11). It reads the stored numbers of hours of
-- completed days. It counts the hours of the running day, because its row may lag behind. It runs with the rights of
-- its owner, since no view of this schema has numbers of hours.
create function api.station_completeness(
  at timestamptz, unit text, since timestamptz, until timestamptz, only_stations int[] default null
)
returns table ("timestamp" timestamptz, station_id int, expected_hours int, temperature_hours int,
  humidity_hours int,
  pressure_hours int,
  pm1_hours int,
  pm25_hours int,
  pm25_raw_hours int,
  pm10_hours int,
  no2_hours int,
  so2_hours int,
  o3_hours int,
  dust_hours int,
  usvh_hours int,
  uv_hours int,
  wind_speed_hours int,
  wind_hours int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  -- bounds as values: they tell the planner which chunks to read
  first_day constant timestamptz := rollup.bucket_start(unit, since);
  first_month constant timestamptz := rollup.bucket_start('month', since);
  closed constant timestamptz := rollup.bucket_start('hour', at);
  today constant timestamptz := rollup.bucket_start('day', at);
  end_of_days constant timestamptz := least(rollup.bucket_add(unit,
    rollup.bucket_start(unit, until - interval '1 microsecond'), 1), closed);
  end_of_completed constant timestamptz := least(end_of_days, today);
begin
  return query
  with begun as materialized (
    select s.id as station_id,
      case when exists (select from rollup.station_monthly m
        where m.station_id = s.id and m.bucket < first_month) then '-infinity'
           else coalesce((select min(h.bucket) from rollup.station_hourly h
                          where h.station_id = s.id and h.bucket >= first_month and h.bucket < end_of_days),
                            'infinity') end as first_hour
    from raw.station s
    where only_stations is null or s.id = any(only_stations)
  ),
  day as materialized (
    select rollup.bucket_add('day', first_day, n) as bucket,
      least(rollup.bucket_add('day', first_day, n + 1), end_of_days) as until
    from generate_series(0, (extract(epoch from end_of_days - first_day) / 86400)::int) n
  ),
  measured as materialized (
    select d.bucket, d.station_id, d.temperature_hours,
  d.humidity_hours,
  d.pressure_hours,
  d.pm1_hours,
  d.pm25_hours,
  d.pm25_raw_hours,
  d.pm10_hours,
  d.no2_hours,
  d.so2_hours,
  d.o3_hours,
  d.dust_hours,
  d.usvh_hours,
  d.uv_hours,
  d.wind_speed_hours, d.wind_hours
    from rollup.station_daily d
    where d.bucket >= first_day
      and d.bucket < end_of_completed and (only_stations is null or d.station_id = any(only_stations))
    union all
    select today, h.station_id, count(h.temperature),
  count(h.humidity),
  count(h.pressure),
  count(h.pm1),
  count(h.pm25),
  count(h.pm25_raw),
  count(h.pm10),
  count(h.no2),
  count(h.so2),
  count(h.o3),
  count(h.dust),
  count(h.usvh),
  count(h.uv),
  count(h.wind_speed), count(h.wind_sin)
    from rollup.station_hourly h
    where h.bucket >= today and h.bucket < end_of_days
      and (only_stations is null or h.station_id = any(only_stations))
    group by h.station_id
  )
  select rollup.bucket_start(unit, d.bucket), b.station_id,
    (sum(extract(epoch from d.until - greatest(d.bucket, b.first_hour))) / 3600)::int,
    coalesce(sum(m.temperature_hours), 0)::int,
  coalesce(sum(m.humidity_hours), 0)::int,
  coalesce(sum(m.pressure_hours), 0)::int,
  coalesce(sum(m.pm1_hours), 0)::int,
  coalesce(sum(m.pm25_hours), 0)::int,
  coalesce(sum(m.pm25_raw_hours), 0)::int,
  coalesce(sum(m.pm10_hours), 0)::int,
  coalesce(sum(m.no2_hours), 0)::int,
  coalesce(sum(m.so2_hours), 0)::int,
  coalesce(sum(m.o3_hours), 0)::int,
  coalesce(sum(m.dust_hours), 0)::int,
  coalesce(sum(m.usvh_hours), 0)::int,
  coalesce(sum(m.uv_hours), 0)::int,
  coalesce(sum(m.wind_speed_hours), 0)::int, coalesce(sum(m.wind_hours), 0)::int
  from begun b
  join day d on greatest(d.bucket, b.first_hour) < d.until
  left join measured m on m.bucket = d.bucket and m.station_id = b.station_id
  group by 1, 2;
end $$;
comment on function api.station_completeness is
  'How many hours of a day or month have a value of each parameter, at an instant, for all stations or the '
  'given ones. The buckets are the days or months (by unit) that the period touches. One row per station and '
  'bucket from its first hour on, with readings or without.
Columns:
  timestamp (start of the bucket),
  station_id (station id),
  expected_hours (hours of the bucket: 23 or 25 on a day when the clocks change, in the running bucket only '
  'closed hours, and in the first bucket only hours from the first one of the station on [h]),
  temperature_hours,
  humidity_hours,
  pressure_hours,
  pm1_hours,
  pm25_hours,
  pm25_raw_hours,
  pm10_hours,
  no2_hours,
  so2_hours,
  o3_hours,
  dust_hours,
  usvh_hours,
  uv_hours,
  wind_speed_hours (those with a value of the parameter [h]),
  wind_hours (those with a wind direction [h]).';

-- Measures how complete the days and months of regions are (A11). It reads the stored numbers of hours of
-- completed days. It counts the hours of the running day, because its row may lag behind. It runs with the rights of
-- its owner, since no view of this schema has numbers of hours.
create function api.region_completeness(
  at timestamptz, unit text, since timestamptz, until timestamptz, only_regions text[] default null
)
returns table ("timestamp" timestamptz, region_slug text, expected_hours int, temperature_hours int,
  humidity_hours int,
  pressure_hours int,
  pm1_hours int,
  pm25_hours int,
  pm25_raw_hours int,
  pm10_hours int,
  no2_hours int,
  so2_hours int,
  o3_hours int,
  dust_hours int,
  usvh_hours int,
  uv_hours int,
  wind_speed_hours int,
  wind_hours int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  -- bounds as values: they tell the planner which chunks to read
  first_day constant timestamptz := rollup.bucket_start(unit, since);
  first_month constant timestamptz := rollup.bucket_start('month', since);
  closed constant timestamptz := rollup.bucket_start('hour', at);
  today constant timestamptz := rollup.bucket_start('day', at);
  end_of_days constant timestamptz := least(rollup.bucket_add(unit,
    rollup.bucket_start(unit, until - interval '1 microsecond'), 1), closed);
  end_of_completed constant timestamptz := least(end_of_days, today);
begin
  return query
  with begun as materialized (
    select s.slug as region_slug,
      case when exists (select from rollup.region_monthly m
        where m.region_slug = s.slug and m.bucket < first_month) then '-infinity'
           else coalesce((select min(h.bucket) from rollup.region_hourly h
                          where h.region_slug = s.slug and h.bucket >= first_month and h.bucket < end_of_days),
                            'infinity') end as first_hour
    from raw.region s
    where only_regions is null or s.slug = any(only_regions)
  ),
  day as materialized (
    select rollup.bucket_add('day', first_day, n) as bucket,
      least(rollup.bucket_add('day', first_day, n + 1), end_of_days) as until
    from generate_series(0, (extract(epoch from end_of_days - first_day) / 86400)::int) n
  ),
  measured as materialized (
    select d.bucket, d.region_slug, d.temperature_hours,
  d.humidity_hours,
  d.pressure_hours,
  d.pm1_hours,
  d.pm25_hours,
  d.pm25_raw_hours,
  d.pm10_hours,
  d.no2_hours,
  d.so2_hours,
  d.o3_hours,
  d.dust_hours,
  d.usvh_hours,
  d.uv_hours,
  d.wind_speed_hours, d.wind_hours
    from rollup.region_daily d
    where d.bucket >= first_day
      and d.bucket < end_of_completed and (only_regions is null or d.region_slug = any(only_regions))
    union all
    select today, h.region_slug, count(h.temperature),
  count(h.humidity),
  count(h.pressure),
  count(h.pm1),
  count(h.pm25),
  count(h.pm25_raw),
  count(h.pm10),
  count(h.no2),
  count(h.so2),
  count(h.o3),
  count(h.dust),
  count(h.usvh),
  count(h.uv),
  count(h.wind_speed), count(h.wind_sin)
    from rollup.region_hourly h
    where h.bucket >= today and h.bucket < end_of_days
      and (only_regions is null or h.region_slug = any(only_regions))
    group by h.region_slug
  )
  select rollup.bucket_start(unit, d.bucket), b.region_slug,
    (sum(extract(epoch from d.until - greatest(d.bucket, b.first_hour))) / 3600)::int,
    coalesce(sum(m.temperature_hours), 0)::int,
  coalesce(sum(m.humidity_hours), 0)::int,
  coalesce(sum(m.pressure_hours), 0)::int,
  coalesce(sum(m.pm1_hours), 0)::int,
  coalesce(sum(m.pm25_hours), 0)::int,
  coalesce(sum(m.pm25_raw_hours), 0)::int,
  coalesce(sum(m.pm10_hours), 0)::int,
  coalesce(sum(m.no2_hours), 0)::int,
  coalesce(sum(m.so2_hours), 0)::int,
  coalesce(sum(m.o3_hours), 0)::int,
  coalesce(sum(m.dust_hours), 0)::int,
  coalesce(sum(m.usvh_hours), 0)::int,
  coalesce(sum(m.uv_hours), 0)::int,
  coalesce(sum(m.wind_speed_hours), 0)::int, coalesce(sum(m.wind_hours), 0)::int
  from begun b
  join day d on greatest(d.bucket, b.first_hour) < d.until
  left join measured m on m.bucket = d.bucket and m.region_slug = b.region_slug
  group by 1, 2;
end $$;
comment on function api.region_completeness is
  'How many hours of a day or month have a value of each parameter, at an instant, for all regions or the '
  'given ones. The buckets are the days or months (by unit) that the period touches. One row per region and '
  'bucket from its first hour on, with readings or without.
Columns:
  timestamp (start of the bucket),
  region_slug (slug of the city or district),
  expected_hours (hours of the bucket: 23 or 25 on a day when the clocks change, in the running bucket only '
  'closed hours, and in the first bucket only hours from the first one of the region on [h]),
  temperature_hours,
  humidity_hours,
  pressure_hours,
  pm1_hours,
  pm25_hours,
  pm25_raw_hours,
  pm10_hours,
  no2_hours,
  so2_hours,
  o3_hours,
  dust_hours,
  usvh_hours,
  uv_hours,
  wind_speed_hours (those with a value of the parameter [h]),
  wind_hours (those with a wind direction [h]).';

-- Air quality indices besides the index of the US EPA: the European index, which counts gases (X1), and NowCast (X2);
-- and the trend of the last hours.

-- Ten times the worst band, from 0, plus the rank of the pollutant that has it: of several, the greatest is the first.
-- The arrays are the upper ends of a pollutant's bands, without the last. `no2` is in ppb, as everywhere in this
-- database, and is converted (S6). A single expression is planned within the query: a subquery took 0.3 ms a station.
create function logic.european_grade(pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8)
returns int language sql immutable parallel safe
  return greatest(
    10 * width_bucket(round(logic.possible(pm25)::numeric) - 1, array[5, 15, 50, 90, 140]::numeric[]) + 5,
    10 * width_bucket(round(logic.possible(pm10)::numeric) - 1, array[15, 45, 120, 195, 270]::numeric[]) + 4,
    10 * width_bucket(round(logic.possible(o3)::numeric) - 1, array[60, 100, 120, 160, 180]::numeric[]) + 3,
    10 * width_bucket(round(logic.possible(no2 * 1.9125)::numeric) - 1, array[10, 25, 60, 100, 150]::numeric[]) + 2,
    10 * width_bucket(round(logic.possible(so2)::numeric) - 1, array[20, 40, 125, 190, 275]::numeric[]) + 1);

create function logic.european_band(grade int) returns text language sql immutable parallel safe
  return (array['good', 'fair', 'moderate', 'poor', 'very poor', 'extremely poor'])[grade / 10 + 1];
create function logic.european_pollutant(grade int) returns text language sql immutable parallel safe
  return (array['so2', 'no2', 'o3', 'pm10', 'pm2.5'])[grade % 10];
-- A mean as the index rounds it, in whole µg/m³.
create function logic.european_value(mean float8) returns int language sql immutable parallel safe
  return case when logic.possible(mean) is not null then greatest(round(mean::numeric), 0) end::int;
-- The mean of the pollutant that makes a grade, likewise.
create function logic.european_concentration(
  grade int, pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8)
returns int language sql immutable parallel safe
  return logic.european_value(case grade % 10 when 5 then pm25 when 4 then pm10 when 3 then o3 when 2 then no2 * 1.9125
    when 1 then so2 end);

-- JSON objects by pollutant: the bands, the published means, and the means as the index rounds them.
create function logic.european_bands(pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8)
returns json language sql immutable parallel safe
  return json_build_object(
    'pm2.5', logic.european_band(logic.european_grade(pm25, null, null, null, null)),
    'pm10', logic.european_band(logic.european_grade(null, pm10, null, null, null)),
    'o3', logic.european_band(logic.european_grade(null, null, o3, null, null)),
    'no2', logic.european_band(logic.european_grade(null, null, null, no2, null)),
    'so2', logic.european_band(logic.european_grade(null, null, null, null, so2)));
create function logic.european_means(pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8)
returns json language sql immutable parallel safe
  return json_build_object('pm2.5', logic.published_non_negative(pm25, 1), 'pm10', logic.published_non_negative(pm10, 1),
    'o3', logic.published_non_negative(o3, 1), 'no2', logic.published_non_negative(no2, 1),
    'so2', logic.published_non_negative(so2, 1));
create function logic.european_concentrations(pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8)
returns json language sql immutable parallel safe
  return json_build_object('pm2.5', logic.european_value(pm25), 'pm10', logic.european_value(pm10),
    'o3', logic.european_value(o3), 'no2', logic.european_value(no2 * 1.9125), 'so2', logic.european_value(so2));

create function api.european_index(
  pm25 float8 default null, pm10 float8 default null, o3 float8 default null, no2 float8 default null,
    so2 float8 default null)
returns text language sql immutable parallel safe
  return logic.european_band(logic.european_grade(pm25, pm10, o3, no2, so2));
comment on function api.european_index is
  'European air quality index (bands of 2024) of the unrounded means of an hour: good, fair, moderate, poor, very '
  'poor or extremely poor. It is the worst band of the given pollutants; null if none is given. Means are in µg/m³, '
  'means of NO2 in ppb (1 ppb = 1.9125 µg/m³); they are rounded to integers.';

-- Negative means count as 0, as in the US EPA index.
create function api.nowcast(hours float8[], digits int default 1) returns float8 language sql immutable parallel safe
  return (
    select case when count(*) filter (where h.age < 3) >= 2
      then trunc((sum(h.mean * h.weight ^ h.age) / sum(h.weight ^ h.age))::numeric, digits)::float8 end
    from (
      select p.mean, p.age, greatest(min(p.mean) over () / nullif(max(p.mean) over (), 0), 0.5) as weight
      from (
        select greatest(u.mean, 0) as mean, u.age - 1 as age
        from unnest(hours[1:12]) with ordinality u(mean, age)
        where logic.possible(u.mean) is not null) p) h);
comment on function api.nowcast is
  'NowCast of the US EPA: a weighted mean of the last 12 closed hours. Their means are given newest first, with null '
  'where one is missing. The more the hours differ, the more weight the recent ones have. The result is truncated to '
  'the given number of decimals: 1 for PM2.5, 0 for PM10. Null unless two of the newest three hours have a mean.';

-- Decimal, because 0.1 * 30 and 3 may differ as floats. Negative means count as 0, as in NowCast. Small steps in one
-- direction are a trend too, or seven bars that rise would be called steady.
create function api.trend(hours float8[]) returns text language sql immutable parallel safe
  return (
    select case
      when t.change >= t.least_change then 'rising'
      when t.change <= -t.least_change then 'falling'
      when t.steps = 6 and t.in_all >= t.least_in_all then 'rising'
      when t.steps = -6 and -t.in_all >= t.least_in_all then 'falling'
      when t.change is not null then 'steady' end
    from (
      select h.newest - h.before as change, greatest(3, h.before / 10) as least_change, h.steps,
        h.newest - h.oldest as in_all, greatest(1, h.oldest / 10) as least_in_all
      from (
        select max(p.mean) filter (where p.age = 1) as newest, max(p.mean) filter (where p.age = 7) as oldest,
          case when count(*) filter (where p.age between 2 and 4) >= 2
            then avg(p.mean) filter (where p.age between 2 and 4) end as before,
          sum(sign(p.mean - p.mean_before)) as steps
        from (
          select k.mean, k.age, case when lead(k.age) over (order by k.age) = k.age + 1
            then lead(k.mean) over (order by k.age) end as mean_before
          from (
            select greatest(u.mean, 0)::numeric as mean, u.age
            from unnest(hours[1:7]) with ordinality u(mean, age)
            where logic.possible(u.mean) is not null) k) p) h) t);
comment on function api.trend is
  'Trend of PM2.5 from the means of the last 7 closed hours [µg/m³], newest first, with null where one is missing: '
  'rising or falling if the newest mean differs from the mean of the three before it by at least 3 µg/m³ and at '
  'least 10 % of that mean, or if each of the last six differs from the hour before it in one direction, by at least '
  '1 µg/m³ and 10 % in all; else steady. Null without the newest, or with fewer than two of the three before it.';

-- Documents of explore/v1 about one station: current indices, the days of a year, all its months, completeness, and
-- hours as CSV.
-- They run with the rights of their owner, since no view of this schema has unrounded means. Each reads a bounded
-- number of rows, and returns none for an unknown station.

create function api.station_now(at timestamptz, only_station int)
returns table (
  trend text,
  "nowcast_pm2.5" float8, nowcast_pm10 float8, nowcast_aqi int, nowcast_hours int,
  european_index text, european_timestamp timestamptz,
  european_pollutants text, european_values text, european_concentrations text, european_hours text,
  valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
begin
  return query
  with hour as materialized (
    select b.*, api.european_index(b.pm25, b.pm10, b.o3, b.no2, b.so2) as index
    from rollup.station_hourly b
    where b.station_id = only_station and b.bucket >= first_hour and b.bucket < end_of_hours
  ),
  cast_of as (
    select api.trend(array_agg(h.pm25 order by age)) as trend,
      api.nowcast(array_agg(h.pm25 order by age), 1) as pm25,
      api.nowcast(array_agg(h.pm10 order by age), 0) as pm10,
      count(coalesce(h.pm25, h.pm10))::int as hours
    from generate_series(1, 12) age
    left join hour h on h.bucket = rollup.bucket_add('hour', end_of_hours, -age)
  )
  select c.trend, c.pm25, c.pm10, rollup.aqi(c.pm25, c.pm10), c.hours,
    h.index, case when h.index is not null then h.bucket end,
    logic.european_bands(h.pm25, h.pm10, h.o3, h.no2, h.so2)::text,
    logic.european_means(h.pm25, h.pm10, h.o3, h.no2, h.so2)::text,
    logic.european_concentrations(h.pm25, h.pm10, h.o3, h.no2, h.so2)::text,
    (select coalesce(json_agg(json_build_object('timestamp', d.bucket,
        'pollutants', logic.european_bands(d.pm25, d.pm10, d.o3, d.no2, d.so2)) order by d.bucket), '[]')::text
      from hour d where d.index is not null),
    api.history_valid_until(at), f.data_version
  from raw.station s
  cross join cast_of c
  cross join api.freshness f
  left join hour h on h.bucket = rollup.bucket_add('hour', end_of_hours, -1)
  where s.id = only_station;
end $$;
comment on function api.station_now is
  'Trend, NowCast and the European index of a station at an instant. One row; none for an unknown station_id.
Columns:
  trend (of PM2.5, from the last 7 closed hours: see api.trend),
  "nowcast_pm2.5" and nowcast_pm10 (of the last 12 closed hours, see api.nowcast [µg/m³]),
  nowcast_aqi (of these two; it does not cover gases [US EPA AQI]),
  nowcast_hours (number of the 12 hours with PM2.5 or PM10 [h]),
  european_index (of the last closed hour, see api.european_index),
  european_timestamp (start of that hour; null without an index),
  european_pollutants (the band of each of pm2.5, pm10, o3, no2 and so2, a JSON object, as text),
  european_values (their published means, likewise),
  european_concentrations (their means in whole µg/m³, as the index rounds them, likewise),
  european_hours (a JSON array in the order of time: of each of the last 24 closed hours with an index its timestamp '
  'and pollutants, the bands, as text),
  valid_until (when the next hour closes),
  data_version.';

create function api.station_days_json(at timestamptz, only_station int, year int)
returns table (days text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  since constant timestamptz := make_timestamp(year, 1, 1, 0, 0, 0) at time zone rollup.time_zone();
  until constant timestamptz := least(make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone rollup.time_zone(),
    rollup.bucket_start('day', at));
begin
  return query
  select '[' || coalesce(string_agg((select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_pm25_raw, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, case when b.min_temperature is not null and b.max_temperature is not null then array[b.min_temperature, b.max_temperature] end as range_temperature, case when b.min_pm25 is not null and b.max_pm25 is not null then array[b.min_pm25, b.max_pm25] end as range_pm25, case when b.min_pm10 is not null and b.max_pm10 is not null then array[b.min_pm10, b.max_pm10] end as range_pm10, case when b.min_dust is not null and b.max_dust is not null then array[b.min_dust, b.max_dust] end as range_dust, case when b.min_wind_speed is not null and b.max_wind_speed is not null then array[b.min_wind_speed, b.max_wind_speed] end as range_wind_speed, case when b.min_aqi is not null and b.max_aqi is not null then array[b.min_aqi, b.max_aqi] end as range_aqi, b.aqi, b.min_temperature, b.max_temperature, b.min_pm25, b.max_pm25, b.min_pm10, b.max_pm10, b.min_no2, b.max_no2, b.min_dust, b.max_dust, b.min_wind_speed, b.max_wind_speed, b.european_index, b.pollutant, b.hours, b.expected_hours) point)::text, ',' order by b.timestamp), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select d.*, logic.european_band(g.grade) as european_index, logic.european_pollutant(g.grade) as pollutant,
      h.expected_hours, concat('{', '"temperature":', h.temperature_hours, ',',
  '"humidity":', h.humidity_hours, ',',
  '"pressure":', h.pressure_hours, ',',
  '"pm1":', h.pm1_hours, ',',
  '"pm2.5":', h.pm25_hours, ',',
  '"pm2.5_raw":', h.pm25_raw_hours, ',',
  '"pm10":', h.pm10_hours, ',',
  '"no2":', h.no2_hours, ',',
  '"so2":', h.so2_hours, ',',
  '"o3":', h.o3_hours, ',',
  '"dust":', h.dust_hours, ',',
  '"usvh":', h.usvh_hours, ',',
  '"uv":', h.uv_hours, ',',
  '"wind_speed":', h.wind_speed_hours, ',',
  '"wind_sin":', h.wind_hours, ',"wind_cos":', h.wind_hours, '}')::json as hours
    from api.station_daily d
    join api.station_completeness(at, 'day', since, until, array[only_station]) h on h.timestamp = d.timestamp
    cross join lateral (
      select logic.european_grade(d.avg_pm25, d.avg_pm10, d.avg_o3, d.avg_no2, d.avg_so2) as grade) g
    where d.station_id = only_station and d.timestamp >= since and d.timestamp < until
  ) b
  having exists (select from raw.station s where s.id = only_station);
end $$;
comment on function api.station_days_json is
  'The completed days of a station in a year. One row; none for an unknown station_id. Columns: days (a JSON array of '
  'points in the order of time, as text; each has the European index of its published means with the pollutant that '
  'makes it, its expected hours, and the number of hours behind each mean), valid_until, data_version.';

create function api.station_months_json(at timestamptz, only_station int)
returns table (months text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  first_month constant timestamptz := (select min(m.bucket) from rollup.station_monthly m
    where m.station_id = only_station);
begin
  return query
  select '[' || coalesce(string_agg(concat('{"timestamp":', to_json(b.timestamp), ',"avg_pm25":',
      coalesce(b.avg_pm25::text, 'null'), ',"aqi":', coalesce(b.aqi::text, 'null'), ',"measured_hours":',
      -- of the pollutant that decides the index (Q2): what the other has says nothing about it
      coalesce(case when b.aqi = rollup.aqi(b.avg_pm25, null) then h.pm25_hours else h.pm10_hours end, 0),
      ',"european_index":', coalesce(to_json(logic.european_band(g.grade))::text, 'null'),
      ',"pollutant":', coalesce(to_json(logic.european_pollutant(g.grade))::text, 'null'), ',"pollutant_hours":',
      coalesce(case logic.european_pollutant(g.grade) when 'pm2.5' then h.pm25_hours when 'pm10' then h.pm10_hours
        when 'o3' then h.o3_hours when 'no2' then h.no2_hours when 'so2' then h.so2_hours end, 0),
      ',"expected_hours":', coalesce(h.expected_hours, 0), '}'),
      ',' order by b.timestamp), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from api.station_monthly b
  left join api.station_completeness(at, 'month', first_month, at, array[only_station]) h
    on h.timestamp = b.timestamp
  cross join lateral (
    select logic.european_grade(b.avg_pm25, b.avg_pm10, b.avg_o3, b.avg_no2, b.avg_so2) as grade) g
  where b.station_id = only_station and b.timestamp < at
  having exists (select from raw.station s where s.id = only_station);
end $$;
comment on function api.station_months_json is
  'All months of a station since its first, the running one included. One row; none for an unknown station_id. '
  'Columns: months (a JSON array of months in the order of time, each with its mean of PM2.5, its index, the number '
  'of hours with the pollutant behind the index, the European index of its published means with the pollutant that '
  'makes it and the hours with that, and its expected hours: 0 of 0 before the first hour has closed, as text), '
  'valid_until, data_version.';

create function api.station_completeness_json(at timestamptz, only_station int)
returns table (days text, months text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  today constant timestamptz := rollup.bucket_start('day', at);
  first_day constant timestamptz := rollup.bucket_add('day', today, -30);
  first_month constant timestamptz := rollup.bucket_add('month', rollup.bucket_start('month', at), -23);
begin
  return query
  select '[' || coalesce(string_agg(b.json, ',' order by b.timestamp) filter (where b.unit = 'day'), '') || ']',
    '[' || coalesce(string_agg(b.json, ',' order by b.timestamp) filter (where b.unit = 'month'), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select u.unit, h.timestamp,
      concat('{"timestamp":', to_json(h.timestamp), ',"hours":', concat('{', '"temperature":', h.temperature_hours, ',',
  '"humidity":', h.humidity_hours, ',',
  '"pressure":', h.pressure_hours, ',',
  '"pm1":', h.pm1_hours, ',',
  '"pm2.5":', h.pm25_hours, ',',
  '"pm2.5_raw":', h.pm25_raw_hours, ',',
  '"pm10":', h.pm10_hours, ',',
  '"no2":', h.no2_hours, ',',
  '"so2":', h.so2_hours, ',',
  '"o3":', h.o3_hours, ',',
  '"dust":', h.dust_hours, ',',
  '"usvh":', h.usvh_hours, ',',
  '"uv":', h.uv_hours, ',',
  '"wind_speed":', h.wind_speed_hours, ',',
  '"wind_sin":', h.wind_hours, ',"wind_cos":', h.wind_hours, '}')::json,
        ',"expected_hours":', h.expected_hours, '}') as json
    from (values ('day', first_day, today), ('month', first_month, at)) u(unit, since, until)
    cross join lateral api.station_completeness(at, u.unit, u.since, u.until, array[only_station]) h
  ) b
  having exists (select from raw.station s where s.id = only_station);
end $$;
comment on function api.station_completeness_json is
  'How many hours of the last 30 completed days and of the last 24 months of a station have values (A11). One '
  'row; none for an unknown station_id. Columns: days and months (JSON arrays in the order of time, as text), '
  'valid_until, data_version.';

create function api.station_hours_csv(at timestamptz, only_station int, first_date text, last_date text)
returns table (lines text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  since constant timestamptz := first_date::timestamp at time zone rollup.time_zone();
  until constant timestamptz := least((last_date::timestamp + interval '1 day') at time zone rollup.time_zone(),
    rollup.bucket_start('hour', at));
begin
  return query
  select coalesce(string_agg(concat(b.station_id, ',', to_json(b.timestamp) #>> '{}', ',', b.avg_temperature, ',', b.avg_humidity, ',', b.avg_pressure, ',', b.avg_pm25, ',', b.avg_pm10, ',', b.avg_pm25_raw, ',', b.avg_no2, ',', b.avg_usvh, ',', b.avg_dust, ',', b.avg_so2, ',', b.avg_o3, ',', b.avg_wind_direction, ',', b.avg_wind_speed, ',', b.total_rain, ',', b.aqi, e'\n'), '' order by b.timestamp), ''),
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from api.station_hourly b
  where b.station_id = only_station and b.timestamp >= since and b.timestamp < until
  having exists (select from raw.station s where s.id = only_station);
end $$;
comment on function api.station_hours_csv is
  'The closed hours of a station from one local date to another, both included, as CSV. One row; none for an '
  'unknown station_id. Columns: lines (in the order of time, without a header), valid_until, data_version.';

-- Documents of explore/v1 about one region: current indices, the days of a year, all its months, completeness, and
-- hours as CSV.
-- They run with the rights of their owner, since no view of this schema has unrounded means. Each reads a bounded
-- number of rows, and returns none for an unknown region.

create function api.region_now(at timestamptz, only_region text)
returns table (
  trend text,
  "nowcast_pm2.5" float8, nowcast_pm10 float8, nowcast_aqi int, nowcast_hours int,
  european_index text, european_timestamp timestamptz,
  european_pollutants text, european_values text, european_concentrations text, european_hours text,
  valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
begin
  return query
  with hour as materialized (
    select b.*, api.european_index(b.pm25, b.pm10, b.o3, b.no2, b.so2) as index
    from rollup.region_hourly b
    where b.region_slug = only_region and b.bucket >= first_hour and b.bucket < end_of_hours
  ),
  cast_of as (
    select api.trend(array_agg(h.pm25 order by age)) as trend,
      api.nowcast(array_agg(h.pm25 order by age), 1) as pm25,
      api.nowcast(array_agg(h.pm10 order by age), 0) as pm10,
      count(coalesce(h.pm25, h.pm10))::int as hours
    from generate_series(1, 12) age
    left join hour h on h.bucket = rollup.bucket_add('hour', end_of_hours, -age)
  )
  select c.trend, c.pm25, c.pm10, rollup.aqi(c.pm25, c.pm10), c.hours,
    h.index, case when h.index is not null then h.bucket end,
    logic.european_bands(h.pm25, h.pm10, h.o3, h.no2, h.so2)::text,
    logic.european_means(h.pm25, h.pm10, h.o3, h.no2, h.so2)::text,
    logic.european_concentrations(h.pm25, h.pm10, h.o3, h.no2, h.so2)::text,
    (select coalesce(json_agg(json_build_object('timestamp', d.bucket,
        'pollutants', logic.european_bands(d.pm25, d.pm10, d.o3, d.no2, d.so2)) order by d.bucket), '[]')::text
      from hour d where d.index is not null),
    api.history_valid_until(at), f.data_version
  from raw.region s
  cross join cast_of c
  cross join api.freshness f
  left join hour h on h.bucket = rollup.bucket_add('hour', end_of_hours, -1)
  where s.slug = only_region;
end $$;
comment on function api.region_now is
  'Trend, NowCast and the European index of a region at an instant. One row; none for an unknown region_slug.
Columns:
  trend (of PM2.5, from the last 7 closed hours: see api.trend),
  "nowcast_pm2.5" and nowcast_pm10 (of the last 12 closed hours, see api.nowcast [µg/m³]),
  nowcast_aqi (of these two; it does not cover gases [US EPA AQI]),
  nowcast_hours (number of the 12 hours with PM2.5 or PM10 [h]),
  european_index (of the last closed hour, see api.european_index),
  european_timestamp (start of that hour; null without an index),
  european_pollutants (the band of each of pm2.5, pm10, o3, no2 and so2, a JSON object, as text),
  european_values (their published means, likewise),
  european_concentrations (their means in whole µg/m³, as the index rounds them, likewise),
  european_hours (a JSON array in the order of time: of each of the last 24 closed hours with an index its timestamp '
  'and pollutants, the bands, as text),
  valid_until (when the next hour closes),
  data_version.';

create function api.region_days_json(at timestamptz, only_region text, year int)
returns table (days text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  since constant timestamptz := make_timestamp(year, 1, 1, 0, 0, 0) at time zone rollup.time_zone();
  until constant timestamptz := least(make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone rollup.time_zone(),
    rollup.bucket_start('day', at));
begin
  return query
  select '[' || coalesce(string_agg((select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, b.station_count, case when b.min_temperature is not null and b.max_temperature is not null then array[b.min_temperature, b.max_temperature] end as range_temperature, case when b.min_pm25 is not null and b.max_pm25 is not null then array[b.min_pm25, b.max_pm25] end as range_pm25, case when b.min_pm10 is not null and b.max_pm10 is not null then array[b.min_pm10, b.max_pm10] end as range_pm10, case when b.min_dust is not null and b.max_dust is not null then array[b.min_dust, b.max_dust] end as range_dust, case when b.min_wind_speed is not null and b.max_wind_speed is not null then array[b.min_wind_speed, b.max_wind_speed] end as range_wind_speed, case when b.min_aqi is not null and b.max_aqi is not null then array[b.min_aqi, b.max_aqi] end as range_aqi, b.aqi, b.min_temperature, b.max_temperature, b.min_pm25, b.max_pm25, b.min_pm10, b.max_pm10, b.min_no2, b.max_no2, b.min_dust, b.max_dust, b.min_wind_speed, b.max_wind_speed, b.european_index, b.pollutant, b.hours, b.expected_hours) point)::text, ',' order by b.timestamp), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select d.*, logic.european_band(g.grade) as european_index, logic.european_pollutant(g.grade) as pollutant,
      h.expected_hours, concat('{', '"temperature":', h.temperature_hours, ',',
  '"humidity":', h.humidity_hours, ',',
  '"pressure":', h.pressure_hours, ',',
  '"pm1":', h.pm1_hours, ',',
  '"pm2.5":', h.pm25_hours, ',',
  '"pm2.5_raw":', h.pm25_raw_hours, ',',
  '"pm10":', h.pm10_hours, ',',
  '"no2":', h.no2_hours, ',',
  '"so2":', h.so2_hours, ',',
  '"o3":', h.o3_hours, ',',
  '"dust":', h.dust_hours, ',',
  '"usvh":', h.usvh_hours, ',',
  '"uv":', h.uv_hours, ',',
  '"wind_speed":', h.wind_speed_hours, ',',
  '"wind_sin":', h.wind_hours, ',"wind_cos":', h.wind_hours, '}')::json as hours
    from api.region_daily d
    join api.region_completeness(at, 'day', since, until, array[only_region]) h on h.timestamp = d.timestamp
    cross join lateral (
      select logic.european_grade(d.avg_pm25, d.avg_pm10, d.avg_o3, d.avg_no2, d.avg_so2) as grade) g
    where d.region_slug = only_region and d.timestamp >= since and d.timestamp < until
  ) b
  having exists (select from raw.region s where s.slug = only_region);
end $$;
comment on function api.region_days_json is
  'The completed days of a region in a year. One row; none for an unknown region_slug. Columns: days (a JSON array of '
  'points in the order of time, as text; each has the European index of its published means with the pollutant that '
  'makes it, its expected hours, and the number of hours behind each mean), valid_until, data_version.';

create function api.region_months_json(at timestamptz, only_region text)
returns table (months text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  first_month constant timestamptz := (select min(m.bucket) from rollup.region_monthly m
    where m.region_slug = only_region);
begin
  return query
  select '[' || coalesce(string_agg(concat('{"timestamp":', to_json(b.timestamp), ',"avg_pm25":',
      coalesce(b.avg_pm25::text, 'null'), ',"aqi":', coalesce(b.aqi::text, 'null'), ',"measured_hours":',
      -- of the pollutant that decides the index (Q2): what the other has says nothing about it
      coalesce(case when b.aqi = rollup.aqi(b.avg_pm25, null) then h.pm25_hours else h.pm10_hours end, 0),
      ',"european_index":', coalesce(to_json(logic.european_band(g.grade))::text, 'null'),
      ',"pollutant":', coalesce(to_json(logic.european_pollutant(g.grade))::text, 'null'), ',"pollutant_hours":',
      coalesce(case logic.european_pollutant(g.grade) when 'pm2.5' then h.pm25_hours when 'pm10' then h.pm10_hours
        when 'o3' then h.o3_hours when 'no2' then h.no2_hours when 'so2' then h.so2_hours end, 0),
      ',"expected_hours":', coalesce(h.expected_hours, 0), '}'),
      ',' order by b.timestamp), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from api.region_monthly b
  left join api.region_completeness(at, 'month', first_month, at, array[only_region]) h
    on h.timestamp = b.timestamp
  cross join lateral (
    select logic.european_grade(b.avg_pm25, b.avg_pm10, b.avg_o3, b.avg_no2, b.avg_so2) as grade) g
  where b.region_slug = only_region and b.timestamp < at
  having exists (select from raw.region s where s.slug = only_region);
end $$;
comment on function api.region_months_json is
  'All months of a region since its first, the running one included. One row; none for an unknown region_slug. '
  'Columns: months (a JSON array of months in the order of time, each with its mean of PM2.5, its index, the number '
  'of hours with the pollutant behind the index, the European index of its published means with the pollutant that '
  'makes it and the hours with that, and its expected hours: 0 of 0 before the first hour has closed, as text), '
  'valid_until, data_version.';

create function api.region_completeness_json(at timestamptz, only_region text)
returns table (days text, months text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  today constant timestamptz := rollup.bucket_start('day', at);
  first_day constant timestamptz := rollup.bucket_add('day', today, -30);
  first_month constant timestamptz := rollup.bucket_add('month', rollup.bucket_start('month', at), -23);
begin
  return query
  select '[' || coalesce(string_agg(b.json, ',' order by b.timestamp) filter (where b.unit = 'day'), '') || ']',
    '[' || coalesce(string_agg(b.json, ',' order by b.timestamp) filter (where b.unit = 'month'), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select u.unit, h.timestamp,
      concat('{"timestamp":', to_json(h.timestamp), ',"hours":', concat('{', '"temperature":', h.temperature_hours, ',',
  '"humidity":', h.humidity_hours, ',',
  '"pressure":', h.pressure_hours, ',',
  '"pm1":', h.pm1_hours, ',',
  '"pm2.5":', h.pm25_hours, ',',
  '"pm2.5_raw":', h.pm25_raw_hours, ',',
  '"pm10":', h.pm10_hours, ',',
  '"no2":', h.no2_hours, ',',
  '"so2":', h.so2_hours, ',',
  '"o3":', h.o3_hours, ',',
  '"dust":', h.dust_hours, ',',
  '"usvh":', h.usvh_hours, ',',
  '"uv":', h.uv_hours, ',',
  '"wind_speed":', h.wind_speed_hours, ',',
  '"wind_sin":', h.wind_hours, ',"wind_cos":', h.wind_hours, '}')::json,
        ',"expected_hours":', h.expected_hours, '}') as json
    from (values ('day', first_day, today), ('month', first_month, at)) u(unit, since, until)
    cross join lateral api.region_completeness(at, u.unit, u.since, u.until, array[only_region]) h
  ) b
  having exists (select from raw.region s where s.slug = only_region);
end $$;
comment on function api.region_completeness_json is
  'How many hours of the last 30 completed days and of the last 24 months of a region have values (A11). One '
  'row; none for an unknown region_slug. Columns: days and months (JSON arrays in the order of time, as text), '
  'valid_until, data_version.';

create function api.region_hours_csv(at timestamptz, only_region text, first_date text, last_date text)
returns table (lines text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  since constant timestamptz := first_date::timestamp at time zone rollup.time_zone();
  until constant timestamptz := least((last_date::timestamp + interval '1 day') at time zone rollup.time_zone(),
    rollup.bucket_start('hour', at));
begin
  return query
  select coalesce(string_agg(concat(b.region_slug, ',', to_json(b.timestamp) #>> '{}', ',', b.avg_temperature, ',', b.avg_humidity, ',', b.avg_pressure, ',', b.avg_pm25, ',', b.avg_pm10, ',', b.avg_no2, ',', b.avg_usvh, ',', b.avg_dust, ',', b.avg_so2, ',', b.avg_o3, ',', b.avg_wind_direction, ',', b.avg_wind_speed, ',', b.total_rain, ',', b.station_count, ',', b.aqi, e'\n'), '' order by b.timestamp), ''),
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from api.region_hourly b
  where b.region_slug = only_region and b.timestamp >= since and b.timestamp < until
  having exists (select from raw.region s where s.slug = only_region);
end $$;
comment on function api.region_hours_csv is
  'The closed hours of a region from one local date to another, both included, as CSV. One row; none for an '
  'unknown region_slug. Columns: lines (in the order of time, without a header), valid_until, data_version.';

-- Documents of explore/v1 that only stations have: the completeness of the last 24 hours, and the readings behind an
-- hour. station_readings_json runs with the rights of its owner, since no view of this schema has readings.

create function api.station_last_hours(at timestamptz, only_station int)
  returns table (expected_hours int, measured_hours int)
language sql stable
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
begin atomic
  -- the hours of the days that the 24 hours touch, minus those before the 24 hours
  select coalesce(sum(c.expected_hours * c.sign), 0)::int, coalesce(sum(c.pm25_hours * c.sign), 0)::int
  from (
    select d.expected_hours, d.pm25_hours, 1 as sign
    from api.station_completeness(at, 'day', at - interval '24 hours', at, array[only_station]) d
    union all
    select d.expected_hours, d.pm25_hours, -1
    from api.station_completeness(at - interval '24 hours', 'day', at - interval '24 hours', at - interval '24 hours',
      array[only_station]) d
  ) c;
end;
comment on function api.station_last_hours is
  'How complete the last 24 closed hours of a station are. One row. Columns: expected_hours (those from its first '
  'hour on [h]) and measured_hours (those with PM2.5 [h]).';

create function api.station_readings_json(at timestamptz, only_station int, instant timestamptz, most int default 5000)
returns table (
  "timestamp" timestamptz, hour text, sensors text, station text, kept boolean, complete boolean,
    valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  start constant timestamptz := rollup.bucket_start('hour', instant);
  next constant timestamptz := rollup.bucket_add('hour', start, 1);
  is_closed constant boolean := next <= at;
begin
  return query
  with placed as materialized (
    select p.sensor_id, nullif(p.formula, 'none') as formula from raw.placement p
    where p.station_id = only_station and p.since <= start and p.until >= next and is_closed
  ),
  reading as materialized ( -- one more than wanted, to know whether there are more
    select p.sensor_id, r.measured_at, concat('{"time":', to_json(date_trunc('second', r.measured_at)),
      ',"temperature":', coalesce(r.temperature::text, 'null'),
  ',"humidity":', coalesce(r.humidity::text, 'null'),
  ',"pressure":', coalesce(r.pressure::text, 'null'),
  ',"pm1":', coalesce(r.pm1::text, 'null'),
  ',"pm2.5":', coalesce(r.pm25::text, 'null'),
  ',"pm2.5_raw":', coalesce(r.pm25_raw::text, 'null'),
  ',"pm10":', coalesce(r.pm10::text, 'null'),
  ',"no2":', coalesce(r.no2::text, 'null'),
  ',"so2":', coalesce(r.so2::text, 'null'),
  ',"o3":', coalesce(r.o3::text, 'null'),
  ',"dust":', coalesce(r.dust::text, 'null'),
  ',"usvh":', coalesce(r.usvh::text, 'null'),
  ',"uv":', coalesce(r.uv::text, 'null'),
  ',"wind_speed":', coalesce(r.wind_speed::text, 'null'),
  ',"wind_direction":', coalesce(r.wind_direction::text, 'null'),
  ',"rain":', coalesce(r.rain::text, 'null'), '}') as reading
    from placed p
    cross join lateral (
      select * from raw.readings r
      where r.sensor_id = p.sensor_id and r.measured_at >= start and r.measured_at < next
      order by r.measured_at limit most + 1) r
    limit most + 1
  ),
  shown as (select * from reading limit most)
  select start,
    (select (select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_pm25_raw, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, b.aqi) point)::text from api.station_hourly b
      where b.station_id = only_station and b.timestamp = start and is_closed),
    (select '[' || coalesce(string_agg(concat(
      '{"id":', p.sensor_id,
      ',"formula":', coalesce(to_json(p.formula)::text, 'null'),
      ',"mean":', coalesce(
        (select concat('{"timestamp":', to_json(h.bucket),
  ',"temperature":', coalesce(logic.possible(h.temperature)::text, 'null'),
  ',"humidity":', coalesce(logic.possible(h.humidity)::text, 'null'),
  ',"pressure":', coalesce(logic.possible(h.pressure)::text, 'null'),
  ',"pm1":', coalesce(logic.possible(h.pm1)::text, 'null'),
  ',"pm2.5":', coalesce(logic.possible(h.pm25)::text, 'null'),
  ',"pm2.5_raw":', coalesce(logic.possible(h.pm25_raw)::text, 'null'),
  ',"pm10":', coalesce(logic.possible(h.pm10)::text, 'null'),
  ',"no2":', coalesce(logic.possible(h.no2)::text, 'null'),
  ',"so2":', coalesce(logic.possible(h.so2)::text, 'null'),
  ',"o3":', coalesce(logic.possible(h.o3)::text, 'null'),
  ',"dust":', coalesce(logic.possible(h.dust)::text, 'null'),
  ',"usvh":', coalesce(logic.possible(h.usvh)::text, 'null'),
  ',"uv":', coalesce(logic.possible(h.uv)::text, 'null'),
  ',"wind_speed":', coalesce(logic.possible(h.wind_speed)::text, 'null'),
  ',"wind_sin":', coalesce(logic.possible(h.wind_sin)::text, 'null'),
  ',"wind_cos":', coalesce(logic.possible(h.wind_cos)::text, 'null'),
  ',"rain":', coalesce(logic.possible(h.rain)::text, 'null'), '}') from rollup.sensor_hourly h
          where h.sensor_id = p.sensor_id and h.bucket = start), 'null'),
      ',"readings":[', (select string_agg(r.reading, ',' order by r.measured_at) from shown r
        where r.sensor_id = p.sensor_id), ']}'
    ), ',' order by p.sensor_id), '') || ']' from placed p),
    (select concat('{"timestamp":', to_json(h.bucket),
  ',"temperature":', coalesce(logic.possible(h.temperature)::text, 'null'),
  ',"humidity":', coalesce(logic.possible(h.humidity)::text, 'null'),
  ',"pressure":', coalesce(logic.possible(h.pressure)::text, 'null'),
  ',"pm1":', coalesce(logic.possible(h.pm1)::text, 'null'),
  ',"pm2.5":', coalesce(logic.possible(h.pm25)::text, 'null'),
  ',"pm2.5_raw":', coalesce(logic.possible(h.pm25_raw)::text, 'null'),
  ',"pm10":', coalesce(logic.possible(h.pm10)::text, 'null'),
  ',"no2":', coalesce(logic.possible(h.no2)::text, 'null'),
  ',"so2":', coalesce(logic.possible(h.so2)::text, 'null'),
  ',"o3":', coalesce(logic.possible(h.o3)::text, 'null'),
  ',"dust":', coalesce(logic.possible(h.dust)::text, 'null'),
  ',"usvh":', coalesce(logic.possible(h.usvh)::text, 'null'),
  ',"uv":', coalesce(logic.possible(h.uv)::text, 'null'),
  ',"wind_speed":', coalesce(logic.possible(h.wind_speed)::text, 'null'),
  ',"wind_sin":', coalesce(logic.possible(h.wind_sin)::text, 'null'),
  ',"wind_cos":', coalesce(logic.possible(h.wind_cos)::text, 'null'),
  ',"rain":', coalesce(logic.possible(h.rain)::text, 'null'), '}')
      from rollup.station_hourly h where h.station_id = only_station and h.bucket = start and is_closed),
    start >= i.retained_from,
    (select count(*) <= most from reading),
    api.history_valid_until(at), f.data_version
  from raw.station s
  cross join raw.installation i
  cross join api.freshness f
  where s.id = only_station;
end $$;
comment on function api.station_readings_json is
  'The readings behind an hour of a station, from all sensors that were there for the whole hour; none until the '
  'hour has closed. One row; none for an unknown id.
Columns:
  timestamp (start of the hour that contains the instant),
  hour (its point as JSON, as text; null without readings),
  sensors (a JSON array: each with its id, formula, unrounded means, and readings in the order of time),
  station (the unrounded means of the station as JSON, as text; null without readings),
  kept (whether readings of that hour are still kept),
  complete (whether these are all the readings: at most `most` are shown),
  valid_until,
  data_version.';

create function api.station_neighbours_json(at timestamptz, only_station int, most int default 5)
returns table (neighbours text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    logic.neighbours_json(at, s.latitude, s.longitude, array[s.id], most),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.station s cross join api.freshness f
  where s.id = only_station;
end $$;
comment on function api.station_neighbours_json is
  'The listed stations nearest to a station, at most `most`. One row; none for an unknown id. Columns: neighbours (a '
  'JSON array with the id and the distance in km of each, the nearest first, as text), valid_until, data_version.';

-- The document of explore/v1 that only regions have: the station hours behind an hour (A3). The function runs with the
-- rights of its owner, since no view of this schema has unrounded means.
create function api.region_stations_json(at timestamptz, only_region text, instant timestamptz, most int default 1000)
returns table ("timestamp" timestamptz, hour text, stations text, region text, complete boolean,
  valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  start constant timestamptz := rollup.bucket_start('hour', instant);
  next constant timestamptz := rollup.bucket_add('hour', start, 1);
  is_closed constant boolean := next <= at;
begin
  return query
  with station as materialized ( -- one more than wanted, to know whether there are more
    select m.station_id, concat('{"id":', m.station_id, ',"is_bad_thp":', m.is_flagged::text,
      ',"is_bad_pm":', m.is_pm_suspect::text, ',"mean":', h.mean, '}') as mean
    from raw.membership m
    cross join lateral (
      select concat('{"timestamp":', to_json(h.bucket),
  ',"temperature":', coalesce(logic.possible(h.temperature)::text, 'null'),
  ',"humidity":', coalesce(logic.possible(h.humidity)::text, 'null'),
  ',"pressure":', coalesce(logic.possible(h.pressure)::text, 'null'),
  ',"pm1":', coalesce(logic.possible(h.pm1)::text, 'null'),
  ',"pm2.5":', coalesce(logic.possible(h.pm25)::text, 'null'),
  ',"pm2.5_raw":', coalesce(logic.possible(h.pm25_raw)::text, 'null'),
  ',"pm10":', coalesce(logic.possible(h.pm10)::text, 'null'),
  ',"no2":', coalesce(logic.possible(h.no2)::text, 'null'),
  ',"so2":', coalesce(logic.possible(h.so2)::text, 'null'),
  ',"o3":', coalesce(logic.possible(h.o3)::text, 'null'),
  ',"dust":', coalesce(logic.possible(h.dust)::text, 'null'),
  ',"usvh":', coalesce(logic.possible(h.usvh)::text, 'null'),
  ',"uv":', coalesce(logic.possible(h.uv)::text, 'null'),
  ',"wind_speed":', coalesce(logic.possible(h.wind_speed)::text, 'null'),
  ',"wind_sin":', coalesce(logic.possible(h.wind_sin)::text, 'null'),
  ',"wind_cos":', coalesce(logic.possible(h.wind_cos)::text, 'null'),
  ',"rain":', coalesce(logic.possible(h.rain)::text, 'null'), '}') as mean
      from rollup.station_hourly h where h.station_id = m.station_id and h.bucket = start) h
    where m.region_slug = only_region and m.since <= start and m.until > start and is_closed
    limit most + 1
  )
  select start,
    (select (select row_to_json(point) from (select b.timestamp, b.avg_temperature, b.avg_humidity, b.avg_pressure, b.avg_pm25, b.avg_pm10, b.avg_no2, b.avg_usvh, b.avg_dust, b.avg_so2, b.avg_o3, b.avg_wind_direction, b.avg_wind_speed, b.total_rain, b.station_count, b.aqi) point)::text from api.region_hourly b
      where b.region_slug = only_region and b.timestamp = start and is_closed),
    (select '[' || coalesce(string_agg(shown.mean, ',' order by shown.station_id), '') || ']'
      from (select * from station limit most) shown),
    (select concat('{"timestamp":', to_json(h.bucket),
  ',"temperature":', coalesce(logic.possible(h.temperature)::text, 'null'),
  ',"humidity":', coalesce(logic.possible(h.humidity)::text, 'null'),
  ',"pressure":', coalesce(logic.possible(h.pressure)::text, 'null'),
  ',"pm1":', coalesce(logic.possible(h.pm1)::text, 'null'),
  ',"pm2.5":', coalesce(logic.possible(h.pm25)::text, 'null'),
  ',"pm2.5_raw":', coalesce(logic.possible(h.pm25_raw)::text, 'null'),
  ',"pm10":', coalesce(logic.possible(h.pm10)::text, 'null'),
  ',"no2":', coalesce(logic.possible(h.no2)::text, 'null'),
  ',"so2":', coalesce(logic.possible(h.so2)::text, 'null'),
  ',"o3":', coalesce(logic.possible(h.o3)::text, 'null'),
  ',"dust":', coalesce(logic.possible(h.dust)::text, 'null'),
  ',"usvh":', coalesce(logic.possible(h.usvh)::text, 'null'),
  ',"uv":', coalesce(logic.possible(h.uv)::text, 'null'),
  ',"wind_speed":', coalesce(logic.possible(h.wind_speed)::text, 'null'),
  ',"wind_sin":', coalesce(logic.possible(h.wind_sin)::text, 'null'),
  ',"wind_cos":', coalesce(logic.possible(h.wind_cos)::text, 'null'),
  ',"rain":', coalesce(logic.possible(h.rain)::text, 'null'), '}')
      from rollup.region_hourly h where h.region_slug = only_region and h.bucket = start and is_closed),
    (select count(*) <= most from station),
    api.history_valid_until(at), f.data_version
  from raw.region s
  cross join api.freshness f
  where s.slug = only_region;
end $$;
comment on function api.region_stations_json is
  'The station hours behind an hour of a region; none until the hour has closed. One row; none for an unknown slug.
Columns:
  timestamp (start of the hour that contains the instant),
  hour (its point as JSON, as text; null without readings),
  stations (a JSON array: each with its id, whether its temperature, humidity and pressure are left out, '
  'whether its particles are left out, and its unrounded means),
  region (the unrounded means of the region as JSON, as text; null without readings),
  complete (whether these are all the stations: at most `most` are shown),
  valid_until,
  data_version.';

-- Tells how far measurements can be trusted: flag periods of stations (C5, C9), agreement of neighbouring sensors, and
-- stations left out of a region.

create function api.sensor_pair(at timestamptz, only_station int default null)
returns table (
  x_sensor_id int, x_station_id int, y_sensor_id int, y_station_id int, days int, slope float8, intercept float8,
    r2 float8, rmse float8,
  meets_targets boolean
) language sql stable begin atomic
  select p.x_sensor_id, p.x_station_id, p.y_sensor_id, p.y_station_id, p.days,
    round(p.slope::numeric, 2)::float8, round(p.intercept::numeric, 1)::float8, round(p.r2::numeric, 2)::float8,
      round(p.rmse::numeric, 1)::float8,
    p.slope between 0.65 and 1.35 and p.intercept between -5 and 5 and p.r2 >= 0.7 and p.rmse <= 7
  from logic.sensor_pair(at, only_station) p;
end;
comment on function api.sensor_pair is
  'Pairs of PM2.5 sensors at one station, or at stations within 150 m of each other, for all stations or one. The '
  'day means of y are regressed on the day means of x, over the last 30 completed days. x is the sensor at a '
  'trusted station, else the one with the lower id. One row per pair with a day on which at least 18 hours have '
  'both.
Columns:
  x_sensor_id, x_station_id, y_sensor_id and y_station_id (ids),
  days (that are compared [days]),
  slope and r2 (of the regression of y on x; null without two different days),
  intercept (likewise [µg/m³]),
  rmse (root mean square of their differences [µg/m³]),
  meets_targets (slope 0.65 to 1.35, intercept within ±5, r2 at least 0.70 and rmse at most 7: the US EPA’s '
  'targets for PM2.5 sensors, EPA/600/R-20/280; null if one is unknown, unless another fails).';

create function api.station_shift(at timestamptz, only_station int default null)
returns table (
  station_id int, parameter text, hours int, shift_hours int, r float8, r_unshifted float8, is_clear boolean
) language sql stable begin atomic
  select s.station_id, case s.parameter when 'pm25' then 'pm2.5' else s.parameter end, s.hours, s.shift_hours,
    round(s.r::numeric, 3)::float8, round(s.r_unshifted::numeric, 3)::float8, s.is_clear
  from logic.station_shift(at, only_station) s;
end;
comment on function api.station_shift is
  'How well a station’s hours of the last 30 days fit the median of its three nearest neighbours within 10 km when they are moved by up to two hours, for all stations or one. Flagged hours are left out. One row per station that has two of them and at least 200 hours to compare.
Columns:
  station_id (station id),
  parameter (that is compared: temperature, or where that is not possible pm2.5),
  hours (that are compared [h]),
  shift_hours (at which they correlate best; -1: an hour earlier [h]),
  r (correlation there),
  r_unshifted (correlation of the hours as they are),
  is_clear (whether the shift leaves less than 0.7 of what did not correlate, and less than at each neighbour: stamps that name the end of the hour, or another zone).';

create function api.station_flags_json(at timestamptz, only_station int)
returns table (flags text, pairs text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    (select coalesce(json_agg(json_build_object(
        'kind', l.kind, 'test', l.reason, 'sensor_id', l.sensor_id, 'since', date_trunc('second', l.since),
          'until', date_trunc('second', l.until),
        'is_left_out', l.is_left_out, 'pm2.5', l."pm2.5", 'median', l.median,
          'compared_with', coalesce(l.compared_with, '[]')::json)
      order by l.since desc nulls last, l.kind, l.reason, l.sensor_id), '[]')::text
      from api.station_flag l where l.station_id = s.id),
    (select coalesce(json_agg(json_build_object(
        'x', json_build_object('sensor_id', p.x_sensor_id, 'station_id', p.x_station_id),
        'y', json_build_object('sensor_id', p.y_sensor_id, 'station_id', p.y_station_id),
        'days', p.days, 'slope', p.slope, 'intercept', p.intercept, 'r2', p.r2, 'rmse', p.rmse,
          'meets_targets', p.meets_targets)
      order by p.x_sensor_id, p.y_sensor_id), '[]')::text
      from api.sensor_pair(at, only_station) p),
    api.history_valid_until(at), f.data_version
  from raw.station s cross join api.freshness f
  where s.id = only_station;
end $$;
comment on function api.station_flags_json is
  'The flag periods of a station with their reasons, and the agreement of its PM2.5 sensors. One row; none for an '
  'unknown id. Columns: flags (a JSON array of api.station_flag, newest first, as text), pairs (a JSON array of '
  'api.sensor_pair, as text), valid_until, data_version.';

create function api.region_particles(at timestamptz, only_region text)
returns table (stations int, left_out int, expected int, digest_valid_until timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  today constant timestamptz := rollup.bucket_start('day', at);
  first_day constant timestamptz := rollup.bucket_add('day', today, -30);
begin
  return query
  select d.pm_stations, d.pm_left_out,
    -- a station that began since the last refresh is in the digest, and has no day yet
    case when d.made_at is not null then greatest(d.pm_stations + d.pm_left_out, measuring.stations) end,
    least(
      d.made_at + interval '30 minutes' + interval '1 microsecond',
      (select min(next.made_at) from rollup.digest next where next.region_slug = r.slug and next.made_at > at))
  from raw.region r
  left join lateral (
    select made_at, pm_stations, pm_left_out from rollup.digest d
    where d.region_slug = r.slug and d.made_at <= at and d.made_at >= at - interval '30 minutes'
    order by d.made_at desc limit 1
  ) d on true
  cross join lateral (
    select count(*)::int as stations from raw.membership m
    where m.region_slug = r.slug and m.since <= at and at < m.until and d.made_at is not null
      and exists (select from rollup.station_daily day
        where day.station_id = m.station_id and day.bucket >= first_day and day.bucket <= today
          and coalesce(day.pm1,
  day.pm25,
  day.pm25_raw,
  day.pm10) is not null)
  ) measuring
  where r.slug = only_region;
end $$;
comment on function api.region_particles is
  'The number of stations behind the particle means in a region’s newest digest, the number left out because their '
  'particles are suspect (C9), and of how many they are. One row; none for an unknown slug.
Columns, null if the digest is older than 30 minutes:
  stations (in the particle means [stations]),
  left_out (suspect [stations]),
  expected (members that measured particles today or on one of the last 30 completed days, so that those that are '
  'offline count too [stations]),
  digest_valid_until (when the digest is too old or the next one counts; null without one).';

-- The verdict of a year of data on a limit of the EU.
create function api.limit_verdict(is_exceeded boolean, coverage float8, is_over boolean) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select case when is_exceeded then 'exceeded'
    when not is_over then 'running'
    when coverage >= 0.85 then 'kept'
    else 'insufficient_data' end
$$;
comment on function api.limit_verdict is
  'What a year says about a limit: exceeded; running (not exceeded so far, and the year is not over); kept; or '
  'insufficient_data (not exceeded, but fewer than 85 % of its days or hours were measured: the minimum data coverage '
  'of Directive (EU) 2024/2881, Annex V, Point B). More exceedances than are allowed count even with few data (Point D).';

-- Compares a calendar year of one station, or the last 365 completed days, with the limits of the EU from 2030. It
-- runs with the rights of its owner, since no view of this schema has unrounded means.
create function api.station_limits(at timestamptz, only_station int, year int default null)
returns table (
  first_day text, last_day text, expected_days int, expected_hours int,
  "mean_pm2.5" float8, "pm2.5_mean_limit" int, "pm2.5_mean_verdict" text,
  "mean_pm10" float8, "pm10_mean_limit" int, "pm10_mean_verdict" text,
  "mean_no2" float8, "no2_mean_limit" int, "no2_mean_verdict" text,
  "mean_so2" float8, "so2_mean_limit" int, "so2_mean_verdict" text,
  "pm2.5_days" int, "pm2.5_complete_days" int, "pm2.5_days_above" int, "pm2.5_days_limit" int,
  "pm2.5_days_allowed" int, "pm2.5_days_verdict" text, "pm2.5_days_change" int,
  "pm10_days" int, "pm10_complete_days" int, "pm10_days_above" int, "pm10_days_limit" int,
  "pm10_days_allowed" int, "pm10_days_verdict" text, "pm10_days_change" int,
  "no2_days" int, "no2_complete_days" int, "no2_days_above" int, "no2_days_limit" int,
  "no2_days_allowed" int, "no2_days_verdict" text, "no2_days_change" int,
  "so2_days" int, "so2_complete_days" int, "so2_days_above" int, "so2_days_limit" int,
  "so2_days_allowed" int, "so2_days_verdict" text, "so2_days_change" int,
  "no2_hours" int, "no2_hours_above" int, "no2_hours_limit" int, "no2_hours_allowed" int,
  "no2_hours_verdict" text,
  "so2_hours" int, "so2_hours_above" int, "so2_hours_limit" int, "so2_hours_allowed" int,
  "so2_hours_verdict" text,
  "o3_days" int, "o3_complete_days" int, "o3_days_above" int, "o3_days_limit" int,
  "o3_days_allowed" int, "o3_days_verdict" text,
  valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  zone constant text := rollup.time_zone();
  today constant timestamptz := rollup.bucket_start('day', at);
  end_of_year constant timestamptz := make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone zone;
  until constant timestamptz := least(end_of_year, today); -- without a year, today
  is_over constant boolean := coalesce(end_of_year <= today, true);
  since constant timestamptz := coalesce(make_timestamp(year, 1, 1, 0, 0, 0) at time zone zone,
    rollup.bucket_add('day', today, -365));
  -- the same days of the year before, with which only calendar years are compared
  since_before constant timestamptz := case when year is null then since
    else ((since at time zone zone) - interval '1 year') at time zone zone end;
  until_before constant timestamptz := case when year is null then since
    else ((until at time zone zone) - interval '1 year') at time zone zone end;
  days constant int := greatest((until at time zone zone)::date - (since at time zone zone)::date, 0);
  days_before constant int := (until_before at time zone zone)::date - (since_before at time zone zone)::date;
  hours constant int := greatest(extract(epoch from until - since) / 3600, 0);
  -- The mean of eight hours that ends with the first hour of a day begins seven hours before it. Null, which reads no
  -- hour, where no day has such a value: of most stations, whose hours took nine tenths of the time (30 ms of 33).
  first_hour constant timestamptz := (
    select since - interval '7 hours' from rollup.station_daily b
    where b.station_id = only_station and b.bucket >= rollup.bucket_add('day', since, -1) and b.bucket < until
      and coalesce(b.no2,
  b.so2, b.o3) is not null
    limit 1);
begin
  return query
  -- complete: a mean of 24 hours needs 75 % of them (Annex V, Point C)
  with day as (
    select b.bucket >= since as is_in,
      logic.possible(b.pm25) as pm25, b.pm25_hours >= 18 as pm25_complete,
  logic.possible(b.pm10) as pm10, b.pm10_hours >= 18 as pm10_complete,
  logic.possible(b.no2) * 1.9125 as no2, b.no2_hours >= 18 as no2_complete,
  logic.possible(b.so2) as so2, b.so2_hours >= 18 as so2_complete
    from rollup.station_daily b
    where b.station_id = only_station and b.bucket >= since_before and b.bucket < until
      and (b.bucket < until_before or b.bucket >= since)
  ),
  measured as materialized (
    select b.bucket,
      logic.possible(b.no2) * 1.9125 as no2,
  logic.possible(b.so2) as so2,
      logic.possible(b.o3) as o3
    from rollup.station_hourly b
    where b.station_id = only_station and b.bucket >= first_hour and b.bucket < until
  ),
  -- of every hour, since a mean of eight hours may end with an absent one; it needs 75 % of its hours
  running as (
    select every.hour,
      case when count(m.o3) over eight >= 6 then avg(m.o3) over eight end as o3
    from generate_series(first_hour, until - interval '1 hour', interval '1 hour') every(hour)
    left join measured m on m.bucket = every.hour
    window eight as (order by every.hour rows between 7 preceding and current row)
  ),
  highest as (
    select max(r.o3) as o3, count(r.o3) >= 18 as o3_complete
    from running r where r.hour >= since
    group by rollup.bucket_start('day', r.hour)
  ),
  of_days as (
    select logic.published_non_negative(avg(d.pm25) filter (where d.is_in), 1) as pm25_mean,
      count(d.pm25) filter (where d.is_in)::int as pm25_days,
      count(*) filter (where d.is_in and d.pm25_complete)::int as pm25_complete,
      count(*) filter (where d.is_in and d.pm25 > 25)::int as pm25_above,
      count(*) filter (where not d.is_in and d.pm25_complete)::int as pm25_complete_before,
      count(*) filter (where not d.is_in and d.pm25 > 25)::int as pm25_above_before,
  logic.published_non_negative(avg(d.pm10) filter (where d.is_in), 1) as pm10_mean,
      count(d.pm10) filter (where d.is_in)::int as pm10_days,
      count(*) filter (where d.is_in and d.pm10_complete)::int as pm10_complete,
      count(*) filter (where d.is_in and d.pm10 > 45)::int as pm10_above,
      count(*) filter (where not d.is_in and d.pm10_complete)::int as pm10_complete_before,
      count(*) filter (where not d.is_in and d.pm10 > 45)::int as pm10_above_before,
  logic.published_non_negative(avg(d.no2) filter (where d.is_in), 1) as no2_mean,
      count(d.no2) filter (where d.is_in)::int as no2_days,
      count(*) filter (where d.is_in and d.no2_complete)::int as no2_complete,
      count(*) filter (where d.is_in and d.no2 > 50)::int as no2_above,
      count(*) filter (where not d.is_in and d.no2_complete)::int as no2_complete_before,
      count(*) filter (where not d.is_in and d.no2 > 50)::int as no2_above_before,
  logic.published_non_negative(avg(d.so2) filter (where d.is_in), 1) as so2_mean,
      count(d.so2) filter (where d.is_in)::int as so2_days,
      count(*) filter (where d.is_in and d.so2_complete)::int as so2_complete,
      count(*) filter (where d.is_in and d.so2 > 50)::int as so2_above,
      count(*) filter (where not d.is_in and d.so2_complete)::int as so2_complete_before,
      count(*) filter (where not d.is_in and d.so2 > 50)::int as so2_above_before
    from day d
  ),
  of_hours as (
    select count(m.no2)::int as no2_hours,
      (count(*) filter (where m.no2 > 200))::int as no2_above,
  count(m.so2)::int as so2_hours,
      (count(*) filter (where m.so2 > 350))::int as so2_above
    from measured m where m.bucket >= since
  ),
  of_eight_hours as (
    select count(h.o3)::int as o3_days,
      (count(*) filter (where h.o3_complete))::int as o3_complete,
      (count(*) filter (where h.o3 > 120))::int as o3_above
    from highest h
  )
  select to_char(since at time zone zone, 'YYYY-MM-DD'),
    case when days > 0 then to_char((until at time zone zone) - interval '1 day', 'YYYY-MM-DD') end, days, hours,
    -- of fewer days, or of a part of the year, it is no mean of a year; as published, so that 20.0 does not exceed 20
    d.pm25_mean, 10,
      api.limit_verdict(d.pm25_mean > 10 and is_over and d.pm25_complete >= 0.85 * days,
        d.pm25_complete::float8 / nullif(days, 0), is_over),
  d.pm10_mean, 20,
      api.limit_verdict(d.pm10_mean > 20 and is_over and d.pm10_complete >= 0.85 * days,
        d.pm10_complete::float8 / nullif(days, 0), is_over),
  d.no2_mean, 20,
      api.limit_verdict(d.no2_mean > 20 and is_over and d.no2_complete >= 0.85 * days,
        d.no2_complete::float8 / nullif(days, 0), is_over),
  d.so2_mean, 20,
      api.limit_verdict(d.so2_mean > 20 and is_over and d.so2_complete >= 0.85 * days,
        d.so2_complete::float8 / nullif(days, 0), is_over),
    d.pm25_days, d.pm25_complete, d.pm25_above, 25, 18,
      api.limit_verdict(d.pm25_above > 18, d.pm25_complete::float8 / nullif(days, 0), is_over),
      case when d.pm25_complete >= 0.85 * days and d.pm25_complete_before >= 0.85 * days_before and days_before > 0
        then d.pm25_above - d.pm25_above_before end,
  d.pm10_days, d.pm10_complete, d.pm10_above, 45, 18,
      api.limit_verdict(d.pm10_above > 18, d.pm10_complete::float8 / nullif(days, 0), is_over),
      case when d.pm10_complete >= 0.85 * days and d.pm10_complete_before >= 0.85 * days_before and days_before > 0
        then d.pm10_above - d.pm10_above_before end,
  d.no2_days, d.no2_complete, d.no2_above, 50, 18,
      api.limit_verdict(d.no2_above > 18, d.no2_complete::float8 / nullif(days, 0), is_over),
      case when d.no2_complete >= 0.85 * days and d.no2_complete_before >= 0.85 * days_before and days_before > 0
        then d.no2_above - d.no2_above_before end,
  d.so2_days, d.so2_complete, d.so2_above, 50, 18,
      api.limit_verdict(d.so2_above > 18, d.so2_complete::float8 / nullif(days, 0), is_over),
      case when d.so2_complete >= 0.85 * days and d.so2_complete_before >= 0.85 * days_before and days_before > 0
        then d.so2_above - d.so2_above_before end,
    h.no2_hours, h.no2_above, 200, 3,
      api.limit_verdict(h.no2_above > 3, h.no2_hours::float8 / nullif(hours, 0), is_over),
  h.so2_hours, h.so2_above, 350, 3,
      api.limit_verdict(h.so2_above > 3, h.so2_hours::float8 / nullif(hours, 0), is_over),
    e.o3_days, e.o3_complete, e.o3_above, 120, 18,
      api.limit_verdict(e.o3_above > 18, e.o3_complete::float8 / nullif(days, 0), is_over),
    api.history_valid_until(at), f.data_version
  from raw.station s
  cross join api.freshness f
  cross join of_days d
  cross join of_hours h
  cross join of_eight_hours e
  where s.id = only_station;
end $$;
comment on function api.station_limits is
  'The completed days of a calendar year of a station, without a year the last 365, compared with the limits of '
  'the EU from 2030 (Directive (EU) 2024/2881, Annex I). One row; none for an unknown station_id. The mean is '
  'compared as published, days and hours before rounding; 1 ppb of NO2 = 1.9125 µg/m³. Verdicts: see api.limit_verdict.
Columns:
  first_day and last_day (local dates; null before the first day is over),
  expected_days (days in the period [days]),
  expected_hours (hours in the period [h]),
  "mean_pm2.5" (mean of the days [µg/m³]), "pm2.5_mean_limit" (limit of a year [µg/m³]),
  "pm2.5_mean_verdict" (verdict on the year),
  "mean_pm10" (mean of the days [µg/m³]), "pm10_mean_limit" (limit of a year [µg/m³]),
  "pm10_mean_verdict" (verdict on the year),
  "mean_no2" (mean of the days [µg/m³]), "no2_mean_limit" (limit of a year [µg/m³]),
  "no2_mean_verdict" (verdict on the year),
  "mean_so2" (mean of the days [µg/m³]), "so2_mean_limit" (limit of a year [µg/m³]),
  "so2_mean_verdict" (verdict on the year),
  "pm2.5_days" (days with a value [days]), "pm2.5_complete_days" (those with 18 hours or more [days]),
  "pm2.5_days_above" (days above the limit [days]), "pm2.5_days_limit" (limit of a day [µg/m³]),
  "pm2.5_days_allowed" (days above it that a year may have [days]), "pm2.5_days_verdict" (verdict on the days),
  "pm2.5_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days]),
  "pm10_days" (days with a value [days]), "pm10_complete_days" (those with 18 hours or more [days]),
  "pm10_days_above" (days above the limit [days]), "pm10_days_limit" (limit of a day [µg/m³]),
  "pm10_days_allowed" (days above it that a year may have [days]), "pm10_days_verdict" (verdict on the days),
  "pm10_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days]),
  "no2_days" (days with a value [days]), "no2_complete_days" (those with 18 hours or more [days]),
  "no2_days_above" (days above the limit [days]), "no2_days_limit" (limit of a day [µg/m³]),
  "no2_days_allowed" (days above it that a year may have [days]), "no2_days_verdict" (verdict on the days),
  "no2_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days]),
  "so2_days" (days with a value [days]), "so2_complete_days" (those with 18 hours or more [days]),
  "so2_days_above" (days above the limit [days]), "so2_days_limit" (limit of a day [µg/m³]),
  "so2_days_allowed" (days above it that a year may have [days]), "so2_days_verdict" (verdict on the days),
  "so2_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days]),
  "no2_hours" (hours with a value [h]), "no2_hours_above" (those above the limit [h]),
  "no2_hours_limit" (limit of an hour [µg/m³]), "no2_hours_allowed" (hours above it that a year may have [h]),
  "no2_hours_verdict" (verdict on the hours),
  "so2_hours" (hours with a value [h]), "so2_hours_above" (those above the limit [h]),
  "so2_hours_limit" (limit of an hour [µg/m³]), "so2_hours_allowed" (hours above it that a year may have [h]),
  "so2_hours_verdict" (verdict on the hours),
  "o3_days" (days on which a mean of eight hours ends, of which six have a value [days]),
  "o3_complete_days" (those with 18 such means or more [days]),
  "o3_days_above" (days whose highest such mean is above the target value [days]),
  "o3_days_limit" (target value [µg/m³]), "o3_days_allowed" (days above it that a year may have [days]),
  "o3_days_verdict" (verdict on the days),
  valid_until,
  data_version.';

-- Compares a calendar year of one region, or the last 365 completed days, with the limits of the EU from 2030. It
-- runs with the rights of its owner, since no view of this schema has unrounded means.
create function api.region_limits(at timestamptz, only_region text, year int default null)
returns table (
  first_day text, last_day text, expected_days int, expected_hours int,
  "mean_pm2.5" float8, "pm2.5_mean_limit" int, "pm2.5_mean_verdict" text,
  "mean_pm10" float8, "pm10_mean_limit" int, "pm10_mean_verdict" text,
  "mean_no2" float8, "no2_mean_limit" int, "no2_mean_verdict" text,
  "mean_so2" float8, "so2_mean_limit" int, "so2_mean_verdict" text,
  "pm2.5_days" int, "pm2.5_complete_days" int, "pm2.5_days_above" int, "pm2.5_days_limit" int,
  "pm2.5_days_allowed" int, "pm2.5_days_verdict" text, "pm2.5_days_change" int,
  "pm10_days" int, "pm10_complete_days" int, "pm10_days_above" int, "pm10_days_limit" int,
  "pm10_days_allowed" int, "pm10_days_verdict" text, "pm10_days_change" int,
  "no2_days" int, "no2_complete_days" int, "no2_days_above" int, "no2_days_limit" int,
  "no2_days_allowed" int, "no2_days_verdict" text, "no2_days_change" int,
  "so2_days" int, "so2_complete_days" int, "so2_days_above" int, "so2_days_limit" int,
  "so2_days_allowed" int, "so2_days_verdict" text, "so2_days_change" int,
  "no2_hours" int, "no2_hours_above" int, "no2_hours_limit" int, "no2_hours_allowed" int,
  "no2_hours_verdict" text,
  "so2_hours" int, "so2_hours_above" int, "so2_hours_limit" int, "so2_hours_allowed" int,
  "so2_hours_verdict" text,
  "o3_days" int, "o3_complete_days" int, "o3_days_above" int, "o3_days_limit" int,
  "o3_days_allowed" int, "o3_days_verdict" text,
  valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  zone constant text := rollup.time_zone();
  today constant timestamptz := rollup.bucket_start('day', at);
  end_of_year constant timestamptz := make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone zone;
  until constant timestamptz := least(end_of_year, today); -- without a year, today
  is_over constant boolean := coalesce(end_of_year <= today, true);
  since constant timestamptz := coalesce(make_timestamp(year, 1, 1, 0, 0, 0) at time zone zone,
    rollup.bucket_add('day', today, -365));
  -- the same days of the year before, with which only calendar years are compared
  since_before constant timestamptz := case when year is null then since
    else ((since at time zone zone) - interval '1 year') at time zone zone end;
  until_before constant timestamptz := case when year is null then since
    else ((until at time zone zone) - interval '1 year') at time zone zone end;
  days constant int := greatest((until at time zone zone)::date - (since at time zone zone)::date, 0);
  days_before constant int := (until_before at time zone zone)::date - (since_before at time zone zone)::date;
  hours constant int := greatest(extract(epoch from until - since) / 3600, 0);
  -- The mean of eight hours that ends with the first hour of a day begins seven hours before it. Null, which reads no
  -- hour, where no day has such a value: of most stations, whose hours took nine tenths of the time (30 ms of 33).
  first_hour constant timestamptz := (
    select since - interval '7 hours' from rollup.region_daily b
    where b.region_slug = only_region and b.bucket >= rollup.bucket_add('day', since, -1) and b.bucket < until
      and coalesce(b.no2,
  b.so2, b.o3) is not null
    limit 1);
begin
  return query
  -- complete: a mean of 24 hours needs 75 % of them (Annex V, Point C)
  with day as (
    select b.bucket >= since as is_in,
      logic.possible(b.pm25) as pm25, b.pm25_hours >= 18 as pm25_complete,
  logic.possible(b.pm10) as pm10, b.pm10_hours >= 18 as pm10_complete,
  logic.possible(b.no2) * 1.9125 as no2, b.no2_hours >= 18 as no2_complete,
  logic.possible(b.so2) as so2, b.so2_hours >= 18 as so2_complete
    from rollup.region_daily b
    where b.region_slug = only_region and b.bucket >= since_before and b.bucket < until
      and (b.bucket < until_before or b.bucket >= since)
  ),
  measured as materialized (
    select b.bucket,
      logic.possible(b.no2) * 1.9125 as no2,
  logic.possible(b.so2) as so2,
      logic.possible(b.o3) as o3
    from rollup.region_hourly b
    where b.region_slug = only_region and b.bucket >= first_hour and b.bucket < until
  ),
  -- of every hour, since a mean of eight hours may end with an absent one; it needs 75 % of its hours
  running as (
    select every.hour,
      case when count(m.o3) over eight >= 6 then avg(m.o3) over eight end as o3
    from generate_series(first_hour, until - interval '1 hour', interval '1 hour') every(hour)
    left join measured m on m.bucket = every.hour
    window eight as (order by every.hour rows between 7 preceding and current row)
  ),
  highest as (
    select max(r.o3) as o3, count(r.o3) >= 18 as o3_complete
    from running r where r.hour >= since
    group by rollup.bucket_start('day', r.hour)
  ),
  of_days as (
    select logic.published_non_negative(avg(d.pm25) filter (where d.is_in), 1) as pm25_mean,
      count(d.pm25) filter (where d.is_in)::int as pm25_days,
      count(*) filter (where d.is_in and d.pm25_complete)::int as pm25_complete,
      count(*) filter (where d.is_in and d.pm25 > 25)::int as pm25_above,
      count(*) filter (where not d.is_in and d.pm25_complete)::int as pm25_complete_before,
      count(*) filter (where not d.is_in and d.pm25 > 25)::int as pm25_above_before,
  logic.published_non_negative(avg(d.pm10) filter (where d.is_in), 1) as pm10_mean,
      count(d.pm10) filter (where d.is_in)::int as pm10_days,
      count(*) filter (where d.is_in and d.pm10_complete)::int as pm10_complete,
      count(*) filter (where d.is_in and d.pm10 > 45)::int as pm10_above,
      count(*) filter (where not d.is_in and d.pm10_complete)::int as pm10_complete_before,
      count(*) filter (where not d.is_in and d.pm10 > 45)::int as pm10_above_before,
  logic.published_non_negative(avg(d.no2) filter (where d.is_in), 1) as no2_mean,
      count(d.no2) filter (where d.is_in)::int as no2_days,
      count(*) filter (where d.is_in and d.no2_complete)::int as no2_complete,
      count(*) filter (where d.is_in and d.no2 > 50)::int as no2_above,
      count(*) filter (where not d.is_in and d.no2_complete)::int as no2_complete_before,
      count(*) filter (where not d.is_in and d.no2 > 50)::int as no2_above_before,
  logic.published_non_negative(avg(d.so2) filter (where d.is_in), 1) as so2_mean,
      count(d.so2) filter (where d.is_in)::int as so2_days,
      count(*) filter (where d.is_in and d.so2_complete)::int as so2_complete,
      count(*) filter (where d.is_in and d.so2 > 50)::int as so2_above,
      count(*) filter (where not d.is_in and d.so2_complete)::int as so2_complete_before,
      count(*) filter (where not d.is_in and d.so2 > 50)::int as so2_above_before
    from day d
  ),
  of_hours as (
    select count(m.no2)::int as no2_hours,
      (count(*) filter (where m.no2 > 200))::int as no2_above,
  count(m.so2)::int as so2_hours,
      (count(*) filter (where m.so2 > 350))::int as so2_above
    from measured m where m.bucket >= since
  ),
  of_eight_hours as (
    select count(h.o3)::int as o3_days,
      (count(*) filter (where h.o3_complete))::int as o3_complete,
      (count(*) filter (where h.o3 > 120))::int as o3_above
    from highest h
  )
  select to_char(since at time zone zone, 'YYYY-MM-DD'),
    case when days > 0 then to_char((until at time zone zone) - interval '1 day', 'YYYY-MM-DD') end, days, hours,
    -- of fewer days, or of a part of the year, it is no mean of a year; as published, so that 20.0 does not exceed 20
    d.pm25_mean, 10,
      api.limit_verdict(d.pm25_mean > 10 and is_over and d.pm25_complete >= 0.85 * days,
        d.pm25_complete::float8 / nullif(days, 0), is_over),
  d.pm10_mean, 20,
      api.limit_verdict(d.pm10_mean > 20 and is_over and d.pm10_complete >= 0.85 * days,
        d.pm10_complete::float8 / nullif(days, 0), is_over),
  d.no2_mean, 20,
      api.limit_verdict(d.no2_mean > 20 and is_over and d.no2_complete >= 0.85 * days,
        d.no2_complete::float8 / nullif(days, 0), is_over),
  d.so2_mean, 20,
      api.limit_verdict(d.so2_mean > 20 and is_over and d.so2_complete >= 0.85 * days,
        d.so2_complete::float8 / nullif(days, 0), is_over),
    d.pm25_days, d.pm25_complete, d.pm25_above, 25, 18,
      api.limit_verdict(d.pm25_above > 18, d.pm25_complete::float8 / nullif(days, 0), is_over),
      case when d.pm25_complete >= 0.85 * days and d.pm25_complete_before >= 0.85 * days_before and days_before > 0
        then d.pm25_above - d.pm25_above_before end,
  d.pm10_days, d.pm10_complete, d.pm10_above, 45, 18,
      api.limit_verdict(d.pm10_above > 18, d.pm10_complete::float8 / nullif(days, 0), is_over),
      case when d.pm10_complete >= 0.85 * days and d.pm10_complete_before >= 0.85 * days_before and days_before > 0
        then d.pm10_above - d.pm10_above_before end,
  d.no2_days, d.no2_complete, d.no2_above, 50, 18,
      api.limit_verdict(d.no2_above > 18, d.no2_complete::float8 / nullif(days, 0), is_over),
      case when d.no2_complete >= 0.85 * days and d.no2_complete_before >= 0.85 * days_before and days_before > 0
        then d.no2_above - d.no2_above_before end,
  d.so2_days, d.so2_complete, d.so2_above, 50, 18,
      api.limit_verdict(d.so2_above > 18, d.so2_complete::float8 / nullif(days, 0), is_over),
      case when d.so2_complete >= 0.85 * days and d.so2_complete_before >= 0.85 * days_before and days_before > 0
        then d.so2_above - d.so2_above_before end,
    h.no2_hours, h.no2_above, 200, 3,
      api.limit_verdict(h.no2_above > 3, h.no2_hours::float8 / nullif(hours, 0), is_over),
  h.so2_hours, h.so2_above, 350, 3,
      api.limit_verdict(h.so2_above > 3, h.so2_hours::float8 / nullif(hours, 0), is_over),
    e.o3_days, e.o3_complete, e.o3_above, 120, 18,
      api.limit_verdict(e.o3_above > 18, e.o3_complete::float8 / nullif(days, 0), is_over),
    api.history_valid_until(at), f.data_version
  from raw.region s
  cross join api.freshness f
  cross join of_days d
  cross join of_hours h
  cross join of_eight_hours e
  where s.slug = only_region;
end $$;
comment on function api.region_limits is
  'The completed days of a calendar year of a region, without a year the last 365, compared with the limits of '
  'the EU from 2030 (Directive (EU) 2024/2881, Annex I). One row; none for an unknown region_slug. The mean is '
  'compared as published, days and hours before rounding; 1 ppb of NO2 = 1.9125 µg/m³. Verdicts: see api.limit_verdict.
Columns:
  first_day and last_day (local dates; null before the first day is over),
  expected_days (days in the period [days]),
  expected_hours (hours in the period [h]),
  "mean_pm2.5" (mean of the days [µg/m³]), "pm2.5_mean_limit" (limit of a year [µg/m³]),
  "pm2.5_mean_verdict" (verdict on the year),
  "mean_pm10" (mean of the days [µg/m³]), "pm10_mean_limit" (limit of a year [µg/m³]),
  "pm10_mean_verdict" (verdict on the year),
  "mean_no2" (mean of the days [µg/m³]), "no2_mean_limit" (limit of a year [µg/m³]),
  "no2_mean_verdict" (verdict on the year),
  "mean_so2" (mean of the days [µg/m³]), "so2_mean_limit" (limit of a year [µg/m³]),
  "so2_mean_verdict" (verdict on the year),
  "pm2.5_days" (days with a value [days]), "pm2.5_complete_days" (those with 18 hours or more [days]),
  "pm2.5_days_above" (days above the limit [days]), "pm2.5_days_limit" (limit of a day [µg/m³]),
  "pm2.5_days_allowed" (days above it that a year may have [days]), "pm2.5_days_verdict" (verdict on the days),
  "pm2.5_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days]),
  "pm10_days" (days with a value [days]), "pm10_complete_days" (those with 18 hours or more [days]),
  "pm10_days_above" (days above the limit [days]), "pm10_days_limit" (limit of a day [µg/m³]),
  "pm10_days_allowed" (days above it that a year may have [days]), "pm10_days_verdict" (verdict on the days),
  "pm10_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days]),
  "no2_days" (days with a value [days]), "no2_complete_days" (those with 18 hours or more [days]),
  "no2_days_above" (days above the limit [days]), "no2_days_limit" (limit of a day [µg/m³]),
  "no2_days_allowed" (days above it that a year may have [days]), "no2_days_verdict" (verdict on the days),
  "no2_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days]),
  "so2_days" (days with a value [days]), "so2_complete_days" (those with 18 hours or more [days]),
  "so2_days_above" (days above the limit [days]), "so2_days_limit" (limit of a day [µg/m³]),
  "so2_days_allowed" (days above it that a year may have [days]), "so2_days_verdict" (verdict on the days),
  "so2_days_change" (days above, against the same days of the year before; null without a year, and where fewer than
  85 % of either were complete [days]),
  "no2_hours" (hours with a value [h]), "no2_hours_above" (those above the limit [h]),
  "no2_hours_limit" (limit of an hour [µg/m³]), "no2_hours_allowed" (hours above it that a year may have [h]),
  "no2_hours_verdict" (verdict on the hours),
  "so2_hours" (hours with a value [h]), "so2_hours_above" (those above the limit [h]),
  "so2_hours_limit" (limit of an hour [µg/m³]), "so2_hours_allowed" (hours above it that a year may have [h]),
  "so2_hours_verdict" (verdict on the hours),
  "o3_days" (days on which a mean of eight hours ends, of which six have a value [days]),
  "o3_complete_days" (those with 18 such means or more [days]),
  "o3_days_above" (days whose highest such mean is above the target value [days]),
  "o3_days_limit" (target value [µg/m³]), "o3_days_allowed" (days above it that a year may have [days]),
  "o3_days_verdict" (verdict on the days),
  valid_until,
  data_version.';

-- Tells why hours of a station are absent, from what is stored: its hours, where its sensors stood, and the quarantine.
-- It runs with the rights of its owner, since no view of this schema has these.
create function api.station_gaps_json(at timestamptz, only_station int, year int)
returns table (gaps text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  since constant timestamptz := greatest(rollup.origin(),
    make_timestamp(year, 1, 1, 0, 0, 0) at time zone rollup.time_zone());
  until constant timestamptz := least(make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone rollup.time_zone(),
    rollup.bucket_start('hour', at));
  -- lines stay in quarantine for 90 days (trim.ts), and readings come when they are measured or later
  recorded_since constant timestamptz := logic.hour_ceiling(at - interval '90 days');
  absent constant tstzmultirange := case when since < until then tstzmultirange(tstzrange(since, until)) else '{}' end
    - coalesce((
      select range_agg(tstzrange(h.bucket, h.bucket + interval '1 hour'))
      from rollup.station_hourly h
      where h.station_id = only_station and h.bucket >= since and h.bucket < until), '{}');
begin
  return query
  with stay as (
    select s.sensor_id, logic.whole_hours(range_agg(tstzrange(s.since, s.until))) * absent as hours
    from raw.sensor_station s where s.station_id = only_station group by 1
  ),
  placed as materialized (
    select p.sensor_id, logic.whole_hours(range_agg(tstzrange(p.since, p.until))) * absent as hours
    from raw.placement p where p.station_id = only_station group by 1
  ),
  refused as materialized (
    select rollup.bucket_start('hour', r.measured_at) as hour, q.reason, count(*) as readings
    from raw.quarantine q
    join placed p on p.sensor_id = (q.reading ->> 'sensor_id')::int
    cross join lateral (select to_timestamp((q.reading ->> 'microseconds')::float8 / 1e6) as measured_at) r
    where p.hours @> r.measured_at
    group by 1, 2
  ),
  hours as (
    select
      coalesce((select range_agg(p.hours) from placed p), '{}') as placed,
      coalesce((select range_agg(tstzrange(r.hour, r.hour + interval '1 hour')) from refused r), '{}') as refused,
      coalesce((select range_agg(s.hours * logic.widen('hour', tstzmultirange(tstzrange(p.since, p.until))))
        from stay s join raw.suspicious_period p on p.sensor_id = s.sensor_id), '{}') as suspicious,
      coalesce((select range_agg(s.hours * logic.widen('hour', tstzmultirange(tstzrange(p.since, p.until))))
        from stay s join raw.removed_period p on p.sensor_id = s.sensor_id), '{}') as removed
  ),
  -- hours in a row differ from their rank by the same
  refused_run as (
    select min(r.first) as since, max(r.last) + interval '1 hour' as until, sum(r.readings) as readings,
      (array_agg(r.reason order by r.readings desc, r.reason))[1] as main_reason
    from (
      select one.run, one.reason, sum(one.readings) as readings, min(one.hour) as first, max(one.hour) as last
      from (
        select *, refused.hour - dense_rank() over (order by refused.hour) * interval '1 hour' as run from refused
      ) one
      group by 1, 2
    ) r
    group by r.run
  ),
  gap as (
    select 'refused' as reason, r.since, r.until, r.readings, r.main_reason from refused_run r
    union all
    select other.reason, lower(part), upper(part), null, null
    from hours h
    cross join lateral (values
      ('silent', (h.placed - h.refused) * tstzmultirange(tstzrange(recorded_since, null))),
      ('unknown', (h.placed - h.refused) - tstzmultirange(tstzrange(recorded_since, null))),
      ('suspicious', h.suspicious - h.placed),
      ('retention', h.removed - h.suspicious - h.placed),
      ('moved', absent - h.removed - h.suspicious - h.placed)) other(reason, hours)
    cross join unnest(other.hours) part
  )
  select '[' || coalesce(string_agg(concat(
      '{"since":', to_json(g.since), ',"until":', to_json(g.until),
      ',"hours":', (extract(epoch from g.until - g.since) / 3600)::int, ',"reason":"', g.reason,
      '","refused_readings":', coalesce(g.readings::text, 'null'),
      ',"refused_for":', coalesce(to_json(g.main_reason)::text, 'null'), '}'),
      ',' order by g.since), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from gap g
  having exists (select from raw.station s where s.id = only_station);
end $$;
comment on function api.station_gaps_json is
  'The absent hours of a station in a local year, up to the running hour, and why each is absent. One row; none for an '
  'unknown id. Columns: gaps (a JSON array of periods of full hours in the order of time, as text: start, end, number '
  'of hours, reason, and of reason refused the number of readings and their most frequent reason), valid_until, '
  'data_version.
Reasons: refused (readings of a sensor that counts are in quarantine), silent (none is stored nor in quarantine), '
  'unknown (older than 90 days, when lines leave the quarantine), suspicious (the sensors that stood there did not '
  'count), retention (the hours of a removed sensor were all that was kept), moved (no sensor stood there for the '
  'whole hour).';

-- Changes of published numbers, when they showed and why (R1).

create function api.changes(since timestamptz, until timestamptz)
returns table (
  shown_at timestamptz, reason text, station_id int, region_slug text, sensor_id int, regions text,
    first_hour timestamptz, last_hour timestamptz
) language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select c.shown_at, c.reason, c.station_id, c.region_slug, c.sensor_id, array_to_json(c.regions)::text, c.since,
    c.until - interval '1 hour'
  from rollup.change c
  where c.shown_at >= changes.since and c.shown_at < changes.until and c.reason <> 'first';
end;
comment on function api.changes is
  'Changes of hours that had been published, by the time at which they showed. One row per change, kept for two '
  'years; it may be too small to show in rounded numbers. Without a region, the numbers of the station (but not for a '
  'flag or screening) and of its regions then changed; with one, only the region’s, because of the station; without a '
  'station, all.
Columns:
  shown_at (when the changed numbers showed; of a change that went on within a day, the last time),
  reason (late, corrected or deleted: readings; placement, formula, membership or flag: the network file; screening; '
  'zone: the rules of the time zone; version: the aggregates of a new version; repair: an operator),
  station_id (station id; null: all stations),
  region_slug (slug of the region; null: those of the station, or all),
  sensor_id (sensor that was moved or got another formula; else null),
  regions (JSON array of slugs: the regions of the station in these hours when the change showed; null without a '
  'station, or with a region),
  first_hour, last_hour (starts of the first and the last changed hour).';

-- The document of explore/v1 on all changes, and what the feed of a station has beside its own. A change of a document
-- is what showed on one local day for one reason. They run with the rights of their owner, since no view of this schema
-- has memberships or hours.

create function api.changes_json(at timestamptz, most int default 1000)
returns table (since timestamptz, changes text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  first_day constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -34);
begin
  return query
  with record as materialized (
    select c.shown_at, c.reason, c.station_id, c.region_slug, c.regions, tstzrange(c.since, c.until) as hours,
      exists (select from raw.station s where s.id = c.station_id) and not exists (select from raw.hidden_period h
        where h.station_id = c.station_id and h.since <= at and at < h.until) as is_listed
    from rollup.change c
    where c.shown_at >= first_day and c.reason <> 'first'
  ),
  concerned as (
    select c.shown_at, c.reason, null::int as station_id, c.region_slug, c.region_slug is null as is_all, c.hours
    from record c where c.station_id is null or c.region_slug is not null
    union all
    select c.shown_at, c.reason, c.station_id, null, false, c.hours
    from record c where c.region_slug is null and c.is_listed
    union all
    -- a station that is hidden or gone by now had its share in regions (C6), and a flag changes only those
    select c.shown_at, c.reason, null, slug, false, c.hours
    from record c cross join unnest(c.regions) slug
    where c.region_slug is null and (not c.is_listed or c.reason in ('flag', 'screening'))
  )
  select first_day,
    (select coalesce(json_agg(json_build_object(
        'shown_at', date_trunc('second', d.shown_at), 'reason', d.reason,
        'stations', case when not d.is_all then coalesce(d.stations[1:most], '{}') end,
        'station_count', case when not d.is_all then coalesce(cardinality(d.stations), 0) end,
        'regions', coalesce(d.regions, '{}'), 'hours', logic.hour_ranges(d.hours), 'first_hour', lower(d.hours),
        'last_hour', rollup.bucket_add('hour', upper(d.hours), -1))
      order by d.day desc, d.shown_at desc, d.reason), '[]')::text
      from (
        select rollup.bucket_start('day', c.shown_at) as day, c.reason, max(c.shown_at) as shown_at,
          bool_or(c.is_all) as is_all,
          array_agg(distinct c.station_id order by c.station_id) filter (where c.station_id is not null) as stations,
          array_agg(distinct c.region_slug order by c.region_slug) filter (where c.region_slug is not null) as regions,
          range_agg(c.hours) as hours
        from concerned c
        group by 1, 2
      ) d),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from api.freshness f;
end $$;
comment on function api.changes_json is
  'Changes of published numbers (R1) that showed on the last 35 local days, today included; hidden stations are not '
  'listed. One row.
Columns:
  since (start of the first of these days),
  changes (a JSON array with an object for each day and reason, newest first, as text: shown_at (the newest of the '
  'day), reason, stations (at most `most` ids, whose own numbers changed, or which were flagged; null: all), '
  'station_count (how many they are; null: all [stations]), regions (slugs whose numbers changed beside the regions of '
  'these stations, or because of a flag), hours (at most 20 ranges, each with its first_hour and last_hour; nearer ones '
  'are one), first_hour and last_hour (of them all)),
  valid_until,
  data_version.';

-- The document of explore/v1 on changes of the numbers of one station (R1). It runs with the rights of its owner, as
-- the one on all changes does.
create function api.station_changes_json(at timestamptz, only_station int, most int default 100)
returns table (
  city_slug text, since timestamptz, first_hour timestamptz, changes text, valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  first_day constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -730);
begin
  return query
  with concerned as (
    select c.shown_at, c.reason, c.sensor_id, c.station_id, c.region_slug is null and c.station_id is null as is_all,
      tstzrange(c.since, c.until) as hours
    from rollup.change c
    where c.shown_at >= first_day and c.reason <> 'first'
      and (c.region_slug is null and c.station_id is null or c.region_slug is null and c.station_id = only_station)
  )
  select null::text, first_day,
    (select h.bucket from rollup.station_hourly h where h.station_id = s.id order by h.bucket limit 1),
    (select coalesce(json_agg(json_build_object(
        'shown_at', date_trunc('second', d.shown_at), 'reason', d.reason, 'sensors', coalesce(d.sensors, '{}'),
        'hours', logic.hour_ranges(d.hours), 'first_hour', lower(d.hours),
        'last_hour', rollup.bucket_add('hour', upper(d.hours), -1))
      order by d.day desc, d.shown_at desc, d.reason), '[]')::text
      from (
        select rollup.bucket_start('day', c.shown_at) as day, c.reason, max(c.shown_at) as shown_at,
          bool_or(c.is_all) as is_all,
          array_agg(distinct c.sensor_id order by c.sensor_id) filter (where c.sensor_id is not null) as sensors,
          array_agg(distinct listed.id order by listed.id) filter (where listed.id is not null) as stations,
          range_agg(c.hours) as hours
        from concerned c
        left join (
          select s.id from raw.station s
          where not exists (select from raw.hidden_period h
            where h.station_id = s.id and h.since <= at and at < h.until)
        ) listed on listed.id = c.station_id
        group by 1, 2
      ) d),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.station s cross join api.freshness f
  where s.id = only_station;
end $$;
comment on function api.station_changes_json is
  'Changes of the published numbers of a station (R1) that showed in the last 730 days: its own, and those that concern all; of a flag and screening its own numbers stay. '
  'One row; none for an unknown station_id.
Columns:
  city_slug (of a district; else null),
  since (start of the first local day),
  first_hour (of the station; null without readings),
  changes (a JSON array with an object for each local day and reason, newest first, as text: shown_at (the newest of '
  'the day), reason, sensors (that were moved or got another formula), hours, first_hour and last_hour (as in changes_json)),
  valid_until,
  data_version.';

-- The document of explore/v1 on changes of the numbers of one region (R1). It runs with the rights of its owner, as
-- the one on all changes does.
create function api.region_changes_json(at timestamptz, only_region text, most int default 100)
returns table (
  city_slug text, since timestamptz, first_hour timestamptz, changes text, valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  first_day constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -730);
begin
  return query
  with concerned as (
    select c.shown_at, c.reason, c.sensor_id, c.station_id, c.region_slug is null and c.station_id is null as is_all,
      tstzrange(c.since, c.until) as hours
    from rollup.change c
    where c.shown_at >= first_day and c.reason <> 'first'
      and (c.region_slug is null and c.station_id is null or c.region_slug = only_region or c.regions @> array[only_region])
  )
  select s.city_slug, first_day,
    (select h.bucket from rollup.region_hourly h where h.region_slug = s.slug order by h.bucket limit 1),
    (select coalesce(json_agg(json_build_object(
        'shown_at', date_trunc('second', d.shown_at), 'reason', d.reason, 'stations', case when not d.is_all then coalesce(d.stations[1:most], '{}') end,
        'station_count', case when not d.is_all then coalesce(cardinality(d.stations), 0) end,
        'hours', logic.hour_ranges(d.hours), 'first_hour', lower(d.hours),
        'last_hour', rollup.bucket_add('hour', upper(d.hours), -1))
      order by d.day desc, d.shown_at desc, d.reason), '[]')::text
      from (
        select rollup.bucket_start('day', c.shown_at) as day, c.reason, max(c.shown_at) as shown_at,
          bool_or(c.is_all) as is_all,
          array_agg(distinct c.sensor_id order by c.sensor_id) filter (where c.sensor_id is not null) as sensors,
          array_agg(distinct listed.id order by listed.id) filter (where listed.id is not null) as stations,
          range_agg(c.hours) as hours
        from concerned c
        left join (
          select s.id from raw.station s
          where not exists (select from raw.hidden_period h
            where h.station_id = s.id and h.since <= at and at < h.until)
        ) listed on listed.id = c.station_id
        group by 1, 2
      ) d),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.region s cross join api.freshness f
  where s.slug = only_region;
end $$;
comment on function api.region_changes_json is
  'Changes of the published numbers of a region (R1) that showed in the last 730 days: its own, those of stations in the hours that belonged to it then, and those that concern all. '
  'One row; none for an unknown region_slug.
Columns:
  city_slug (of a district; else null),
  since (start of the first local day),
  first_hour (of the region; null without readings),
  changes (a JSON array with an object for each local day and reason, newest first, as text: shown_at (the newest of '
  'the day), reason, stations (at most `most` ids of listed stations that were the cause; null: all), station_count (how many they are; null: all [stations]), hours, first_hour and last_hour (as in changes_json)),
  valid_until,
  data_version.';

-- The European index of all places at once (X1), for lists, maps and headlines.

-- Suspect particles are left out (C9): of every part of the hour, as in regions, and of the time since then.
create function api.station_european_json(at timestamptz)
returns table (places text, "timestamp" timestamptz, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  newest constant timestamptz := rollup.bucket_add('hour', rollup.bucket_start('hour', at), -1);
begin
  return query
  with suspect as materialized (
    select f.station_id, bool_or(f.since <= at and f.until > newest) as is_suspect,
      min(least(case when f.since > at then f.since end, case when f.until > at then f.until end)) as changes_at
    from logic.flag f where f.kind = 'pm' and f.until > newest group by 1
  )
  select coalesce(json_object_agg(e.station_id,
      json_build_array(logic.european_band(e.grade), logic.european_pollutant(e.grade), e.concentration, e.pm25))
      filter (where e.grade is not null), '{}')::text,
    newest, least(api.history_valid_until(at), (select min(s.changes_at) from suspect s)),
    (select f.data_version from api.freshness f)
  from (
    select g.station_id, g.grade, logic.published_non_negative(g.pm25, 1) as pm25,
      logic.european_concentration(g.grade, g.pm25, g.pm10, g.o3, g.no2, g.so2) as concentration
    from (
      select h.*, logic.european_grade(
        case when s.is_suspect is not true then h.pm25 end, case when s.is_suspect is not true then h.pm10 end,
        h.o3, h.no2, h.so2) as grade
      from rollup.station_hourly h
      left join suspect s on s.station_id = h.station_id
      where h.bucket = newest) g) e;
end $$;
comment on function api.station_european_json is
  'The European index of all stations in the last closed hour, without suspect particles. One row. Columns: places (a '
  'JSON object by station id, as text: of each station with an index, an array of the index, see api.european_index; of '
  'the pollutant that makes it, the first of pm2.5, pm10, o3, no2 and so2 with the worst band; of its mean in whole '
  'µg/m³, as the index rounds it; and of the published mean of PM2.5 [µg/m³]), timestamp (start of the hour), '
  'valid_until, data_version.';

-- Hours of regions have no suspect particles.
create function api.region_european_json(at timestamptz)
returns table (places text, "timestamp" timestamptz, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  newest constant timestamptz := rollup.bucket_add('hour', rollup.bucket_start('hour', at), -1);
begin
  return query
  select coalesce(json_object_agg(e.region_slug,
      json_build_array(logic.european_band(e.grade), logic.european_pollutant(e.grade), e.concentration, e.pm25))
      filter (where e.grade is not null), '{}')::text,
    newest, api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select g.region_slug, g.grade, logic.published_non_negative(g.pm25, 1) as pm25,
      logic.european_concentration(g.grade, g.pm25, g.pm10, g.o3, g.no2, g.so2) as concentration
    from (
      select h.*, logic.european_grade(h.pm25, h.pm10, h.o3, h.no2, h.so2) as grade
      from rollup.region_hourly h
      where h.bucket = newest) g) e;
end $$;
comment on function api.region_european_json is
  'The European index of all regions in the last closed hour. One row. Columns: places (as of '
  'api.station_european_json, by slug), timestamp (start of the hour), valid_until, data_version.';

-- The document of explore/v1 about one parameter at all listed stations and all regions, for maps. The function runs with
-- the rights of its owner, since bands need unrounded means (X1).
create function api.parameter_map_json(at timestamptz, only_parameter text)
returns table (unit text, hours text, stations text, regions text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
  flag_kind constant text := case
    when only_parameter = any (array['pm1',
  'pm2.5',
  'pm2.5_raw',
  'pm10']) then 'pm'
    when only_parameter = any (array['temperature',
  'humidity',
  'pressure']) then 'thp' end;
  has_bands constant boolean := only_parameter in ('pm2.5', 'pm10', 'o3', 'no2', 'so2');
begin
  return query
  with slot as materialized (
    select n, rollup.bucket_add('hour', first_hour, n - 1) as bucket from generate_series(1, 24) n
  ),
  hour as materialized (
    select 'station' as kind, s.id::text as key, h.bucket, h.mean
    from raw.station s
    cross join lateral (
      select b.bucket, logic.possible(case only_parameter when 'temperature' then b.temperature
  when 'humidity' then b.humidity
  when 'pressure' then b.pressure
  when 'pm1' then b.pm1
  when 'pm2.5' then b.pm25
  when 'pm2.5_raw' then b.pm25_raw
  when 'pm10' then b.pm10
  when 'no2' then b.no2
  when 'so2' then b.so2
  when 'o3' then b.o3
  when 'dust' then b.dust
  when 'usvh' then b.usvh
  when 'uv' then b.uv
  when 'wind_speed' then b.wind_speed end) as mean
      from rollup.station_hourly b
      where b.station_id = s.id and b.bucket >= first_hour and b.bucket < end_of_hours) h
    where not exists (select from raw.hidden_period p where p.station_id = s.id and p.since <= at and at < p.until)
    union all
    select 'region', r.slug, h.bucket, h.mean
    from raw.region r
    cross join lateral (
      select b.bucket, logic.possible(case only_parameter when 'temperature' then b.temperature
  when 'humidity' then b.humidity
  when 'pressure' then b.pressure
  when 'pm1' then b.pm1
  when 'pm2.5' then b.pm25
  when 'pm2.5_raw' then b.pm25_raw
  when 'pm10' then b.pm10
  when 'no2' then b.no2
  when 'so2' then b.so2
  when 'o3' then b.o3
  when 'dust' then b.dust
  when 'usvh' then b.usvh
  when 'uv' then b.uv
  when 'wind_speed' then b.wind_speed end) as mean
      from rollup.region_hourly b
      where b.region_slug = r.slug and b.bucket >= first_hour and b.bucket < end_of_hours) h
  ),
  place as (
    select one.kind, one.key,
      json_agg(case only_parameter when 'temperature' then logic.published(h.mean, 1)
  when 'humidity' then logic.published(h.mean, 0)
  when 'pressure' then logic.published(h.mean, 0)
  when 'pm1' then logic.published_non_negative(h.mean, 1)
  when 'pm2.5' then logic.published_non_negative(h.mean, 1)
  when 'pm2.5_raw' then logic.published_non_negative(h.mean, 1)
  when 'pm10' then logic.published_non_negative(h.mean, 1)
  when 'no2' then logic.published_non_negative(h.mean, 1)
  when 'so2' then logic.published_non_negative(h.mean, 1)
  when 'o3' then logic.published_non_negative(h.mean, 1)
  when 'dust' then logic.published_non_negative(h.mean, 1)
  when 'usvh' then logic.published(h.mean, 2)
  when 'uv' then logic.published(h.mean, 1)
  when 'wind_speed' then logic.published(h.mean, 1) end order by slot.n)
        as values,
      case when has_bands then json_agg(api.european_index(
        pm25 => case only_parameter when 'pm2.5' then h.mean end, pm10 => case only_parameter when 'pm10' then h.mean end,
        o3 => case only_parameter when 'o3' then h.mean end, no2 => case only_parameter when 'no2' then h.mean end,
        so2 => case only_parameter when 'so2' then h.mean end) order by slot.n) end as bands,
      coalesce(json_agg(slot.n - 1 order by slot.n) filter (where h.mean is not null and flag.periods @> slot.bucket), '[]')
        as suspect,
      coalesce(json_agg(slot.n - 1 order by slot.n) filter (where h.mean is not null and flag.left_out @> slot.bucket), '[]')
        as left_out
    from (select distinct hour.kind, hour.key from hour where hour.mean is not null) one
    cross join slot
    left join hour h on h.kind = one.kind and h.key = one.key and h.bucket = slot.bucket
    left join logic.flagged flag
      on one.kind = 'station' and flag.station_id::text = one.key and flag.kind = flag_kind
    group by one.kind, one.key
  )
  select case only_parameter when 'temperature' then '°C'
  when 'humidity' then '%'
  when 'pressure' then 'Pa'
  when 'pm1' then 'µg/m³'
  when 'pm2.5' then 'µg/m³'
  when 'pm2.5_raw' then 'µg/m³'
  when 'pm10' then 'µg/m³'
  when 'no2' then 'ppb'
  when 'so2' then 'µg/m³'
  when 'o3' then 'µg/m³'
  when 'dust' then 'µg/m³'
  when 'usvh' then 'µSv/h'
  when 'uv' then 'UV index'
  when 'wind_speed' then 'm/s' end,
    (select json_agg(slot.bucket order by slot.n)::text from slot),
    (select coalesce(json_agg(json_build_object('id', p.key::int, 'values', p.values, 'bands', p.bands,
        'suspect', p.suspect, 'left_out', p.left_out) order by p.key::int), '[]')::text from place p where p.kind = 'station'),
    (select coalesce(json_agg(json_build_object('slug', p.key, 'values', p.values, 'bands', p.bands)
        order by p.key collate "C"), '[]')::text from place p where p.kind = 'region'),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)), (select f.data_version from api.freshness f);
end $$;
comment on function api.parameter_map_json is
  'A parameter, by its key such as pm2.5, at all listed stations and all regions in each of the last 24 closed hours. '
  'One row.
Columns:
  unit (of its values),
  hours (a JSON array of the 24 hours by their start, as text),
  stations (a JSON array by id, as text, of those with a value: id, values, the published means in the order of '
  'hours with null where one is missing; bands, the European band of each, see api.european_index, or null for a '
  'parameter without; suspect, the positions from 0 of hours in which the parameter is flagged, see api.station_flag; '
  'left_out, of these the hours in which regions leave it out),
  regions (likewise, by slug, without suspect and left_out),
  valid_until,
  data_version.';

-- The rule by which the air quality category of a place is announced (R3), and when a refresh applies it. The refresh
-- records each announcement as it makes it, and nothing changes it later: what a reader was sent stays.

-- The category of an hour, from 0, good, with all bounds moved: at 100 % the hour's own; at 105 % the worst one whose
-- lower bound the hour is 5 % beyond; at 95 % better than the announced one only if the hour is 5 % below its lower
-- bound. Null if no mean counts.
create function logic.category(
  index text, percent int, aqi int, pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8)
returns int language sql immutable parallel safe
  return case index
    when 'aqi' then width_bucket(aqi * 100 - case when percent > 100 then 0 else 1 end,
      array[50 * percent, 100 * percent, 150 * percent, 200 * percent, 300 * percent])
    else logic.european_grade(pm25 * 100 / percent, pm10 * 100 / percent, o3 * 100 / percent, no2 * 100 / percent,
      so2 * 100 / percent) / 10 end;

-- Its name, as the API has it.
create function logic.category_name(index text, category int) returns text language sql immutable parallel safe
  return case index
    when 'aqi' then lower(api.aqi_category((array[0, 51, 101, 151, 201, 301])[category + 1]))
    else logic.european_band(10 * category) end;

-- The category to announce next. It gets worse at once, to the category of the hour, when the hour is 5 % beyond the
-- upper bound of the announced one; and better, to the worst of three hours in a row, when each of them is 5 % below
-- its lower bound. `risen`: the category of the hour at 105 %; `fallen`: the worst of the three hours at 95 %; `hours`:
-- three, or fewer if no more are known.
--
-- Entries a week of a station: 18 in Beijing (UCI, two years), 5.2 in Aberdeen (Sensor.Community, two months). Without
-- the 5 % they were 22.6 and 6.3, and with one better hour instead of three 27 and 6.9.
create function logic.next_category(announced int, category int, risen int, hours int, worst int, fallen int)
returns int language sql immutable parallel safe
  return case
    when announced is null or risen > announced then category
    when hours = 3 and fallen < announced then worst
    else announced end;

-- The announced category after each of several hours.
create aggregate logic.announced(category int, risen int, hours int, worst int, fallen int) (
  sfunc = logic.next_category, stype = int, parallel = safe
);

-- The first of the closed hours that may still warn: they ended at most three hours ago.
create function logic.fresh_since(now timestamptz) returns timestamptz language sql stable
  return rollup.bucket_add('hour', rollup.bucket_start('hour', now), -3);

-- Has the refresh look for warnings if a claimed change concerns an hour that may still warn.
create function logic.note_fresh_changes(now timestamptz) returns void language sql as $$
  update rollup.freshness f set announced_until = logic.fresh_since(now)
  where f.announced_until > logic.fresh_since(now)
    and logic.claimed(tstzrange(logic.fresh_since(now), rollup.bucket_start('hour', now))) <> '{}'
$$;

-- Announces what the closed hours give reason for, if one has closed or changed since the last time. In a database that
-- has never announced anything (a new one, or an older version's), the last 31 local days are announced as if each hour
-- had been known at its end, once they are complete: nobody was sent anything before, and no feed begins empty.
create function logic.announce(now timestamptz, is_complete boolean) returns void language plpgsql as $$
declare
  until constant timestamptz := rollup.bucket_start('hour', now);
  state constant rollup.freshness := (select f from rollup.freshness f);
  announced bigint;
begin
  if state.refreshed_at is null or state.announced_until = until then return; end if;
  if state.announced_until is null then
    if not is_complete then return; end if;
    announced := logic.announce_past_stations(until) + logic.announce_past_regions(until);
    if announced = 0 then return; end if;
  else
    announced := logic.announce_stations(now) + logic.announce_regions(now);
  end if;
  update rollup.freshness set announced_until = until;
  if announced > 0 then perform logic.raise_data_version(); end if;
end $$;

-- Deletes announcements that no document lists any more, except the newest of each place, with which its next hour is
-- compared.
create function logic.delete_old_warnings(now timestamptz) returns void language plpgsql as $$
begin
  perform logic.delete_old_station_warnings(now), logic.delete_old_region_warnings(now);
end $$;

revoke all on function logic.note_fresh_changes, logic.announce, logic.delete_old_warnings from public;

-- Warnings of a station: the changes of its announced air quality category (R3). They are recorded by both indices,
-- since the operator may prefer the other one later. A row whose category is the one before, or a first one that is
-- good, is there to be compared with, and is not listed.

-- The categories of hours (logic.category) and what makes them. Hours without one, and suspect ones (C9), are absent.
create view logic.station_category as
  select h.station_id, i.index, h.bucket,
    logic.category(i.index, 100, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as category,
    logic.category(i.index, 105, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as risen,
    logic.category(i.index, 95, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as fallen,
    case i.index when 'aqi' then h.aqi end as aqi,
    case
      when i.index = 'eaqi' then logic.european_pollutant(logic.european_grade(h.pm25, h.pm10, h.o3, h.no2, h.so2))
      when h.aqi = rollup.aqi(h.pm25, null) then 'pm2.5'
      else 'pm10' end as pollutant,
    h.pm25, h.pm10, h.o3, h.no2, h.so2
  from rollup.station_hourly h
  cross join (values ('aqi'), ('eaqi')) i(index)
  where not exists (select from logic.flag f where f.station_id = h.station_id and f.kind = 'pm'
      and f.since < h.bucket + interval '1 hour' and h.bucket < f.until) and case i.index when 'aqi' then h.aqi is not null
    else coalesce(logic.possible(h.pm25), logic.possible(h.pm10), logic.possible(h.o3), logic.possible(h.no2),
      logic.possible(h.so2)) is not null end;

-- Announces the hours that ended at most three hours ago. The air got worse with the worst of them, and better with the
-- newest. Hours without a category are passed over: where fewer than three have one, earlier hours of the last 24
-- complete the row. A station that was never announced begins with the worst of the last three hours known before.
-- Returns the number of rows.
create function logic.announce_stations(now timestamptz) returns bigint
language plpgsql set plan_cache_mode = force_custom_plan set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off as $$
#variable_conflict use_column
declare
  until constant timestamptz := rollup.bucket_start('hour', now);
  fresh_since constant timestamptz := logic.fresh_since(now);
  row_since constant timestamptz := rollup.bucket_add('hour', until, -24);
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', now), -31);
  announced bigint;
begin
  with fresh as materialized (
    select * from logic.station_category where bucket >= fresh_since and bucket < until
  ),
  known as materialized (
    select f.*, w.announced_at, w.category as announced
    from (
      select station_id, index, count(*)::int as hours, max(category) as category, max(risen) as risen, max(fallen) as fallen
      from fresh
      group by 1, 2
    ) f
    left join lateral (
      select w.announced_at, w.category from rollup.station_warning w
      where w.station_id = f.station_id and w.index = f.index order by w.announced_at desc limit 1
    ) w on true
  ),
  next as materialized (
    select k.station_id, k.index, k.announced_at, k.announced, coalesce(k.announced, earlier.category) as before,
      logic.next_category(coalesce(k.announced, earlier.category), k.category, k.risen, k.hours + earlier.filling,
        greatest(k.category, earlier.filling_category), greatest(k.fallen, earlier.filling_fallen)) as category
    from known k
    cross join lateral (
      select max(category) as category, (count(*) filter (where is_filling))::int as filling,
        max(category) filter (where is_filling) as filling_category,
        max(fallen) filter (where is_filling) as filling_fallen
      from (
        select c.category, c.fallen,
          c.bucket >= row_since and row_number() over (order by c.bucket desc) <= 3 - k.hours as is_filling
        from logic.station_category c
        -- few places are new, or have gaps while their air gets better
        where (k.announced is null or k.hours < 3 and k.fallen < k.announced) and c.station_id = k.station_id and c.index = k.index
          and c.bucket >= first_hour and c.bucket < fresh_since and (k.announced is null or c.bucket >= row_since)
        order by c.bucket desc limit 3
      ) c
    ) earlier
  )
  insert into rollup.station_warning
  select distinct on (n.station_id, n.index)
    n.station_id, n.index, greatest(date_trunc('second', now), n.announced_at + interval '1 second'), f.bucket,
    n.category, n.before, f.aqi, f.pollutant, f.pm25, f.pm10, f.o3, f.no2, f.so2
  from next n join fresh f using (station_id, index)
  where n.category is distinct from n.announced
  order by n.station_id, n.index, n.category > coalesce(n.before, -1) and f.category = n.category desc, f.bucket desc;
  get diagnostics announced = row_count;
  return announced;
end $$;

-- Announces the hours of the last 31 local days as if each had been known at its end. Returns the number of rows.
create function logic.announce_past_stations(until timestamptz) returns bigint
language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', until), -31);
  announced bigint;
begin
  with known as materialized ( -- else each window computes the categories again
    select station_id, index, bucket, category, risen, fallen from logic.station_category
    where bucket >= first_hour and bucket < until
  ),
  hour as (
    select station_id, index, bucket, category, risen, (count(*) over three)::int as hours,
      max(category) over three as worst, max(fallen) over three as worst_fallen
    from known
    window three as (partition by station_id, index order by bucket rows between 2 preceding and current row)
  ),
  announced as (
    select station_id, index, bucket, logic.announced(category, risen, hours, worst, worst_fallen)
      over (partition by station_id, index order by bucket) as category
    from hour
  ),
  next as (
    select *, lag(category) over (partition by station_id, index order by bucket) as before from announced
  )
  insert into rollup.station_warning
  select station_id, index, rollup.bucket_add('hour', bucket, 1), bucket, n.category, n.before, hour.aqi, hour.pollutant,
    hour.pm25, hour.pm10, hour.o3, hour.no2, hour.so2
  from next n join logic.station_category hour using (station_id, index, bucket)
  where n.category is distinct from n.before;
  get diagnostics announced = row_count;
  return announced;
end $$;

create function logic.delete_old_station_warnings(now timestamptz) returns void language sql as $$
  delete from rollup.station_warning w
  where w.hour < rollup.bucket_add('day', rollup.bucket_start('day', now), -31)
    and (exists (select from rollup.station_warning newer
        where newer.station_id = w.station_id and newer.index = w.index and newer.announced_at > w.announced_at)
      or not exists (select from raw.station s where s.id = w.station_id))
$$;

revoke all on function logic.announce_stations, logic.announce_past_stations,
  logic.delete_old_station_warnings from public;

create function api.station_warnings_json(
  at timestamptz, only_station int, preferred_index text, most int default 100)
returns table (
  city_slug text, index text, category text, category_since timestamptz, since timestamptz, warnings text,
    valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -30);
  chosen constant text := case when preferred_index = 'aqi' and exists (
      select from logic.station_category c where c.station_id = only_station and c.index = 'aqi'
        and c.bucket >= rollup.bucket_add('day', first_hour, -1) and c.bucket < end_of_hours)
    then 'aqi' else 'eaqi' end;
begin
  return query
  with announced as materialized (
    select w.* from rollup.station_warning w
    where w.station_id = only_station and w.index = chosen and w.hour < end_of_hours
  ),
  warning as materialized (
    select a.* from announced a
    where a.hour >= first_hour and a.category <> coalesce(a.before, 0)
    order by a.announced_at desc limit most
  )
  select null::text, chosen, logic.category_name(chosen, n.category),
    case when n.category is not null then (select w.hour from warning w order by w.announced_at desc limit 1) end,
    first_hour,
    (select '[' || coalesce(string_agg(row_to_json(one)::text, ',' order by one.announced_at desc), '') || ']' from (
      select w.hour as "timestamp", w.announced_at, logic.category_name(chosen, w.category) as category,
        logic.category_name(chosen, w.before) as before, w.aqi, w.pollutant,
        case w.pollutant when 'temperature' then '°C'
  when 'humidity' then '%'
  when 'pressure' then 'Pa'
  when 'pm1' then 'µg/m³'
  when 'pm2.5' then 'µg/m³'
  when 'pm2.5_raw' then 'µg/m³'
  when 'pm10' then 'µg/m³'
  when 'no2' then 'ppb'
  when 'so2' then 'µg/m³'
  when 'o3' then 'µg/m³'
  when 'dust' then 'µg/m³'
  when 'usvh' then 'µSv/h'
  when 'uv' then 'UV index'
  when 'wind_speed' then 'm/s' end as unit,
        logic.published_non_negative(w.pm25, 1) as "pm2.5", logic.published_non_negative(w.pm10, 1) as pm10,
        logic.published_non_negative(w.o3, 1) as o3, logic.published_non_negative(w.no2, 1) as no2,
        logic.published_non_negative(w.so2, 1) as so2
      from warning w) one),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.station s
  cross join api.freshness f
  left join lateral (
    select a.category from announced a
    where exists (select from logic.station_category c where c.station_id = only_station and c.index = chosen
      and c.bucket >= rollup.bucket_add('hour', end_of_hours, -3) and c.bucket < end_of_hours)
    order by a.announced_at desc limit 1
  ) n on true
  where s.id = only_station and not exists (select from raw.hidden_period p
      where p.station_id = s.id and p.since <= at and at < p.until);
end $$;
comment on function api.station_warnings_json is
  'Changes of the announced air quality category of a station in the last 30 local days and today, as they were '
  'announced: later readings change none. It gets worse at once, when a closed hour is 5 % beyond the upper bound of '
  'the announced category, and better, to the worst of three hours in a row, when each is 5 % below its lower bound. '
  'An hour that becomes known, or changes, more than three hours after its end is not announced. One row; none for an '
  'unknown station_id, nor for a hidden station.
Columns:
  city_slug (of a district; else null),
  index (aqi: categories of the US EPA index of PM2.5 and PM10; eaqi: bands of the European index, if that is '
  'preferred or no hour has the US one),
  category (announced now; null if none of the last three closed hours has one),
  category_since (start of the hour with which it began; null if no change is listed),
  since (start of the first local day),
  warnings (a JSON array, newest first, at most `most`, as text: timestamp (start of the hour), announced_at, '
  'category, before (null: the first one known), aqi (null with eaqi), pollutant that makes the category of the hour, '
  'its unit, and its means as announced: pm2.5, pm10, o3, no2 and so2),
  valid_until,
  data_version.';

-- Warnings of a region: the changes of its announced air quality category (R3). They are recorded by both indices,
-- since the operator may prefer the other one later. A row whose category is the one before, or a first one that is
-- good, is there to be compared with, and is not listed.

-- The categories of hours (logic.category) and what makes them. Hours without one, and suspect ones (C9), are absent.
create view logic.region_category as
  select h.region_slug, i.index, h.bucket,
    logic.category(i.index, 100, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as category,
    logic.category(i.index, 105, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as risen,
    logic.category(i.index, 95, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as fallen,
    case i.index when 'aqi' then h.aqi end as aqi,
    case
      when i.index = 'eaqi' then logic.european_pollutant(logic.european_grade(h.pm25, h.pm10, h.o3, h.no2, h.so2))
      when h.aqi = rollup.aqi(h.pm25, null) then 'pm2.5'
      else 'pm10' end as pollutant,
    h.pm25, h.pm10, h.o3, h.no2, h.so2
  from rollup.region_hourly h
  cross join (values ('aqi'), ('eaqi')) i(index)
  where not false and case i.index when 'aqi' then h.aqi is not null
    else coalesce(logic.possible(h.pm25), logic.possible(h.pm10), logic.possible(h.o3), logic.possible(h.no2),
      logic.possible(h.so2)) is not null end;

-- Announces the hours that ended at most three hours ago. The air got worse with the worst of them, and better with the
-- newest. Hours without a category are passed over: where fewer than three have one, earlier hours of the last 24
-- complete the row. A region that was never announced begins with the worst of the last three hours known before.
-- Returns the number of rows.
create function logic.announce_regions(now timestamptz) returns bigint
language plpgsql set plan_cache_mode = force_custom_plan set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off as $$
#variable_conflict use_column
declare
  until constant timestamptz := rollup.bucket_start('hour', now);
  fresh_since constant timestamptz := logic.fresh_since(now);
  row_since constant timestamptz := rollup.bucket_add('hour', until, -24);
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', now), -31);
  announced bigint;
begin
  with fresh as materialized (
    select * from logic.region_category where bucket >= fresh_since and bucket < until
  ),
  known as materialized (
    select f.*, w.announced_at, w.category as announced
    from (
      select region_slug, index, count(*)::int as hours, max(category) as category, max(risen) as risen, max(fallen) as fallen
      from fresh
      group by 1, 2
    ) f
    left join lateral (
      select w.announced_at, w.category from rollup.region_warning w
      where w.region_slug = f.region_slug and w.index = f.index order by w.announced_at desc limit 1
    ) w on true
  ),
  next as materialized (
    select k.region_slug, k.index, k.announced_at, k.announced, coalesce(k.announced, earlier.category) as before,
      logic.next_category(coalesce(k.announced, earlier.category), k.category, k.risen, k.hours + earlier.filling,
        greatest(k.category, earlier.filling_category), greatest(k.fallen, earlier.filling_fallen)) as category
    from known k
    cross join lateral (
      select max(category) as category, (count(*) filter (where is_filling))::int as filling,
        max(category) filter (where is_filling) as filling_category,
        max(fallen) filter (where is_filling) as filling_fallen
      from (
        select c.category, c.fallen,
          c.bucket >= row_since and row_number() over (order by c.bucket desc) <= 3 - k.hours as is_filling
        from logic.region_category c
        -- few places are new, or have gaps while their air gets better
        where (k.announced is null or k.hours < 3 and k.fallen < k.announced) and c.region_slug = k.region_slug and c.index = k.index
          and c.bucket >= first_hour and c.bucket < fresh_since and (k.announced is null or c.bucket >= row_since)
        order by c.bucket desc limit 3
      ) c
    ) earlier
  )
  insert into rollup.region_warning
  select distinct on (n.region_slug, n.index)
    n.region_slug, n.index, greatest(date_trunc('second', now), n.announced_at + interval '1 second'), f.bucket,
    n.category, n.before, f.aqi, f.pollutant, f.pm25, f.pm10, f.o3, f.no2, f.so2
  from next n join fresh f using (region_slug, index)
  where n.category is distinct from n.announced
  order by n.region_slug, n.index, n.category > coalesce(n.before, -1) and f.category = n.category desc, f.bucket desc;
  get diagnostics announced = row_count;
  return announced;
end $$;

-- Announces the hours of the last 31 local days as if each had been known at its end. Returns the number of rows.
create function logic.announce_past_regions(until timestamptz) returns bigint
language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', until), -31);
  announced bigint;
begin
  with known as materialized ( -- else each window computes the categories again
    select region_slug, index, bucket, category, risen, fallen from logic.region_category
    where bucket >= first_hour and bucket < until
  ),
  hour as (
    select region_slug, index, bucket, category, risen, (count(*) over three)::int as hours,
      max(category) over three as worst, max(fallen) over three as worst_fallen
    from known
    window three as (partition by region_slug, index order by bucket rows between 2 preceding and current row)
  ),
  announced as (
    select region_slug, index, bucket, logic.announced(category, risen, hours, worst, worst_fallen)
      over (partition by region_slug, index order by bucket) as category
    from hour
  ),
  next as (
    select *, lag(category) over (partition by region_slug, index order by bucket) as before from announced
  )
  insert into rollup.region_warning
  select region_slug, index, rollup.bucket_add('hour', bucket, 1), bucket, n.category, n.before, hour.aqi, hour.pollutant,
    hour.pm25, hour.pm10, hour.o3, hour.no2, hour.so2
  from next n join logic.region_category hour using (region_slug, index, bucket)
  where n.category is distinct from n.before;
  get diagnostics announced = row_count;
  return announced;
end $$;

create function logic.delete_old_region_warnings(now timestamptz) returns void language sql as $$
  delete from rollup.region_warning w
  where w.hour < rollup.bucket_add('day', rollup.bucket_start('day', now), -31)
    and (exists (select from rollup.region_warning newer
        where newer.region_slug = w.region_slug and newer.index = w.index and newer.announced_at > w.announced_at)
      or not exists (select from raw.region s where s.slug = w.region_slug))
$$;

revoke all on function logic.announce_regions, logic.announce_past_regions,
  logic.delete_old_region_warnings from public;

create function api.region_warnings_json(
  at timestamptz, only_region text, preferred_index text, most int default 100)
returns table (
  city_slug text, index text, category text, category_since timestamptz, since timestamptz, warnings text,
    valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
#variable_conflict use_column
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -30);
  chosen constant text := case when preferred_index = 'aqi' and exists (
      select from logic.region_category c where c.region_slug = only_region and c.index = 'aqi'
        and c.bucket >= rollup.bucket_add('day', first_hour, -1) and c.bucket < end_of_hours)
    then 'aqi' else 'eaqi' end;
begin
  return query
  with announced as materialized (
    select w.* from rollup.region_warning w
    where w.region_slug = only_region and w.index = chosen and w.hour < end_of_hours
  ),
  warning as materialized (
    select a.* from announced a
    where a.hour >= first_hour and a.category <> coalesce(a.before, 0)
    order by a.announced_at desc limit most
  )
  select s.city_slug, chosen, logic.category_name(chosen, n.category),
    case when n.category is not null then (select w.hour from warning w order by w.announced_at desc limit 1) end,
    first_hour,
    (select '[' || coalesce(string_agg(row_to_json(one)::text, ',' order by one.announced_at desc), '') || ']' from (
      select w.hour as "timestamp", w.announced_at, logic.category_name(chosen, w.category) as category,
        logic.category_name(chosen, w.before) as before, w.aqi, w.pollutant,
        case w.pollutant when 'temperature' then '°C'
  when 'humidity' then '%'
  when 'pressure' then 'Pa'
  when 'pm1' then 'µg/m³'
  when 'pm2.5' then 'µg/m³'
  when 'pm2.5_raw' then 'µg/m³'
  when 'pm10' then 'µg/m³'
  when 'no2' then 'ppb'
  when 'so2' then 'µg/m³'
  when 'o3' then 'µg/m³'
  when 'dust' then 'µg/m³'
  when 'usvh' then 'µSv/h'
  when 'uv' then 'UV index'
  when 'wind_speed' then 'm/s' end as unit,
        logic.published_non_negative(w.pm25, 1) as "pm2.5", logic.published_non_negative(w.pm10, 1) as pm10,
        logic.published_non_negative(w.o3, 1) as o3, logic.published_non_negative(w.no2, 1) as no2,
        logic.published_non_negative(w.so2, 1) as so2
      from warning w) one),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.region s
  cross join api.freshness f
  left join lateral (
    select a.category from announced a
    where exists (select from logic.region_category c where c.region_slug = only_region and c.index = chosen
      and c.bucket >= rollup.bucket_add('hour', end_of_hours, -3) and c.bucket < end_of_hours)
    order by a.announced_at desc limit 1
  ) n on true
  where s.slug = only_region and not false;
end $$;
comment on function api.region_warnings_json is
  'Changes of the announced air quality category of a region in the last 30 local days and today, as they were '
  'announced: later readings change none. It gets worse at once, when a closed hour is 5 % beyond the upper bound of '
  'the announced category, and better, to the worst of three hours in a row, when each is 5 % below its lower bound. '
  'An hour that becomes known, or changes, more than three hours after its end is not announced. One row; none for an '
  'unknown region_slug, nor for a hidden station.
Columns:
  city_slug (of a district; else null),
  index (aqi: categories of the US EPA index of PM2.5 and PM10; eaqi: bands of the European index, if that is '
  'preferred or no hour has the US one),
  category (announced now; null if none of the last three closed hours has one),
  category_since (start of the hour with which it began; null if no change is listed),
  since (start of the first local day),
  warnings (a JSON array, newest first, at most `most`, as text: timestamp (start of the hour), announced_at, '
  'category, before (null: the first one known), aqi (null with eaqi), pollutant that makes the category of the hour, '
  'its unit, and its means as announced: pm2.5, pm10, o3, no2 and so2),
  valid_until,
  data_version.';

-- The last 24 hours of some stations: an object each with trend, see api.trend, and pm2.5, the published means in the
-- order of time, with null where one is missing.
create function logic.stations_last_day(at timestamptz, only_stations int[]) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
begin
  return (
  with slot as materialized (
    select n, rollup.bucket_add('hour', first_hour, n - 1) as bucket from generate_series(1, 24) n
  ),
  hour as materialized (
    select one.id, h.bucket, h.pm25
    from unnest(only_stations) one(id)
    cross join lateral (
      select b.bucket, b.pm25 from rollup.station_hourly b
      where b.station_id = one.id and b.bucket >= first_hour and b.bucket < end_of_hours) h
  )
  select coalesce(json_agg(json_build_object('id', p.id, 'trend', api.trend(p.newest_first), 'pm2.5', p.means)
    order by p.id), '[]')::text
  from (
    select one.id, array_agg(logic.published_non_negative(h.pm25, 1) order by slot.n) as means,
      array_agg(h.pm25 order by slot.n desc) as newest_first
    from unnest(only_stations) one(id)
    cross join slot
    left join hour h on h.id = one.id and h.bucket = slot.bucket
    group by one.id
  ) p);
end $$;

-- The last 24 hours of some regions: an object each with trend, see api.trend, and pm2.5, the published means in the
-- order of time, with null where one is missing.
create function logic.regions_last_day(at timestamptz, only_regions text[]) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
as $$
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
begin
  return (
  with slot as materialized (
    select n, rollup.bucket_add('hour', first_hour, n - 1) as bucket from generate_series(1, 24) n
  ),
  hour as materialized (
    select one.id, h.bucket, h.pm25
    from unnest(only_regions) one(id)
    cross join lateral (
      select b.bucket, b.pm25 from rollup.region_hourly b
      where b.region_slug = one.id and b.bucket >= first_hour and b.bucket < end_of_hours) h
  )
  select coalesce(json_agg(json_build_object('slug', p.id, 'trend', api.trend(p.newest_first), 'pm2.5', p.means)
    order by p.id), '[]')::text
  from (
    select one.id, array_agg(logic.published_non_negative(h.pm25, 1) order by slot.n) as means,
      array_agg(h.pm25 order by slot.n desc) as newest_first
    from unnest(only_regions) one(id)
    cross join slot
    left join hour h on h.id = one.id and h.bucket = slot.bucket
    group by one.id
  ) p);
end $$;

-- Documents of explore/v1 with the last 24 hours of many places, for lists.

create function api.last_day_json(at timestamptz, most int default 1500)
returns table (stations text, regions text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed constant int[] := array(
    select s.id from raw.station s
    where not exists (select from raw.hidden_period h where h.station_id = s.id and h.since <= at and at < h.until)
    limit most + 1);
begin
  return query
  select logic.stations_last_day(at, case when cardinality(listed) <= most then listed end),
    logic.regions_last_day(at, array(select r.slug from raw.region r)),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    (select f.data_version from api.freshness f);
end $$;
comment on function api.last_day_json is
  'PM2.5 of the last 24 closed hours at all listed stations, of a network of more than `most` at none, and in all '
  'regions. One row. Columns: stations (a JSON array, as text: of each, id, trend, see api.trend, and pm2.5, the '
  'published means in the order of time, with null where one is missing [µg/m³]), regions (likewise, by slug), '
  'valid_until, data_version.';

create function api.region_last_day_json(at timestamptz, only_region text)
returns table (stations text, regions text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    logic.stations_last_day(at, array(
      select distinct m.station_id from raw.station_region m
      where m.region_slug = only_region and m.since <= at and at < m.until
        and not exists (select from raw.hidden_period h
          where h.station_id = m.station_id and h.since <= at and at < h.until))),
    logic.regions_last_day(at, array(select r.slug from raw.region r where r.city_slug = only_region)),
    least(api.history_valid_until(at), logic.hidden_changes_after(at), logic.member_changes_after(at, only_region)),
    f.data_version
  from raw.region s cross join api.freshness f
  where s.slug = only_region;
end $$;
comment on function api.region_last_day_json is
  'PM2.5 of the last 24 closed hours at the listed stations and in the districts of a region. One row; none for an '
  'unknown slug. Columns: stations and regions (as of api.last_day_json), valid_until, data_version.';

-- The document of explore/v1 about the stations near a region, which may have none of its own.
create function api.region_neighbours_json(at timestamptz, only_region text, most int default 5)
returns table (neighbours text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    logic.neighbours_json(at, r.map_latitude, r.map_longitude, array(
      select m.station_id from raw.station_region m
      where m.region_slug = r.slug and m.since <= at and at < m.until), most),
    least(api.history_valid_until(at), logic.hidden_changes_after(at), logic.member_changes_after(at, r.slug)),
    f.data_version
  from raw.region r cross join api.freshness f
  where r.slug = only_region;
end $$;
comment on function api.region_neighbours_json is
  'The listed stations nearest to the point at which maps show a region, without its own, at most `most`. One row; none '
  'for an unknown slug. Columns: neighbours (a JSON array with the id and the distance in km of each, the nearest first, '
  'as text), valid_until, data_version.';

-- airseries_reader may read everything in schema api, and nothing else.
revoke all on schema api from public;
grant usage on schema api to airseries_reader;
grant select on all tables in schema api to airseries_reader;

-- Only the owner may call procedures.
revoke all on all procedures in schema logic, rollup from public;

select 'rollup.sensor_hourly'::regclass, 'rollup.station_hourly'::regclass, 'rollup.region_hourly'::regclass, 'rollup.station_daily'::regclass, 'rollup.region_daily'::regclass, 'rollup.station_monthly'::regclass, 'rollup.region_monthly'::regclass;