-- TimescaleDB: each deleted row logs its hour. Hours that were published lose by it, unless retention deletes the
-- readings: those hours stay.
create or replace function raw.note_deleted() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  hour constant timestamptz := raw.hour_of(old.measured_at);
  is_loss constant boolean := (
    select (old.measured_at < raw.hour_of(f.refreshed_at) and old.measured_at >= i.retained_from) is true
    from rollup.freshness f cross join raw.installation i);
begin
  insert into rollup.changed
  values (hour, hour + interval '1 hour', case when is_loss then old.sensor_id end, case when is_loss then 'deleted' end);
  return null;
end $$;
