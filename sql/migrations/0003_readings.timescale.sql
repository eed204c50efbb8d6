-- TimescaleDB: readings in 30-day chunks, old ones compressed by rollup.maintain.
select create_hypertable('raw.readings', by_range('measured_at', interval '30 days'));
alter table raw.readings set (timescaledb.enable_columnstore, timescaledb.segmentby = 'sensor_id', timescaledb.orderby = 'measured_at');

-- Days and months that TimescaleDB would miss (engines/timescale/refresh.sql) and that are computed by force. Durable, because noting
-- them and computing them are separate transactions.
create table rollup.missed_bucket (parent text not null, unit text not null, bucket timestamptz not null, primary key (parent, unit, bucket));
