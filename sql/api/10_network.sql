-- The network as it is published: providers, regions, stations, sensors and flags. Titles fall back locale, en, any, slug or id.

create function api.title(titles jsonb, locale text, otherwise text) returns text language sql immutable parallel safe
  return coalesce(titles ->> locale, titles ->> 'en', (select min(value) from jsonb_each_text(titles)), otherwise);
comment on function api.title is 'The title in a locale, else in English, else any of them, else the given text. Null only if all of these are.';

create view api.provider as
  select id, title, url, image, image_dark from raw.provider;
comment on view api.provider is 'Who measures. One row for each provider.';
comment on column api.provider.id is 'slug of the provider; stations refer to it';
comment on column api.provider.title is 'human-readable name';
comment on column api.provider.url is 'link to the page of the provider, or an empty string';
comment on column api.provider.image is 'URL of the icon for light surfaces, or an empty string';
comment on column api.provider.image_dark is 'URL of the icon for dark surfaces, or an empty string';

create view api.region as
  select
    r.slug,
    r.kind,
    r.city_slug,
    {{each locale: api.title(r.title, '$name', r.slug) as title_$name}},
    {{each locale: api.title(c.title, '$name', c.slug) as city_$name}},
    r.map_latitude,
    r.map_longitude,
    r.map_delta,
    case when r.kind = 'city' then r.is_hidden end as is_hidden
  from raw.region r
  left join raw.region c on c.slug = r.city_slug;
comment on view api.region is 'Cities and districts, with what does not depend on time. One row for each.';
comment on column api.region.slug is 'slug of the city or district';
comment on column api.region.kind is 'city or district';
comment on column api.region.city_slug is 'slug of the city of a district; null for a city';
{{every locale: comment on column api.region.title_$name is 'title in $name, else in English, else any, else its slug';}}
{{every locale: comment on column api.region.city_$name is 'title of the city of a district in $name, else in English, else any, else its slug; null for a city';}}
comment on column api.region.map_latitude is 'latitude of the centre of the map, WGS 84 [degrees]';
comment on column api.region.map_longitude is 'longitude of the centre of the map, WGS 84 [degrees]';
comment on column api.region.map_delta is 'span of the map [degrees]';
comment on column api.region.is_hidden is 'whether the city is hidden from some listings; null for a district';

create view api.station as
  select
    s.id,
    s.provider_id as provider,
    {{each locale: api.title(s.title, '$name', s.id::text) as title_$name}},
    s.city_slug,
    {{each locale: api.title(c.title, '$name', c.slug) as city_$name}},
    s.district_slug,
    {{each locale: api.title(d.title, '$name', d.slug) as district_$name}},
    s.latitude,
    s.longitude
  from raw.station s
  left join raw.region c on c.slug = s.city_slug
  left join raw.region d on d.slug = s.district_slug;
comment on view api.station is 'Stations, hidden ones included, with what does not depend on time. One row for each.';
comment on column api.station.id is 'station id';
comment on column api.station.provider is 'slug of the provider';
{{every locale: comment on column api.station.title_$name is 'title in $name, else in English, else any, else its id';}}
comment on column api.station.city_slug is 'slug of the city; null outside any';
{{every locale: comment on column api.station.city_$name is 'title of the city in $name, else in English, else any, else its slug';}}
comment on column api.station.district_slug is 'slug of the district; null outside any';
{{every locale: comment on column api.station.district_$name is 'title of the district in $name, else in English, else any, else its slug';}}
comment on column api.station.latitude is 'latitude, WGS 84 [degrees]';
comment on column api.station.longitude is 'longitude, WGS 84 [degrees]';

create view api.station_flag as
  select station_id, reason, sensor_id, nullif(since, '-infinity') as since, nullif(until, 'infinity') as until from logic.flag;
comment on view api.station_flag is 'When temperature, humidity and pressure of a station were not to be trusted (C5). One row for each period and reason.';
comment on column api.station_flag.station_id is 'station id';
comment on column api.station_flag.reason is
  'operator, or what screening found: all_zero, pressure_off_altitude, humidity_pinned, constant_temperature, constant_humidity, constant_pressure';
comment on column api.station_flag.sensor_id is 'the sensor whose readings gave it away; null where the operator says so';
comment on column api.station_flag.since is 'from when on; null: always';
comment on column api.station_flag.until is 'until when, exclusive; null: it goes on';

create function api.sensor(at timestamptz)
returns table (
  id int, station_id int, kind text, device text, altitude float8,
  first_measurement_time timestamptz, last_measurement_time timestamptz, is_suspicious boolean
) language sql stable begin atomic
  select s.id, s.station_id, s.kind, s.device, s.altitude, s.first_measurement_time, s.last_measurement_time, s.is_suspicious
  from logic.sensor_state(at) s;
end;
comment on function api.sensor is
  'The sensors where they stand, or stood last, at an instant. Columns: id (sensor id), station_id (station id), kind (kind of sensor), device (what the device it is part of calls itself), altitude (of the station [m]), first_measurement_time and last_measurement_time (of its readings), is_suspicious (whether its readings take part in nothing now).';
