-- Plain PostgreSQL: the hours of deleted readings are logged once a statement.
create or replace function raw.note_deleted() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into rollup.changed (since, until, sensor_id, reason)
  select distinct hour, hour + interval '1 hour', case when is_loss then sensor_id end,
    case when is_loss then 'deleted' end
  from (
    select sensor_id, raw.hour_of(measured_at) as hour, raw.is_published_loss(measured_at) as is_loss from old_rows
  ) h;
  return null;
end $$;
