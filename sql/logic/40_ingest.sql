-- Stores batches of readings. A batch arrives as one array per column, with one element per reading. It is already
-- validated, except for checks that need the database (S2, S3). Each function runs with the rights of the caller, in
-- one transaction: all or nothing.

-- The amount of rain that a source gave: beside a total, `rain` is derived from it.
create function logic.given_rain(rain real, rain_total real, rain_given real) returns real language sql immutable as $$
  select case when rain_total is null then rain else rain_given end
$$;

-- Stores the usable readings and quarantines the rest. accepted + unchanged + refused = readings given. For a sensor and
-- a time, each value of a reading replaces the stored one, a parameter that it leaves empty is withdrawn, and every other
-- parameter stays as it is (S3). Raises AS403, and stores nothing, if the sender lacks authorization for a sensor; the
-- message lists those sensors. Raises AS503 if raw.readings is no longer a hypertable, or TimescaleDB is still in the
-- state of a restore: readings would get lost.
create function logic.store_readings(
  now timestamptz,
  source text,
  sensors int[],
  times float8[], -- microseconds since 1970
  problems text[], -- why a reading cannot be used; null: no problem found so far
  merged_into int[], -- ordinal, from 1, of the later reading of its sensor and time that has its values; 0: it adds
    -- nothing to that one; -1: that one has another value, which counts; null: it is stored itself
  lines bigint[], -- line numbers in the source
  texts text, -- the input of all readings, one per line
  empty_ordinals int[], -- ordinals, from 1, of readings that are stored themselves and leave a parameter empty
  empty_names text[],
  value_ordinals int[], -- ordinals, from 1, of the readings that had a value left out
  value_reasons text[],
  scope_provider text, -- the provider the sender is authorized for; null: any
  scope_stations int[], -- the stations of that provider it is authorized for; null: all
  only_new boolean, -- only fill in parameters that are not stored: replace and withdraw nothing
  {{list reading: $name_values real[]}},
  out accepted int,
  out unchanged int,
  out accepted_ordinals int[], -- ordinals, from 1, of the readings that were stored themselves and changed something
  out replaced int, -- number of stored values that were replaced or withdrawn
  out replaced_oldest float8, -- the first and the last hour with such a value, in microseconds since 1970; null: none
  out replaced_newest float8,
  out without_station int, -- number of accepted readings without a placement at their time
  out refused_ordinals int[], -- ordinals, from 1, of the readings that could not be used
  out refused_reasons text[],
  out late_hours int, -- number of closed hours in which a reading was changed
  out left_out int, -- number of lines that did not fit into the quarantine
  out delays jsonb -- how late the written readings are, by group: [[count, mean seconds from measurement to `now`], …]
)
language plpgsql
set plan_cache_mode = force_custom_plan -- a generic plan would assume ten readings
{{seek_settings}}
as $$
declare
  -- bounds of the readings, as plain values: they tell the planner which chunks to read
  earliest constant timestamptz := (select to_timestamp(min(t) / 1e6) from unnest(times) t);
  latest constant timestamptz := (select to_timestamp(max(t) / 1e6) from unnest(times) t);
  unauthorized int[] := logic.unauthorized_sensors(sensors, times, scope_provider, scope_stations);
  has_lost_chunks boolean;
  has_gauges boolean;
  withdrawing int[];
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

  with empty as (
    select e.ordinal, array_agg(e.name) as names from unnest(empty_ordinals, empty_names) as e(ordinal, name)
    where not only_new
    group by 1
  ),
  given as materialized (
    select g.ordinal, g.sensor_id, to_timestamp(g.microseconds / 1e6) as measured_at, g.merged_into, g.problem,
      empty.names,
      {{list reading: g.$name}},
      case
        when s.id is null and g.problem is distinct from 'unreadable_line' then 'unknown_sensor'
        when g.problem <> 'no_value' then g.problem
        when to_timestamp(g.microseconds / 1e6) < rollup.origin() then 'before_epoch'
        when to_timestamp(g.microseconds / 1e6) < i.ingest_cutoff then 'older_than_retention'
        when empty.names is null then g.problem
      end as reason
    from unnest(sensors, times, problems, merged_into, {{list reading: $name_values}})
      with ordinality as g(sensor_id, microseconds, problem, merged_into, {{list reading: $name}}, ordinal)
    left join raw.sensor s on s.id = g.sensor_id
    left join empty on empty.ordinal = g.ordinal
    cross join raw.installation i
  ),
  -- Each reading that is stored itself, beside what is stored of its sensor and time. Of rain a source gives an amount
  -- or a total; the amount of a reading with a total is derived, and the given one is kept beside it.
  compared as materialized (
    select g.ordinal, g.measured_at, g.problem,
      ({{list given: g.$name}}, g.rain) is distinct from ({{list given: null::real}}, null::real) as has_value,
      case when only_new then
        ({{list given: coalesce(r.$name, g.$name)}}, coalesce(known.rain, g.rain)) is distinct from
          ({{list given: r.$name}}, known.rain)
      else
        ({{list given: coalesce(g.$name, r.$name)}}, coalesce(g.rain, known.rain)) is distinct from
          ({{list given: r.$name}}, known.rain)
      end as changes,
      case when only_new then 0 else coalesce((g.rain <> known.rain)::int, 0)
        {{repeat given: + coalesce((g.$name <> r.$name)::int, 0)}} end as replaces,
      case when g.names is null then 0 else (known.rain is not null and 'rain' = any (g.names))::int
        {{repeat given: + (r.$name is not null and '$name' = any (g.names))::int}} end as withdraws
    from given g
    left join raw.readings r on r.sensor_id = g.sensor_id and r.measured_at = g.measured_at
      and r.measured_at >= earliest and r.measured_at <= latest
    cross join lateral (select logic.given_rain(r.rain, r.rain_total, r.rain_given) as rain) known
    where g.merged_into is null and g.reason is null
  ),
  refused as (
    select ordinal, reason from given where reason is not null
    union all
    -- it has no value, and there is none to withdraw
    select ordinal, problem from compared where problem is not null and withdraws = 0
  ),
  written as (
    insert into raw.readings as stored (measured_at, sensor_id, {{list reading: $name}}, rain_given)
    select g.measured_at, g.sensor_id, {{list reading: g.$name}}, case when g.rain_total is not null then g.rain end
    from compared c join given g on g.ordinal = c.ordinal
    where c.has_value and c.changes
    order by g.sensor_id, g.measured_at -- in the same order everywhere, or two writers could deadlock
    on conflict (sensor_id, measured_at) do update set
      {{list given: $name = case when only_new
        then coalesce(stored.$name, excluded.$name) else coalesce(excluded.$name, stored.$name) end}},
      -- with a total, derive_rain decides
      rain = case when coalesce(excluded.rain_total, stored.rain_total) is not null then stored.rain
        when only_new then coalesce(stored.rain, excluded.rain) else coalesce(excluded.rain, stored.rain) end,
      rain_given = case when coalesce(excluded.rain_total, stored.rain_total) is not null then
        case when only_new
          then coalesce(logic.given_rain(stored.rain, stored.rain_total, stored.rain_given), excluded.rain)
          else coalesce(excluded.rain, logic.given_rain(stored.rain, stored.rain_total, stored.rain_given))
        end end
    returning sensor_id, measured_at, extract(epoch from now - measured_at)::float8 as delay,
      tableoid = 'raw.readings'::regclass as stored_outside_hypertable
  ),
  changed as materialized (
    select c.ordinal, g.sensor_id, c.measured_at, c.replaces + c.withdraws as replaced, c.withdraws,
      p.sensor_id as placed
    from compared c
    join given g on g.ordinal = c.ordinal
    left join raw.placement p on p.sensor_id = g.sensor_id and c.measured_at >= p.since and c.measured_at < p.until
    where c.has_value and c.changes or c.withdraws > 0
  )
  select count(c.ordinal),
    coalesce(array_agg(c.ordinal order by c.ordinal) filter (where c.ordinal is not null), '{}'),
    coalesce(sum(c.replaced), 0),
    extract(epoch from rollup.bucket_start('hour', min(c.measured_at) filter (where c.replaced > 0))) * 1e6,
    extract(epoch from rollup.bucket_start('hour', max(c.measured_at) filter (where c.replaced > 0))) * 1e6,
    count(c.ordinal) filter (where c.placed is null),
    count(distinct rollup.bucket_start('hour', c.measured_at))
      filter (where c.measured_at < rollup.bucket_start('hour', now)),
    coalesce(array_agg(c.ordinal) filter (where c.withdraws > 0), '{}'),
    coalesce((select jsonb_agg(jsonb_build_array(n, greatest(seconds, 0))) from (
      select count(*) as n, avg(delay) as seconds from written
      group by width_bucket(delay, array[60, 300, 1800, 10800, 86400, 604800]::float8[])) d), '[]'),
    (select coalesce(array_agg(ordinal order by ordinal), '{}') from refused),
    (select coalesce(array_agg(reason order by ordinal), '{}') from refused),
    (select bool_or(stored_outside_hypertable) from written) and (select engine = 'timescale' from raw.installation)
  into accepted, accepted_ordinals, replaced, replaced_oldest, replaced_newest, without_station, late_hours,
    withdrawing, delays, refused_ordinals, refused_reasons, has_lost_chunks
  from changed c;

  accepted := accepted + (
    select count(*) from unnest(merged_into) with ordinality as m(into_ordinal, ordinal)
    where m.into_ordinal is not null and (m.into_ordinal = -1 and not only_new or m.into_ordinal = any (accepted_ordinals))
      and m.ordinal <> all (refused_ordinals));
  unchanged := cardinality(sensors) - cardinality(refused_ordinals) - accepted;

  -- `drop extension timescaledb cascade` leaves an ordinary table that is empty; without timescaledb_post_restore() a
  -- hypertable acts like one
  if has_lost_chunks then
    raise exception using errcode = 'AS503', message = case when current_setting('timescaledb.restoring', true) = 'on'
      then 'timescaledb.restoring is on' else 'raw.readings is no longer a hypertable' end;
  end if;

  if withdrawing <> '{}' then
    perform logic.withdraw_values(sensors, times, empty_ordinals, empty_names, withdrawing);
  end if;

  if has_gauges and accepted_ordinals <> '{}' then
    perform logic.derive_rain(array(select sensors[ordinal] from unnest(accepted_ordinals) ordinal),
      array(select times[ordinal] from unnest(accepted_ordinals) ordinal));
  end if;

  left_out := 0;
  if refused_ordinals <> '{}' or value_ordinals <> '{}' then
    left_out := logic.quarantine_readings(now, source, scope_provider, scope_stations, sensors, times, lines, texts,
      value_ordinals, value_reasons,
      refused_ordinals, refused_reasons, {{list reading: $name_values}});
  end if;
