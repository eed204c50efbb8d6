-- Stores the readings of a source: a file, a push or a polled document (S2, S3). Its rows are staged first, in a table of
-- the session, so that they can be looked at as a whole; then one statement puts the rows of one sensor and time
-- together, compares them with what is stored, and stores what differs. Each function runs with the rights of the
-- caller, in one transaction: all or nothing.

-- == The stage ==

-- Makes the stage of this session, a temporary table, or empties it: nothing is left of it after a crash, and writers
-- cannot meet in it. `delete` empties a small one, because truncating it, as `on commit delete rows` would, takes 0.3 ms
-- of the 4 ms of a push.
create function logic.open_stage() returns void language plpgsql as $$
begin
  if to_regclass('pg_temp.staged_reading') is null then
    create temporary table staged_reading (
      ordinal int not null, -- in the order of the source
      sensor_id int, -- null: unreadable
      measured_at timestamptz, -- null: unreadable
      {{list reading: $name real}}, -- null: none given, or none that can be used
      empty int not null, -- the parameters that the row has and leaves empty: a sum of $bit
      unusable int not null default 0, -- the parameters whose value cannot be used
      wrong text, -- why: out_of_bounds:pm25, one after the other with a blank between
      problem text, -- why the row cannot be used as a whole; null: only the database can know
      line bigint, -- in the source
      text text, -- as it came; null: its values say it
      -- Rows of one sensor and time that were put together have these:
      kept int, -- the ordinal of the row that has their values; null: this row is stored itself
      is_replaced boolean, -- a later row replaced a value of this one
      is_part boolean -- the kept row has a value of this one
    );
    grant select on pg_temp.staged_reading to airseries_owner; -- logic.describe_stage
  elsif pg_relation_size('pg_temp.staged_reading') > 65536 then
    truncate pg_temp.staged_reading;
  else
    delete from pg_temp.staged_reading;
  end if;
end $$;

-- The outcome of storing the rows of a source. received = accepted + unchanged + refused + unauthorized.
create type logic.stored as (
  received int,
  accepted int,
  unchanged int,
  replaced int, -- number of stored values that were replaced
  withdrawn int, -- and of those that were withdrawn
  replaced_oldest float8, -- the first and the last hour with such a value, in microseconds since 1970; null: none
  replaced_newest float8,
  without_station int, -- number of accepted readings without a placement at their time
  late_hours int, -- number of closed hours in which a sender's reading was changed
  left_out int, -- number of lines that did not fit into the quarantine
  value_reasons jsonb, -- number of values left out of rows that were not refused otherwise, by reason
  delays jsonb, -- how late the written readings are, by group: [[count, mean seconds from measurement to `now`], …]
  refused_ordinals int[], -- the rows that could not be used
  refused_reasons text[],
  unauthorized_ordinals int[], -- the rows that the sender is not authorized for; they are left out
  findings jsonb, -- of logic.look_at_stage, of a sender's readings
  stage jsonb -- of a trial, the rows of logic.describe_stage
);

-- Fills the stage of a session with readings that come as one array per column, with one element per reading, and
-- stores them: a push, or a polled document. Returns what became of them. A finding that stops 20 readings or more keeps
-- all of them from being stored; then everything but `findings` is null.
create function logic.store_readings(
  now timestamptz,
  source text,
  sensors int[],
  times float8[], -- microseconds since 1970
  problems text[], -- these and the others as in the stage
  empties int[],
  unusables int[],
  wrongs text, -- one line per reading
  lines bigint[],
  texts text, -- one line per reading
  scope_provider text, -- the provider the sender is authorized for; null: any
  scope_stations int[], -- the stations of that provider it is authorized for; null: all
  skips_unauthorized boolean, -- leave out readings of other sensors, instead of refusing them all
  only_new boolean, -- only fill in parameters that are not stored: replace and withdraw nothing
  is_trial boolean, -- store nothing, and return what would become of them (S10)
  declared int, -- these as logic.look_at_stage has them
  unsaid int,
  tolerates_few boolean, -- null: the readings are not looked at
  {{list reading: $name_values real[]}}
) returns logic.stored language plpgsql
{{seek_settings}}
as $$
declare
  is_unique boolean;
  findings jsonb := '[]';
  described jsonb;
  result logic.stored;
