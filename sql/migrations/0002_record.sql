-- The record: what changed in published numbers, when and why (R1).

-- The log of changed hours says of hours that had been published whose reading changed them, and how.
alter table rollup.changed_hour rename to changed;
alter table rollup.changed rename hour to since;
alter table rollup.changed add until timestamptz, add sensor_id int, add reason text;
update rollup.changed set until = since + interval '1 hour';
alter table rollup.changed alter until set not null;
-- null: nothing that was published changes
alter table rollup.stale add reason text, add region_slug text;

-- What changed: full hours that had closed before. The instant at which it showed follows with the refresh step that
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
      with changed as (
        select n.sensor_id, raw.hour_of(n.measured_at) as hour,
          case when n.measured_at < late_before then
            case when to_jsonb(n) @> jsonb_strip_nulls(to_jsonb(o)) then 'late' else 'corrected' end end as reason
        from new_rows n left join old_rows o on o.sensor_id = n.sensor_id and o.measured_at = n.measured_at
        union -- only a person changes the time of a reading
        select o.sensor_id, raw.hour_of(o.measured_at), case when o.measured_at < late_before then 'corrected' end
        from old_rows o
        where not exists (select from new_rows n where n.sensor_id = o.sensor_id and n.measured_at = o.measured_at)
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

-- True for a deleted reading of an hour that was published, unless retention deletes it: that hour stays.
create function raw.is_published_loss(measured_at timestamptz) returns boolean language sql stable as $$
  select (measured_at < raw.hour_of(f.refreshed_at) and measured_at >= i.retained_from) is true
  from rollup.freshness f cross join raw.installation i
$$;
