-- Warnings of a {{subject}}: the changes of its announced air quality category (R3). They are recorded by both indices,
-- since the operator may prefer the other one later. A row whose category is the one before, or a first one that is
-- good, is there to be compared with, and is not listed.

-- The categories of hours (logic.category) and what makes them. Hours without one, and suspect ones (C9), are absent.
create view logic.{{subject}}_category as
  select h.{{id}}, i.index, h.bucket,
    logic.category(i.index, 100, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as category,
    logic.category(i.index, 105, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as risen,
    logic.category(i.index, 95, h.aqi, h.pm25, h.pm10, h.o3, h.no2, h.so2) as fallen,
    case i.index when 'aqi' then h.aqi end as aqi,
    case
      when i.index = 'eaqi' then logic.european_pollutant(logic.european_grade(h.pm25, h.pm10, h.o3, h.no2, h.so2))
      when h.aqi = rollup.aqi(h.pm25, null) then 'pm2.5'
      else 'pm10' end as pollutant,
    h.pm25, h.pm10, h.o3, h.no2, h.so2
  from rollup.{{subject}}_hourly h
  cross join (values ('aqi'), ('eaqi')) i(index)
  where not {{is_suspect_hour}} and case i.index when 'aqi' then h.aqi is not null
    else coalesce(logic.possible(h.pm25), logic.possible(h.pm10), logic.possible(h.o3), logic.possible(h.no2),
      logic.possible(h.so2)) is not null end;

-- Announces the hours that ended at most three hours ago. The air got worse with the worst of them, and better with the
-- newest. Hours without a category are passed over: where fewer than three have one, earlier hours of the last 24
-- complete the row. A {{subject}} that was never announced begins with the worst of the last three hours known before.
-- Returns the number of rows.
create function logic.announce_{{subject}}s(now timestamptz) returns bigint
language plpgsql set plan_cache_mode = force_custom_plan {{seek_settings}} as $$
#variable_conflict use_column
declare
  until constant timestamptz := rollup.bucket_start('hour', now);
  fresh_since constant timestamptz := logic.fresh_since(now);
  row_since constant timestamptz := rollup.bucket_add('hour', until, -24);
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', now), -31);
  announced bigint;
begin
  with fresh as materialized (
    select * from logic.{{subject}}_category where bucket >= fresh_since and bucket < until
  ),
  known as materialized (
    select f.*, w.announced_at, w.category as announced
    from (
      select {{id}}, index, count(*)::int as hours, max(category) as category, max(risen) as risen, max(fallen) as fallen
      from fresh
      group by 1, 2
    ) f
    left join lateral (
      select w.announced_at, w.category from rollup.{{subject}}_warning w
      where w.{{id}} = f.{{id}} and w.index = f.index order by w.announced_at desc limit 1
    ) w on true
  ),
  next as materialized (
    select k.{{id}}, k.index, k.announced_at, k.announced, coalesce(k.announced, earlier.category) as before,
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
        from logic.{{subject}}_category c
        -- few places are new, or have gaps while their air gets better
        where (k.announced is null or k.hours < 3 and k.fallen < k.announced) and c.{{id}} = k.{{id}} and c.index = k.index
          and c.bucket >= first_hour and c.bucket < fresh_since and (k.announced is null or c.bucket >= row_since)
        order by c.bucket desc limit 3
      ) c
    ) earlier
  )
  insert into rollup.{{subject}}_warning
  select distinct on (n.{{id}}, n.index)
    n.{{id}}, n.index, greatest(date_trunc('second', now), n.announced_at + interval '1 second'), f.bucket,
    n.category, n.before, f.aqi, f.pollutant, f.pm25, f.pm10, f.o3, f.no2, f.so2
  from next n join fresh f using ({{id}}, index)
  where n.category is distinct from n.announced
  order by n.{{id}}, n.index, n.category > coalesce(n.before, -1) and f.category = n.category desc, f.bucket desc;
  get diagnostics announced = row_count;
  return announced;
end $$;

-- Announces the hours of the last 31 local days as if each had been known at its end. Returns the number of rows.
create function logic.announce_past_{{subject}}s(until timestamptz) returns bigint
language plpgsql set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  first_hour constant timestamptz := rollup.bucket_add('day', rollup.bucket_start('day', until), -31);
  announced bigint;
