-- How the service itself is doing: for readiness, metrics and the dashboard of whoever runs it.

-- What this database is: for a process that may read nothing else, and has to know whether it is of its version.
create view api.installation as
  select time_zone, epoch::text as epoch, engine, (select count(*)::int from raw.migration) as migrations, rollups, repeatable
  from raw.installation;
comment on view api.installation is 'What was decided for this database, and of which version it is. One row.';
comment on column api.installation.time_zone is 'the IANA zone of its hours, days and months';
comment on column api.installation.epoch is 'the local date on which they begin';
comment on column api.installation.engine is 'how the aggregates are kept';
comment on column api.installation.migrations is 'how many were applied';
comment on column api.installation.rollups is 'fingerprint of the text that the aggregates were built from';
comment on column api.installation.repeatable is 'fingerprint of the text that schemas logic and api were built from';

-- When the aggregates were last brought up to date. Null before the first time: there is nothing to answer with yet.
create view api.freshness as
  select refreshed_at from rollup.freshness;
comment on view api.freshness is 'How far the aggregates have come. One row.';
comment on column api.freshness.refreshed_at is 'when the aggregates were last brought up to date; null before the first time';

-- Per provider, how many of its listed stations are online, and when any of its stations measured last: for one with a station
-- online, that is known without looking further.
create function api.provider_state(at timestamptz)
returns table (provider text, measurement_time timestamptz, online int, offline int) language sql stable begin atomic
  with state as materialized (
    select p.id as provider, max(s.measurement_time) as newest,
      (count(*) filter (where s.status = 'online' and s.is_listed))::int as online,
      (count(*) filter (where s.status = 'offline' and s.is_listed))::int as offline
    from api.provider p
    left join api.station_current(at) s on s.provider = p.id
    group by p.id
  )
  select s.provider, coalesce(s.newest, n.measured_at), s.online, s.offline
  from state s
  left join logic.newest_measurement(at, array(select silent.provider from state silent where silent.newest is null)) n on n.provider = s.provider;
end;
comment on function api.provider_state is
  'Every provider at an instant. Columns: provider (slug), measurement_time (newest measurement of its sensors; null without any), online and offline (listed stations of that status [stations]).';

-- The newest bucket of each aggregate that is published.
create function api.newest_bucket(at timestamptz) returns table (subject text, resolution text, "timestamp" timestamptz)
language sql stable begin atomic
  select n.subject, n.resolution, n.bucket from logic.newest_bucket(at) n;
end;
comment on function api.newest_bucket is
  'How far each published aggregate has come at an instant. One row for each. Columns: subject (station or region), resolution (hour, day or month), timestamp (start of its newest bucket; null before the first).';

-- The audit that was made last, of those that looked at least as far back as that of every night: a look at one month of long ago says
-- nothing of today. No row before the first.
create view api.last_audit as
  select made_at, differing from rollup.audit
  where since <= made_at - interval '34 days' and until >= made_at
  order by made_at desc limit 1;
comment on view api.last_audit is 'The newest audit, of those that looked back at least as far as the nightly one. No row before the first.';
comment on column api.last_audit.made_at is 'when';
comment on column api.last_audit.differing is 'buckets that differed from the readings [buckets]';

-- Whole readings that wait in quarantine.
create view api.quarantine_lines as
  select reason, count(*)::int as lines from raw.quarantine where kind = 'reading' group by reason;
comment on view api.quarantine_lines is 'Whole readings that wait in quarantine. One row for each reason.';
comment on column api.quarantine_lines.reason is 'why they could not be used';
comment on column api.quarantine_lines.lines is 'how many [readings]';

-- Space on disk of what arrived and of what it adds up to, with indexes and compressed parts.
create view api.storage as
  select s.schema, s.bytes from logic.storage() s;
comment on view api.storage is 'Space on disk, indexes and compressed parts included. One row for each schema.';
comment on column api.storage.schema is 'raw (what arrived) or rollup (what it adds up to)';
comment on column api.storage.bytes is 'its size [bytes]';
