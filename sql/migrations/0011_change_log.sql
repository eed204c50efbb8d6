-- What changed is our own fact, on both engines alike: which sensors, in which hours. Triggers note it in the writer's own transaction; a
-- refresh takes the notes and recomputes what they name.

-- A log and not a set: writers only ever add to it, so they wait for no one.
create table rollup.changed_hour (
  hour timestamptz not null,
  sensor_id int -- null: so many sensors that the hour is recomputed for all
);

-- What a refresh has taken from the log and from stale_period and has yet to recompute, from `level` upwards. Each row stays until all
-- levels above it are done, so a refresh may be interrupted anywhere.
create table rollup.stale_range (
  level text not null check (level in ('sensor_hourly', 'station_hourly', 'region_hourly')),
  subject text, -- id of a sensor or station, or slug of a region; null: all
  since timestamptz not null check (isfinite(since)),
  until timestamptz not null check (isfinite(until) and since < until)
);

-- Days in which old buckets were written since the last maintenance: their chunks need compressing again.
create table rollup.late_day (day timestamptz primary key);

-- The region of a changed membership.
alter table rollup.stale_period add column region_slug text;

-- The triggers' function. The origin of the hours is a literal here, so that rebuilding the aggregates does not touch it. A statement that
-- changes more than 20,000 pairs of sensor and hour notes the hours alone.
do $do$
declare
  hour_of constant text := format('date_bin(''1 hour'', %%s, %L)', (select (epoch::timestamp at time zone time_zone)::text from raw.installation));
begin
  execute format($create$
    create function raw.note_changes() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      if tg_op = 'TRUNCATE' then
        insert into rollup.stale_period (since, until, from_level) values ('-infinity', 'infinity', 'sensor_hourly');
      elsif tg_level = 'ROW' then
        insert into rollup.changed_hour (hour, sensor_id) values (%1$s, old.sensor_id);
      else
        execute format($note$
          with pair as materialized (select distinct %2$s as hour, sensor_id from (%%s) changed),
          size as materialized (select count(*) > 20000 as is_large from pair)
          insert into rollup.changed_hour (hour, sensor_id)
          select hour, sensor_id from pair, size where not is_large
          union all
          select distinct hour, null::int from pair, size where is_large
        $note$, case tg_op when 'INSERT' then 'table new_rows' when 'DELETE' then 'table old_rows' else 'table old_rows union all table new_rows' end);
      end if;
      return null;
    end $$
  $create$, format(hour_of, 'old.measured_at'), format(hour_of, 'measured_at'));
end $do$;

drop trigger if exists note_inserted on raw.readings;
drop trigger if exists note_updated on raw.readings;
drop trigger if exists note_deleted on raw.readings;
drop trigger if exists note_truncated on raw.readings;
create trigger note_inserted after insert on raw.readings referencing new table as new_rows
  for each statement execute function raw.note_changes();
create trigger note_updated after update on raw.readings referencing old table as old_rows new table as new_rows
  for each statement execute function raw.note_changes();
create trigger note_truncated after truncate on raw.readings
  for each statement execute function raw.note_changes();
