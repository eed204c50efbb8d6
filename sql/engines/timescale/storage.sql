-- TimescaleDB: how the rows of an aggregate are written, kept and measured. By its public interface only: its functions, its information
-- views, and the hypertable that such a view names as the storage of an aggregate.

-- TimescaleDB's own refresh is not used. The refresh of 31_refresh.sql takes as long, and TimescaleDB has to be told nothing: as no refresh of
-- its own ever raises the threshold up to which it logs changes, its logs stay empty. With forced refreshes each late reading left three
-- entries there for good, and 7,500 of them made a refresh half as slow again. So its faults can't reach us either: it loses changes on the
-- start of a day or month (#10296), on the edge of a batch, beside a threshold on the move, and under merge (#10463).

-- Compresses chunks of readings and of the hourly levels that ended more than a week ago, and again those in which rows were written since,
-- by the days of our own log. In the foreground, one chunk per transaction, so a writer waits for its own chunk at most. A chunk that is
-- being written to is left for the next time, with a warning of SQLSTATE AS101.
create or replace procedure rollup.maintain(now timestamptz) language plpgsql as $$
declare
  level record;
  chunk record;
  days constant timestamptz[] := array(select day from rollup.late_day);
  was_left boolean := false;
begin
  perform set_config('lock_timeout', '5s', false);
  for level in
    select * from (values ('sensor_hourly', 'sensor_id'), ('station_hourly', 'station_id'), ('region_hourly', 'region_slug')) as l(name, id)
    where not (select compression_enabled from timescaledb_information.continuous_aggregates a where a.view_schema = 'rollup' and a.view_name = l.name)
  loop
    execute format('alter materialized view rollup.%I set (timescaledb.enable_columnstore, timescaledb.segmentby = %L, timescaledb.orderby = ''bucket'')',
      level.name, level.id);
    commit;
  end loop;

  for chunk in
    select format('%I.%I', c.chunk_schema, c.chunk_name)::regclass as name
    from logic.compressible_chunk c
    where c.range_end < maintain.now - interval '7 days' and c.is_stale
    order by c.range_end
  loop
    begin
      call convert_to_columnstore(chunk.name);
    exception when serialization_failure or deadlock_detected or lock_not_available then -- it is being written to
      was_left := true;
      raise warning using errcode = 'AS101', message = format('chunk %s is left for the next time: %s', chunk.name, sqlerrm);
    end;
    commit;
  end loop;
  delete from rollup.late_day where not was_left and day = any (days);
  perform set_config('lock_timeout', '0', false);
  commit;

  -- Where an earlier version or an operator has raised the threshold all the same, each transaction is logged until the next refresh. This one
  -- is of the hour, day or month before the first.
  for level in select l.name, l.unit from logic.level l loop
    call refresh_continuous_aggregate(format('rollup.%I', level.name)::regclass, rollup.bucket_add(level.unit, rollup.origin(), -1), rollup.origin(), force => true);
  end loop;
end $$;

-- The chunks that can be compressed. is_stale: not compressed yet, or in a day in which rows were written late.
create view logic.compressible_chunk as
  select c.chunk_schema, c.chunk_name, c.range_end,
    not c.is_compressed
      or exists (select from rollup.late_day d where d.day < c.range_end and rollup.bucket_add('day', d.day, 1) > c.range_start) as is_stale
  from timescaledb_information.chunks c
  left join timescaledb_information.continuous_aggregates a
    on a.materialization_hypertable_schema = c.hypertable_schema and a.materialization_hypertable_name = c.hypertable_name
  where (c.hypertable_schema, c.hypertable_name) = ('raw', 'readings')
    or (a.view_schema = 'rollup' and a.view_name in ('sensor_hourly', 'station_hourly', 'region_hourly'));

-- Drops chunks of readings that end before installation.retained_from. Expired readings in the oldest remaining chunk stay for now.
-- Before anything has expired that is -infinity, which drop_chunks refuses.
create procedure logic.delete_expired_readings() language plpgsql as $$
begin
  perform drop_chunks('raw.readings', older_than => i.retained_from) from raw.installation i where isfinite(i.retained_from);
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
