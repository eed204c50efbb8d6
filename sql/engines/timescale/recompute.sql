-- TimescaleDB: recomputes the buckets of a level that lie within the range, for all subjects. TimescaleDB does it, forced, because our own log says what
-- is stale: TimescaleDB's logs lose changes on the start of a day or month (#10296), beside a threshold on the move, and under merge (#10463).
-- In one batch, because the default ones lose a row on their edge. It commits, so call it from a procedure that is in no transaction block.
create or replace procedure {{rollup}}.recompute(level text, since timestamptz, until timestamptz) language plpgsql as $$
begin
  call refresh_continuous_aggregate(format('{{rollup}}.%I', level)::regclass, since, until, force => true, options => '{"buckets_per_batch": 0}');
end $$;
