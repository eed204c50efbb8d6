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

-- The readings whose station or quality may follow from what changed: in pieces with one station each, null where the sensor now
-- stands nowhere.
drop function if exists raw.moved_readings(raw.network_period[]) cascade;
create function raw.moved_readings(changed raw.network_period[])
returns table (sensor_id int, station_id int, part tstzrange, suspicious tstzmultirange, bad_thp tstzmultirange) language sql stable as $$
  with place as (
    select * from raw.network_period where kind = 'sensor_station'
  ),
  moved as (
    select m.sensor_id, range_agg(m.periods) as periods
    from (
      select c.sensor_id, c.periods from unnest(changed) c where c.kind in ('sensor_station', 'suspicious')
      union all
      select p.sensor_id, c.periods * p.periods from unnest(changed) c join place p on p.station_id = c.station_id where c.kind = 'bad_thp'
    ) m
    group by 1
  ),
  piece as (
    select m.sensor_id, p.station_id, m.periods * p.periods as periods from moved m join place p on p.sensor_id = m.sensor_id
    union all
    select m.sensor_id, null, m.periods - coalesce((select range_agg(p.periods) from place p where p.sensor_id = m.sensor_id), '{}') from moved m
  )
  select p.sensor_id, p.station_id, part, s.periods, b.periods
  from piece p
  cross join unnest(p.periods) part
  left join raw.network_period s on s.kind = 'suspicious' and s.sensor_id = p.sensor_id
  left join raw.network_period b on b.kind = 'bad_thp' and b.station_id = p.station_id
  order by 1, lower(part)
$$;

-- To be called under the lock raw.network, held alone, after the change; `before` is raw.network_period as it was. Has the hours
-- computed anew whose members changed, and gives the readings whose place or quality changed theirs. Returns how many those are.
drop function if exists raw.follow_periods(raw.network_period[]) cascade;
create function raw.follow_periods(before raw.network_period[]) returns bigint language plpgsql as $$
declare
  changed raw.network_period[];
  piece record;
  n bigint;
  readings_changed bigint := 0;
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

  for piece in select * from raw.moved_readings(changed) loop
    update raw.readings r
    set station_id = piece.station_id, quality = raw.quality(r.measured_at, piece.suspicious, piece.bad_thp)
    where r.sensor_id = piece.sensor_id and r.measured_at >= lower(piece.part) and r.measured_at < upper(piece.part)
      and (r.station_id, r.quality) is distinct from (piece.station_id, raw.quality(r.measured_at, piece.suspicious, piece.bad_thp));
    get diagnostics n = row_count;
    readings_changed := readings_changed + n;
  end loop;
  return readings_changed;
end $$;

revoke all on function raw.stale_memberships, raw.moved_readings, raw.follow_periods from public;
