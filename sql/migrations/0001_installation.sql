-- What was decided once for this database and holds ever after. Schema raw holds what arrived and the network, rollup what it adds
-- up to; they change by migration. Schemas logic and api hold no data and are rebuilt as a whole.
create schema rollup;

revoke all on schema raw, rollup from public;
grant usage on schema raw, rollup to airseries_ingest; -- of rollup the functions, no table

-- One row. The program that runs the first migration says what to record.
create table raw.installation (
  only_row boolean primary key default true check (only_row),
  time_zone text not null, -- IANA name (Z1)
  epoch date not null check (extract(day from epoch) = 1), -- its local midnight begins the first hour, day and month (Z1)
  engine text not null check (engine in ('plain', 'timescale')),
  rollups text, -- fingerprint of the aggregates as they were built
  repeatable text, -- fingerprint of schemas logic and api as they were built
  demo text check (demo in ('loaded', 'removed')), -- null: the demo network was never in here
  -- readings measured before ingest_cutoff are refused; those before retained_from may be gone, their sensor hours are kept
  ingest_cutoff timestamptz not null default '-infinity',
  retained_from timestamptz not null default '-infinity' check (retained_from <= ingest_cutoff)
);
insert into raw.installation (time_zone, epoch, engine)
values (current_setting('airseries.time_zone'), current_setting('airseries.epoch')::date, current_setting('airseries.engine'));

grant select on raw.installation to airseries_ingest;
