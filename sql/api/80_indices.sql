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
