-- The refresh brings the aggregates up to date with the readings and the network.

-- One step: everything claimed of the running day, then the newest days before it, as many as have about 2,000,000
-- rows, through all levels. Claiming again before each step, a caller that repeats it until nothing is `waiting` never
-- keeps the running hour waiting for longer than one piece of a backfill. When nothing is waiting, everything committed
-- before the first step is in every bucket. A claim is deleted once all levels are done, and each recomputed range is
-- committed, so the next step completes one that was interrupted. It takes a session lock: call it on a connection that
-- is closed after any error. `done` and `waiting` are hours of changes.
--
-- With `lazily`, the running day and month follow only every ten minutes, since only the running month shows them (S4):
-- recomputing them each minute would more than double a minute of 10,000 stations.
create or replace procedure rollup.refresh_step(now timestamptz, lazily boolean, inout done float8,
  inout waiting float8)
language plpgsql as $$
declare
  today constant timestamptz := rollup.bucket_start('day', now);
  is_deferred boolean; -- the running day and month wait
  rows_per_hour bigint;
  piece tstzrange;
  level logic.level;
  buckets tstzmultirange;
  part tstzrange;
begin
  call raw.acquire_lock('rollup.refresh');
  perform logic.follow_zone_rules(now);
  perform logic.claim_changes(now);
  perform logic.note_fresh_changes(now);
  is_deferred := lazily and (
    select now - running_refreshed_at between interval '0' and interval '10 minutes'
      and (running_since is null or running_since = today)
    from rollup.freshness) is true;
  with due as (
    update rollup.freshness f set running_since = null from rollup.freshness old
    where old.running_since is not null and not is_deferred
    returning old.running_since as since
  )
  insert into rollup.stale (from_level, since, until, is_taken)
  select 'station_daily', since, rollup.bucket_add('day', since, 1), true from due;
  commit;
  done := logic.claimed_hours();
  rows_per_hour := logic.rows_per_hour(today);

  foreach piece in array array[
    tstzrange(today, 'infinity'),
    logic.newest_days(greatest(2000000 / 24 / rows_per_hour, 1), today)
  ] loop
    if logic.claimed(piece) <> '{}' then
      for level in select l.* from logic.level l order by l.position loop
        -- a range costs about as much as 1,000 rows
        buckets := logic.stale_buckets(level, piece, 1000 / rows_per_hour * interval '1 hour');
        if is_deferred and level.unit <> 'hour' then
          buckets := buckets - tstzmultirange(logic.bucket(level.unit, now));
        end if;
        for part in select unnest(buckets) loop
          call rollup.recompute(level.name, lower(part), upper(part));
          commit;
        end loop;
      end loop;
      if logic.claimed(piece * tstzrange(rollup.bucket_start('month', now), 'infinity')) <> '{}' then
        update rollup.freshness set
          running_since = case when is_deferred then today end,
          running_refreshed_at = case when is_deferred then running_refreshed_at else refresh_step.now end;
      end if;
      delete from rollup.stale s where s.is_taken and s.since >= lower(piece);
      update rollup.stale s set until = lower(piece) where s.is_taken and s.until > lower(piece);
      perform logic.raise_data_version();
      commit;
    end if;
    if lower(piece) = today then
      perform logic.refresh_current(now);
      -- before the first build is complete nothing is published
      update rollup.freshness set refreshed_at = refresh_step.now where refreshed_at is not null;
      commit;
    end if;
  end loop;

  perform logic.close_changes(now);
  commit;
  waiting := logic.claimed_hours();
  done := done - waiting;
  if waiting = 0 then
    update rollup.freshness set refreshed_at = refresh_step.now, completed_at = refresh_step.now;
    commit;
  end if;
  perform logic.announce(now, waiting = 0);
  commit;
  perform raw.release_lock('rollup.refresh');
end $$;

-- Refreshes everything, the running day and month included. Every version has this procedure.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
declare
  done float8;
  waiting float8;
begin
  loop
    call rollup.refresh_step(now, false, done, waiting);
    exit when waiting = 0;
  end loop;
end $$;
