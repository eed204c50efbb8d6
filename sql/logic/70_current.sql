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
  {{list parameter: $name_at timestamptz}}, -- when the newest value was measured
  {{list mean: $name float8}}, -- the mean of the 60 minutes up to then
  wind_sin float8,
  wind_cos float8,
  rain float8 -- the sum of the 60 minutes
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  -- bounds of the readings, as plain values: they tell the planner which chunks to read
  newest_since constant timestamptz := at - (select max(stale_after) from raw.provider);
  hour_since constant timestamptz := newest_since - interval '60 minutes';
begin
  return query
  select p.sensor_id, p.station_id, newest.measured_at,
    {{list parameter: newest.$name}}, {{list mean: s.$name}}, s.wind_sin, s.wind_cos, s.rain
  from logic.placed(at, only_station) p
  cross join lateral (
    -- per parameter, the time of the sensor's newest value, unless it is stale; a calm has no direction (A7)
    select
      max(r.measured_at) as measured_at,
      {{list mean: max(r.measured_at) filter (where r.$name is not null) as $name}},
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
      {{list mean: avg(r.$name::float8) filter (where r.measured_at > newest.$name - interval '60 minutes') as $name}},
      avg(sind(logic.possible(r.wind_direction))) filter (where r.wind_speed is distinct from 0
        and r.measured_at > newest.wind_direction - interval '60 minutes') as wind_sin,
      avg(cosd(logic.possible(r.wind_direction))) filter (where r.wind_speed is distinct from 0
        and r.measured_at > newest.wind_direction - interval '60 minutes') as wind_cos,
      sum(r.rain::float8) filter (where r.measured_at > newest.rain - interval '60 minutes') as rain
    from raw.readings r
    where r.sensor_id = p.sensor_id and r.measured_at >= p.placed_since
      and r.measured_at > least({{list parameter: newest.$name}}) - interval '60 minutes' and r.measured_at <= at
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
    insert into rollup.current as c (sensor_id, station_id, measured_at, {{list parameter: $name_at}},
      {{list mean: $name}}, wind_sin, wind_cos, rain)
    select sensor_id, station_id, measured_at, {{list parameter: $name_at}}, {{list mean: $name}}, wind_sin, wind_cos,
      rain from found
    on conflict (sensor_id) do update set station_id = excluded.station_id, measured_at = excluded.measured_at,
      {{list parameter: $name_at = excluded.$name_at}}, {{list mean: $name = excluded.$name}},
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
  {{list mean: $name float8}},
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
  select station_id, measured_at, {{list mean: $name}}, wind_sin, wind_cos, rain, changes_at
  from (
    select
      p.station_id,
      max(l.measured_at) as measured_at,
      {{list uncorrected: avg(s.$name) as $name}},
      {{station_pm25}} as pm25,
      avg(case when p.formula = 'none' then s.pm25_raw else coalesce(s.pm25_raw, s.pm25) end) as pm25_raw,
      avg(s.wind_sin) as wind_sin,
      avg(s.wind_cos) as wind_cos,
      avg(s.rain) as rain,
      min(least({{list parameter: case when l.$name_at > p.usable_since then l.$name_at end}}) + p.stale_after)
        as changes_at
    from (select *, at - stale_after as usable_since from logic.placed(at, only_station)) p
    join (
      select sensor_id, station_id, measured_at, {{list parameter: $name_at}}, {{list mean: $name}}, wind_sin,
        wind_cos, rain
      from rollup.current where is_recorded
      union all
      select * from logic.sensor_current(at, only_station) where not is_recorded
    ) l on l.sensor_id = p.sensor_id and l.station_id = p.station_id and l.measured_at >= p.placed_since
      and l.measured_at > p.usable_since
    cross join lateral (
      select
        {{list mean: case when l.$name_at > p.usable_since then l.$name end as $name}},
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
    insert into rollup.digest (made_at, region_slug, station_count, pm_stations, pm_left_out, {{list thp: $name}},
      {{list pm: $name}}, {{list ambient: $name}}, wind_sin, wind_cos, rain)
    select
      at,
      region.slug,
      count(c.station_id),
      count(coalesce({{list pm: c.$name}})) filter (where not m.is_pm_suspect),
      count(coalesce({{list pm: c.$name}})) filter (where m.is_pm_suspect),
      {{list thp: avg(c.$name) filter (where not m.is_flagged)}},
      {{list pm: avg(c.$name) filter (where not m.is_pm_suspect)}},
      {{list ambient: avg(c.$name)}},
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
  {{list regional: $name float8}},
  who_daily float8, -- µg/m³, W1
  who_year float8, -- µg/m³, W2
  who_exceedance_days int,
  month float8, -- µg/m³, mean of the last 30 completed days
  changes_at timestamptz -- the first of: the hour closes, the digest is too old, the next digest counts
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
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
    region.slug, digest.made_at, digest.station_count, {{list regional: digest.$name}},
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
