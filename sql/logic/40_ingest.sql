-- Stores batches of readings. A batch arrives as one array per column, with one element per reading. It is already
-- validated, except for checks that need the database (S2, S3). Each function runs with the rights of the caller, in
-- one transaction: all or nothing.

-- Stores the usable readings and quarantines the rest. accepted + unchanged + refused = readings given. Raises AS403,
-- and stores nothing, if the sender lacks authorization for a sensor; the message lists those sensors. Raises AS503 if
-- raw.readings is no longer a hypertable, or TimescaleDB is still in the state of a restore: readings would get lost.
create function logic.store_readings(
  now timestamptz,
  source text,
  sensors int[],
  times float8[], -- microseconds since 1970
  problems text[], -- why a reading cannot be used; null: no problem found so far
  lines bigint[], -- line numbers in the source
  texts text, -- the input of all readings, one per line
  value_nths int[], -- ordinals, from 1, of the readings that had a value left out
  value_reasons text[],
  scope_provider text, -- the provider the sender is authorized for; null: any
  scope_stations int[], -- the stations of that provider it is authorized for; null: all
  only_new boolean, -- never replace a stored reading
  {{list reading: $name_values real[]}},
  out accepted int,
  out unchanged int,
  out without_station int, -- number of accepted readings without a placement at their time
  out refused_nths int[], -- ordinals, from 1, of the readings that could not be used
  out refused_reasons text[],
  out late_hours int, -- number of closed hours to which readings were written
  out left_out int, -- number of lines that did not fit into the quarantine
  out delays jsonb -- how late the written readings are, by group: [[count, mean seconds from measurement to `now`], …]
)
language plpgsql
set plan_cache_mode = force_custom_plan -- a generic plan would assume ten readings
as $$
declare
  unauthorized int[] := logic.unauthorized_sensors(sensors, times, scope_provider, scope_stations);
  has_lost_chunks boolean;
  has_gauges boolean;
begin
  if unauthorized <> '{}' then
    raise exception using errcode = 'AS403', message = array_to_string(unauthorized, ', ');
  end if;
  lock table raw.ingest_lock in row exclusive mode; -- see raise_ingest_cutoff
  if rain_total_values <> '{}' then
    insert into raw.rain_gauge (sensor_id)
    select distinct s.id from unnest(sensors, rain_total_values) as g(sensor_id, total)
    join raw.sensor s on s.id = g.sensor_id
    where g.total is not null
    order by 1
    on conflict do nothing;
  end if;
  -- of two writers at once, neither would see the total of the other
  perform from raw.rain_gauge g where g.sensor_id = any (sensors) order by g.sensor_id for update;
  has_gauges := found;

  with given as materialized (
    select g.nth, g.sensor_id, to_timestamp(g.microseconds / 1e6) as measured_at, {{list reading: g.$name}},
      case
        when s.id is null and g.problem is distinct from 'unreadable_line' then 'unknown_sensor'
        when g.problem is not null then g.problem
        when to_timestamp(g.microseconds / 1e6) < rollup.origin() then 'before_epoch'
        when to_timestamp(g.microseconds / 1e6) < i.ingest_cutoff then 'older_than_retention'
      end as reason
    from unnest(sensors, times, problems, {{list reading: $name_values}})
      with ordinality as g(sensor_id, microseconds, problem, {{list reading: $name}}, nth)
    left join raw.sensor s on s.id = g.sensor_id
    cross join raw.installation i
  ),
  usable as materialized (
    select *, row_number() over (partition by sensor_id, measured_at order by nth desc) = 1 as is_last from given
    where reason is null
  ),
  written as (
    insert into raw.readings as stored (measured_at, sensor_id, {{list reading: $name}})
    select measured_at, sensor_id, {{list reading: $name}} from usable where is_last
    order by sensor_id, measured_at -- in the same order everywhere, or two writers could deadlock
    on conflict (sensor_id, measured_at) do update set {{list reading: $name = excluded.$name}}
    where not only_new and ({{list given: stored.$name}}, case when stored.rain_total is null then stored.rain end)
      is distinct from ({{list given: excluded.$name}}, excluded.rain)
    returning sensor_id, measured_at, extract(epoch from now - measured_at)::float8 as delay,
      tableoid = 'raw.readings'::regclass as stored_outside_hypertable
  ),
  -- a reading that a later one of the batch replaces counts as unchanged if both are equal (or if only_new), else as
  -- accepted
  replaced as (
    select count(*)::int as n
    from usable earlier
    join usable last on last.is_last and last.sensor_id = earlier.sensor_id and last.measured_at = earlier.measured_at
    where not earlier.is_last and not only_new and
      ({{list reading: earlier.$name}}) is distinct from ({{list reading: last.$name}})
  )
  select replaced.n + count(w.measured_at),
    (select count(*) from usable) - replaced.n - count(w.measured_at),
    count(w.measured_at) filter (where p.sensor_id is null),
    count(distinct rollup.bucket_start('hour', w.measured_at))
      filter (where w.measured_at < rollup.bucket_start('hour', now)),
    coalesce((select jsonb_agg(jsonb_build_array(n, greatest(seconds, 0))) from (
      select count(*) as n, avg(delay) as seconds from written
      group by width_bucket(delay, array[60, 300, 1800, 10800, 86400, 604800]::float8[])) d), '[]'),
    (select coalesce(array_agg(nth order by nth), '{}') from given where reason is not null),
    (select coalesce(array_agg(reason order by nth), '{}') from given where reason is not null),
    bool_or(w.stored_outside_hypertable) and (select engine = 'timescale' from raw.installation)
  into accepted, unchanged, without_station, late_hours, delays, refused_nths, refused_reasons, has_lost_chunks
  from replaced
  left join written w on true
  left join raw.placement p on p.sensor_id = w.sensor_id and w.measured_at >= p.since and w.measured_at < p.until
  group by replaced.n;

  -- `drop extension timescaledb cascade` leaves an ordinary table that is empty; without timescaledb_post_restore() a
  -- hypertable acts like one
  if has_lost_chunks then
    raise exception using errcode = 'AS503', message = case when current_setting('timescaledb.restoring', true) = 'on'
      then 'timescaledb.restoring is on' else 'raw.readings is no longer a hypertable' end;
  end if;

  if has_gauges then
    perform logic.derive_rain(sensors, times);
  end if;

  left_out := 0;
  if refused_nths <> '{}' or value_nths <> '{}' then
    left_out := logic.quarantine_readings(now, source, scope_provider, scope_stations, sensors, times, lines, texts,
      value_nths, value_reasons,
      refused_nths, refused_reasons, {{list reading: $name_values}});
  end if;