end $$;

-- Withdraws the parameters that readings leave empty (S3), of the readings with these ordinals. A row without any value
-- is no reading, and is deleted. Raises serialization_failure, to be tried again, if one of the rows was deleted
-- meanwhile.
create function logic.withdraw_values(
  sensors int[], times float8[], empty_ordinals int[], empty_names text[], withdrawing int[]
) returns void language plpgsql
set plan_cache_mode = force_custom_plan
{{seek_settings}}
as $$
declare
  earliest constant timestamptz := (select to_timestamp(min(times[ordinal]) / 1e6) from unnest(withdrawing) ordinal);
  latest constant timestamptz := (select to_timestamp(max(times[ordinal]) / 1e6) from unnest(withdrawing) ordinal);
  is_deleted boolean;
  emptied_sensors int[];
  emptied_times timestamptz[];
begin
  with target as (
    select sensors[e.ordinal] as sensor_id, to_timestamp(times[e.ordinal] / 1e6) as measured_at,
      array_agg(e.name) as names
    from unnest(empty_ordinals, empty_names) as e(ordinal, name)
    where e.ordinal = any (withdrawing)
    group by e.ordinal
  ),
  -- An update that joins would unpack whole chunks of TimescaleDB. The row to insert has the values to withdraw, and
  -- only these: null would not tell an empty parameter from one that stays.
  withdrawn as (
    insert into raw.readings as stored (measured_at, sensor_id, {{list given: $name}}, rain)
    select r.measured_at, r.sensor_id,
      {{list given: case when '$name' = any (t.names) then r.$name end}},
      case when 'rain' = any (t.names) then logic.given_rain(r.rain, r.rain_total, r.rain_given) end
    from target t
    join raw.readings r on r.sensor_id = t.sensor_id and r.measured_at = t.measured_at
      and r.measured_at >= earliest and r.measured_at <= latest
    order by r.sensor_id, r.measured_at
    on conflict (sensor_id, measured_at) do update set
      {{list given: $name = case when excluded.$name is null then stored.$name end}},
      rain = case
        when stored.rain_total is null then case when excluded.rain is null then stored.rain end
        when excluded.rain_total is null then stored.rain -- derived
        when excluded.rain is null then stored.rain_given end,
      rain_given = case when excluded.rain is null and excluded.rain_total is null then stored.rain_given end
    returning sensor_id, measured_at, xmax = 0 as is_inserted, num_nonnulls({{list reading: $name}}) = 0 as is_empty
  )
  select bool_or(is_inserted), array_agg(sensor_id) filter (where is_empty), array_agg(measured_at) filter (where is_empty)
  into is_deleted, emptied_sensors, emptied_times
  from withdrawn;
  if is_deleted then
    raise exception using errcode = 'serialization_failure', message = 'a reading was deleted meanwhile';
  end if;
  if emptied_sensors is not null then
    perform logic.delete_empty_readings(emptied_sensors, emptied_times);
  end if;
