-- The tables. Schema raw holds the readings and the network, schema rollup what is computed from them. Both change by
-- migration; schemas logic and api hold no data and are rebuilt as a whole. The aggregates themselves are built from
-- sql/rollups after all migrations.

-- == The installation: decided once, and for good ==

create schema rollup;

revoke all on schema raw, rollup from public;
grant usage on schema raw, rollup to airseries_ingest; -- of rollup the functions, no table

-- One row. The program that runs the first migration says what to record.
create table raw.installation (
  only_row boolean primary key default true check (only_row),
  time_zone text not null, -- IANA name (Z1)
  -- its local midnight begins the first hour, day and month (Z1)
  epoch date not null check (extract(day from epoch) = 1),
  engine text not null check (engine in ('plain', 'timescale')),
  rollups text, -- fingerprint of the aggregates as they were built
  repeatable text, -- fingerprint of schemas logic and api as they were built
  catalog text, -- and of what the catalog held then: anything else was changed by hand
  -- readings measured before ingest_cutoff are refused; those before retained_from may be gone, their sensor hours are
  -- kept
  ingest_cutoff timestamptz not null default '-infinity',
  retained_from timestamptz not null default '-infinity' check (retained_from <= ingest_cutoff),
  -- when the server's rules of the zone last changed and were followed, and the first instant that they changed; or
  -- from when on they are not followed, and why (Z5)
  zone_changed_at timestamptz,
  zone_changed_from timestamptz,
  zone_refused_from timestamptz,
  zone_refused text
);
insert into raw.installation (time_zone, epoch, engine)
values (current_setting('airseries.time_zone'), current_setting('airseries.epoch')::date,
  current_setting('airseries.engine'));

grant select on raw.installation to airseries_ingest;

-- The rules of the zone with which days and months were computed: its offsets from the epoch to about five years on,
-- each with its period (Z5).
create table raw.zone_offset (
  since timestamptz primary key,
  until timestamptz not null,
  utc_offset interval not null
);
-- stamps without an offset are read by them
grant select on raw.zone_offset to airseries_ingest;

-- The minute, by the clock of this server, in which each job was last claimed: several workers schedule every job, and
-- one of them runs it.
create table raw.job_run (
  job text primary key,
  minute timestamptz not null
);

-- == The network, as the operator describes it ==

-- Periods are half-open, -infinity and infinity where the network file says nothing.
create table raw.provider (
  id text primary key,
  title text not null,
  titles jsonb, -- by locale; null: `title` in every one
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
  screening boolean not null default true, -- false: the operator vouches for temperature, humidity and pressure
  trusted boolean not null default false -- a reference instrument: its particles are not screened
);

create table raw.sensor (
  id int primary key check (id > 0),
  kind text,
  device text, -- what the device it is part of calls itself; several sensors may be of one
  -- as the operator declares it (A6); null: its rain is the amount, unless its sender says otherwise
  rain text check (rain in ('total'))
);
create index on raw.sensor (device);

-- When a station was in a region.
create table raw.station_region (
  station_id int not null references raw.station on delete cascade,
  region_slug text not null references raw.region,
  since timestamptz not null,
  until timestamptz not null,
  -- among the regions that the network file lists for the station: of several of a kind the first counts (C8)
  position int not null default 0,
  primary key (station_id, region_slug, since),
  check (since < until)
);
create index on raw.station_region (region_slug);

-- When a station was in no list and no region.
create table raw.hidden_period (
  station_id int not null references raw.station on delete cascade,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, since),
  check (since < until)
);

-- When temperature, humidity and pressure of a station were unreliable (kind thp) or its particles suspect (kind pm),
-- as the operator says (C5) …
create table raw.flag_period (
  station_id int not null references raw.station on delete cascade,
  kind text not null default 'thp' check (kind in ('thp', 'pm')),
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, kind, since),
  check (since < until)
);

-- … and as screening found. Periods of kind pm belong to the station, not to one sensor, and say by which values they
-- were found.
create table raw.screened_period (
  station_id int not null references raw.station on delete cascade,
  sensor_id int references raw.sensor on delete cascade, -- whose readings gave it away
  kind text not null default 'thp' check (kind in ('thp', 'pm')),
  reason text not null,
  since timestamptz not null,
  until timestamptz not null, -- infinity: it goes on
  evidence jsonb,
  unique nulls not distinct (station_id, sensor_id, reason, since),
  check (since < until),
  check ((kind = 'thp') = (sensor_id is not null))
);

