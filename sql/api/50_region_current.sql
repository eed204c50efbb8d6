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
  aqi int, {{list regional: "$key" $type}},
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
    rollup.aqi(c.pm25, c.pm10), {{list regional: $publish(c.$name, $digits)::$type}},
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
  {{repeat regional: "$key" ($meaning [$unit]),}}
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
