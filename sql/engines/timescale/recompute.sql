-- TimescaleDB: recomputes the buckets of a level that lie within the range, for all subjects. The refresh is forced,
-- because our own log says what is stale: TimescaleDB's logs lose changes at the start of a day or month (#10296), near
-- an invalidation threshold that is moving, and under merge (#10463). It is one batch, because the default batches lose
-- a row at their edges. It commits, so call it outside a transaction block. Chunk by chunk, the groups of every chunk
-- would stay in memory to the end: the first build of four years of 12 stations took 850 MB, and 15 s instead of 12.
create or replace procedure {{rollup}}.recompute(level text, since timestamptz, until timestamptz)
language plpgsql as $$
begin
  perform set_config('timescaledb.enable_chunkwise_aggregation', 'off', false);
  call refresh_continuous_aggregate(format('{{rollup}}.%I', level)::regclass, since, until, force => true,
    options => '{"buckets_per_batch": 0}');
end $$;