-- Where a sensor stood.
create table raw.sensor_station (
  sensor_id int not null references raw.sensor on delete cascade,
  station_id int not null references raw.station on delete cascade,
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);
create index on raw.sensor_station (station_id);

-- Periods of sensors that an operator removed, or whose station, and whose hours retention had kept without readings.
-- Nothing can delete these hours among the hours of other sensors, so placements leave the periods out: the hours count
-- for nothing, and a new sensor of the same number begins with none.
create table raw.removed_period (
  sensor_id int not null, -- the sensor is gone, or is a new one
  since timestamptz not null,
  until timestamptz not null, -- the end of the last kept hour; no reading before it is accepted any more
  check (since < until)
);

-- When a sensor as a whole was unreliable.
create table raw.suspicious_period (
  sensor_id int not null references raw.sensor on delete cascade,
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);

-- Which formula corrects the PM2.5 of a sensor (S5); at all other times none does.
create table raw.correction (
  sensor_id int not null references raw.sensor on delete cascade,
  formula text not null check (formula in ('epa-2021')),
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);

-- The two below follow from the periods above (views logic.placement and logic.membership say how), and the aggregates
-- join them. They refer to no other table: logic.apply_periods alone writes them.

-- When a sensor's readings count for a station, and the formula in force (P2).
create table raw.placement (
  sensor_id int not null,
  station_id int not null,
  formula text not null, -- none: not corrected
  since timestamptz not null,
  until timestamptz not null,
  primary key (sensor_id, since),
  check (since < until)
);
create index on raw.placement (station_id);

-- When a station's hours count for a region, and whether its temperature, humidity and pressure (is_flagged) or its
-- particles are left out (P3). On full hours.
create table raw.membership (
  station_id int not null,
  region_slug text not null,
  is_flagged boolean not null,
  is_pm_suspect boolean not null default false,
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, region_slug, since),
  check (since < until)
);
create index on raw.membership (region_slug);

grant select on raw.provider, raw.station, raw.sensor, raw.sensor_station, raw.placement to airseries_ingest;

-- == Readings ==

-- A reading is a fact and says nothing of the network (P1). Time first, because the aggregates of TimescaleDB find
-- their time column by position; single precision is half the space on disk and finer than any instrument.
create table raw.readings (
  measured_at timestamptz not null,
  sensor_id int not null,
  temperature real,
  humidity real,
  pressure real,
  pm1 real,
  pm25 real,
  pm25_raw real,
  pm10 real,
  no2 real,
  so2 real,
  o3 real,
  dust real,
  usvh real,
  uv real,
  wind_speed real,
  wind_direction real,
  rain real, -- an amount
  -- Of a gauge that counts up (A6): its total as it came, from which the amount in column rain is derived, and the
  -- amount that a source gave beside it, which is kept (S3).
  rain_total real,
  rain_given real,
  primary key (sensor_id, measured_at),
  -- Rule S1 once more: ingest leaves out what is out of bounds, so a failure here is a fault of ingest. `between` also
  -- refuses NaN and infinities. One check, because seventeen took a seventh of the server's time for a COPY of 960,000
  -- readings (5.8 s, with one 5.0 s). The bounds of rain_given are checked as those of rain, by which it comes: every
  -- further check makes COPY slower.
  constraint readings_bounds_check check (
    temperature between -60 and 60
    and humidity between 0 and 100
    and pressure between 50000 and 110000
    and pm1 between -10 and 2000
    and pm25 between -10 and 2000
    and pm25_raw between -10 and 2000
    and pm10 between -10 and 2000
    and no2 between -10 and 5000 -- instruments report small negative concentrations of gases, too
    and so2 between -10 and 5000
    and o3 between -10 and 5000
    and dust between -10 and 2000
    and usvh between 0 and 100
    and uv between 0 and 20
    and wind_speed between 0 and 100
    and wind_direction between 0 and 359.99997 -- the largest single-precision number below 360
    and rain between 0 and 500
    and rain_total between 0 and 100000
  )
);

-- Nothing before the first hour there is.
do $$
begin
  execute format('alter table raw.readings add constraint readings_epoch_check check (measured_at >= %L)',
    (select (epoch::timestamp at time zone time_zone)::text from raw.installation));
end $$;

grant select, insert, update on raw.readings to airseries_ingest;

