-- The refresh: brings the aggregates up to date with the readings and the network.

-- Recomputes buckets of a level from `since` up to `until` in its storage, of these subjects; null: of all.
create function logic.recompute(level text, since timestamptz, until timestamptz, subjects text[]) returns void language plpgsql as $$
declare
  storage constant regclass := logic.storage_of(level);
  definition record;
  sources constant int[] := case
    when subjects is null then null
    when level = 'station_hourly' then array(
      select distinct p.sensor_id from raw.placement p
      where p.station_id = any (subjects::int[]) and p.since < recompute.until and p.until > recompute.since)
    when level = 'region_hourly' then array(
      select distinct m.station_id from raw.membership m
      where m.region_slug = any (subjects) and m.since < recompute.until and m.until > recompute.since)
  end;
begin
  select l.id, l.id_type, l.body into definition from logic.level l where l.name = level;
  execute format('delete from %s where bucket >= $1 and bucket < $2 and ($3 is null or %I = any ($3::%s[]))', storage, definition.id, definition.id_type)
  using since, until, subjects;
  -- sorted as the index by subject is, because at each bucket of all subjects in turn it would visit all of that index again; but regions are
  -- few, and sorting takes longer than hashing what they are made of
  execute format('insert into %s (%s) %s %s', storage,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
     where attrelid = format('rollup.%I', level)::regclass and attnum > 0 and not attisdropped),
    definition.body, case when definition.id <> 'region_slug' then 'order by 2, 1' end)
  using since, until, subjects, sources;
end $$;

-- The same of all subjects. New chunks have no statistics yet, and so it is said how to plan: hash all placements, because nested loops over them
-- take several times as long; read pages in their order, because rows of one time lie scattered over them; hash the few regions, but never the
-- hours of sensors, which are as many as their readings may be, and which grouping leaves sorted.
-- A level that was never analyzed is analyzed now, because the next one is planned with its statistics.
create function logic.recompute_all(level text, since timestamptz, until timestamptz) returns void language plpgsql
set enable_nestloop = off set enable_indexscan = off set enable_sort = on set enable_hashagg = on set work_mem = '64MB' as $$
begin
  perform set_config('enable_sort', (level <> 'region_hourly')::text, true);
  perform set_config('enable_hashagg', (level <> 'sensor_hourly')::text, true);
  perform logic.recompute(level, since, until, null);
  if (select c.relkind = 'r' and c.reltuples < 0 from pg_class c where c.oid = format('rollup.%I', level)::regclass) then
    execute format('analyze rollup.%I', level);
  end if;
end $$;

-- Recomputes what a level is made of, for all subjects, as far back as readings are kept.
create function logic.recompute_below(level text, since timestamptz, until timestamptz) returns void language plpgsql as $$
declare
  retained_from constant timestamptz := (select i.retained_from from raw.installation i);
  below text;
  first timestamptz;
begin
  for below in select l.name from logic.level l where l.position < (select o.position from logic.level o where o.name = level) order by l.position loop
    first := case below when 'sensor_hourly' then greatest(since, retained_from) else since end;
    if first < until then
      perform logic.recompute(below, first, until, null);
    end if;
  end loop;
end $$;

-- Recomputes these subjects, or all, even where a number is stored that no reading gives, and that no arithmetic bears.
create function logic.recompute_soundly(level text, since timestamptz, until timestamptz, subjects text[]) returns void language plpgsql as $$
begin
  if subjects is null then
    perform logic.recompute_all(level, since, until);
  else
    perform logic.recompute(level, since, until, subjects);
  end if;
exception when data_exception then
  perform logic.recompute_below(level, since, until);
  perform logic.recompute_all(level, since, until);
end $$;

-- How many buckets of a level to recompute at once, from `since` on: what is made of about 2,000,000 rows, if all its hours have as many readings as the
-- first. Rows are written nearly as the index by subject is sorted, and so the more at once, the less of the index each of them has to
-- visit; but whoever waits wants to see it move every few seconds. Of regions fewer: the planner hashes what it expects to fit into work_mem.
create function logic.buckets_at_once(level text, since timestamptz) returns int language plpgsql stable as $$
declare
  rows_of_one bigint;
begin
  if level = 'sensor_hourly' then
    rows_of_one := greatest(
      (select count(*) from raw.sensor),
      (select count(*) from raw.readings r where r.measured_at >= since and r.measured_at < since + interval '1 hour'));
  else
    rows_of_one := case when level = 'station_hourly' then (select count(*) from raw.sensor)
        when level in ('region_hourly', 'station_daily', 'station_monthly') then (select count(*) from raw.station)
        else (select count(*) from raw.region) end
      * case split_part(level, '_', 2) when 'hourly' then 1 when 'daily' then 24 else 31 end;
  end if;
  return greatest(case level when 'region_hourly' then 250000 else 2000000 end / greatest(rows_of_one, 1), 1);
end $$;

