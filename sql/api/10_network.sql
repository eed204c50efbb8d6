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
  cross join (values {{list locale: ('$name')}}) as l(locale);
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
  cross join (values {{list locale: ('$name')}}) as l(locale)
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
  cross join (values {{list locale: ('$name')}}) as l(locale)
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