-- Sensors of which a total of rain is stored or was. A writer of their readings locks their rows, because the amount
-- depends on the readings beside it. The last total before the readings that retention deleted is kept: the first
-- amount after it is derived from it (A6).
create table raw.rain_gauge (
  sensor_id int primary key,
  deleted_at timestamptz,
  deleted_total real
);
grant select, insert, update on raw.rain_gauge to airseries_ingest;

-- The hour of an instant. The epoch's midnight is a literal here, so that rebuilding the aggregates does not touch the
-- triggers.
do $do$
begin
  execute format('create function raw.hour_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin(''1 hour'', at, %L)',
    (select (epoch::timestamp at time zone time_zone)::text from raw.installation));
end $do$;

-- == Ingestion: senders, feeds and the quarantine ==

-- Who may send readings, and for which stations. Of the secret only its hash is here. A revoked token stays: its name
-- is in old records.
create table raw.token (
  id text primary key, -- the public half of what a client sends; finds the row
  sha256 bytea not null, -- of the secret half
  name text not null unique,
  provider_id text not null references raw.provider on delete cascade,
  stations int[], -- null: every station of the provider
  created_at timestamptz not null,
  last_used_at timestamptz, -- to the minute
  revoked_at timestamptz
);

-- How fetching the readings of a provider went.
create table raw.pull (
  provider_id text primary key references raw.provider on delete cascade,
  started_at timestamptz not null,
  succeeded_at timestamptz,
  failures int not null default 0, -- in a row
  error text, -- of the last one
  retry_at timestamptz -- until then it is left alone after failures; null: its interval decides
);

-- The quarantine: what could not be used, with its reason (S2): whole readings, and single values whose reading was
-- kept. A line is recorded once for each sender.
create table raw.quarantine (
  id bigint generated always as identity primary key,
  recorded_at timestamptz not null,
  source text not null, -- file name or provider
  provider_id text, -- null: imported by hand
  stations int[], -- which of its stations the sender may send for; null: all of the provider's
  line bigint, -- where in the source, counted from 1
  kind text not null check (kind in ('reading', 'value')),
  reason text not null,
  text text not null, -- as it came
  reading jsonb, -- as far as it was understood, for another try
  fingerprint text unique
    generated always as (md5(kind || E'\n' || reason || E'\n' || coalesce(provider_id, '') || E'\n' || text)) stored
);
create index on raw.quarantine (recorded_at);
create index on raw.quarantine (provider_id, id);
create index on raw.quarantine (reason) where kind = 'reading';

-- How many lines of the quarantine were deleted, oldest first: too old, or too many from one provider ('' is what was
-- imported).
create table raw.quarantine_dropped (
  provider_id text primary key,
  expired bigint not null default 0,
  surplus bigint not null default 0
);

grant select, update (last_used_at) on raw.token to airseries_ingest;
grant select, insert on raw.quarantine to airseries_ingest;

-- How much of each provider is in quarantine, so that what is too much is known before it is written.
create table raw.quarantine_load (
  provider_id text primary key, -- '' is what was imported by hand
  -- as logic.quarantine_bytes counts them; what was deleted since the last trimming included
  bytes bigint not null default 0,
  left_out bigint not null default 0 -- lines that found no room since then
);
grant select, insert, update on raw.quarantine_load to airseries_ingest;

-- == The refresh: what changed, what is stale, what is current ==

-- The hours in which readings changed, noted by triggers in the writer's own transaction. A log and not a set: writers
-- only add to it, so they wait for no one.
create table rollup.changed_hour (hour timestamptz not null);

create function raw.note_changes() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  case tg_op
    when 'INSERT' then insert into rollup.changed_hour select distinct raw.hour_of(measured_at) from new_rows;
    when 'UPDATE' then insert into rollup.changed_hour
      select raw.hour_of(measured_at) from old_rows union select raw.hour_of(measured_at) from new_rows;
    when 'TRUNCATE' then insert into rollup.stale (from_level, since, until)
      values ('sensor_hourly', '-infinity', 'infinity');
  end case;
  return null;
end $$;
create trigger note_inserted after insert on raw.readings referencing new table as new_rows
  for each statement execute function raw.note_changes();
create trigger note_updated after update on raw.readings referencing old table as old_rows new table as new_rows
  for each statement execute function raw.note_changes();
create trigger note_truncated after truncate on raw.readings
  for each statement execute function raw.note_changes();