end $$;

-- Derives the rain of readings that have a total (A6): the amount since the total before, or the total itself where it
-- is smaller, because the gauge began anew. It is null for the first total, where the one before is more than 24 hours
-- older, and where it is out of bounds (S1). Each instant was written or deleted, so it derives the amount then, and
-- that of the next total, which must be derived from another one now. Only changed amounts are written, so only their
-- hours become stale. Times are microseconds since 1970. The caller holds the row locks of these sensors in
-- raw.rain_gauge; sensors that are not in it are left out.
create function logic.derive_rain(sensors int[], times float8[]) returns void
language plpgsql set plan_cache_mode = force_custom_plan
  {{include logic/parts/index_seeks.sql}}
as $$
declare
  -- bounds of the readings, as plain values: they tell the planner which chunks to read
  earliest constant timestamptz := (select to_timestamp(min(t) / 1e6) - interval '24 hours' from unnest(times) t);
  latest constant timestamptz := (select to_timestamp(max(t) / 1e6) + interval '24 hours' from unnest(times) t);
begin
  with written as (
    select w.sensor_id, to_timestamp(w.microseconds / 1e6) as at
    from unnest(sensors, times) as w(sensor_id, microseconds)
    join raw.rain_gauge g on g.sensor_id = w.sensor_id
    where w.microseconds is not null
  ),
  affected as (
    select w.sensor_id, lower(part) as since, upper(part) as until
    from (
      select sensor_id, range_agg(tstzrange(at - interval '24 hours', at + interval '24 hours', '[]')) as parts
      from written group by 1
    ) w cross join unnest(w.parts) part
  ),
  totals as (
    select r.sensor_id, r.measured_at, r.rain, r.rain_total,
      -- the first 24 hours are there for the totals before
      r.measured_at >= a.since + interval '24 hours' as is_affected,
      lag(r.rain_total) over before as total_before,
      lag(r.measured_at) over before >= r.measured_at - interval '24 hours' as is_near
    from affected a
    join raw.readings r on r.sensor_id = a.sensor_id and r.measured_at >= a.since and r.measured_at <= a.until
    where r.rain_total is not null and r.measured_at >= earliest and r.measured_at <= latest
    window before as (partition by r.sensor_id, a.since order by r.measured_at)
  ),
  derived as (
    select t.sensor_id, t.measured_at, t.rain,
      case when t.is_near then
        t.rain_total - case when t.rain_total >= t.total_before then t.total_before else 0 end end as amount
    from totals t where t.is_affected
  )
  -- each of these rows exists: an update that joins would unpack whole chunks of TimescaleDB
  insert into raw.readings as stored (measured_at, sensor_id, rain)
  select d.measured_at, d.sensor_id, possible.amount
  from derived d
  cross join lateral (select case when d.amount between 0 and 500 then d.amount end as amount) possible
  where d.rain is distinct from possible.amount
  order by d.sensor_id, d.measured_at
  on conflict (sensor_id, measured_at) do update set rain = excluded.rain;
