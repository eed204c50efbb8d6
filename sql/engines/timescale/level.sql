-- TimescaleDB: an aggregate is a continuous aggregate. It is materialized only, so that all readers see the state of
-- the last refresh.
create materialized view {{rollup}}.{{level}} with (
  timescaledb.continuous,
  timescaledb.materialized_only = true,
  timescaledb.chunk_interval = '{{chunk}}',
  timescaledb.create_group_indexes = false
) as
{{body}}
with no data;
-- in addition to the one on bucket that every continuous aggregate has
create index on {{rollup}}.{{level}} ({{id}}, bucket);
