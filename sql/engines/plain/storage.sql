-- Plain PostgreSQL: deletes expired readings, and measures tables.

-- How much time between stale months is recomputed with them: none, since each month reads its own days only.
create function logic.month_gap() returns interval language sql immutable parallel safe return interval '0';

-- Storage maintenance: nothing to do here, autovacuum is enough.
create or replace procedure rollup.maintain(now timestamptz) language sql as '';

-- Deletes readings measured before installation.retained_from, one day per transaction. Their hours are logged as
-- changed, like any others, but a refresh skips them.
create procedure logic.delete_expired_readings() language plpgsql as $$
declare
  expired constant timestamptz := (select retained_from from raw.installation);
  oldest timestamptz;
begin
  loop
    oldest := (select min(measured_at) from raw.readings);
    exit when (oldest < expired) is not true; -- `expired` may lie within a day
    delete from raw.readings
    where measured_at < least(rollup.bucket_add('day', rollup.bucket_start('day', oldest), 1), expired);
    commit;
  end loop;
end $$;

-- Size of a schema on disk in bytes.
create function logic.size_of(wanted text) returns bigint language sql stable as $$
  select sum(pg_total_relation_size(c.oid))::bigint from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = wanted and c.relkind in ('r', 'm')
$$;

-- The table that stores the sensor hours.
create function logic.storage_of_sensor_hours() returns regclass language sql stable
  return 'rollup.sensor_hourly'::regclass;

-- The number of stored sensor hours before an instant: unknown, because a count reads all of them (0.9 s for 8.4
-- million), and nothing but a person can delete any. The nightly audit counts them.
create function logic.stored_kept_hours(until timestamptz) returns bigint language sql immutable return null::bigint;
