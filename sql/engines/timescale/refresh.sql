-- TimescaleDB: bring the aggregates up to date. Repeatable: replaced whenever this file changes.
--
-- Two faults of TimescaleDB would lose buckets without a word; both are worked around here and nowhere else.
-- 1. timescaledb #10296: a change whose last row lies exactly on the start of a day or month (buckets of variable width) does not
--    reach that bucket. note_edges reads such changes from the invalidation log before anything consumes it, and the refresh
--    computes those buckets by force. The parents of days and months are written by this refresh alone, so nobody races with it.
-- 2. Refreshing in batches skips a last changed row on a batch boundary: buckets_per_batch 0 refreshes in one pass.

create or replace procedure rollup.note_edges(parent text, wanted_unit text) language sql as $$
  insert into rollup.edge (parent, unit, bucket)
  select distinct note_edges.parent, wanted_unit, changed.last
  from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log log
  join _timescaledb_catalog.continuous_agg level
    on level.mat_hypertable_id = log.hypertable_id and level.user_view_schema = 'rollup' and level.user_view_name = note_edges.parent
  cross join lateral (
    select case when log.greatest_modified_value between -6e16 and 6e16 then to_timestamp(log.greatest_modified_value / 1e6) end as last
  ) changed
  where log.lowest_modified_value < log.greatest_modified_value
    and rollup.bucket_start(wanted_unit, changed.last) = changed.last
  on conflict do nothing
$$;

-- Compute by force the days (or months) that were noted; each is ticked off in the transaction after it was computed.
create or replace procedure rollup.force_edges(wanted_unit text) language plpgsql as $$
declare
  edge record;
begin
  loop
    select e.parent, e.bucket into edge from rollup.edge e where e.unit = wanted_unit order by e.bucket limit 1;
    exit when not found;
    call refresh_continuous_aggregate(
      format('rollup.%I', split_part(edge.parent, '_', 1) || case wanted_unit when 'day' then '_daily' else '_monthly' end)::regclass,
      edge.bucket, rollup.bucket_add(wanted_unit, edge.bucket, 1), force => true, options => '{"buckets_per_batch": 0}');
    delete from rollup.edge e where e.parent = edge.parent and e.unit = wanted_unit and e.bucket = edge.bucket;
    commit;
  end loop;
end $$;

-- One level: what the log says has changed, from `since` on where that is given, then what was asked for by force.
drop procedure if exists rollup.refresh_level(text, text, tstzmultirange);
create or replace procedure rollup.refresh_level(level text, unit text, forced tstzmultirange, since timestamptz default null) language plpgsql as $$
declare
  part tstzrange;
begin
  call refresh_continuous_aggregate(format('rollup.%I', level)::regclass, since, null::timestamptz, options => '{"buckets_per_batch": 0}');
  for part in select unnest(rollup.widen(unit, forced)) loop
    call refresh_continuous_aggregate(format('rollup.%I', level)::regclass, lower(part), upper(part), force => true, options => '{"buckets_per_batch": 0}');
  end loop;
end $$;

-- When it returns, all that was committed before the call is in every bucket. It commits on its way (a refresh cannot be undone
-- half way, only finished by the next one) and holds a session lock: call it on a connection that is closed after any error.
create or replace procedure rollup.refresh(now timestamptz) language plpgsql as $$
declare
  periods bigint[];
  forced tstzmultirange;
  forced_regions tstzmultirange;
  kept_since timestamptz;
begin
  perform pg_advisory_lock(hashtext('rollup.refresh'));
  perform set_config('timescaledb.enable_merge_on_cagg_refresh', 'off', false); -- loses updates when on

  periods := array(select id from rollup.stale_period);
  forced := rollup.forced_hours('sensor_hourly', periods);
  forced_regions := forced + rollup.forced_hours('region_hourly', periods);

  -- what was computed from readings that are gone stands as it is: refreshing over them would erase it
  kept_since := (select nullif(dropped_before, '-infinity') from raw.installation);

  if not exists (select from rollup.sensor_hourly) then
    -- first build: in batches it is four times faster; what the batches skip, the pass below brings
    call refresh_continuous_aggregate('rollup.sensor_hourly', kept_since, null::timestamptz);
  end if;
  call rollup.refresh_level('sensor_hourly', 'hour', forced, kept_since);
  call rollup.refresh_level('station_hourly', 'hour', forced);
  call rollup.note_edges('station_hourly', 'day');
  commit;
  call rollup.refresh_level('region_hourly', 'hour', forced_regions);
  call rollup.note_edges('region_hourly', 'day');
  commit;
  call rollup.refresh_level('station_daily', 'day', forced);
  call rollup.refresh_level('region_daily', 'day', forced_regions);
  call rollup.force_edges('day');
  call rollup.note_edges('station_daily', 'month');
  call rollup.note_edges('region_daily', 'month');
  commit;
  call rollup.refresh_level('station_monthly', 'month', forced);
  call rollup.refresh_level('region_monthly', 'month', forced_regions);
  call rollup.force_edges('month');

  delete from rollup.stale_period where id = any (periods);
  update rollup.freshness set refreshed_at = refresh.now;
  commit;
  perform pg_advisory_unlock(hashtext('rollup.refresh'));
