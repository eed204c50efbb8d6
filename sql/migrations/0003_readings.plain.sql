-- Plain PostgreSQL: the hours that changed since the last refresh, noted by triggers in the writer's own transaction. A log and not a
-- set: writers only ever add to it, so they wait for no one, and a refresh removes just the notes it has seen.
create table rollup.stale_hour (hour timestamptz not null);

create index on raw.readings (measured_at);
