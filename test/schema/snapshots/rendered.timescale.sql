- create function rollup.time_bucket(bucket_width interval, ts timestamptz, origin timestamptz) returns timestamptz
-   return date_bin(bucket_width, ts, origin);
- create function rollup.time_bucket(bucket_width interval, ts timestamptz, timezone text, origin timestamptz)
-   returns timestamptz
- language sql stable parallel safe
-   return date_trunc(case bucket_width when interval '1 month' then 'month' else 'day' end, ts, timezone);
- create table rollup.sensor_hourly as select
- group by 1, 2 with no data;
- alter table rollup.sensor_hourly add primary key (sensor_id, bucket);
- create index on rollup.sensor_hourly (bucket);
- create table rollup.station_hourly as select
- group by 1, 2 with no data;
- alter table rollup.station_hourly add primary key (station_id, bucket);
- create index on rollup.station_hourly (bucket);
- create table rollup.region_hourly as select
- group by 1, 2 with no data;
- alter table rollup.region_hourly add primary key (region_slug, bucket);
- create index on rollup.region_hourly (bucket);
- create table rollup.station_daily as select
- group by 1, 2 with no data;
- alter table rollup.station_daily add primary key (station_id, bucket);
- create index on rollup.station_daily (bucket);
- create table rollup.region_daily as select
- group by 1, 2 with no data;
- alter table rollup.region_daily add primary key (region_slug, bucket);
- create index on rollup.region_daily (bucket);
- create table rollup.station_monthly as select
- group by 1, 2 with no data;
- alter table rollup.station_monthly add primary key (station_id, bucket);
- create index on rollup.station_monthly (bucket);
- create table rollup.region_monthly as select
- group by 1, 2 with no data;
- alter table rollup.region_monthly add primary key (region_slug, bucket);
- create index on rollup.region_monthly (bucket);
- -- Plain PostgreSQL: deletes expired readings, and measures tables.
- -- How much time between stale months is recomputed with them: none, since each month reads its own days only.
- create function logic.month_gap() returns interval language sql immutable parallel safe return interval '0';
- -- Storage maintenance: nothing to do here, autovacuum is enough.
- create or replace procedure rollup.maintain(now timestamptz) language sql as '';
- -- Deletes readings measured before installation.retained_from, one day per transaction. Their hours are logged as
- -- changed, like any others, but a refresh skips them.
-   expired constant timestamptz := (select retained_from from raw.installation);
-   oldest timestamptz;
-     oldest := (select min(measured_at) from raw.readings);
-     exit when (oldest < expired) is not true; -- `expired` may lie within a day
-     delete from raw.readings
-     where measured_at < least(rollup.bucket_add('day', rollup.bucket_start('day', oldest), 1), expired);
- -- Size of a schema on disk in bytes.
-   select sum(pg_total_relation_size(c.oid))::bigint from pg_class c join pg_namespace n on n.oid = c.relnamespace
- create function logic.storage_of_sensor_hours() returns regclass language sql stable
-   return 'rollup.sensor_hourly'::regclass;
- -- The number of stored sensor hours before an instant: unknown, because a count reads all of them (0.9 s for 8.4
- -- million), and nothing but a person can delete any. The nightly audit counts them.
- create function logic.stored_kept_hours(until timestamptz) returns bigint language sql immutable return null::bigint;
- -- Plain PostgreSQL: recomputes the buckets of a level that lie within the range, for all subjects, with the level's own
- -- select. A cached plan would not know the range, and compiling (jit) a statement takes longer than running it for one
- -- hour.
- create or replace procedure rollup.recompute(level text, since timestamptz, until timestamptz) language plpgsql
-   case level
-   when 'sensor_hourly' then
-     delete from rollup.sensor_hourly where bucket >= $2 and bucket < $3;
-     insert into rollup.sensor_hourly
- where measured_at >= $2 and measured_at < $3
- group by 1, 2;
-   when 'station_hourly' then
-     delete from rollup.station_hourly where bucket >= $2 and bucket < $3;
-     insert into rollup.station_hourly
- where s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until and s.bucket >= $2 and s.bucket < $3
- group by 1, 2;
-   when 'region_hourly' then
-     delete from rollup.region_hourly where bucket >= $2 and bucket < $3;
-     insert into rollup.region_hourly
- where h.bucket >= m.since and h.bucket < m.until and h.bucket >= $2 and h.bucket < $3
- group by 1, 2;
-   when 'station_daily' then
-     delete from rollup.station_daily where bucket >= $2 and bucket < $3;
-     insert into rollup.station_daily
- where h.bucket >= $2 and h.bucket < $3
- group by 1, 2;
-   when 'region_daily' then
-     delete from rollup.region_daily where bucket >= $2 and bucket < $3;
-     insert into rollup.region_daily
- where h.bucket >= $2 and h.bucket < $3
- group by 1, 2;
-   when 'station_monthly' then
-     delete from rollup.station_monthly where bucket >= $2 and bucket < $3;
-     insert into rollup.station_monthly
- where d.bucket >= $2 and d.bucket < $3
- group by 1, 2;
-   when 'region_monthly' then
-     delete from rollup.region_monthly where bucket >= $2 and bucket < $3;
-     insert into rollup.region_monthly
- where d.bucket >= $2 and d.bucket < $3
- group by 1, 2;
- language plpgsql set plan_cache_mode = force_custom_plan set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off as $$
- language plpgsql set plan_cache_mode = force_custom_plan set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off as $$
+ create materialized view rollup.sensor_hourly with (
+   timescaledb.continuous,
+   timescaledb.materialized_only = true,
+   timescaledb.chunk_interval = '30 days',
+   timescaledb.create_group_indexes = false
+ ) as
+ with no data;
+ create index on rollup.sensor_hourly (sensor_id, bucket);
+ create materialized view rollup.station_hourly with (
+   timescaledb.continuous,
+   timescaledb.materialized_only = true,
+   timescaledb.chunk_interval = '30 days',
+   timescaledb.create_group_indexes = false
+ ) as
+ with no data;
+ create index on rollup.station_hourly (station_id, bucket);
+ create materialized view rollup.region_hourly with (
+   timescaledb.continuous,
+   timescaledb.materialized_only = true,
+   timescaledb.chunk_interval = '30 days',
+   timescaledb.create_group_indexes = false
+ ) as
+ with no data;
+ create index on rollup.region_hourly (region_slug, bucket);
+ create materialized view rollup.station_daily with (
+   timescaledb.continuous,
+   timescaledb.materialized_only = true,
+   timescaledb.chunk_interval = '360 days',
+   timescaledb.create_group_indexes = false
+ ) as
+ with no data;
+ create index on rollup.station_daily (station_id, bucket);
+ create materialized view rollup.region_daily with (
+   timescaledb.continuous,
+   timescaledb.materialized_only = true,
+   timescaledb.chunk_interval = '360 days',
+   timescaledb.create_group_indexes = false
+ ) as
+ with no data;
+ create index on rollup.region_daily (region_slug, bucket);
+ create materialized view rollup.station_monthly with (
+   timescaledb.continuous,
+   timescaledb.materialized_only = true,
+   timescaledb.chunk_interval = '360 days',
+   timescaledb.create_group_indexes = false
+ ) as
+ with no data;
+ create index on rollup.station_monthly (station_id, bucket);
+ create materialized view rollup.region_monthly with (
+   timescaledb.continuous,
+   timescaledb.materialized_only = true,
+   timescaledb.chunk_interval = '360 days',
+   timescaledb.create_group_indexes = false
+ ) as
+ with no data;
+ create index on rollup.region_monthly (region_slug, bucket);
+ -- TimescaleDB: compresses, drops and measures chunks. It uses only the public interface: functions and information
+ -- views.
+ -- How much time between stale months is recomputed with them. A refresh of one month reads all days from it until the
+ -- newest (only the lower bound reaches the scan), so recomputing the months between costs less than scanning again.
+ create function logic.month_gap() returns interval language sql immutable parallel safe return interval '4500 hours';
+ -- Compresses chunks of readings that ended more than a week ago, and chunks of hours of sensors and stations after
+ -- 30 days, so that readings up to a month late meet no compressed hour. A chunk that was written to since is compressed
+ -- again. It works in the foreground, one chunk per transaction, so a writer waits for its own chunk at most. A chunk
+ -- that is being written to is left for the next time, with a warning of SQLSTATE AS101.
+ create or replace procedure rollup.maintain(now timestamptz) language plpgsql as $$
+   level record;
+   chunk record;
+   perform set_config('lock_timeout', '5s', false);
+   for level in
+     select l.name, l.id
+     from logic.level l
+     join timescaledb_information.continuous_aggregates a on a.view_schema = 'rollup' and a.view_name = l.name
+     where l.name in ('sensor_hourly', 'station_hourly') and not a.compression_enabled
+     execute format('alter materialized view rollup.%I set (timescaledb.enable_columnstore,
+         timescaledb.segmentby = %L, timescaledb.orderby = ''bucket'')',
+       level.name, level.id);
+   for chunk in
+     select format('%I.%I', c.chunk_schema, c.chunk_name)::regclass as name, c.is_hours
+     from logic.compressible_chunk c
+     where c.range_end < maintain.now - c.rests
+     order by c.range_end
+     -- Recomputing an hour decompresses one batch of every subject. 45 late readings over six years, 25 stations, on
+     -- 2.28.3: 11.3 s of CPU with batches of a month; 6.1 s with batches of a week, which made hours 14 % larger; 4.2 s
+     -- when the hours of regions, which are few, stay uncompressed too. Batches in the order of time alone were as fast,
+     -- but then reading one station's hours reads the hours of all stations.
+     perform set_config('timescaledb.compression_batch_size_limit', case when chunk.is_hours then '168' else '1000' end,
+       false);
+       call convert_to_columnstore(chunk.name);
+     exception when serialization_failure or deadlock_detected or lock_not_available then -- it is being written to
+       raise warning using errcode = 'AS101',
+         message = format('chunk %s is left for the next time: %s', chunk.name, sqlerrm);
+   reset timescaledb.compression_batch_size_limit;
+   perform set_config('lock_timeout', '0', false);
+ -- The chunks that can be compressed, and how long they wait for it after their end.
+ create view logic.compressible_chunk as
+   select c.chunk_schema, c.chunk_name, c.range_end, c.is_compressed, a.view_name is not null as is_hours,
+     case when a.view_name is null then interval '7 days' else interval '30 days' end as rests
+   from timescaledb_information.chunks c
+   left join timescaledb_information.continuous_aggregates a
+     on a.materialization_hypertable_schema = c.hypertable_schema
+     and a.materialization_hypertable_name = c.hypertable_name
+   where (c.hypertable_schema, c.hypertable_name) = ('raw', 'readings')
+     or (a.view_schema = 'rollup' and a.view_name in ('sensor_hourly', 'station_hourly'));
+ -- Drops chunks of readings that end before installation.retained_from. Expired readings in the oldest remaining chunk
+ -- stay for now. Before anything has expired, retained_from is -infinity, which drop_chunks refuses.
+   perform drop_chunks('raw.readings', older_than => i.retained_from)
+   from raw.installation i where isfinite(i.retained_from);
+ -- Size of a schema on disk in bytes: its tables, and the chunks of its hypertables and aggregates, including compressed
+ -- ones.
+   select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
+     + (select coalesce(sum(hypertable_size(format('%I.%I', h.hypertable_schema, h.hypertable_name)::regclass)), 0)
+         ::bigint
+        from timescaledb_information.hypertables h where h.hypertable_schema = wanted)
+     + (select coalesce(sum(hypertable_size(format('%I.%I', a.materialization_hypertable_schema,
+           a.materialization_hypertable_name)::regclass)), 0)::bigint
+        from timescaledb_information.continuous_aggregates a where a.view_schema = wanted)
+   from pg_class c
+   join pg_namespace n on n.oid = c.relnamespace
+     and not exists (select from timescaledb_information.hypertables h
+       where (h.hypertable_schema, h.hypertable_name) = (n.nspname, c.relname))
+ create function logic.storage_of_sensor_hours() returns regclass language sql stable as $$
+   select format('%I.%I', a.materialization_hypertable_schema, a.materialization_hypertable_name)::regclass
+   from timescaledb_information.continuous_aggregates a
+   where a.view_schema = 'rollup' and a.view_name = 'sensor_hourly'
+ -- The number of stored sensor hours before an instant. Compressed chunks have it in their metadata, as long as the
+ -- planner knows the instant: 53 million hours (six years of 1,000 sensors) in 0.4 s, and 1.0 s the first time.
+ -- Counting each month took 5 s for one year.
+ create function logic.stored_kept_hours(until timestamptz) returns bigint language plpgsql stable
+   return (select count(*) from rollup.sensor_hourly h where h.bucket < until);
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ -- TimescaleDB: recomputes the buckets of a level that lie within the range, for all subjects. The refresh is forced,
+ -- because our own log says what is stale: TimescaleDB's logs lose changes at the start of a day or month (#10296), near
+ -- an invalidation threshold that is moving, and under merge (#10463). It is one batch, because the default batches lose
+ -- a row at their edges. It commits, so call it outside a transaction block. Chunk by chunk, the groups of every chunk
+ -- would stay in memory to the end: the first build of four years of 12 stations took 850 MB, and 15 s instead of 12.
+ create or replace procedure rollup.recompute(level text, since timestamptz, until timestamptz)
+   perform set_config('timescaledb.enable_chunkwise_aggregation', 'off', false);
+   call refresh_continuous_aggregate(format('rollup.%I', level)::regclass, since, until, force => true,
+     options => '{"buckets_per_batch": 0}');
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ language plpgsql set plan_cache_mode = force_custom_plan set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
+ set timescaledb.enable_runtime_exclusion = off as $$
+ set timescaledb.enable_runtime_exclusion = off
+ language plpgsql set plan_cache_mode = force_custom_plan set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
+ set timescaledb.enable_runtime_exclusion = off as $$
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
+ set timescaledb.enable_runtime_exclusion = off
