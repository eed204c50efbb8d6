-- Warnings as they were announced (R3): records of their instant, which nothing recomputes. The announced category of a
-- place and index is that of its newest row, so the newest row of each place is kept however old it is.

create table rollup.station_warning (
  station_id int not null,
  index text not null check (index in ('aqi', 'eaqi')), -- of the US EPA, European
  announced_at timestamptz not null,
  hour timestamptz not null, -- whose values the row has
  category smallint not null, -- from 0, good
  before smallint, -- null: the first one known
  aqi int,
  pollutant text not null, -- that makes the category of the hour
  pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8,
  primary key (station_id, index, announced_at)
);

create table rollup.region_warning (
  region_slug text not null,
  index text not null check (index in ('aqi', 'eaqi')),
  announced_at timestamptz not null,
  hour timestamptz not null,
  category smallint not null,
  before smallint,
  aqi int,
  pollutant text not null,
  pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8,
  primary key (region_slug, index, announced_at)
);

-- Up to when closed hours have been looked at for warnings; null: never.
alter table rollup.freshness add announced_until timestamptz;
