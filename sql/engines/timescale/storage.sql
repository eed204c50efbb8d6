-- TimescaleDB: compresses, drops and measures chunks. It uses only the public interface: functions and information
-- views.

-- How much time between stale months is recomputed with them. A refresh of one month reads all days from it until the
-- newest (only the lower bound reaches the scan), so recomputing the months between costs less than scanning again.
create function logic.month_gap() returns interval language sql immutable parallel safe return interval '4500 hours';

-- Compresses chunks of readings that ended more than a week ago, and chunks of hours of sensors and stations after
-- 30 days, so that readings up to a month late meet no compressed hour. A chunk that was written to since is compressed
-- again. It works in the foreground, one chunk per transaction, so a writer waits for its own chunk at most. A chunk
-- that is being written to is left for the next time, with a warning of SQLSTATE AS101.
create or replace procedure rollup.maintain(now timestamptz) language plpgsql as $$
declare
  level record;
  chunk record;
begin
  perform set_config('lock_timeout', '5s', false);
  for level in
    select l.name, l.id
    from logic.level l
    join timescaledb_information.continuous_aggregates a on a.view_schema = 'rollup' and a.view_name = l.name
    where l.name in ('sensor_hourly', 'station_hourly') and not a.compression_enabled
  loop
    execute format('alter materialized view rollup.%I set (timescaledb.enable_columnstore,
        timescaledb.segmentby = %L, timescaledb.orderby = ''bucket'')',
      level.name, level.id);
    commit;
  end loop;

  for chunk in
    select format('%I.%I', c.chunk_schema, c.chunk_name)::regclass as name, c.is_hours
    from logic.compressible_chunk c
    where c.range_end < maintain.now - c.rests
    order by c.range_end
  loop
    -- Recomputing an hour decompresses one batch of every subject. 45 late readings over six years, 25 stations, on
    -- 2.28.3: 11.3 s of CPU with batches of a month; 6.1 s with batches of a week, which made hours 14 % larger; 4.2 s
    -- when the hours of regions, which are few, stay uncompressed too. Batches in the order of time alone were as fast,
    -- but then reading one station's hours reads the hours of all stations.
    perform set_config('timescaledb.compression_batch_size_limit', case when chunk.is_hours then '168' else '1000' end,
      false);
    begin
      call convert_to_columnstore(chunk.name);
    exception when serialization_failure or deadlock_detected or lock_not_available then -- it is being written to
      raise warning using errcode = 'AS101',
        message = format('chunk %s is left for the next time: %s', chunk.name, sqlerrm);
    end;
    commit;
  end loop;
  reset timescaledb.compression_batch_size_limit;
  perform set_config('lock_timeout', '0', false);
end $$;

-- The chunks that can be compressed, and how long they wait for it after their end.
create view logic.compressible_chunk as
  select c.chunk_schema, c.chunk_name, c.range_end, c.is_compressed, a.view_name is not null as is_hours,
    case when a.view_name is null then interval '7 days' else interval '30 days' end as rests
  from timescaledb_information.chunks c
  left join timescaledb_information.continuous_aggregates a
    on a.materialization_hypertable_schema = c.hypertable_schema
    and a.materialization_hypertable_name = c.hypertable_name
  where (c.hypertable_schema, c.hypertable_name) = ('raw', 'readings')
    or (a.view_schema = 'rollup' and a.view_name in ('sensor_hourly', 'station_hourly'));

-- Drops chunks of readings that end before installation.retained_from. Expired readings in the oldest remaining chunk
-- stay for now. Before anything has expired, retained_from is -infinity, which drop_chunks refuses.
create procedure logic.delete_expired_readings() language plpgsql as $$
begin
  perform drop_chunks('raw.readings', older_than => i.retained_from)
  from raw.installation i where isfinite(i.retained_from);
end $$;

-- Size of a schema on disk in bytes: its tables, and the chunks of its hypertables and aggregates, including compressed
-- ones.
create function logic.size_of(wanted text) returns bigint language sql stable as $$
  select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
    + (select coalesce(sum(hypertable_size(format('%I.%I', h.hypertable_schema, h.hypertable_name)::regclass)), 0)
        ::bigint
       from timescaledb_information.hypertables h where h.hypertable_schema = wanted)
    + (select coalesce(sum(hypertable_size(format('%I.%I', a.materialization_hypertable_schema,
          a.materialization_hypertable_name)::regclass)), 0)::bigint
       from timescaledb_information.continuous_aggregates a where a.view_schema = wanted)
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = wanted and c.relkind in ('r', 'm')
    and not exists (select from timescaledb_information.hypertables h
      where (h.hypertable_schema, h.hypertable_name) = (n.nspname, c.relname))
$$;

-- The table that stores the sensor hours.
create function logic.storage_of_sensor_hours() returns regclass language sql stable as $$
  select format('%I.%I', a.materialization_hypertable_schema, a.materialization_hypertable_name)::regclass
  from timescaledb_information.continuous_aggregates a
  where a.view_schema = 'rollup' and a.view_name = 'sensor_hourly'
$$;

-- The number of stored sensor hours before an instant. Compressed chunks have it in their metadata, as long as the
-- planner knows the instant: 53 million hours (six years of 1,000 sensors) in 0.4 s, and 1.0 s the first time.
-- Counting each month took 5 s for one year.
create function logic.stored_kept_hours(until timestamptz) returns bigint language plpgsql stable
set plan_cache_mode = force_custom_plan set jit = off as $$
begin
  return (select count(*) from rollup.sensor_hourly h where h.bucket < until);
end $$;
