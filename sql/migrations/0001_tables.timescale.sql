-- TimescaleDB: readings in chunks of 30 days, of which rollup.maintain compresses the old ones.
select create_hypertable('raw.readings', by_range('measured_at', interval '30 days'));
alter table raw.readings set (timescaledb.enable_columnstore, timescaledb.segmentby = 'sensor_id',
  timescaledb.orderby = 'measured_at');

-- TimescaleDB refuses statement triggers with the deleted rows on a table that it compresses, so each row notes its
-- hour.
create function raw.note_deleted() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into rollup.changed_hour values (raw.hour_of(old.measured_at));
  return null;
end $$;
create trigger note_deleted after delete on raw.readings for each row execute function raw.note_deleted();
