-- TimescaleDB: how a refresh of a long change is cut, so that its memory does not grow with the history.

-- The windows in which to refresh a level: contiguous, in order of time, from `since` on (null: from the beginning) to the end of time
-- (null). Usually one. A statement sorts or hashes each chunk that it reads separately and keeps all of that to its end, so a long change is
-- cut where chunks of the level's parent begin, and into pieces of about 10,000 rows of the level. The logs only decide where to cut: the
-- windows cover all of time, and each takes from the logs what lies in it, so a refresh that is interrupted between two continues there.
create function logic.refresh_windows(level text, unit text, since timestamptz) returns table (window_start timestamptz, window_end timestamptz)
language plpgsql stable as $$
declare
  aggregate record;
  chunks record;
  subjects constant int := case split_part(level, '_', 1)
    when 'sensor' then (select count(*) from raw.sensor)
    when 'station' then (select count(*) from raw.station)
    else (select count(*) from raw.region) end;
  buckets constant int := greatest(10000 / greatest(subjects, 1), 1);
  bucket_width constant interval := ('1 ' || unit)::interval;
  changed tstzmultirange;
begin
  select a.mat_hypertable_id as id, a.raw_hypertable_id as parent, w.watermark into aggregate -- the watermark is where the parent's rows end
  from _timescaledb_catalog.continuous_agg a
  left join _timescaledb_catalog.continuous_aggs_watermark w on w.mat_hypertable_id = a.raw_hypertable_id
  where a.user_view_schema = 'rollup' and a.user_view_name = level;
  select min(slice.range_start) as first_start, max(slice.range_start) as last_start, max(slice.range_end) as last_end into chunks
  from _timescaledb_catalog.dimension d join _timescaledb_catalog.dimension_slice slice on slice.dimension_id = d.id
  where d.hypertable_id = aggregate.parent;

  with log as (
    select log.lowest_modified_value as low, log.greatest_modified_value as high
    from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log log where log.hypertable_id = aggregate.parent
    union all
    select log.lowest_modified_value, log.greatest_modified_value
    from _timescaledb_catalog.continuous_aggs_materialization_invalidation_log log where log.materialization_id = aggregate.id
  ),
  known as ( -- where there are chunks; a change without end ends at the watermark, unless direct writes have left that behind
    select greatest(low, chunks.first_start) as low,
      case when high < chunks.last_end then high + 1
           when aggregate.watermark between chunks.last_start and chunks.last_end then aggregate.watermark
           else chunks.last_end end as high
    from log
  )
  select logic.widen(unit, range_agg(tstzrange(to_timestamp(low / 1e6), to_timestamp(high / 1e6)))) into changed from known where low < high;

  return query
  with cut as (
    select distinct piece.start as at
    from unnest(changed) whole
    join (_timescaledb_catalog.dimension d join _timescaledb_catalog.dimension_slice slice on slice.dimension_id = d.id)
      on d.hypertable_id = aggregate.parent
    cross join lateral (
      select greatest(lower(whole), rollup.bucket_start(unit, to_timestamp(slice.range_start / 1e6))) as start,
        least(upper(whole), to_timestamp(slice.range_end / 1e6)) as finish
    ) part
    cross join lateral generate_series(0, (extract(epoch from part.finish - part.start) / extract(epoch from buckets * bucket_width))::int) n
    cross join lateral (select rollup.bucket_add(unit, part.start, n * buckets) as start) piece
    where part.start < part.finish and piece.start > lower(whole) and piece.start < part.finish and (since is null or piece.start > since)
  )
  select lag(edge.at, 1, since) over (order by edge.at), edge.at -- null is last
  from (select cut.at from cut union all select null) edge
  order by edge.at;
end $$;
