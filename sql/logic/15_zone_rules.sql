-- The rules of the zone (Z5). They are the server's, and may change with any update of its tzdata. Those by which days
-- and months were computed are recorded in raw.zone_offset; stamps without an offset are read by them, too. Each refresh
-- begins by comparing them with its own session's, because a session keeps the rules that it has once read. Rules
-- that changed are followed or refused.

-- Local time less UTC.
create function logic.utc_offset(zone text, at timestamptz) returns interval language sql stable parallel safe
  return at at time zone zone - at at time zone 'UTC';

-- The first second between `low` and `high` at which the offset is no longer the offset at `low`. The offset at `high`
-- is another.
create function logic.clock_change(zone text, low timestamptz, high timestamptz) returns timestamptz
language plpgsql stable as $$
declare
  before constant interval := logic.utc_offset(zone, low);
  middle timestamptz;
begin
  while high - low > interval '1 second' loop
    middle := date_trunc('second', low + (high - low) / 2);
    if logic.utc_offset(zone, middle) = before then low := middle; else high := middle; end if;
  end loop;
  return high;
end $$;

-- Instants between two others, these included, at which to look at a zone. One look every six days misses no offset: of
-- all zones since 1990, the shortest period is one of six days and 23 hours (Recife, 2000).
create function logic.looks(first timestamptz, last timestamptz) returns setof timestamptz language sql immutable as $$
  select generate_series(first, last, interval '144 hours') union all select last
$$;

-- The offsets of a zone between two instants, each with its period.
create function logic.zone_offsets(zone text, first timestamptz, last timestamptz)
  returns table (since timestamptz, until timestamptz, utc_offset interval)
language sql stable as $$
  with look as (
    select at, logic.utc_offset(zone, at) as utc_offset from logic.looks(first, last) at
  ),
  change as (
    select first as at
    union all
    select logic.clock_change(zone, l.at, l.next)
    from (select at, lead(at) over w as next, utc_offset, lead(utc_offset) over w as next_offset
      from look window w as (order by at)) l
    where l.next_offset <> l.utc_offset
  )
  select at, lead(at, 1, last) over (order by at), logic.utc_offset(zone, at) from change
$$;

-- The rules by which stamps of a zone without an offset are read: of the installation's zone those recorded, of another
-- the server's. No row: the server knows no such zone.
create function logic.zone_transitions(zone text, now timestamptz) returns table (since timestamptz, utc_offset interval)
language sql stable as $$
  with recorded as (
    select z.since, z.utc_offset from raw.zone_offset z where lower(zone) = lower(rollup.time_zone())
  )
  select * from recorded
  union all
  select o.since, o.utc_offset
  from pg_timezone_names known
  cross join logic.zone_offsets(known.name, rollup.origin(), now + interval '5 years') o
  where lower(known.name) = lower(zone) and not exists (select from recorded)
$$;

-- The first instant at which this server's rules differ from the recorded ones. Null: at none.
create function logic.zone_difference() returns timestamptz language sql stable as $$
  select logic.clock_change(rollup.time_zone(), r.since, l.at)
  from raw.zone_offset r
  cross join logic.looks(r.since, r.until - interval '1 second') l(at)
  where logic.utc_offset(rollup.time_zone(), l.at) <> r.utc_offset
  order by l.at limit 1
$$;

-- Why days and months can't be computed by this server's rules from an instant on (Z1); null: they can.
create function logic.zone_fault(zone text, from_instant timestamptz, last timestamptz) returns text
language sql stable as $$
  select case when c.moves_minutes then format('from %s on its hours would begin at other minutes', c.local)
    else format('the local midnight %s would occur twice', c.midnight) end
  from (
    select since,
      since at time zone 'UTC' + utc_offset as local,
      mod(extract(epoch from utc_offset - before)::int, 3600) <> 0 as moves_minutes,
      date_trunc('day', since at time zone 'UTC' + before - interval '1 microsecond') as midnight
    from (
      select since, utc_offset, lag(utc_offset) over (order by since) as before
      from logic.zone_offsets(zone, rollup.origin(), last)
    ) o
  ) c
  where c.since >= from_instant and (c.moves_minutes or c.midnight >= c.local)
  order by c.since limit 1
$$;

-- Follows the server's rules where they are no longer the recorded ones: records them, and has the days and months from
-- the day before the first difference on computed from their hours, which don't move. A change by which they can't be
-- computed is refused: they stay as they are, and are not computed, until the rules are others. Says either with a
-- warning of SQLSTATE AS102. The refresh lock must be held, so that no other session computes meanwhile.
create function logic.follow_zone_rules(now timestamptz) returns void language plpgsql as $$
declare
  zone constant text := rollup.time_zone();
  last constant timestamptz := now + interval '5 years';
  recorded_until constant timestamptz := (select max(until) from raw.zone_offset);
  installation constant raw.installation := (select i from raw.installation i);
  difference timestamptz := logic.zone_difference();
  -- before PostgreSQL 18, zone_fault takes 5 ms of each refresh even to find nothing
  fault constant text := case when difference is not null then logic.zone_fault(zone, difference, last) end;
begin
  if fault is not null then
    if (installation.zone_refused_from, installation.zone_refused) is distinct from (difference, fault) then
      update raw.installation set zone_refused_from = difference, zone_refused = fault;
      raise warning using errcode = 'AS102', message = format(
        'the server''s rules of %s changed from %s on, and are refused: %s. Days and months from then on '
        'stay as they are', zone, difference, fault);
    end if;
    return;
  end if;
  if difference is not null or installation.zone_refused_from is not null then
    difference := least(difference, installation.zone_refused_from);
    insert into rollup.stale (from_level, since, until, reason)
    values ('station_daily', rollup.bucket_start('day', difference - interval '1 day'), 'infinity', 'zone');
    update raw.installation set zone_changed_at = now, zone_changed_from = difference, zone_refused_from = null,
      zone_refused = null;
    perform logic.raise_data_version(); -- it publishes times with their offsets
    raise warning using errcode = 'AS102', message = format(
      'the server''s rules of %s changed from %s on: days and months from then on are computed again. '
      'Restart processes that were connected before', zone, difference);
  end if;
  if difference is not null or recorded_until is null or recorded_until < last - interval '30 days' then
    delete from raw.zone_offset;
    insert into raw.zone_offset select * from logic.zone_offsets(zone, rollup.origin(), last);
  end if;
end $$;

-- The buckets of a unit that a refused change leaves as they are. The day of the difference may begin twice, so the day
-- before it is the first.
create function logic.refused_buckets(unit text) returns tstzmultirange language sql stable as $$
  select case when unit = 'hour' or i.zone_refused_from is null then '{}'
    else tstzmultirange(tstzrange(
      rollup.bucket_start(unit, rollup.bucket_start('day', i.zone_refused_from - interval '1 day')), 'infinity')) end
  from raw.installation i
$$;

revoke all on function logic.follow_zone_rules from public;
