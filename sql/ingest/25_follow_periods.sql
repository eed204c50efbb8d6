-- Readings and aggregates follow the periods of the network, whoever changed them: the operator's file or screening.

-- The hours in which regions had other stations than they have now, as far as those stations ever measured.
drop function if exists raw.stale_memberships(raw.network_period[], raw.network_period[]) cascade;
create function raw.stale_memberships(changed raw.network_period[], before raw.network_period[]) returns tstzmultirange language sql stable as $$
  with place as (
    select sensor_id, station_id from unnest(before) where kind = 'sensor_station'
    union
    select sensor_id, station_id from raw.sensor_station
  ),
  measured as (
    select p.station_id, rollup.bucket_start('hour', min(r.first)) as first, rollup.bucket_add('hour', rollup.bucket_start('hour', max(r.last)), 1) as after_last
    from place p
    cross join lateral (select min(measured_at) as first, max(measured_at) as last from raw.readings where sensor_id = p.sensor_id) r
    where p.station_id in (select station_id from unnest(changed) where kind = 'membership')
    group by 1
  )
  select range_agg(c.periods * tstzmultirange(tstzrange(m.first, m.after_last)))
  from unnest(changed) c
  join measured m using (station_id)
  where c.kind = 'membership' and m.first is not null
$$;

-- When a sensor's readings may have another station or quality than they had.
drop function if exists raw.moved_readings(raw.network_period[]) cascade;
drop function if exists raw.moved_periods(raw.network_period[]) cascade;
create function raw.moved_periods(changed raw.network_period[]) returns table (sensor_id int, part tstzrange) language sql stable as $$
  select moved.sensor_id, part
  from (
    select m.sensor_id, range_agg(m.periods) as periods
    from (
      select c.sensor_id, c.periods from unnest(changed) c where c.kind in ('sensor_station', 'suspicious')
      union all
      select p.sensor_id, c.periods * p.periods
      from unnest(changed) c
      join raw.network_period p on p.kind = 'sensor_station' and p.station_id = c.station_id
      where c.kind = 'bad_thp'
    ) m
    group by 1
  ) moved
  cross join unnest(moved.periods) part
$$;

-- To be called under the lock raw.network, held alone, after the change; `before` is raw.network_period as it was. Has the hours
-- computed anew whose members changed, and notes which readings have to follow: that may be long work, and nobody can write a reading
-- while the lock is held.
drop function if exists raw.note_changed_periods(raw.network_period[]) cascade;
create function raw.note_changed_periods(before raw.network_period[]) returns void language plpgsql as $$
declare
  changed raw.network_period[];
begin
  changed := array(
    select row(kind, sensor_id, station_id, region_slug, d.periods)::raw.network_period
    from unnest(before) b
    full join raw.network_period a using (kind, sensor_id, station_id, region_slug)
    cross join lateral (select coalesce(b.periods, '{}') as old, coalesce(a.periods, '{}') as new) o
    cross join lateral (select (o.old + o.new) - (o.old * o.new) as periods) d
    where not isempty(d.periods)
  );
  insert into rollup.stale_period (since, until, from_level)
  select lower(part), upper(part), 'region_hourly' from unnest(raw.stale_memberships(changed, before)) part;

  insert into raw.moved_piece (sensor_id, since, until)
  select m.sensor_id, piece, least(piece + interval '30 days', extent.last + interval '1 microsecond')
  from raw.moved_periods(changed) m
  cross join lateral (
    select min(r.measured_at) as first, max(r.measured_at) as last from raw.readings r
    where r.sensor_id = m.sensor_id and r.measured_at >= lower(m.part) and r.measured_at < upper(m.part)
  ) extent
  cross join lateral generate_series(extent.first, extent.last, interval '30 days') as piece
  order by 1, 2;
end $$;

-- Lets the readings of one piece that was noted follow the periods as they are now, in a transaction of its own: a place and a quality
-- for each. Beside those who write readings. Returns how many became other ones; null when nothing is left to do.
drop function if exists raw.follow_next() cascade;
create function raw.follow_next() returns bigint language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  piece raw.moved_piece;
  stay record;
  n bigint;
  readings_changed bigint := 0;
begin
  perform pg_advisory_xact_lock_shared(hashtext('raw.network')); -- the periods stay as they are meanwhile
  delete from raw.moved_piece where id = (select id from raw.moved_piece order by id limit 1 for update) returning * into piece;
  if piece.id is null then
    return null;
  end if;
  -- of readings that are let go of, nothing is changed any more
  piece.since := greatest(piece.since, (select readings_since from raw.installation));
  if piece.since >= piece.until then
    return 0;
  end if;
  for stay in
    with place as (
      select station_id, range_agg(tstzrange(since, until)) as periods from raw.sensor_station where sensor_id = piece.sensor_id group by 1
    )
    select p.station_id, part, suspicious.periods as suspicious, bad_thp.periods as bad_thp
    from (
      select station_id, periods from place
      union all
      select null, '{(,)}'::tstzmultirange - coalesce(range_agg(periods), '{}') from place -- the sensor stood nowhere
    ) p
    cross join unnest(p.periods * tstzmultirange(tstzrange(piece.since, piece.until))) part
    left join raw.network_period suspicious on suspicious.kind = 'suspicious' and suspicious.sensor_id = piece.sensor_id
    left join raw.network_period bad_thp on bad_thp.kind = 'bad_thp' and bad_thp.station_id = p.station_id
    order by lower(part)
  loop
    update raw.readings r
    set station_id = stay.station_id, quality = raw.quality(r.measured_at, stay.suspicious, stay.bad_thp)
    where r.sensor_id = piece.sensor_id and r.measured_at >= lower(stay.part) and r.measured_at < upper(stay.part)
      and (r.station_id, r.quality) is distinct from (stay.station_id, raw.quality(r.measured_at, stay.suspicious, stay.bad_thp));
    get diagnostics n = row_count;
    readings_changed := readings_changed + n;
  end loop;
  return readings_changed;
end $$;

revoke all on function raw.stale_memberships, raw.moved_periods, raw.note_changed_periods, raw.follow_next from public;
