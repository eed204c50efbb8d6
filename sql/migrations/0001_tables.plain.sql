-- Plain PostgreSQL: the hours of deleted readings are noted once a statement.
create function raw.note_deleted() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into rollup.changed_hour select distinct raw.hour_of(measured_at) from old_rows;
  return null;
end $$;
create trigger note_deleted after delete on raw.readings referencing old table as old_rows
  for each statement execute function raw.note_deleted();

create index on raw.readings (measured_at);