begin
  perform logic.open_stage();
  insert into pg_temp.staged_reading
  select g.ordinal, g.sensor_id, to_timestamp(g.microseconds / 1e6), {{list reading: g.$name}},
    g.empty, g.unusable, nullif(g.wrong, ''), g.problem, g.line, g.text
  from unnest(sensors, times, problems, empties, unusables, string_to_array(wrongs, E'\n'), lines,
      string_to_array(texts, E'\n'), {{list reading: $name_values}})
    with ordinality as g(sensor_id, microseconds, problem, empty, unusable, wrong, line,
      text, {{list reading: $name}}, ordinal);
  is_unique := cardinality(sensors) = 1 or not logic.has_repeats();
  if tolerates_few is not null then
    findings := logic.look_at_stage(declared, unsaid, is_unique, tolerates_few);
  end if;
  if not is_trial and cardinality(sensors) >= 20 and findings @> '[{"stops": true}]' then
    result.findings := findings;
    return result;
  end if;
  if is_trial then
    described := (select jsonb_agg(to_jsonb(d)) from logic.describe_stage() d);
  end if;
  result := logic.store_staged(now, source, '-infinity', 'infinity', scope_provider, scope_stations, skips_unauthorized,
    only_new, is_unique, counts_late => true, import => null, is_trial => is_trial);
  result.findings := findings;
  result.stage := described;
  return result;
end $$;

-- Stores the staged rows of a file from `since` up to, not including, `until`; a row without a time comes before all.
create function logic.store_period(
  now timestamptz, source text, since timestamptz, until timestamptz, is_unique boolean, import int, is_trial boolean
) returns logic.stored language sql
set plan_cache_mode = force_custom_plan
set jit = off
set work_mem = '64MB'
as $$
  select * from logic.store_staged(now, source, since, until, null, null, false, false, is_unique, false, import,
    is_trial)
$$;

-- The next functions are planned once a session: planning them again took 0.85 ms of each push, as pg_stat_statements had
-- it, and a push of one takes 5.

-- The ordinals of the staged rows that the sender is not authorized for. If a sensor was at a station at the time of a
-- reading, suspicious or not, that station must be within the sender's scope. If it was at no station then, it must have
-- been at a station within that scope at some time. Unless they are skipped, raises AS403; the message lists their
-- sensors.
create function logic.unauthorized_rows(provider text, stations int[], are_skipped boolean) returns int[]
  language plpgsql stable
set plan_cache_mode = force_generic_plan
as $$
declare
  of_others int[];
  sensors text;
begin
  select coalesce(array_agg(g.ordinal), '{}'), array_to_string(array_agg(distinct g.sensor_id), ', ')
  into of_others, sensors
  from pg_temp.staged_reading g
  join raw.sensor s on s.id = g.sensor_id
  cross join lateral (
    select
      bool_or(is_own) filter (where is_then) as own_then,
      bool_or(is_own) as own_ever
    from (
      select
        st.provider_id = provider and (stations is null or st.id = any (stations)) as is_own,
        g.measured_at >= located.since and g.measured_at < located.until as is_then
      from raw.sensor_station located
      join raw.station st on st.id = located.station_id
      where located.sensor_id = g.sensor_id
    ) at_station
  ) of_sensor
  where not coalesce(of_sensor.own_then, of_sensor.own_ever, false);
  if of_others <> '{}' and not are_skipped then
    raise exception using errcode = 'AS403', message = sensors;
  end if;
  return of_others;
end $$;

-- Waits for other writers of the gauges in the stage, since of two at once neither would see the total of the other. With
-- `has_totals` there are totals among the rows, and their sensors become gauges. True if there are any.
create function logic.lock_gauges(has_totals boolean) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan
set enable_nestloop = off -- a plan for one row would join 5,000 one by one
as $$
begin
  if has_totals then
    insert into raw.rain_gauge (sensor_id)
    select distinct k.id from pg_temp.staged_reading s join raw.sensor k on k.id = s.sensor_id
    where s.rain_total is not null
    order by 1
    on conflict do nothing;
  end if;
  perform from raw.rain_gauge g where g.sensor_id in (select s.sensor_id from pg_temp.staged_reading s)
    order by g.sensor_id for update;
  return found;
end $$;

