create trigger note_deleted after delete on raw.readings referencing old table as old_rows
  for each statement execute function raw.note_changes();

-- What the log of this engine has had until now.
insert into rollup.changed_hour (hour) select distinct hour from rollup.stale_hour;
drop table rollup.stale_hour cascade; -- with view logic.pending, which is built again next