-- The periods that have yet to be recomputed, from `from_level` upwards. An operator or a changed network asks for it;
-- with a sensor or a station, only for the hours between the first and the last of that one. A refresh takes it, with
-- what the log holds, as finite ranges, and keeps those until all levels are done, so it may be interrupted anywhere.
-- The running day and month that it puts off are stale from the days upward: their hours have been recomputed.
create table rollup.stale (
  from_level text not null check (from_level in ('sensor_hourly', 'station_hourly', 'region_hourly', 'station_daily')),
  since timestamptz not null,
  until timestamptz not null check (since < until),
  sensor_id int,
  station_id int,
  is_taken boolean not null default false check (not is_taken or isfinite(since) and isfinite(until))
);

-- The state of the aggregates, by the clock of the caller (Z4). One row.
create table rollup.freshness (
  only_row boolean primary key default true check (only_row),
  refreshed_at timestamptz, -- null: never
  -- when a refresh last left nothing waiting; until then refreshed_at tells only how fresh the running day is
  completed_at timestamptz,
  data_version int not null default 1, -- grows whenever published data may have changed
  -- the running day and month may lag ten minutes (S4): since when something in them waits, and when they were last
  -- brought up to date
  running_since timestamptz,
  running_refreshed_at timestamptz
);
insert into rollup.freshness default values;

-- The newest values of each sensor that stands at a station, as the last refresh found them (C1). Per parameter the
-- mean of the 60 minutes up to its newest value (of rain the sum), and when that was measured.
create table rollup.current (
  sensor_id int primary key,
  station_id int not null,
  measured_at timestamptz not null, -- of the newest reading
  temperature_at timestamptz, humidity_at timestamptz, pressure_at timestamptz,
  pm1_at timestamptz, pm25_at timestamptz, pm25_raw_at timestamptz, pm10_at timestamptz,
  no2_at timestamptz, so2_at timestamptz, o3_at timestamptz,
  dust_at timestamptz, usvh_at timestamptz, uv_at timestamptz,
  wind_speed_at timestamptz, wind_direction_at timestamptz, rain_at timestamptz,
  temperature float8, humidity float8, pressure float8,
  pm1 float8, pm25 float8, pm25_raw float8, pm10 float8,
  no2 float8, so2 float8, o3 float8,
  dust float8, usvh float8, uv float8, wind_speed float8, wind_sin float8, wind_cos float8, rain float8
);

-- A region's current values at an instant (C4), unrounded. A record, not an aggregate: made every five minutes, never
-- recomputed.
create table rollup.digest (
  made_at timestamptz not null,
  region_slug text not null references raw.region on delete cascade,
  station_count int not null,
  pm_stations int, -- in the mean of particles
  pm_left_out int, -- as suspect
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

-- Nothing can recompute the sensor hours of months whose readings retention has deleted. This says of each such month
-- how many there were, and a checksum of their values (logic.kept_hours), so that an audit notices when another program
-- deletes or changes them. Other rules of the zone may let a month end at another hour, so its end is recorded as well.
create table rollup.expired_month (
  month timestamptz primary key, -- its local start
  until timestamptz not null,
  hours bigint not null,
  checksum bigint not null
);

-- Every audit: which period was compared with the readings, and how many buckets differed. Kept for a year.
create table rollup.audit (
  made_at timestamptz primary key,
  since timestamptz not null,
  until timestamptz not null,
  differing int not null,
  first_differences jsonb not null
);

-- == Locks ==

-- Locks of a transaction are tables that stay empty. Writers of readings share the first, each with row exclusive,
-- which costs them nothing; moving the ingest cutoff takes it exclusively.
create table raw.ingest_lock (check (false));
create table raw.network_lock (check (false));
create table raw.screen_lock (check (false));
grant insert on raw.ingest_lock to airseries_ingest; -- as much as row exclusive asks for

-- Locks of a session outlive its transactions and end with it: a refresh commits on its way, and a worker holds one for
-- days. They are PostgreSQL's advisory locks under two keys; sql/reader.sql keeps logins that may only read from taking
-- any.
create procedure raw.acquire_lock(name text) language sql begin atomic
  select pg_advisory_lock(hashtext('airseries'), hashtext(name));
end;
create function raw.release_lock(name text) returns void language sql begin atomic
  select pg_advisory_unlock(hashtext('airseries'), hashtext(name));
end;
revoke all on function raw.release_lock from public;
revoke all on procedure raw.acquire_lock from public;
