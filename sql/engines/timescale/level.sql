-- TimescaleDB keeps an aggregate as a continuous aggregate. Materialized only: our own refresh gives every reader one freshness.
create materialized view rollup.{{level}} with (
  timescaledb.continuous,
  timescaledb.materialized_only = true,
  timescaledb.chunk_interval = '{{chunk}}',
  timescaledb.create_group_indexes = false
) as
{{body}}
with no data;
create index on rollup.{{level}} ({{id}}, bucket); -- beside the one on bucket that every aggregate has
