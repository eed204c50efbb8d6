-- A region's current values come from its digest (C4), its health figures from its closed hours and completed days (W1 to W4).

-- Makes the digest of an instant: for every region the mean over its online stations, a station flagged for bad temperature,
-- humidity or pressure without those (A3). A region without any gets a row that says so.
create or replace procedure rollup.make_digest(at timestamptz) language sql as $$
  insert into rollup.digest
  select
    at,
    region.slug,
    count(c.station_id),
    {{each thp: avg(c.$name) filter (where c.quality = 0)}},
    {{each air: avg(c.$name)}},
    avg(c.wind_sin),
    avg(c.wind_cos),
    avg(c.rain)
  from raw.region region
  left join raw.membership m on m.region_slug = region.slug and m.since <= at and at < m.until
  left join rollup.station_current(at) c on c.station_id = m.station_id
  group by region.slug
  on conflict do nothing
$$;

drop function if exists rollup.region_current(timestamptz, text);
create function rollup.region_current(at timestamptz, only_region text default null)
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
  who_daily float8,
  who_year float8,
  who_exceedance_days int,
  month float8
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with closed as materialized ( -- computed once, not per row: hours closed and local days completed before the instant
    select
      rollup.bucket_start('hour', at) as hour,
      rollup.bucket_add('hour', rollup.bucket_start('hour', at), -24) as hour_24,
      rollup.bucket_start('day', at) as day,
      rollup.bucket_add('day', rollup.bucket_start('day', at), -30) as day_30,
      rollup.bucket_add('day', rollup.bucket_start('day', at), -365) as day_365
  )
  select
    region.slug, digest.made_at, digest.station_count, digest.temperature, digest.humidity, digest.pressure, digest.pm25, digest.pm10, digest.no2,
    hours.mean, days.year, days.exceedances, days.month
  from raw.region region
  cross join closed
  left join lateral (
    select * from rollup.digest d
    where d.region_slug = region.slug and d.made_at <= at and d.made_at >= at - interval '30 minutes'
    order by d.made_at desc limit 1
  ) digest on digest.station_count > 0
  cross join lateral (
    select case when count(h.pm25) >= 18 then avg(h.pm25) end as mean
    from rollup.region_hourly h
    where h.region_slug = region.slug and h.bucket >= closed.hour_24 and h.bucket < closed.hour
  ) hours
  cross join lateral (
    select
      avg(d.pm25) as year,
      count(*) filter (where d.pm25 > 15)::int as exceedances,
      avg(d.pm25) filter (where d.bucket >= closed.day_30) as month
    from rollup.region_daily d
    where d.region_slug = region.slug and d.bucket >= closed.day_365 and d.bucket < closed.day
  ) days
  where only_region is null or region.slug = only_region
$$;

-- How many times a mean exceeds its guideline, null up to 15 % over it (W3).
create function api.exceedance(mean float8, guideline float8) returns float8 language sql immutable parallel safe
  return case when mean > 1.15 * guideline then round((mean / guideline)::numeric, 1)::float8 end;

create function api.region_current(at timestamptz, only_region text default null)
returns table (
  slug text, kind text, city_slug text,
  title_en text, title_ru text, title_hy text,
  city_en text, city_ru text, city_hy text,
  measurement_time timestamptz,
  temperature float8, humidity float8, pressure int, aqi int,
  "pm2.5" float8, pm10 float8, no2 float8,
  station_count int,
  "who_daily_pm2.5" float8, who_daily_exceedance float8,
  "who_year_pm2.5" float8, who_yearly_exceedance float8, "who_pm2.5_exceedance_days" int,
  month_cigarettes float8,
  map_latitude float8, map_longitude float8, map_delta float8, is_hidden boolean
) language sql stable begin atomic
  select
    r.slug, r.kind, r.city_slug,
    r.title_en, r.title_ru, r.title_hy,
    r.city_en, r.city_ru, r.city_hy,
    c.made_at,
    rollup.published(c.temperature, 1), rollup.published(c.humidity, 0), round(c.pressure::numeric)::int,
    rollup.aqi(c.pm25, c.pm10),
    rollup.published_floor(c.pm25, 1), rollup.published_floor(c.pm10, 1), rollup.published(c.no2, 1),
    c.station_count,
    rollup.published_floor(c.who_daily, 1), api.exceedance(c.who_daily, 15),
    rollup.published_floor(c.who_year, 1), api.exceedance(c.who_year, 5), coalesce(c.who_exceedance_days, 0),
    rollup.published_floor(c.month * 30 / 22, 1),
    r.map_latitude, r.map_longitude, r.map_delta, r.is_hidden
  from api.region r
  join rollup.region_current(at, only_region) c on c.region_slug = r.slug
  where only_region is null or r.slug = only_region;
end;
