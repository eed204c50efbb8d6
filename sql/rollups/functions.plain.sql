-- Plain PostgreSQL: the two TimescaleDB functions that the aggregates use, with the same results for hours, days and months.
create function rollup.time_bucket(bucket_width interval, ts timestamptz, origin timestamptz) returns timestamptz
language sql immutable parallel safe
  return date_bin(bucket_width, ts, origin);
create function rollup.time_bucket(bucket_width interval, ts timestamptz, timezone text, origin timestamptz) returns timestamptz
language sql stable parallel safe
  return date_trunc(case bucket_width when interval '1 month' then 'month' else 'day' end, ts, timezone);

-- Records which hours changed: every statement that changes readings notes the hours of all its old and new rows.
create function rollup.note_stale_hours() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into rollup.stale_hour (hour) select distinct rollup.bucket_start('hour', measured_at) from new_rows;
  elsif tg_op = 'DELETE' then
    insert into rollup.stale_hour (hour) select distinct rollup.bucket_start('hour', measured_at) from old_rows;
  elsif tg_op = 'UPDATE' then
    insert into rollup.stale_hour (hour)
    select rollup.bucket_start('hour', measured_at) from new_rows union select rollup.bucket_start('hour', measured_at) from old_rows;
  else
    insert into rollup.stale_hour (hour) select distinct bucket from rollup.sensor_hourly;
  end if;
  return null;
end $$;

create trigger note_inserted after insert on raw.readings referencing new table as new_rows
  for each statement execute function rollup.note_stale_hours();
create trigger note_updated after update on raw.readings referencing old table as old_rows new table as new_rows
  for each statement execute function rollup.note_stale_hours();
create trigger note_deleted after delete on raw.readings referencing old table as old_rows
  for each statement execute function rollup.note_stale_hours();
create trigger note_truncated before truncate on raw.readings
  for each statement execute function rollup.note_stale_hours();