end $$;

-- Deletes the readings of a sensor from `since` up to, not including, `until`. Returns how many that were.
create function logic.delete_readings(sensor int, since timestamptz, until timestamptz) returns bigint
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  deleted bigint;
begin
  perform from raw.rain_gauge g where g.sensor_id = sensor for update;
  delete from raw.readings r where r.sensor_id = sensor and r.measured_at >= since and r.measured_at < until;
  get diagnostics deleted = row_count;
  perform logic.derive_rain(array[sensor], array[extract(epoch from until)::float8 * 1e6]);
  return deleted;
end $$;

-- The facts about sensors that an import needs to validate their readings. A sensor that is not in the network has no
-- row. newest is the time of the newest stored reading, or null. placements lists [since, until) of each placement,
-- with null for infinite bounds. Times are microseconds since 1970.
create function logic.known_sensors(sensors int[])
  returns table (id int, kind text, rain text, newest float8, placements jsonb)
  language sql stable
set plan_cache_mode = force_custom_plan as $$
  select s.id, s.kind, s.rain,
    (select extract(epoch from r.measured_at)::float8 * 1e6 from raw.readings r where r.sensor_id = s.id
      order by r.measured_at desc limit 1),
    (select coalesce(jsonb_agg(jsonb_build_array(
        case when isfinite(p.since) then extract(epoch from p.since) * 1000000 end,
        case when isfinite(p.until) then extract(epoch from p.until) * 1000000 end)), '[]')
      from raw.placement p where p.sensor_id = s.id)
  from raw.sensor s
  where s.id = any (sensors)
$$;

-- Returns the instants before which readings are refused: the origin of the first hour, and the ingest cutoff, which is
-- null if there is none. Both are microseconds since 1970. Its lock keeps the cutoff as it is until the end of the
-- transaction (see raise_ingest_cutoff).
create function logic.ingest_bounds(out origin float8, out cutoff float8) language plpgsql as $$
begin
  lock table raw.ingest_lock in row exclusive mode;
  select extract(epoch from rollup.origin()) * 1e6,
    case when isfinite(ingest_cutoff) then extract(epoch from ingest_cutoff) * 1e6 end
  into origin, cutoff from raw.installation;
end $$;

-- The known sensors that the sender is not authorized for. If a sensor was at a station at the time of a reading,
-- suspicious or not, that station must be within the sender's scope. If it was at no station then, it must have been at
-- a station within that scope at some time.
create function logic.unauthorized_sensors(sensors int[], times float8[], provider text, stations int[]) returns int[]
  language sql stable as $$
  select coalesce(array_agg(distinct g.sensor_id order by g.sensor_id), '{}')
  from unnest(sensors, times) as g(sensor_id, microseconds)
  join raw.sensor s on s.id = g.sensor_id
  cross join lateral (
    select
      bool_or(is_own) filter (where is_then) as own_then,
      bool_or(is_own) as own_ever
    from (
      select
        st.provider_id = provider and (stations is null or st.id = any (stations)) as is_own,
        to_timestamp(g.microseconds / 1e6) >= located.since
          and to_timestamp(g.microseconds / 1e6) < located.until as is_then
      from raw.sensor_station located
      join raw.station st on st.id = located.station_id
      where located.sensor_id = g.sensor_id
    ) at_station
  ) of_sensor
  where provider is not null and not coalesce(of_sensor.own_then, of_sensor.own_ever, false)
$$;

revoke all on function logic.store_readings, logic.derive_rain, logic.delete_readings, logic.known_sensors,
  logic.ingest_bounds, logic.unauthorized_sensors from public;
grant execute on function logic.store_readings, logic.derive_rain, logic.known_sensors, logic.ingest_bounds,
  logic.unauthorized_sensors to airseries_ingest;
grant usage on schema logic to airseries_ingest;