-- Raises AS503 if raw.readings is no longer a hypertable: `drop extension timescaledb cascade` leaves an ordinary table
-- that is empty; without timescaledb_post_restore() a hypertable acts like one.
create function logic.require_hypertable() returns void language plpgsql stable
set plan_cache_mode = force_generic_plan
as $$
begin
  if exists (select from only raw.readings) and (select engine = 'timescale' from raw.installation) then
    raise exception using errcode = 'AS503', message = case when current_setting('timescaledb.restoring', true) = 'on'
      then 'timescaledb.restoring is on' else 'raw.readings is no longer a hypertable' end;
  end if;
end $$;

-- True if a sensor and time stand twice in the stage.
create function logic.has_repeats() returns boolean language sql stable as $$
  select exists (
    select from pg_temp.staged_reading s where s.sensor_id is not null and s.measured_at is not null
    group by s.sensor_id, s.measured_at having count(*) > 1)
$$;

-- Puts the staged rows of a period together that have the same sensor and time (S3): of each parameter the last value
-- counts. The last row with a value is the kept one: it gets the values of the others, and the parameters that all of
-- them leave empty.
create function logic.put_together(since timestamptz, until timestamptz) returns void language plpgsql
set plan_cache_mode = force_custom_plan
set work_mem = '64MB'
-- nobody has counted the rows of a push, and joined one by one, 5,000 took more than 20 s
set enable_nestloop = off
set cpu_tuple_cost = 0.01
as $$
begin
  if not exists (
    select from pg_temp.staged_reading s
    where s.measured_at >= since and s.measured_at < until and (s.problem is null or s.problem = 'no_value')
    group by s.sensor_id, s.measured_at having count(*) > 1)
  then
    return;
  end if;
  with repeated as (
    select s.sensor_id, s.measured_at from pg_temp.staged_reading s
    where s.measured_at >= since and s.measured_at < until and (s.problem is null or s.problem = 'no_value')
    group by 1, 2 having count(*) > 1
  ),
  grouped as materialized (
    select s.*, coalesce(max(s.ordinal) filter (where s.problem is null) over key, max(s.ordinal) over key) as keep,
      {{list reading: max(s.ordinal) filter (where s.$name is not null) over key as last_$name}}
    from pg_temp.staged_reading s join repeated r on r.sensor_id = s.sensor_id and r.measured_at = s.measured_at
    where s.problem is null or s.problem = 'no_value'
    window key as (partition by s.sensor_id, s.measured_at)
  ),
  together as (
    select g.keep, {{list reading: max(g.$name) filter (where g.ordinal = g.last_$name) as $name}},
      bit_or(g.empty) & ~bit_or(g.unusable) as empty
    from grouped g group by 1
  )
  update pg_temp.staged_reading s set
    {{list reading: $name = case when g.ordinal = g.keep then t.$name else s.$name end}},
    empty = case when g.ordinal = g.keep then t.empty else s.empty end,
    kept = nullif(g.keep, g.ordinal),
    is_replaced = false {{repeat reading: or g.$name is not null and g.$name <> t.$name}},
    is_part = false {{repeat reading: or g.$name is not null and g.last_$name = g.ordinal}}
  from grouped g join together t on t.keep = g.keep
  where s.ordinal = g.ordinal;
end $$;

-- Notes what the staged rows of a period are about to change, so that the import can be undone (S11): of each sensor
-- the values before and after. `is_new`: nothing is stored of these sensors between the first and the last row, whose
-- times tell the planner which chunks to read. The statement has the parameters of the source alone: with all of them,
-- 240,000 new rows took 1.1 s instead of 0.3.
create function logic.note_for_undo(
  import int, since timestamptz, until timestamptz, earliest timestamptz, latest timestamptz, is_new boolean
) returns void language plpgsql as $$
declare
  given constant int := ( -- a sum of $bit
    select coalesce(bit_or(s.empty {{repeat reading: | case when s.$name is null then 0 else $bit end}}), 0)
    from pg_temp.staged_reading s where s.measured_at >= since and s.measured_at < until);
  columns record;
