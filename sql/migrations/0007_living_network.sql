-- What a network needs that is alive: who may send, what is pulled, formulas that change, suspicions of our own, and an end for what is old.

-- Who may send readings, and of what. Of the secret only its hash is here. A revoked token stays: its name is in old records.
create table raw.token (
  id text primary key, -- the public half of what a client sends; finds the row
  sha256 bytea not null, -- of the secret half
  name text not null unique,
  provider_id text not null references raw.provider,
  stations int[], -- null: every station of the provider
  created_at timestamptz not null,
  last_used_at timestamptz, -- to the minute
  revoked_at timestamptz
);
grant select, update (last_used_at) on raw.token to airseries_ingest;

-- Where a provider is asked for its readings, and how that went. {kind, url, every}
alter table raw.provider add column pull jsonb;
create table raw.pull (
  provider_id text primary key references raw.provider,
  started_at timestamptz not null,
  succeeded_at timestamptz,
  failures int not null default 0, -- in a row
  error text -- of the last one
);

-- What a device calls itself: several sensors may be of one.
alter table raw.sensor add column device text;
create index on raw.sensor (device);

-- The formula that corrects a sensor's PM2.5 (S5), from an instant of measuring until the next row's.
create table raw.correction (
  sensor_id int not null references raw.sensor,
  since timestamptz not null,
  formula text not null check (formula in ('none', 'epa-2021')),
  primary key (sensor_id, since)
);
insert into raw.correction (sensor_id, since, formula) select id, '-infinity', correction from raw.sensor;

-- Temperature, humidity and pressure that screening found implausible, beside the periods the operator gave.
alter table raw.station add column screening boolean not null default true; -- false: the operator vouches for it
create table raw.screened_period (
  station_id int not null references raw.station,
  sensor_id int not null references raw.sensor, -- whose readings gave it away
  reason text not null,
  since timestamptz not null,
  until timestamptz not null, -- infinity: it goes on
  primary key (station_id, sensor_id, reason, since),
  check (since < until)
);
grant select on raw.correction, raw.screened_period to airseries_ingest;

-- Readings whose place or quality may follow from a change of periods, and have not followed yet: a sensor's, month by month.
create table raw.moved_piece (
  id bigint generated always as identity primary key,
  sensor_id int not null references raw.sensor,
  since timestamptz not null,
  until timestamptz not null
);

-- Readings before readings_since are no longer taken in; those before dropped_before may be gone, and their aggregates stand as they are.
alter table raw.installation
  add column readings_since timestamptz not null default '-infinity',
  add column dropped_before timestamptz not null default '-infinity',
  add check (dropped_before <= readings_since);

-- A reading in quarantine as far as it was understood, for another try; and who sent it, with what that one may speak for: the same
-- line of two senders is two lines.
alter table raw.quarantine
  add column reading jsonb,
  add column provider_id text, -- null: imported by hand
  add column stations int[], -- null: all of the provider's
  drop column fingerprint;
alter table raw.quarantine
  add column fingerprint text generated always as (md5(kind || E'\n' || reason || E'\n' || coalesce(provider_id, '') || E'\n' || text)) stored unique;
create index on raw.quarantine (provider_id, id);

-- How many lines of the quarantine were let go of, oldest first: too old, or too many from one provider ('' is what was imported).
create table raw.quarantine_dropped (provider_id text primary key, expired bigint not null default 0, surplus bigint not null default 0);

-- Repeatable functions whose parameters are others from here on.
drop function if exists raw.as_stored(text, real, text, boolean, real, real) cascade;
drop function if exists raw.replace_network(jsonb);
