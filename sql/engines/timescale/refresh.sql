-- TimescaleDB: brings the aggregates up to date.
--
-- Three faults of TimescaleDB would lose buckets silently; all are worked around here and nowhere else.
-- 1. timescaledb #10296: a change whose last row lies exactly on the start of a day or month (buckets of variable width) does not
--    reach that bucket. note_missed_buckets reads such changes from the invalidation log before they are consumed, and the refresh
--    forces those buckets. Only this refresh writes the parents of days and months, so there is no race.
-- 2. Refreshing in batches skips the last changed row if it is on a batch boundary: buckets_per_batch 0 refreshes in one pass.
-- 3. Rows at or after the invalidation threshold are in no log, and a refresh moves the threshold to the newest row that it sees. A writer
--    reads it just before it commits, and nothing keeps it from moving then (2.28: the writer locks the table, the refresh a row of it).
--    A refresh at that moment misses the writer's rows, and their hour, for good. log_future_rows moves the threshold to the year 3000.

create procedure logic.note_missed_buckets(parent text, wanted_unit text) language sql as $$
  insert into rollup.missed_bucket (parent, unit, bucket)
  select distinct note_missed_buckets.parent, wanted_unit, changed.last
  from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log log
  join _timescaledb_catalog.continuous_agg level
    on level.mat_hypertable_id = log.hypertable_id and level.user_view_schema = 'rollup' and level.user_view_name = note_missed_buckets.parent
  cross join lateral (
    select case when log.greatest_modified_value between -6e16 and 6e16 then to_timestamp(log.greatest_modified_value / 1e6) end as last
  ) changed
  where log.lowest_modified_value < log.greatest_modified_value
    and rollup.bucket_start(wanted_unit, changed.last) = changed.last
  on conflict do nothing
$$;

-- Forces the days (or months) that were noted. Each is deleted from the list in the transaction after the one that computed it.
create procedure logic.refresh_missed_buckets(wanted_unit text) language plpgsql as $$
declare
  missed record;
begin
  loop
    select m.parent, m.bucket into missed from rollup.missed_bucket m where m.unit = wanted_unit order by m.bucket limit 1;
    exit when not found;
    call refresh_continuous_aggregate(
      format('rollup.%I', split_part(missed.parent, '_', 1) || case wanted_unit when 'day' then '_daily' else '_monthly' end)::regclass,
      missed.bucket, rollup.bucket_add(wanted_unit, missed.bucket, 1), force => true, options => '{"buckets_per_batch": 0}');
    delete from rollup.missed_bucket m where m.parent = missed.parent and m.unit = wanted_unit and m.bucket = missed.bucket;
    commit;
  end loop;
end $$;

-- Makes TimescaleDB log every row, whatever its time: moves the invalidation threshold into the far future, unless it is there already.
create procedure logic.log_future_rows() language plpgsql as $$
declare
  future constant timestamptz := '3000-01-01 00:00Z';
begin
  if (select threshold.at < future - interval '1 year' from logic.invalidation_threshold threshold) is not false then
    call refresh_continuous_aggregate('rollup.sensor_hourly', future - interval '1 day', future, options => '{"buckets_per_batch": 0}');
    lock table raw.readings in share row exclusive mode; -- waits for writers that have read the old threshold; their rows are computed next
    commit;
  end if;
end $$;

-- Refreshes one level: what has changed according to the log (from `since` on, if given), then the forced ranges month by month.
create procedure logic.refresh_level(level text, unit text, forced tstzmultirange, since timestamptz default null) language plpgsql as $$
declare
  piece record;
begin
  -- new chunks have no statistics yet, and nested loops over all placements take several times as long as hashing them
  perform set_config('enable_nestloop', 'off', false);
  for piece in select w.window_start, w.window_end from logic.refresh_windows(level, unit, since) w loop
    call refresh_continuous_aggregate(format('rollup.%I', level)::regclass, piece.window_start, piece.window_end, options => '{"buckets_per_batch": 0}');
  end loop;
  for piece in select p.since, p.until from logic.month_pieces(logic.widen(unit, forced)) p loop
    call refresh_continuous_aggregate(format('rollup.%I', level)::regclass, piece.since, piece.until, force => true, options => '{"buckets_per_batch": 0}');
  end loop;
  reset enable_nestloop;
end $$;

-- When it returns, everything committed before the call is in every bucket. It commits between its steps (an interrupted refresh is
-- completed by the next one) and takes a session lock, so call it on a connection that is closed after any error.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
declare
  periods bigint[];
  hours tstzmultirange;
  piece record;
  requested tstzmultirange; -- by an operator: all levels are forced; for other changes, the log informs the levels above
  kept_since timestamptz;
begin
  call raw.acquire_lock('rollup.refresh');
  perform set_config('timescaledb.enable_merge_on_cagg_refresh', 'off', false); -- loses updates when on

  periods := array(select id from rollup.stale_period);
  kept_since := (select nullif(retained_from, '-infinity') from raw.installation);
  call logic.log_future_rows();

  requested := logic.stale_hours('sensor_hourly', periods);
  call logic.refresh_level('sensor_hourly', 'hour', requested * logic.retained(), kept_since);
  hours := logic.stale_hours('station_hourly', periods);
  call logic.refresh_level('station_hourly', 'hour', hours);
  for piece in select s.station_id, s.since, s.until from logic.stale_station_hours(periods) s loop
    perform logic.recompute_station(piece.station_id, piece.since, piece.until); -- the log informs the levels above
    commit;
  end loop;
  call logic.note_missed_buckets('station_hourly', 'day');
  commit;
  hours := logic.stale_hours('region_hourly', periods) - hours + requested;
  call logic.refresh_level('region_hourly', 'hour', hours);
  call logic.note_missed_buckets('region_hourly', 'day');
  commit;
  call logic.refresh_level('station_daily', 'day', requested);
  call logic.refresh_level('region_daily', 'day', requested);
  call logic.refresh_missed_buckets('day');
  call logic.note_missed_buckets('station_daily', 'month');
  call logic.note_missed_buckets('region_daily', 'month');
  commit;
  call logic.refresh_level('station_monthly', 'month', requested);
  call logic.refresh_level('region_monthly', 'month', requested);
  call logic.refresh_missed_buckets('month');

  delete from rollup.stale_period where id = any (periods);
  update rollup.freshness set refreshed_at = refresh.now;
  perform logic.raise_data_version();
  commit;
  perform raw.release_lock('rollup.refresh');