begin
  select string_agg(format(', %I', c.name), '') as names,
    string_agg(format(', case when count(c.%I) > 0 then array_agg(c.%1$I) end', c.name), '') as arrays,
    string_agg(format(', %s as %I', c.value, c.name), '') as changes
  into columns
  from (values {{list reading: ('$name', $bit)}}) as p(name, bit)
  cross join lateral (
    select case p.name when 'rain' then 'logic.given_rain(r.rain, r.rain_total, r.rain_given)' else 'r.' || p.name end
      as known
  ) stored
  cross join lateral (
    select p.name || '_after' as name, case when is_new then 's.' || p.name
      else format('case when s.%1$s is distinct from %2$s then s.%1$s end', p.name, known) end as value
    union all
    select p.name || '_before', format('case when s.%1$s <> %2$s or s.%1$s is null and s.empty & ~s.unusable & %3$s <> 0
      then %2$s end', p.name, known, p.bit)
    where not is_new
  ) c
  where p.bit & given <> 0;
  if given = 0 then return; end if;
  execute format('
    insert into raw.import_change (import_id, sensor_id, measured_at %s)
    select $1, c.sensor_id, array_agg(c.measured_at) %s
    from (
      select s.sensor_id, s.measured_at %s
      from pg_temp.staged_reading s
      join raw.sensor k on k.id = s.sensor_id
      cross join raw.installation i
      %s
      where s.measured_at >= $2 and s.measured_at < $3 and (s.problem is null or s.problem = ''no_value'')
        and s.kept is null and s.measured_at >= rollup.origin() and s.measured_at >= i.ingest_cutoff
    ) c
    where num_nonnulls(null %s) > 0
    group by c.sensor_id', columns.names, columns.arrays, columns.changes,
    case when not is_new then 'left join raw.readings r on r.sensor_id = s.sensor_id and r.measured_at = s.measured_at
      and r.measured_at >= $4 and r.measured_at <= $5' end, columns.names)
  using import, since, until, earliest, latest;
end $$;

-- Holds off other imports and undos until the end of the transaction. If two files were stored at once, neither would
-- note the values of the other as replaced, and undoing one would take away both files' values. Senders need not wait.
create function logic.lock_imports() returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('airseries'), hashtext('raw.import'))
$$;

-- == The statement that stores ==

-- Stores the staged rows of a period as they are: nothing is wrong with them, and nothing is stored of their sensors at
-- their times, as of most histories. With nothing to compare, 240,000 rows take 1.1 s instead of 2.0. Returns how many
-- have no placement at their time. Raises serialization_failure, to be tried again, if a sender has stored one of them
-- meanwhile.
create function logic.store_new(since timestamptz, until timestamptz, out without_station int) language plpgsql
set plan_cache_mode = force_custom_plan
as $$
begin
  insert into raw.readings (measured_at, sensor_id, {{list reading: $name}})
  select s.measured_at, s.sensor_id, {{list reading: s.$name}}
  from pg_temp.staged_reading s
  where s.measured_at >= since and s.measured_at < until;
  select count(*) into without_station
  from pg_temp.staged_reading s
  left join raw.placement p on p.sensor_id = s.sensor_id and s.measured_at >= p.since and s.measured_at < p.until
  where s.measured_at >= store_new.since and s.measured_at < store_new.until and p.sensor_id is null;
exception when unique_violation then
  raise exception using errcode = 'serialization_failure', message = 'one of the readings was stored meanwhile';
end $$;

-- Stores the usable staged rows of a period and quarantines the rest. accepted + unchanged + refused + unauthorized =
-- rows. For a sensor and a time, each value of the source replaces the stored one, a parameter that it only leaves empty
-- is withdrawn, and every other parameter stays as it is (S3). Raises AS403, and stores nothing, if the sender lacks
-- authorization for a sensor; the message lists those sensors. Raises AS503 if raw.readings is no longer a hypertable,
-- or TimescaleDB is still in the state of a restore: readings would get lost.
create function logic.store_staged(
  now timestamptz, source text, since timestamptz, until timestamptz,
  scope_provider text, scope_stations int[], skips_unauthorized boolean, only_new boolean,
  is_unique boolean, -- no sensor and time stands twice
  counts_late boolean, -- count the closed hours
  import int, -- the number of the imported file, whose changes are noted to be undone; null: they are not
  is_trial boolean -- store nothing, and return what would become of the rows: the same statement, rolled back (S10)
) returns logic.stored language plpgsql
set plan_cache_mode = force_custom_plan
as $$
declare
  -- bounds of the readings, as plain values: they tell the planner which chunks to read
  earliest timestamptz;
  latest timestamptz;
  -- Older readings are refused. Joined to the rows, raw.installation was taken for 300, and a push of 1,000 into a chunk
  -- that nobody had analyzed yet sorted all of the chunk's: 104 ms instead of 20.
  cutoff timestamptz;
  has_totals boolean;
  has_gauges boolean;
  is_odd boolean; -- a row may not be used, or not all of it
  is_new boolean := false; -- of an import: nothing is stored of these sensors between the bounds
  are_known boolean; -- these sensors
  withdrawn_sensors int[];
  withdrawn_times timestamptz[];
  withdrawn_names int[];
  rain_sensors int[];
  rain_times float8[];
  of_others int[] := '{}'; -- ordinals of the rows that the sender is not authorized for
  result logic.stored;
begin
  if is_trial then
    begin
      result := logic.store_staged(now, source, since, until, scope_provider, scope_stations, skips_unauthorized,
        only_new, is_unique, counts_late, import => null, is_trial => false);
      raise exception using errcode = 'AS200', message = 'a trial is rolled back';
    exception when sqlstate 'AS200' then
      return result;
    end;
  end if;
  if import is not null then
    perform logic.lock_imports();
  end if;
  if scope_provider is not null then
    of_others := logic.unauthorized_rows(scope_provider, scope_stations, skips_unauthorized);
  end if;
  lock table raw.ingest_lock in row exclusive mode; -- see raise_ingest_cutoff
  select i.ingest_cutoff into cutoff from raw.installation i;
  select count(*), min(s.measured_at), max(s.measured_at), bool_or(s.rain_total is not null),
    bool_or(s.problem is not null or s.wrong is not null)
  into result.received, earliest, latest, has_totals, is_odd
  from pg_temp.staged_reading s
  where (s.measured_at >= since and s.measured_at < until or s.measured_at is null and since = '-infinity');
  if not is_unique then
    perform logic.put_together(since, until);
  end if;
  has_gauges := logic.lock_gauges(has_totals);

  if import is not null then
    select bool_and(not stored.is_any), bool_and(stored.is_known) into is_new, are_known
    from (
      select distinct s.sensor_id from pg_temp.staged_reading s where s.measured_at >= since and s.measured_at < until
    ) s
    cross join lateral (
      select exists (select from raw.sensor k where k.id = s.sensor_id) as is_known,
        exists (select from raw.readings r
          where r.sensor_id = s.sensor_id and r.measured_at >= earliest and r.measured_at <= latest) as is_any) stored;
    is_new := coalesce(is_new, false);
    perform logic.note_for_undo(import, since, until, earliest, latest, is_new);
  end if;

  if is_new and are_known and is_unique and not is_odd and not has_gauges
    and earliest >= greatest(rollup.origin(), cutoff)
  then
    select result.received, s.without_station, 0, 0, 0, '[]', '{}', '{}'
    into result.accepted, result.without_station, result.replaced, result.withdrawn, result.late_hours, result.delays,
      result.refused_ordinals, result.refused_reasons
    from logic.store_new(since, until) s;
  else
    with beside as (
      -- Each row beside what is stored of its sensor and time, unless it is refused or its values are a kept row's. Of
      -- rain a source gives an amount or a total; the amount of a reading with a total is derived, and the given one is
      -- kept beside it.
      select s.ordinal, s.sensor_id, s.measured_at, {{list reading: s.$name}}, s.empty & ~s.unusable as empty,
        s.unusable, s.problem, s.kept, s.is_replaced, s.is_part, usable.reason,
        {{list given: r.$name as known_$name}},
        logic.given_rain(r.rain, r.rain_total, r.rain_given) as known_rain
      from pg_temp.staged_reading s
      left join raw.sensor k on k.id = s.sensor_id
      cross join lateral (
        select case
          when k.id is null and s.problem is distinct from 'unreadable_line' then 'unknown_sensor'
          when s.problem <> 'no_value' then s.problem
          when s.measured_at < rollup.origin() then 'before_epoch'
          when s.measured_at < cutoff then 'older_than_retention'
        end as reason
      ) usable
      left join raw.readings r on not is_new and usable.reason is null and s.kept is null
        and r.sensor_id = s.sensor_id and r.measured_at = s.measured_at
        and r.measured_at >= earliest and r.measured_at <= latest
      where (s.measured_at >= since and s.measured_at < until or s.measured_at is null and since = '-infinity')
        and s.ordinal <> all (of_others)
    ),
    compared as materialized (
      select b.*, b.changes or b.withdraws <> 0 as is_changed
      from (
        select b.*, b.reason is null and b.kept is null and (false {{repeat reading: or b.$name is not null and
            case when only_new then b.known_$name is null else b.known_$name is distinct from b.$name end}}) as changes,
          case when only_new then 0
            else 0 {{repeat reading: + coalesce((b.$name <> b.known_$name)::int, 0)}} end as replaces,
          case when only_new or b.empty = 0 then 0
            else 0 {{repeat reading: |
              case when b.known_$name is not null and b.$name is null then b.empty & $bit else 0 end}}
          end as withdraws -- a sum of $bit
        from beside b
      ) b
    ),
    written as (
      insert into raw.readings as stored (measured_at, sensor_id, {{list reading: $name}}, rain_given)
      select c.measured_at, c.sensor_id, {{list reading: c.$name}}, case when c.rain_total is not null then c.rain end
      from compared c
      where c.changes
      order by c.sensor_id, c.measured_at -- in the same order everywhere, or two writers could deadlock
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
    )
    -- A row that was put together with others counts as accepted if a later row replaced a value of it, or if its
    -- values changed something with the kept row; as unchanged otherwise. One without a value that withdraws nothing is
    -- refused, but for the empty cells of rows of one parameter each, if another row of them has a value.
    select count(*) filter (where c.is_changed) + (
        select count(*) from compared together
        where together.kept is not null and together.reason is null and together.problem is null
          and (together.is_replaced and not only_new
            or together.is_part and together.kept in (select kept.ordinal from compared kept where kept.is_changed))),
      coalesce(sum(c.replaces), 0), coalesce(sum(bit_count(c.withdraws::bit(32))), 0),
      extract(epoch from rollup.bucket_start('hour',
        min(c.measured_at) filter (where c.replaces + c.withdraws <> 0))) * 1e6,
      extract(epoch from rollup.bucket_start('hour',
        max(c.measured_at) filter (where c.replaces + c.withdraws <> 0))) * 1e6,
      count(*) filter (where c.is_changed and p.sensor_id is null),
      count(distinct rollup.bucket_start('hour', c.measured_at))
        filter (where c.is_changed and counts_late and c.measured_at < rollup.bucket_start('hour', now)),
      coalesce((select jsonb_agg(jsonb_build_array(d.n, greatest(d.seconds, 0))) from (
        select count(*) as n, avg(late.seconds) as seconds
        from compared w cross join lateral (select extract(epoch from now - w.measured_at)::float8 as seconds) late
        where w.changes and counts_late
        group by width_bucket(late.seconds, array[60, 300, 1800, 10800, 86400, 604800]::float8[])) d), '[]'),
      array_agg(c.sensor_id) filter (where c.withdraws <> 0),
      array_agg(c.measured_at) filter (where c.withdraws <> 0),
      array_agg(c.withdraws) filter (where c.withdraws <> 0),
      array_agg(c.sensor_id) filter (where has_gauges and c.is_changed),
      array_agg(extract(epoch from c.measured_at)::float8 * 1e6) filter (where has_gauges and c.is_changed),
      coalesce(array_agg(c.ordinal order by c.ordinal) filter (where c.refused is not null), '{}'),
      coalesce(array_agg(c.refused order by c.ordinal) filter (where c.refused is not null), '{}')
    into result.accepted, result.replaced, result.withdrawn, result.replaced_oldest, result.replaced_newest,
      result.without_station, result.late_hours, result.delays, withdrawn_sensors, withdrawn_times, withdrawn_names,
      rain_sensors, rain_times, result.refused_ordinals, result.refused_reasons
    from (
      select c.*, coalesce(c.reason, case when not c.is_changed and (c.kept is null or c.unusable <> 0
          or c.kept not in (select k.ordinal from compared k where k.kept is null and k.problem is null))
        then c.problem end) as refused
      from compared c
    ) c
    left join raw.placement p on p.sensor_id = c.sensor_id and c.measured_at >= p.since and c.measured_at < p.until;
  end if;

  result.unauthorized_ordinals := of_others;
  result.unchanged := result.received - cardinality(of_others) - cardinality(result.refused_ordinals) - result.accepted;

  perform logic.require_hypertable();
  if withdrawn_sensors is not null then
    perform logic.withdraw_values(withdrawn_sensors, withdrawn_times, withdrawn_names);
  end if;
  if rain_sensors is not null then
    perform logic.derive_rain(rain_sensors, rain_times);
  end if;
  result.left_out := 0;
  result.value_reasons := '{}';
  if is_odd or result.refused_ordinals <> '{}' then
    select q.left_out, q.value_reasons into result.left_out, result.value_reasons
    from logic.quarantine_staged(now, source, scope_provider, scope_stations, since, until, of_others,
      result.refused_ordinals, result.refused_reasons) q;
  end if;
  return result;
end $$;

-- Withdraws parameters of readings: for each sensor and time a sum of $bit (S3). A row without any value is no reading,
-- and is deleted. Raises serialization_failure, to be tried again, if one of the rows was deleted meanwhile.
create function logic.withdraw_values(sensors int[], times timestamptz[], names int[]) returns void language plpgsql
set plan_cache_mode = force_custom_plan
{{seek_settings}}
as $$
declare
  earliest constant timestamptz := (select min(t) from unnest(times) t);
  latest constant timestamptz := (select max(t) from unnest(times) t);
  is_deleted boolean;
  emptied_sensors int[];
  emptied_times timestamptz[];
begin
  -- An update that joins would unpack whole chunks of TimescaleDB. The row to insert has the values to withdraw, and
  -- only these: null would not tell an empty parameter from one that stays.
  with withdrawn as (
    insert into raw.readings as stored (measured_at, sensor_id, {{list given: $name}}, rain)
    select r.measured_at, r.sensor_id,
      {{list given: case when t.names & $bit <> 0 then r.$name end}},
      case when t.names & {{rain_bit}} <> 0 then logic.given_rain(r.rain, r.rain_total, r.rain_given) end
    from unnest(sensors, times, names) as t(sensor_id, measured_at, names)
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

-- The amount of rain that a source gave: beside a total, `rain` is derived from it.
create function logic.given_rain(rain real, rain_total real, rain_given real) returns real language sql immutable as $$
  select case when rain_total is null then rain else rain_given end
$$;

-- Derives the rain of readings that have a total (A6): the amount since the total before, or the total itself where it
-- is smaller, because the gauge began again. For the first total, where the one before is more than 24 hours older, and
-- where the difference is out of bounds (S1), it is the amount that a source gave, or null. Each instant was written or
-- deleted, so it derives the amount then, and the amount of the next total, which now has another one before it. The
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

-- The instants before which readings are refused: the origin of the first hour, and the ingest cutoff, which is null if
-- there is none. Both are microseconds since 1970.
create function logic.ingest_bounds(out origin float8, out cutoff float8) language sql stable as $$
  select extract(epoch from rollup.origin()) * 1e6,
    case when isfinite(i.ingest_cutoff) then extract(epoch from i.ingest_cutoff) * 1e6 end
  from raw.installation i
$$;

revoke all on function logic.given_rain, logic.open_stage, logic.store_readings, logic.store_period,
  logic.lock_imports, logic.unauthorized_rows, logic.lock_gauges, logic.require_hypertable, logic.has_repeats,
  logic.put_together, logic.note_for_undo, logic.store_new, logic.store_staged, logic.withdraw_values,
  logic.delete_empty_readings, logic.derive_rain, logic.keep_last_totals, logic.delete_readings, logic.ingest_bounds
  from public;
grant execute on function logic.given_rain, logic.open_stage, logic.store_readings, logic.store_period,
  logic.lock_imports, logic.unauthorized_rows, logic.lock_gauges, logic.require_hypertable, logic.has_repeats,
  logic.put_together, logic.note_for_undo, logic.store_new, logic.store_staged, logic.withdraw_values,
  logic.delete_empty_readings, logic.derive_rain, logic.ingest_bounds to airseries_ingest;
grant usage on schema logic to airseries_ingest;
