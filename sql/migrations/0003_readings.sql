-- What arrived. Time first (the aggregates of TimescaleDB find their time column by position), single precision: half the space
-- on disk, and finer than any instrument. The checks are rule S1 once more: the door nulls what is out of bounds, so a failure
-- here is a fault of the door. `between` also refuses NaN and the infinities.
create table raw.readings (
  measured_at timestamptz not null check (measured_at >= '2000-01-01 00:00+00'),
  sensor_id int not null,
  station_id int, -- the station it was taken for; null: the sensor stood nowhere then
  quality smallint not null default 0 check (quality between 0 and 2), -- 0 good, 1 temperature, humidity and pressure suspect, 2 suspect as a whole
  {{each metric: $name real check ($name between $low and $high)}},
  primary key (sensor_id, measured_at)
);

-- What could not be used, with its reason (S2): whole readings, and single values whose reading was kept.
create table raw.quarantine (
  id bigint generated always as identity primary key,
  recorded_at timestamptz not null,
  source text not null, -- file name or provider
  line bigint, -- where in the source, counted from 1
  kind text not null check (kind in ('reading', 'value')),
  reason text not null,
  text text not null, -- as it came
  fingerprint text generated always as (md5(kind || E'\n' || reason || E'\n' || text)) stored unique -- the same line is recorded once
);
create index on raw.quarantine (recorded_at);

-- A change that readings do not show (memberships, an operator's rebuild): recompute the aggregates from this floor up.
create table rollup.stale_period (
  id bigint generated always as identity primary key,
  since timestamptz not null,
  until timestamptz not null,
  from_level text not null check (from_level in ('sensor_hourly', 'region_hourly')),
  check (since < until)
);

-- When the aggregates were last brought up to date, by the clock of the caller (Z4). One row.
create table rollup.freshness (only_row boolean primary key default true check (only_row), refreshed_at timestamptz);
insert into rollup.freshness default values;

grant select, insert, update on raw.readings to airseries_ingest;
grant select, insert on raw.quarantine to airseries_ingest;

{{engine readings.sql}}
