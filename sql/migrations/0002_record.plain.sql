-- Plain PostgreSQL: the hours of deleted readings are logged once a statement. Hours that were published lose by it,
-- unless retention deletes the readings: those hours stay.
create or replace function raw.note_deleted() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into rollup.changed (since, until, sensor_id, reason)
  select distinct hour, hour + interval '1 hour', case when is_loss then sensor_id end,
    case when is_loss then 'deleted' end
  from (
    select o.sensor_id, raw.hour_of(o.measured_at) as hour,
      (o.measured_at < raw.hour_of(f.refreshed_at) and o.measured_at >= i.retained_from) is true as is_loss
    from old_rows o cross join rollup.freshness f cross join raw.installation i
  ) h;
  return null;
end $$;
