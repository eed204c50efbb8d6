-- TimescaleDB keeps an aggregate as a continuous aggregate. Materialized only: our own refresh gives every reader one freshness.
create materialized view rollup.{{level}} with (timescaledb.continuous, timescaledb.materialized_only = true, timescaledb.chunk_interval = '{{chunk}}') as
{{body}}
with no data;
