-- The network as the operator describes it. Periods are half-open, -infinity and infinity where nothing was said.
create table raw.provider (
  id text primary key,
  title text not null,
  url text not null default '',
  image text not null default '',
  image_dark text not null default '',
  stale_after interval not null default interval '3 hours' check (stale_after > interval '0')
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
  altitude float8,
  city_slug text references raw.region, -- as first listed of each kind: what the station page says
  district_slug text references raw.region
);
create index on raw.station (city_slug);

-- When a station was in a region, hidden periods already taken out (A3). On full hours, so that an hour is in or out as a whole.
create table raw.membership (
  station_id int not null references raw.station,
  region_slug text not null references raw.region,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, region_slug, since),
  check (since < until)
);
create index on raw.membership (region_slug);

create table raw.hidden_period (
  station_id int not null references raw.station,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, since),
  check (since < until)
);

-- Temperature, humidity and pressure of the station are unreliable: its readings get quality 1 (C5).
create table raw.bad_thp_period (
  station_id int not null references raw.station,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, since),
  check (since < until)
);

create table raw.sensor (
  id int primary key check (id > 0),
  kind text,
  correction text not null default 'none'
);

-- Which station a sensor measured for, and when: sensors move.
create table raw.sensor_station (
  sensor_id int not null references raw.sensor,
  station_id int not null references raw.station,
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);
create index on raw.sensor_station (station_id);

-- The whole sensor is unreliable: its readings get quality 2 and take part in nothing (A2).
create table raw.suspicious_period (
  sensor_id int not null references raw.sensor,
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);

grant select on raw.provider, raw.station, raw.sensor, raw.sensor_station, raw.bad_thp_period, raw.suspicious_period to airseries_ingest;
