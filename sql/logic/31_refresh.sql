-- The refresh brings the aggregates up to date with the readings and the network.

-- How many buckets of a level to recompute at once, from `since` on: those of about 2,000,000 rows. The estimate uses the readings of the first hour,
-- or the number of sensors. Larger pieces take less time in all, but users want to see progress every few seconds.
create function logic.buckets_at_once(level logic.level, since timestamptz) returns int language sql stable as $$
  select greatest(2000000 / greatest(1, case (level).name
    when 'sensor_hourly' then (select count(*) from raw.readings r where r.measured_at >= buckets_at_once.since and r.measured_at < buckets_at_once.since + interval '1 hour')
    else (select count(*) from raw.sensor) * case (level).unit when 'hour' then 1 when 'day' then 24 else 31 end end), 1)::int
$$;

-- Recomputes all stale buckets: when it returns, everything committed before the call is in every bucket. With `lazily`, the running day and month
-- follow only every ten minutes, since only the running month shows them (S4). It goes from the newest month with changes to the oldest, through all
-- levels of each, and commits between its steps, so the next refresh completes one that was interrupted. It takes a session lock: call it on a
-- connection that is closed after any error. Notices of SQLSTATE AS100 report the progress: hours done, hours in all.
create or replace procedure rollup.refresh_levels(now timestamptz, lazily boolean) language plpgsql as $$
declare
  running tstzrange; -- the bucket that contains `now`
  total float8;
  done float8 := 0;
  waiting record;
  month record;
  level logic.level;
  buckets tstzmultirange;
  whole tstzrange;
  piece record;
begin
  call raw.acquire_lock('rollup.refresh');
  perform logic.take_notes();
  commit;
  total := (select sum(hours) from logic.stale_months());

  for month in select * from logic.stale_months() loop
    for level in select l.* from logic.level l order by l.position loop
      buckets := logic.stale_buckets(level, month.since, month.until);
      if lazily and level.unit <> 'hour' then
        running := tstzrange(rollup.bucket_start(level.unit, now), rollup.bucket_add(level.unit, rollup.bucket_start(level.unit, now), 1));
        buckets := buckets - tstzmultirange(running);
      end if;
      for whole in select unnest(buckets) loop
        for piece in select * from logic.pieces(level.unit, logic.buckets_at_once(level, lower(whole)), tstzmultirange(whole)) loop
          call rollup.recompute(level.name, piece.since, piece.until);
          commit;
          raise notice using errcode = 'AS100', message = format('%s of %s', round(done + month.hours / 7 * (level.position - 1
            + extract(epoch from piece.until - month.since) / extract(epoch from month.until - month.since))), round(total));
        end loop;
      end loop;
    end loop;
    done := done + month.hours;
    if lazily and rollup.bucket_start('month', now) = month.since then
      update rollup.freshness set running_since = least(running_since, rollup.bucket_start('day', now));
    end if;
    delete from rollup.stale s where s.is_taken and s.since >= month.since;
    update rollup.stale s set until = month.since where s.is_taken and s.until > month.since;
    perform logic.raise_data_version();
    commit;
  end loop;

  select f.running_since as since, f.running_refreshed_at as refreshed_at into waiting from rollup.freshness f;
  if waiting.since is not null and (
    not lazily or waiting.since <> rollup.bucket_start('day', now) or (now - waiting.refreshed_at between interval '0' and interval '10 minutes') is not true
  ) then
    for level in select l.* from logic.level l where l.unit <> 'hour' order by l.position loop
      call rollup.recompute(level.name, rollup.bucket_start(level.unit, waiting.since),
        rollup.bucket_add(level.unit, rollup.bucket_start(level.unit, greatest(waiting.since, now)), 1));
      commit;
    end loop;
    update rollup.freshness set running_since = null, running_refreshed_at = refresh_levels.now;
    perform logic.raise_data_version();
    commit;
  end if;

  perform logic.refresh_current(now);
  update rollup.freshness set refreshed_at = refresh_levels.now;
  commit;
  perform raw.release_lock('rollup.refresh');
end $$;

-- Refreshes everything, the running day and month included. Every version has this procedure.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
begin
  call rollup.refresh_levels(now, false);
end $$;