end $$;

-- Rows of raw.readings from this instant on are not logged by TimescaleDB. No row until the first aggregate exists.
create view logic.invalidation_threshold as
  select case when i.watermark < -6e16 then '-infinity' when i.watermark > 6e16 then 'infinity' else to_timestamp(i.watermark / 1e6) end as at
  from _timescaledb_catalog.continuous_aggs_invalidation_threshold i
  join _timescaledb_catalog.hypertable h on h.id = i.hypertable_id and h.schema_name = 'raw' and h.table_name = 'readings';

-- The ranges of time that have changed since the last refresh.
create view logic.pending as
  select
    case when log.lowest_modified_value > -6e16 then to_timestamp(log.lowest_modified_value / 1e6) else '-infinity' end as since,
    case when log.greatest_modified_value < 6e16 then to_timestamp(log.greatest_modified_value / 1e6) + interval '1 microsecond' else 'infinity' end as until
  from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log log
  join _timescaledb_catalog.hypertable h on h.id = log.hypertable_id and h.schema_name = 'raw' and h.table_name = 'readings'
  union all
  select threshold.at, 'infinity'
  from logic.invalidation_threshold threshold
  where exists (select from raw.readings r where r.measured_at >= threshold.at)
  union all select since, until from rollup.stale_period;

-- Compresses chunks of readings and of the hourly levels that ended more than a week ago, and recompresses those that have received late
-- rows. In the foreground, one chunk per transaction, so a writer waits for its own chunk at most.
create or replace procedure rollup.maintain(now timestamptz) language plpgsql as $$
declare
  level record;
  chunk regclass;
begin
  for level in
    select * from (values ('sensor_hourly', 'sensor_id'), ('station_hourly', 'station_id'), ('region_hourly', 'region_slug')) as l(name, id)
    where not (select compression_enabled from timescaledb_information.continuous_aggregates a where a.view_schema = 'rollup' and a.view_name = l.name)
  loop
    execute format('alter materialized view rollup.%I set (timescaledb.enable_columnstore, timescaledb.segmentby = %L, timescaledb.orderby = ''bucket'')',
      level.name, level.id);
    commit;
  end loop;

  for chunk in
    select format('%I.%I', c.chunk_schema, c.chunk_name)::regclass
    from logic.compressible_chunk c
    where c.range_end < maintain.now - interval '7 days' and c.is_stale
    order by c.range_end
  loop
    call convert_to_columnstore(chunk);
    commit;
  end loop;
end $$;

-- The chunks that can be compressed. is_stale: not compressed, or only partially, because rows arrived later.
create view logic.compressible_chunk as
  select c.chunk_schema, c.chunk_name, c.range_end, not c.is_compressed or k.status & 8 <> 0 as is_stale
  from timescaledb_information.chunks c
  join _timescaledb_catalog.chunk k on k.schema_name = c.chunk_schema and k.table_name = c.chunk_name
  left join timescaledb_information.continuous_aggregates a
    on a.materialization_hypertable_schema = c.hypertable_schema and a.materialization_hypertable_name = c.hypertable_name
  where (c.hypertable_schema, c.hypertable_name) = ('raw', 'readings')
    or (a.view_schema = 'rollup' and a.view_name in ('sensor_hourly', 'station_hourly', 'region_hourly'));

-- Drops chunks of readings that end before installation.retained_from. Expired readings in the oldest remaining chunk stay for now.
create procedure logic.delete_expired_readings() language plpgsql as $$
begin
  perform drop_chunks('raw.readings', older_than => (select retained_from from raw.installation));
end $$;

-- The hypertable that stores the rows of a level.
create function logic.storage_of(level text) returns regclass language sql stable as $$
  select format('%I.%I', a.materialization_hypertable_schema, a.materialization_hypertable_name)::regclass
  from timescaledb_information.continuous_aggregates a where a.view_schema = 'rollup' and a.view_name = level
$$;

-- Size of a schema on disk in bytes: its tables, and the chunks of its hypertables and aggregates, including compressed ones.
create function logic.size_of(wanted text) returns bigint language sql stable as $$
  select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
    + (select coalesce(sum(hypertable_size(format('%I.%I', h.hypertable_schema, h.hypertable_name)::regclass)), 0)::bigint
       from timescaledb_information.hypertables h where h.hypertable_schema = wanted)
    + (select coalesce(sum(hypertable_size(format('%I.%I', a.materialization_hypertable_schema, a.materialization_hypertable_name)::regclass)), 0)::bigint
       from timescaledb_information.continuous_aggregates a where a.view_schema = wanted)
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = wanted and c.relkind in ('r', 'm')
    and not exists (select from timescaledb_information.hypertables h where (h.hypertable_schema, h.hypertable_name) = (n.nspname, c.relname))
$$;
