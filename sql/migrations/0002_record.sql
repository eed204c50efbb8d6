-- The record: what changed in published numbers, when and why (R1).

-- The log of changed hours says of hours that had been published whose reading changed them, and how.
alter table rollup.changed_hour rename to changed;
alter table rollup.changed rename hour to since;
alter table rollup.changed add until timestamptz, add sensor_id int, add reason text;
update rollup.changed set until = since + interval '1 hour';
alter table rollup.changed alter until set not null;
-- null: nothing that was published changes
alter table rollup.stale add reason text, add region_slug text;

-- Changes: full hours that had closed before. The instant at which it showed follows with the refresh step that
-- recomputed them, and the row gets a new id then: whoever knows all ids up to one finds every later change above it.
-- Without a region, a station's own numbers changed, and those of the regions that it belonged to; with one, only the
-- region's, because of the station. Without a station everything changed. Elements that were removed keep their rows.
create table rollup.change (
  id bigint generated always as identity primary key,
  reason text not null check (reason in ('late', 'corrected', 'deleted', 'placement', 'formula', 'membership', 'flag',
    'screening', 'zone', 'version', 'repair')),
  station_id int,
  region_slug text,
  sensor_id int, -- that was moved, or got another formula
  since timestamptz not null,
  until timestamptz not null check (since < until),
  shown_at timestamptz -- null: not yet
);
create index on rollup.change (shown_at);
create index on rollup.change (station_id, shown_at);
create index on rollup.change (region_slug, shown_at) where region_slug is not null;

-- The full hours in which a station is flagged, as raw.membership and the record saw them last: logic.apply_periods
-- alone writes them.
create table raw.flagged (
  station_id int not null,
  kind text not null check (kind in ('thp', 'pm')),
  since timestamptz not null,
  until timestamptz not null,
  primary key (station_id, kind, since),
  check (since < until)
);
insert into raw.flagged
select station_id, kind, lower(part), upper(part)
from (
  select station_id, kind, range_agg(tstzrange(raw.hour_of(since),
    case when raw.hour_of(until) = until then until else raw.hour_of(until) + interval '1 hour' end)) as periods
  from (
    select station_id, kind, since, until from raw.flag_period
    union all
    select p.station_id, p.kind, p.since, p.until from raw.screened_period p
    join raw.station s on s.id = p.station_id and case p.kind when 'thp' then s.screening else not s.trusted end
  ) flag
  group by 1, 2
) f
cross join unnest(f.periods) part;

-- Logs the hours of changed readings. A reading that comes two hours after its time changes what was published, and so
-- does any change of an older one: those hours are logged with their sensor, each run of hours as one row. Before the
-- first build nothing is published. Time is the last refresh's, so no clock is read here.
create or replace function raw.note_changes() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  late_before constant timestamptz := (select refreshed_at - interval '2 hours' from rollup.freshness);
begin
  case tg_op
    when 'INSERT' then
      insert into rollup.changed (since, until, sensor_id, reason)
      select lower(part), upper(part), sensor_id, 'late'
      from (
        select sensor_id, range_agg(tstzrange(hour, hour + interval '1 hour')) as parts
        from (select distinct sensor_id, raw.hour_of(measured_at) as hour from new_rows
          where measured_at < late_before) h
        group by 1
      ) late
      cross join unnest(late.parts) part;
      insert into rollup.changed (since, until)
      select hour, hour + interval '1 hour'
      from (select distinct raw.hour_of(measured_at) as hour from new_rows
        where (measured_at < late_before) is not true) h;
    when 'UPDATE' then
      -- grouped and not joined: a join that was planned for one row took 30 s where this takes 2 s
      with changed as (
        select distinct r.sensor_id, raw.hour_of(r.measured_at) as hour,
          case when not r.is_late then null
            -- it has all that was there before: a reading whose time a person changes has not
            when (array_agg(r.after) filter (where r.after is not null))[1]
              @> jsonb_strip_nulls((array_agg(r.before) filter (where r.before is not null))[1]) then 'late'
            else 'corrected' end as reason
        from (
          select n.sensor_id, n.measured_at, (n.measured_at < late_before) is true as is_late,
            case when n.measured_at < late_before then to_jsonb(n) end as after, null::jsonb as before
          from new_rows n
          union all
          select o.sensor_id, o.measured_at, (o.measured_at < late_before) is true,
            null, case when o.measured_at < late_before then to_jsonb(o) end
          from old_rows o
        ) r
        group by r.sensor_id, r.measured_at, r.is_late
      )
      insert into rollup.changed (since, until, sensor_id, reason)
      select lower(part), upper(part), sensor_id, reason
      from (
        select sensor_id, reason, range_agg(tstzrange(hour, hour + interval '1 hour')) as parts
        from changed where reason is not null group by 1, 2
      ) c
      cross join unnest(c.parts) part
      union all
      select hour, hour + interval '1 hour', null, null from (select distinct hour from changed where reason is null) h;
    when 'TRUNCATE' then
      insert into rollup.stale (from_level, since, until, reason)
      values ('sensor_hourly', '-infinity', 'infinity', 'deleted');
  end case;
  return null;
end $$;
