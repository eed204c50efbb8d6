-- The network as the operator describes it. Periods are half-open, -infinity and infinity where nothing was said.
create table raw.provider (
  id text primary key,
  title text not null,
  url text not null default '',
  image text not null default '',
  image_dark text not null default '',
  stale_after interval not null default interval '3 hours' check (stale_after > interval '0'),
  pull jsonb -- {kind, url, every}: where its readings are fetched from; null: it sends them
);

create table raw.region (
  slug text primary key check (slug ~ '^[a-z-]+$' and slug !~ '-history$'),
  kind text not null check (kind in ('city', 'district')),
  city_slug text references raw.region,
  title jsonb not null,
  map_latitude float8 not null check (map_latitude between -90 and 90),
  map_longitude float8 not null check (map_longitude between -180 and 180),
  map_delta float8 not null default 0.2 check (map_delta > 0 and map_delta < 360),
  is_hidden boolean not null default false,
  check ((kind = 'district') = (city_slug is not null))
);

create table raw.station (
  id int primary key check (id > 0),
  provider_id text not null references raw.provider,
  title jsonb not null,
  latitude float8 not null check (latitude between -90 and 90),
  longitude float8 not null check (longitude between -180 and 180),
  altitude float8, -- metres above sea level
  city_slug text references raw.region, -- as first listed of each kind: what the station page says
  district_slug text references raw.region,
  screening boolean not null default true -- false: the operator vouches for temperature, humidity and pressure
);
create index on raw.station (city_slug);

create table raw.sensor (
  id int primary key check (id > 0),
  kind text,
  device text -- what the device it is part of calls itself; several sensors may be of one
);
create index on raw.sensor (device);

-- When a station was in a region.
create table raw.station_region (
  station_id int not null references raw.station,
  region_slug text not null references raw.region,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, region_slug, since),
  check (since < until)
);
create index on raw.station_region (region_slug);

-- When a station was in no list and no region.
create table raw.hidden_period (
  station_id int not null references raw.station,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, since),
  check (since < until)
);

-- When temperature, humidity and pressure of a station were unreliable (C5), as the operator says …
create table raw.flag_period (
  station_id int not null references raw.station,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, since),
  check (since < until)
);

-- … and as screening found.
create table raw.screened_period (
  station_id int not null references raw.station,
  sensor_id int not null references raw.sensor, -- whose readings gave it away
  reason text not null,
  since timestamptz not null,
  until timestamptz not null, -- infinity: it goes on
  primary key (station_id, sensor_id, reason, since),
  check (since < until)
);

-- Where a sensor stood.
create table raw.sensor_station (
  sensor_id int not null references raw.sensor,
  station_id int not null references raw.station,
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);
create index on raw.sensor_station (station_id);

-- When a sensor as a whole was unreliable.
create table raw.suspicious_period (
  sensor_id int not null references raw.sensor,
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);

-- Which formula corrects the PM2.5 of a sensor (S5); at all other times none does.
create table raw.correction (
  sensor_id int not null references raw.sensor,
  formula text not null check (formula in ('epa-2021')),
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);

-- The two below follow from the periods above (views logic.placement and logic.membership say how) and are what the aggregates join.

-- When a sensor's readings count for a station, and the formula in force (P2).
create table raw.placement (
  sensor_id int not null references raw.sensor,
  station_id int not null references raw.station,
  formula text not null, -- none: not corrected
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);
create index on raw.placement (station_id);

-- When a station's hours count for a region, and whether its temperature, humidity and pressure are left out (P3). On full hours.
create table raw.membership (
  station_id int not null references raw.station,
  region_slug text not null references raw.region,
  is_flagged boolean not null,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, region_slug, since),
  check (since < until)
);
create index on raw.membership (region_slug);

grant select on raw.provider, raw.station, raw.sensor, raw.sensor_station, raw.placement to airseries_ingest;
