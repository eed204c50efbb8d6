-- Who sends readings, what is fetched, and what could not be used.

-- Who may send readings, and for which stations. Of the secret only its hash is here. A revoked token stays: its name is in old records.
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

-- How fetching the readings of a provider went.
create table raw.pull (
  provider_id text primary key references raw.provider,
  started_at timestamptz not null,
  succeeded_at timestamptz,
  failures int not null default 0, -- in a row
  error text -- of the last one
);

-- What could not be used, with its reason (S2): whole readings, and single values whose reading was kept. A line is recorded once for
-- each sender.
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
  fingerprint text generated always as (md5(kind || E'\n' || reason || E'\n' || coalesce(provider_id, '') || E'\n' || text)) stored unique
);
create index on raw.quarantine (recorded_at);
create index on raw.quarantine (provider_id, id);
create index on raw.quarantine (reason) where kind = 'reading';

-- How many lines of the quarantine were deleted, oldest first: too old, or too many from one provider ('' is what was imported).
create table raw.quarantine_dropped (provider_id text primary key, expired bigint not null default 0, surplus bigint not null default 0);

grant select, update (last_used_at) on raw.token to airseries_ingest;
grant select, insert on raw.quarantine to airseries_ingest;
