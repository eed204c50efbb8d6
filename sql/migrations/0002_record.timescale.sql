-- TimescaleDB: each deleted row logs its hour.
create or replace function raw.note_deleted() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  hour constant timestamptz := raw.hour_of(old.measured_at);
  is_loss constant boolean := raw.is_published_loss(old.measured_at);
begin
  insert into rollup.changed
  values (hour, hour + interval '1 hour', case when is_loss then old.sensor_id end, case when is_loss then 'deleted' end);
  return null;
end $$;
