-- What keeping the aggregates needs. The aggregates themselves are built from sql/rollups after all migrations.

-- Hours to compute again although no reading in them changed; `from_level` is the lowest level that changes. With neither sensor nor
-- station: an operator's request. With both: that sensor counts for that station otherwise than before. With a station alone: that
-- station counts for regions otherwise than before.
create table rollup.stale_period (
  id bigint generated always as identity primary key,
  since timestamptz not null,
  until timestamptz not null,
  from_level text not null check (from_level in ('sensor_hourly', 'station_hourly', 'region_hourly')),
  sensor_id int,
  station_id int,
  check (since < until)
);

-- When the aggregates were last brought up to date, by the clock of the caller (Z4). One row.
create table rollup.freshness (only_row boolean primary key default true check (only_row), refreshed_at timestamptz);
insert into rollup.freshness default values;

-- A region's current values at an instant (C4), unrounded. A record, not an aggregate: made every five minutes, never recomputed.
create table rollup.digest (
  made_at timestamptz not null,
  region_slug text not null references raw.region,
  station_count int not null,
  temperature float8,
  humidity float8,
  pressure float8,
  pm1 float8,
  pm25 float8,
  pm25_raw float8,
  pm10 float8,
  no2 float8,
  so2 float8,
  o3 float8,
  dust float8,
  usvh float8,
  uv float8,
  wind_speed float8,
  wind_sin float8,
  wind_cos float8,
  rain float8,
  primary key (region_slug, made_at)
);
create index on rollup.digest (made_at);

-- Every audit: which period was compared with the readings, and how many buckets differed. Kept for a year.
create table rollup.audit (
  made_at timestamptz primary key,
  since timestamptz not null,
  until timestamptz not null,
  differing int not null,
  first_differences jsonb not null
);
