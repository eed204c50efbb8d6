-- The state of the service itself, for readiness checks, metrics and the operator's dashboard.

-- The version of this database. Processes that may only read schema api check that it matches theirs.
create view api.installation as
  select time_zone, epoch::text as epoch, engine, (select count(*)::int from raw.migration) as migrations, rollups,
    repeatable
  from raw.installation;
comment on view api.installation is 'Settings fixed at installation, and the version of this database. One row.';
comment on column api.installation.time_zone is 'IANA time zone of its hours, days and months';
comment on column api.installation.epoch is 'local date on which the first hour, day and month begin';
comment on column api.installation.engine is 'engine that stores the aggregates';
comment on column api.installation.migrations is 'number of migrations applied';
comment on column api.installation.rollups is 'fingerprint of the SQL that built the aggregates';
comment on column api.installation.repeatable is 'fingerprint of the SQL that built schemas logic and api';

-- The time of the last refresh. It is null before the first build is complete, when the API has nothing to serve yet.
create view api.freshness as
  select
    f.refreshed_at,
    f.completed_at,
    f.data_version,
    (select max(made_at) from rollup.digest) as digest_at,
    -- the server, its timeline (a promotion changes it), the database and the table (a restore changes them)
    concat_ws('-',
      (select system_identifier from pg_control_system()),
      greatest((select timeline_id from pg_control_checkpoint()),
        (select min_recovery_end_timeline from pg_control_recovery())),
      (select oid from pg_database where datname = current_database()),
      f.tableoid) as history
  from rollup.freshness f;
comment on view api.freshness is 'How up to date the aggregates are. One row.';
comment on column api.freshness.refreshed_at is
  'readings of the running day accepted before it are in the aggregates; null before the first build';
comment on column api.freshness.completed_at is
  'all readings accepted before it are in the aggregates; older than refreshed_at while a backfill is being worked off';
comment on column api.freshness.digest_at is 'instant of the newest digest of the regions; null before the first';
comment on column api.freshness.data_version is 'increases whenever published data may have changed';
comment on column api.freshness.history is
  'history in which data_version counts; a restore or the promotion of a replica begins another';

-- A replica may lack what its primary has; a primary that has less than before was set back.
create view api.server as select pg_is_in_recovery() as is_replica;
comment on view api.server is 'The server that runs the query. One row.';
comment on column api.server.is_replica is 'whether it follows a primary';

-- Counts the listed stations of each provider that are online or offline, and finds its newest measurement. It searches
-- readings only for providers without a station online.
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
  left join logic.newest_measurement(at,
    array(select offline.provider from state offline where offline.newest is null)) n on n.provider = s.provider;
end;
comment on function api.provider_state is
  'Every provider at an instant. One row per provider. Columns: provider (slug), measurement_time (newest measurement '
  'of its sensors; null if there is none), online and offline (listed stations with that status [stations]).';

create function api.newest_bucket(at timestamptz) returns table (subject text, resolution text, "timestamp" timestamptz)
language sql stable begin atomic
  select n.subject, n.resolution, n.bucket from logic.newest_bucket(at) n;
end;
comment on function api.newest_bucket is
  'The newest bucket of each published aggregate at an instant. One row per aggregate. Columns: subject (station or '
  'region), resolution (hour, day or month), timestamp (start of the bucket; null if there is none).';

-- An audit of one past month says nothing about today, so only audits of at least the nightly one's period count.
create view api.last_audit as
  select made_at, differing from rollup.audit
  where since <= made_at - interval '34 days' and until >= made_at
  order by made_at desc limit 1;
comment on view api.last_audit is
  'The latest audit that covered at least the period of the nightly one. No row before the first.';
comment on column api.last_audit.made_at is 'time of the audit';
comment on column api.last_audit.differing is 'buckets that differed from the readings [buckets]';

create view api.quarantine_lines as
  select reason, count(*)::int as lines from raw.quarantine where kind = 'reading' group by reason;
comment on view api.quarantine_lines is
  'Readings in quarantine (not single values of accepted readings). One row per reason.';
comment on column api.quarantine_lines.reason is 'why the readings could not be used';
comment on column api.quarantine_lines.lines is 'number of readings [readings]';

create view api.storage as
  select s.schema, s.bytes from logic.storage() s;
comment on view api.storage is 'Disk space used, including indexes and compressed chunks. One row per schema.';
comment on column api.storage.schema is 'raw (readings, network, quarantine) or rollup (aggregates)';
comment on column api.storage.bytes is 'size [bytes]';

create view api.kept_hours as
  select k.recorded::float8 as recorded, k.missing::float8 as missing from logic.missing_kept_hours() k;
comment on view api.kept_hours is
  'Sensor hours whose readings retention has deleted, so that nothing can compute them again. One row.';
comment on column api.kept_hours.recorded is 'hours recorded when their readings were deleted [h]';
comment on column api.kept_hours.missing is
  'hours missing now; null where only the audit counts them [h]';
