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
  aqi int, {{list mean: "$key" $type}}, wind_direction text, rain float8,
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
    rollup.aqi(c.pm25, c.pm10), {{list mean: $publish(c.$name, $digits)::$type}},
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
  {{repeat mean: "$key" ($meaning [$unit]),}}
  wind_direction (compass point),
  rain (sum of the hour [mm]),
  valid_until (the first instant at which any of this changes without new data; null: never).';