end $$;

-- Deletes the readings without any value of these sensors, in the periods between these times that are at most a week
-- apart. Writers of readings have no right to delete others. One statement a period, with plain values: deletes by key
-- took 229 s for 5,000 readings of five years in compressed chunks.
create function logic.delete_empty_readings(sensors int[], times timestamptz[]) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  emptied record;
begin
  for emptied in
    select e.sensor_id, lower(part) as since, upper(part) - interval '7 days' as until
    from (
      select sensor_id, range_agg(tstzrange(at, at + interval '7 days')) as parts
      from unnest(sensors, times) as t(sensor_id, at) group by 1
    ) e cross join unnest(e.parts) part
  loop
    delete from raw.readings r
    where r.sensor_id = emptied.sensor_id and r.measured_at >= emptied.since and r.measured_at <= emptied.until
      and num_nonnulls({{list reading: r.$name}}) = 0;
  end loop;
end $$;

-- Derives the rain of readings that have a total (A6): the amount since the total before, or the total itself where it
-- is smaller, because the gauge began anew. For the first total, where the one before is more than 24 hours older, and
-- where the difference is out of bounds (S1), it is the amount that a source gave, or null. Each instant was written or
-- deleted, so it derives the amount then, and that of the next total, which must be derived from another one now. The
-- total before may be the last one that retention has deleted (logic.keep_last_totals). Only changed amounts are
-- written, so only their hours become stale. Times are microseconds since 1970. The caller holds the row locks of these
-- sensors in raw.rain_gauge; sensors that are not in it are left out.
create function logic.derive_rain(sensors int[], times float8[]) returns void
language plpgsql set plan_cache_mode = force_custom_plan
  {{seek_settings}}
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
  counted as (
    select r.sensor_id, a.since, r.measured_at, r.rain, r.rain_total, r.rain_given, true as is_stored
    from affected a
    join raw.readings r on r.sensor_id = a.sensor_id and r.measured_at >= a.since and r.measured_at <= a.until
    where r.rain_total is not null and r.measured_at >= earliest and r.measured_at <= latest
    union all
    select g.sensor_id, a.since, g.deleted_at, null, g.deleted_total, null, false
    from affected a
    join raw.rain_gauge g on g.sensor_id = a.sensor_id and g.deleted_at >= a.since and g.deleted_at <= a.until
  ),
  totals as (
    select c.*,
      -- the first 24 hours are there for the totals before
      c.is_stored and c.measured_at >= c.since + interval '24 hours' as is_affected,
      lag(c.rain_total) over before as total_before,
      lag(c.measured_at) over before >= c.measured_at - interval '24 hours' as is_near
    from counted c
    window before as (partition by c.sensor_id, c.since order by c.measured_at)
  ),
  derived as (
    select t.sensor_id, t.measured_at, t.rain, t.rain_given,
      case when t.is_near then
        t.rain_total - case when t.rain_total >= t.total_before then t.total_before else 0 end end as amount
    from totals t
    where t.is_affected
  )
  -- each of these rows exists: an update that joins would unpack whole chunks of TimescaleDB
  insert into raw.readings as stored (measured_at, sensor_id, rain)
  select d.measured_at, d.sensor_id, possible.amount
  from derived d
  cross join lateral (
    select coalesce(case when d.amount between 0 and 500 then d.amount end, d.rain_given) as amount) possible
  where d.rain is distinct from possible.amount
  order by d.sensor_id, d.measured_at
  on conflict (sensor_id, measured_at) do update set rain = excluded.rain;