end $$;

-- What has changed since the last refresh, as ranges. Rows beyond the end of what was ever refreshed are in no log.
create or replace view rollup.pending as
  select
    case when log.lowest_modified_value > -6e16 then to_timestamp(log.lowest_modified_value / 1e6) else '-infinity' end as since,
    case when log.greatest_modified_value < 6e16 then to_timestamp(log.greatest_modified_value / 1e6) + interval '1 microsecond' else 'infinity' end as until
  from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log log
  join _timescaledb_catalog.hypertable h on h.id = log.hypertable_id and h.schema_name = 'raw' and h.table_name = 'readings'
  union all
  select threshold.at, 'infinity'
  from _timescaledb_catalog.continuous_aggs_invalidation_threshold i
  join _timescaledb_catalog.hypertable h on h.id = i.hypertable_id and h.schema_name = 'raw' and h.table_name = 'readings'
  cross join lateral (select case when i.watermark between -6e16 and 6e16 then to_timestamp(i.watermark / 1e6) else '-infinity' end as at) threshold
  where exists (select from raw.readings r where r.measured_at >= threshold.at)
  union all select since, until from rollup.stale_period;

-- Compress what rests: chunks of readings and of the hour levels that ended more than a week ago, and again those into which late
-- rows came since. In the foreground, one chunk a transaction: writers of a chunk wait for that one only.
create or replace procedure rollup.maintain(now timestamptz) language plpgsql as $$
declare
  place record;
  chunk regclass;
begin
  for place in
    select * from (values ('sensor_hourly', 'sensor_id'), ('station_hourly', 'station_id'), ('region_hourly', 'region_slug')) as l(level, key)
    where not (select compression_enabled from timescaledb_information.continuous_aggregates a where a.view_schema = 'rollup' and a.view_name = l.level)
  loop
    execute format('alter materialized view rollup.%I set (timescaledb.enable_columnstore, timescaledb.segmentby = %L, timescaledb.orderby = ''bucket'')',
      place.level, place.key);
    commit;
  end loop;

  for chunk in
    select format('%I.%I', c.chunk_schema, c.chunk_name)::regclass
    from rollup.resting_chunk c
    where c.range_end < maintain.now - interval '7 days' and c.is_stale
    order by c.range_end
  loop
    call convert_to_columnstore(chunk);
    commit;
  end loop;
end $$;

-- The chunks that may be compressed. Stale: not compressed, or only in part, because rows came later.
create or replace view rollup.resting_chunk as
  select c.chunk_schema, c.chunk_name, c.range_end, not c.is_compressed or k.status & 8 <> 0 as is_stale
  from timescaledb_information.chunks c
  join _timescaledb_catalog.chunk k on k.schema_name = c.chunk_schema and k.table_name = c.chunk_name
  left join timescaledb_information.continuous_aggregates a
    on a.materialization_hypertable_schema = c.hypertable_schema and a.materialization_hypertable_name = c.hypertable_name
  where (c.hypertable_schema, c.hypertable_name) = ('raw', 'readings')
    or (a.view_schema = 'rollup' and a.view_name in ('sensor_hourly', 'station_hourly', 'region_hourly'));

-- Lets go of readings measured before installation.dropped_before: whole chunks of them, so that some of the oldest kept chunk stay.
create or replace procedure rollup.drop_readings() language plpgsql as $$
begin
  perform drop_chunks('raw.readings', older_than => (select dropped_before from raw.installation));
end $$;

-- Bytes on disk of a schema: its own tables, and the chunks of its hypertables and aggregates, compressed ones included.
create or replace function rollup.size_of(wanted text) returns bigint language sql stable as $$
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