-- When it returns, everything committed before the call is in every bucket, except that with `lazily` the running day and month follow every
-- ten minutes only, of everybody at once: nothing but the running month shows them (S4). It goes from the newest month with changes to the oldest, through
-- all levels of each, and commits between its steps: interrupted, it is completed by the next one. It takes a session lock, so call it on a
-- connection that is closed after any error. Notices of SQLSTATE AS100 say how far it is: hours done, hours in all.
create or replace procedure rollup.refresh_levels(now timestamptz, lazily boolean) language plpgsql as $$
declare
  shares constant float8[] := '{0.5,0.25,0.1,0.1,0.02,0.02,0.01}'; -- of the time, by level, in a first build
  done float8 := 0;
  month record;
  level record;
  change record;
  hours float8;
  piece_since timestamptz;
  piece_until timestamptz;
  at_once int; -- null: all of it
  sensors logic.change[];
  stations logic.change[];
  regions logic.change[];
  changes logic.change[];
  today constant timestamptz := rollup.bucket_start('day', now);
  running record;
begin
  call raw.acquire_lock('rollup.refresh');
  perform logic.refresh_latest(now, logic.take_changes(now));
  commit;

  for month in
    select m.since, m.until, m.hours, sum(m.hours) over () as total
    from (
      select rollup.bucket_start('month', p.since) as since, rollup.bucket_add('month', rollup.bucket_start('month', p.since), 1) as until,
        sum(extract(epoch from p.until - p.since) / 3600) as hours
      from logic.pieces('month', 1, (select range_agg(tstzrange(s.since, s.until)) from rollup.stale_range s)) p
      group by 1, 2
    ) m
    order by m.since desc
  loop
    sensors := logic.merged('hour', logic.taken('sensor_hourly', month.since, month.until));
    stations := logic.merged('hour', logic.at_stations(sensors) || logic.taken('station_hourly', month.since, month.until));
    regions := logic.merged('hour', logic.in_regions(stations) || logic.taken('region_hourly', month.since, month.until));
    -- should this be interrupted, then not even a changed network makes the next one overlook any of them
    insert into rollup.stale_range (level, subject, since, until)
    select f.level, subject, c.since, c.until
    from (values ('station_hourly', stations), ('region_hourly', regions)) f(level, changes) cross join unnest(f.changes) c cross join unnest(c.subjects) subject
    except all table rollup.stale_range;
    commit;

    for level in select l.name, l.unit, shares[l.position] as share from logic.level l order by l.position loop
      changes := case split_part(level.name, '_', 1) when 'sensor' then sensors when 'station' then stations else regions end;
      if level.unit <> 'hour' then
        changes := logic.merged(level.unit, changes);
      end if;
      if lazily and level.unit <> 'hour' then
        changes := logic.without(changes, tstzrange(rollup.bucket_start(level.unit, now), rollup.bucket_add(level.unit, rollup.bucket_start(level.unit, now), 1)));
      end if;
      hours := (select sum(extract(epoch from c.until - c.since)) / 3600 from unnest(changes) c);
      for change in select c.since, c.until, c.subjects from unnest(changes) c loop
        -- of few subjects there is little, and of a single bucket no part
        at_once := case
          when cardinality(change.subjects) > 1000 is not false and rollup.bucket_add(level.unit, change.since, 1) < change.until
          then logic.buckets_at_once(level.name, change.since) end;
        piece_since := change.since;
        while piece_since < change.until loop
          piece_until := least(change.until, rollup.bucket_add(level.unit, piece_since, at_once));
          perform logic.recompute_soundly(level.name, piece_since, piece_until, change.subjects);
          commit;
          done := done + month.hours * level.share * extract(epoch from piece_until - piece_since) / 3600 / hours;
          raise notice using errcode = 'AS100', message = format('%s of %s', round(done), round(month.total));
          piece_since := piece_until;
        end loop;
      end loop;
    end loop;

    insert into rollup.late_day (day)
    select distinct rollup.bucket_start('day', p.since)
    from unnest(sensors || stations || regions) c cross join logic.pieces('day', 1, tstzmultirange(tstzrange(c.since, c.until))) p
    where c.since < refresh_levels.now - interval '7 days'
    on conflict do nothing;
    if lazily and rollup.bucket_start('month', now) = month.since then
      update rollup.freshness set running_since = least(running_since, today);
    end if;
    delete from rollup.stale_range s where s.since >= month.since;
    update rollup.stale_range s set until = month.since where s.until > month.since;
    perform logic.raise_data_version();
    commit;
  end loop;

  select f.running_since as since, f.running_refreshed_at as refreshed_at into running from rollup.freshness f;
  if running.since is not null
    and (not lazily or running.since <> today or (now - running.refreshed_at between interval '0' and interval '10 minutes') is not true) then
    for level in select l.name, l.unit from logic.level l where l.unit <> 'hour' order by l.position loop
      perform logic.recompute_soundly(level.name, rollup.bucket_start(level.unit, running.since),
        rollup.bucket_add(level.unit, rollup.bucket_start(level.unit, greatest(running.since, now)), 1), null);
      commit;
    end loop;
    update rollup.freshness set running_since = null, running_refreshed_at = refresh_levels.now;
    perform logic.raise_data_version();
    commit;
  end if;
  update rollup.freshness set refreshed_at = refresh_levels.now;
  commit;
  perform raw.release_lock('rollup.refresh');
end $$;

-- The same of everything. Every version has this procedure, whatever it does.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
begin
  call rollup.refresh_levels(now, false);
end $$;

revoke all on function logic.recompute, logic.recompute_all, logic.recompute_soundly, logic.recompute_below from public;