end $$;

-- Keeps the last total of each gauge before an instant, from which the first amount after it is derived (A6). To be
-- called before the readings before it are deleted.
create function logic.keep_last_totals(until timestamptz) returns void language sql
{{seek_settings}}
as $$
  update raw.rain_gauge g set deleted_at = last.measured_at, deleted_total = last.rain_total
  from raw.rain_gauge one
  left join lateral (
    select r.measured_at, r.rain_total from raw.readings r
    where r.sensor_id = one.sensor_id and r.rain_total is not null
      and r.measured_at < until and r.measured_at >= until - interval '24 hours'
    order by r.measured_at desc limit 1
  ) last on true
  where g.sensor_id = one.sensor_id
$$;

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

revoke all on function logic.given_rain, logic.store_readings, logic.withdraw_values, logic.delete_empty_readings,
  logic.derive_rain, logic.keep_last_totals, logic.delete_readings, logic.known_sensors, logic.ingest_bounds,
  logic.unauthorized_sensors
  from public;
grant execute on function logic.given_rain, logic.store_readings, logic.withdraw_values, logic.delete_empty_readings,
  logic.derive_rain, logic.known_sensors, logic.ingest_bounds, logic.unauthorized_sensors to airseries_ingest;
grant usage on schema logic to airseries_ingest;
