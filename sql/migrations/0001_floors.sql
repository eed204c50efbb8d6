-- The two lower floors (raw: what arrived; rollup: what it adds up to) and who may step on them. The third floor, api, is rebuilt from sql/api.
create schema rollup;

revoke all on schema raw, rollup from public;
grant usage on schema raw to airseries_ingest;

-- What was decided once for this database and holds ever after (Z1, the engine). One row.
create table raw.installation (
  only_row boolean primary key default true check (only_row),
  time_zone text not null,
  engine text not null,
  rollups text, -- fingerprint of the aggregates' definitions as they were built
  repeatable text, -- fingerprint of the repeatable SQL as it was built
  demo text check (demo in ('loaded', 'removed')) -- null: the demo network was never in here
);
insert into raw.installation (time_zone, engine) values ({{zone}}, {{engine}});
grant select on raw.installation to airseries_ingest;

-- The zone as a constant that the planner can fold.
create function rollup.time_zone() returns text language sql immutable parallel safe return {{zone}};

-- The start of the hour, local day or local month that holds an instant, and of the one n later (Z3). An hour is the same in every
-- zone that Z1 admits; in local time one of them would happen twice a year.
create function rollup.bucket_start(unit text, at timestamptz) returns timestamptz language sql immutable parallel safe
  return case unit when 'hour' then date_trunc('hour', at at time zone 'UTC') at time zone 'UTC'
         else date_trunc(unit, at at time zone rollup.time_zone()) at time zone rollup.time_zone() end;
create function rollup.bucket_add(unit text, bucket timestamptz, n int) returns timestamptz language sql immutable parallel safe
  return case unit when 'hour' then bucket + n * interval '1 hour'
         -- truncated first: where the clocks skip midnight, a day begins at 01:00, and the next one does not
         else (date_trunc(unit, bucket at time zone rollup.time_zone()) + n * ('1 ' || unit)::interval) at time zone rollup.time_zone() end;

-- Ranges widened to whole buckets.
create function rollup.widen(unit text, ranges tstzmultirange) returns tstzmultirange language sql immutable parallel safe
  return (select coalesce(range_agg(tstzrange(
            rollup.bucket_start(unit, lower(part)),
            rollup.bucket_add(unit, rollup.bucket_start(unit, upper(part) - interval '1 microsecond'), 1))), '{}')
          from unnest(ranges) part);
