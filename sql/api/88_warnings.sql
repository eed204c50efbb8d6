-- Warnings of one {{subject}}: the changes of its air quality category.
--
-- The announced category of an hour is the worst one of the last three closed hours that have one. So it gets worse at
-- once, and better when three hours in a row were better, to the worst of these three. Hours without a category are
-- passed over. An hour whose announced category differs from the one before is a warning; before the first known hour
-- the air counts as good, so a first category is one unless it is good.
--
-- Entries a week if the air gets better after 1, 2, 3 and 6 hours: 35, 26, 22 and 16 at a station in Beijing (UCI, two
-- years), 8.8, 7.2, 6.2 and 4.3 in Aberdeen (Sensor.Community, two months). Three hours spare a third of them, and six
-- would announce clean air half a working day late.
--
-- Bands grow with the means (Q2, X1), so the worst category of three hours is the category of their highest values.
create function api.{{subject}}_warnings_json(
  at timestamptz, only_{{subject}} {{id_type}}, preferred_index text, most int default 100)
returns table (
  city_slug text, index text, category text, category_since timestamptz, since timestamptz, warnings text,
    valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', at), -30);
  -- the first hours that are shown have hours before them
  first_read constant timestamptz := rollup.bucket_add('day', first_hour, -1);
begin
  return query
  with hour as materialized (
    select h.bucket, h.aqi, logic.possible(h.pm25) as pm25, logic.possible(h.pm10) as pm10,
      logic.possible(h.o3) as o3, logic.possible(h.no2) as no2, logic.possible(h.so2) as so2
    from rollup.{{subject}}_hourly h
    where h.{{id}} = only_{{subject}} and h.bucket >= first_read and h.bucket < end_of_hours and not {{is_suspect_hour}}
  ),
  chosen as materialized (
    select case when preferred_index = 'aqi' and exists (select from hour h where h.aqi is not null)
      then 'aqi' else 'eaqi' end as index
  ),
  highest as (
    select h.bucket, max(h.aqi) over three as aqi, max(h.pm25) over three as pm25, max(h.pm10) over three as pm10,
      max(h.o3) over three as o3, max(h.no2) over three as no2, max(h.so2) over three as so2
    from hour h cross join chosen c
    where case c.index when 'aqi' then h.aqi is not null else coalesce(h.pm25, h.pm10, h.o3, h.no2, h.so2) is not null end
    window three as (order by h.bucket rows between 2 preceding and current row)
  ),
  announced as materialized (
    select a.*, lag(a.category) over (order by a.bucket) as before
    from (
      select h.*, case c.index when 'aqi' then lower(api.aqi_category(h.aqi))
        else api.european_index(h.pm25, h.pm10, h.o3, h.no2, h.so2) end as category
      from highest h cross join chosen c) a
  ),
  warning as materialized (
    select a.* from announced a
    where a.bucket >= first_hour and a.category <> coalesce(a.before, 'good')
    order by a.bucket desc limit most
  )
  select {{city_slug}}, c.index, n.category,
    case when n.category is not null then (select max(w.bucket) from warning w) end,
    first_hour,
    (select coalesce(json_agg(json_build_object(
        'timestamp', w.bucket, 'category', w.category, 'before', w.before,
        'aqi', case c.index when 'aqi' then w.aqi end,
        'pollutant', case c.index
          when 'aqi' then case when w.aqi = rollup.aqi(w.pm25, null) then 'pm2.5' else 'pm10' end
          else case w.category
            when api.european_index(pm25 => w.pm25) then 'pm2.5'
            when api.european_index(pm10 => w.pm10) then 'pm10'
            when api.european_index(o3 => w.o3) then 'o3'
            when api.european_index(no2 => w.no2) then 'no2'
            else 'so2' end end,
        'pm2.5', logic.published_non_negative(w.pm25, 1), 'pm10', logic.published_non_negative(w.pm10, 1),
        'o3', logic.published_non_negative(w.o3, 1), 'no2', logic.published_non_negative(w.no2, 1),
        'so2', logic.published_non_negative(w.so2, 1))
      order by w.bucket desc), '[]')::text from warning w),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.{{subject}} s
  cross join chosen c
  cross join api.freshness f
  left join lateral (
    select a.category from announced a where a.bucket >= rollup.bucket_add('hour', end_of_hours, -3)
    order by a.bucket desc limit 1
  ) n on true
  where s.{{key}} = only_{{subject}} and not {{is_hidden}};
end $$;
comment on function api.{{subject}}_warnings_json is
  'Changes of the announced air quality category of a {{subject}} in the last 30 local days and today. The announced '
  'category of an hour is the worst one of the last three closed hours that have one. One row; none for an unknown '
  '{{id}}, nor for a hidden station.
Columns:
  city_slug (of a district; else null),
  index (aqi: categories of the US EPA index of PM2.5 and PM10; eaqi: bands of the European index, if that is preferred '
  'or no hour has the US one),
  category (announced now; null if none of the last three closed hours has one),
  category_since (start of the hour with which it began; null if no change is listed),
  since (start of the first local day),
  warnings (a JSON array, newest first, at most `most`, as text: timestamp (start of the hour), category, before (null: '
  'the first one known), aqi (null with eaqi), pollutant that makes the category, pm2.5, pm10, o3, no2 and so2; numbers '
  'are the highest of the three hours),
  valid_until,
  data_version.';
