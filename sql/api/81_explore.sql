-- Documents of explore/v1 about one {{subject}}: current indices, the days of a year, all its months, completeness, and
-- hours as CSV.
-- They run with the rights of their owner, since no view of this schema has unrounded means. Each reads a bounded
-- number of rows, and returns none for an unknown {{subject}}.

create function api.{{subject}}_now(at timestamptz, only_{{subject}} {{id_type}})
returns table (
  trend text,
  "nowcast_pm2.5" float8, nowcast_pm10 float8, nowcast_aqi int, nowcast_hours int,
  european_index text, european_timestamp timestamptz,
  european_pollutants text, european_values text, european_concentrations text, european_hours text,
  valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
begin
  return query
  with hour as materialized (
    select b.*, api.european_index(b.pm25, b.pm10, b.o3, b.no2, b.so2) as index
    from rollup.{{subject}}_hourly b
    where b.{{id}} = only_{{subject}} and b.bucket >= first_hour and b.bucket < end_of_hours
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
  from raw.{{subject}} s
  cross join cast_of c
  cross join api.freshness f
  left join hour h on h.bucket = rollup.bucket_add('hour', end_of_hours, -1)
  where s.{{key}} = only_{{subject}};
end $$;
comment on function api.{{subject}}_now is
  'Trend, NowCast and the European index of a {{subject}} at an instant. One row; none for an unknown {{id}}.
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

create function api.{{subject}}_days_json(at timestamptz, only_{{subject}} {{id_type}}, year int)
returns table (days text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
declare
  since constant timestamptz := make_timestamp(year, 1, 1, 0, 0, 0) at time zone rollup.time_zone();
  until constant timestamptz := least(make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone rollup.time_zone(),
    rollup.bucket_start('day', at));
begin
  return query
  select '[' || coalesce(string_agg({{day_point_with_hours}}, ',' order by b.timestamp), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from (
    select d.*, logic.european_band(g.grade) as european_index, logic.european_pollutant(g.grade) as pollutant,
      h.expected_hours, {{hours_of_means}} as hours
    from api.{{subject}}_daily d
    join api.{{subject}}_completeness(at, 'day', since, until, array[only_{{subject}}]) h on h.timestamp = d.timestamp
    cross join lateral (
      select logic.european_grade(d.avg_pm25, d.avg_pm10, d.avg_o3, d.avg_no2, d.avg_so2) as grade) g
    where d.{{id}} = only_{{subject}} and d.timestamp >= since and d.timestamp < until
  ) b
  having exists (select from raw.{{subject}} s where s.{{key}} = only_{{subject}});
end $$;
comment on function api.{{subject}}_days_json is
  'The completed days of a {{subject}} in a year. One row; none for an unknown {{id}}. Columns: days (a JSON array of '
  'points in the order of time, as text; each has the European index of its published means with the pollutant that '
  'makes it, its expected hours, and the number of hours behind each mean), valid_until, data_version.';

create function api.{{subject}}_months_json(at timestamptz, only_{{subject}} {{id_type}})
returns table (months text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
declare
  first_month constant timestamptz := (select min(m.bucket) from rollup.{{subject}}_monthly m
    where m.{{id}} = only_{{subject}});
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
  from api.{{subject}}_monthly b
  left join api.{{subject}}_completeness(at, 'month', first_month, at, array[only_{{subject}}]) h
    on h.timestamp = b.timestamp
  cross join lateral (
    select logic.european_grade(b.avg_pm25, b.avg_pm10, b.avg_o3, b.avg_no2, b.avg_so2) as grade) g
  where b.{{id}} = only_{{subject}} and b.timestamp < at
  having exists (select from raw.{{subject}} s where s.{{key}} = only_{{subject}});
end $$;
comment on function api.{{subject}}_months_json is
  'All months of a {{subject}} since its first, the running one included. One row; none for an unknown {{id}}. '
  'Columns: months (a JSON array of months in the order of time, each with its mean of PM2.5, its index, the number '
  'of hours with the pollutant behind the index, the European index of its published means with the pollutant that '
  'makes it and the hours with that, and its expected hours: 0 of 0 before the first hour has closed, as text), '
  'valid_until, data_version.';

create function api.{{subject}}_completeness_json(at timestamptz, only_{{subject}} {{id_type}})
returns table (days text, months text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
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
      concat('{"timestamp":', to_json(h.timestamp), ',"hours":', {{hours_of_means}},
        ',"expected_hours":', h.expected_hours, '}') as json
    from (values ('day', first_day, today), ('month', first_month, at)) u(unit, since, until)
    cross join lateral api.{{subject}}_completeness(at, u.unit, u.since, u.until, array[only_{{subject}}]) h
  ) b
  having exists (select from raw.{{subject}} s where s.{{key}} = only_{{subject}});
end $$;
comment on function api.{{subject}}_completeness_json is
  'How many hours of the last 30 completed days and of the last 24 months of a {{subject}} have values (A11). One '
  'row; none for an unknown {{id}}. Columns: days and months (JSON arrays in the order of time, as text), '
  'valid_until, data_version.';

create function api.{{subject}}_hours_csv(at timestamptz, only_{{subject}} {{id_type}}, first_date text, last_date text)
returns table (lines text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
declare
  since constant timestamptz := first_date::timestamp at time zone rollup.time_zone();
  until constant timestamptz := least((last_date::timestamp + interval '1 day') at time zone rollup.time_zone(),
    rollup.bucket_start('hour', at));
begin
  return query
  select coalesce(string_agg({{hour_line}}, '' order by b.timestamp), ''),
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from api.{{subject}}_hourly b
  where b.{{id}} = only_{{subject}} and b.timestamp >= since and b.timestamp < until
  having exists (select from raw.{{subject}} s where s.{{key}} = only_{{subject}});
end $$;
comment on function api.{{subject}}_hours_csv is
  'The closed hours of a {{subject}} from one local date to another, both included, as CSV. One row; none for an '
  'unknown {{id}}. Columns: lines (in the order of time, without a header), valid_until, data_version.';
