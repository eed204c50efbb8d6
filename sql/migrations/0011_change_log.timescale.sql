-- TimescaleDB refuses statement triggers with the deleted rows on what it compresses.
create trigger note_deleted after delete on raw.readings for each row execute function raw.note_changes();

-- What was written since the refresh before this migration, as far as the aggregates of an earlier version know of it.
do $$
begin
  if to_regclass('logic.pending') is not null then
    insert into rollup.stale_period (since, until, from_level)
    select since, until, 'sensor_hourly' from logic.pending except select since, until, 'sensor_hourly' from rollup.stale_period;
  end if;
end $$;
drop table rollup.missed_bucket;