begin
  with known as materialized ( -- else each window computes the categories again
    select {{id}}, index, bucket, category, risen, fallen from logic.{{subject}}_category
    where bucket >= first_hour and bucket < until
  ),
  hour as (
    select {{id}}, index, bucket, category, risen, (count(*) over three)::int as hours,
      max(category) over three as worst, max(fallen) over three as worst_fallen
    from known
    window three as (partition by {{id}}, index order by bucket rows between 2 preceding and current row)
  ),
  announced as (
    select {{id}}, index, bucket, logic.announced(category, risen, hours, worst, worst_fallen)
      over (partition by {{id}}, index order by bucket) as category
    from hour
  ),
  next as (
    select *, lag(category) over (partition by {{id}}, index order by bucket) as before from announced
  )
  insert into rollup.{{subject}}_warning
  select {{id}}, index, rollup.bucket_add('hour', bucket, 1), bucket, n.category, n.before, hour.aqi, hour.pollutant,
    hour.pm25, hour.pm10, hour.o3, hour.no2, hour.so2
  from next n join logic.{{subject}}_category hour using ({{id}}, index, bucket)
  where n.category is distinct from n.before;
  get diagnostics announced = row_count;
  return announced;
end $$;

create function logic.delete_old_{{subject}}_warnings(now timestamptz) returns void language sql as $$
  delete from rollup.{{subject}}_warning w
  where w.hour < rollup.bucket_add('day', rollup.bucket_start('day', now), -31)
    and (exists (select from rollup.{{subject}}_warning newer
        where newer.{{id}} = w.{{id}} and newer.index = w.index and newer.announced_at > w.announced_at)
      or not exists (select from raw.{{subject}} s where s.{{key}} = w.{{id}}))
$$;

revoke all on function logic.announce_{{subject}}s, logic.announce_past_{{subject}}s,
  logic.delete_old_{{subject}}_warnings from public;

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
  chosen constant text := case when preferred_index = 'aqi' and exists (
      select from logic.{{subject}}_category c where c.{{id}} = only_{{subject}} and c.index = 'aqi'
        and c.bucket >= rollup.bucket_add('day', first_hour, -1) and c.bucket < end_of_hours)
    then 'aqi' else 'eaqi' end;
begin
  return query
  with announced as materialized (
    select w.* from rollup.{{subject}}_warning w
    where w.{{id}} = only_{{subject}} and w.index = chosen and w.hour < end_of_hours
  ),
  warning as materialized (
    select a.* from announced a
    where a.hour >= first_hour and a.category <> coalesce(a.before, 0)
    order by a.announced_at desc limit most
  )
  select {{city_slug}}, chosen, logic.category_name(chosen, n.category),
    case when n.category is not null then (select w.hour from warning w order by w.announced_at desc limit 1) end,
    first_hour,
    (select '[' || coalesce(string_agg(row_to_json(one)::text, ',' order by one.announced_at desc), '') || ']' from (
      select w.hour as "timestamp", w.announced_at, logic.category_name(chosen, w.category) as category,
        logic.category_name(chosen, w.before) as before, w.aqi, w.pollutant,
        case w.pollutant {{repeat mean: when '$key' then '$unit'}} end as unit,
        logic.published_non_negative(w.pm25, 1) as "pm2.5", logic.published_non_negative(w.pm10, 1) as pm10,
        logic.published_non_negative(w.o3, 1) as o3, logic.published_non_negative(w.no2, 1) as no2,
        logic.published_non_negative(w.so2, 1) as so2
      from warning w) one),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.{{subject}} s
  cross join api.freshness f
  left join lateral (
    select a.category from announced a
    where exists (select from logic.{{subject}}_category c where c.{{id}} = only_{{subject}} and c.index = chosen
      and c.bucket >= rollup.bucket_add('hour', end_of_hours, -3) and c.bucket < end_of_hours)
    order by a.announced_at desc limit 1
  ) n on true
  where s.{{key}} = only_{{subject}} and not {{is_hidden}};
end $$;
comment on function api.{{subject}}_warnings_json is
  'Changes of the announced air quality category of a {{subject}} in the last 30 local days and today, as they were '
  'announced: later readings change none. It gets worse at once, when a closed hour is 5 % beyond the upper bound of '
  'the announced category, and better, to the worst of three hours in a row, when each is 5 % below its lower bound. '
  'An hour that becomes known, or changes, more than three hours after its end is not announced. One row; none for an '
  'unknown {{id}}, nor for a hidden station.
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
