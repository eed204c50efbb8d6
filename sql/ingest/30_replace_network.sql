-- The network file's way into the database: it is the whole truth about what it names, and what it does not name is left as it is.
-- What changed decides what is recomputed, so importing the same file again recomputes nothing.

-- Periods of one kind, for what is named: out with the old ones, in with the new, joined where they touch or overlap.
drop procedure if exists raw.replace_periods;
create procedure raw.replace_periods(kind text, owner_key text, named int[], keys text, periods jsonb) language plpgsql as $$
begin
  execute format('delete from raw.%I where %I = any ($1)', kind, owner_key) using named;
  execute format(
    'insert into raw.%1$I (%2$s, since, until)
     select %2$s, lower(part), upper(part)
     from (select %2$s, range_agg(tstzrange(since, until)) as parts from jsonb_populate_recordset(null::raw.%1$I, $1) group by %2$s) p
     cross join unnest(parts) part', kind, keys) using periods;
end $$;

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

-- `network`: rows for the tables of schema raw, checked and in full: providers, regions, stations, sensors, and the periods of the
-- stations and sensors among them by table, membership without the hidden periods taken out. Returns what became of each kind.
drop function if exists raw.replace_network(jsonb);
create function raw.replace_network(network jsonb) returns jsonb language plpgsql as $$
declare
  facts_before jsonb;
  before raw.network_period[];
  changed raw.network_period[];
  stations int[] := array(select (s ->> 'id')::int from jsonb_array_elements(network -> 'stations') s);
  sensors int[] := array(select (s ->> 'id')::int from jsonb_array_elements(network -> 'sensors') s);
  piece record;
  n bigint;
  readings_changed bigint := 0;
begin
  -- nobody writes a reading for a place that is just being changed, see accept_readings
  perform pg_advisory_xact_lock(hashtext('raw.network'));
  facts_before := (select coalesce(jsonb_object_agg(kind || ' ' || id, facts), '{}') from raw.network_fact);
  before := array(select p from raw.network_period p);

  insert into raw.provider select * from jsonb_populate_recordset(null::raw.provider, network -> 'providers')
  on conflict (id) do update set title = excluded.title, url = excluded.url, image = excluded.image, image_dark = excluded.image_dark,
    stale_after = excluded.stale_after;
  insert into raw.region select * from jsonb_populate_recordset(null::raw.region, network -> 'regions')
  on conflict (slug) do update set kind = excluded.kind, city_slug = excluded.city_slug, title = excluded.title,
    map_latitude = excluded.map_latitude, map_longitude = excluded.map_longitude, map_delta = excluded.map_delta, is_hidden = excluded.is_hidden;
  insert into raw.station select * from jsonb_populate_recordset(null::raw.station, network -> 'stations')
  on conflict (id) do update set provider_id = excluded.provider_id, title = excluded.title, latitude = excluded.latitude,
    longitude = excluded.longitude, altitude = excluded.altitude, city_slug = excluded.city_slug, district_slug = excluded.district_slug;
  insert into raw.sensor select * from jsonb_populate_recordset(null::raw.sensor, network -> 'sensors')
  on conflict (id) do update set kind = excluded.kind, correction = excluded.correction;

  call raw.replace_periods('hidden_period', 'station_id', stations, 'station_id', network -> 'hidden_period');
  call raw.replace_periods('bad_thp_period', 'station_id', stations, 'station_id', network -> 'bad_thp_period');
  call raw.replace_periods('sensor_station', 'sensor_id', sensors, 'sensor_id, station_id', network -> 'sensor_station');
  call raw.replace_periods('suspicious_period', 'sensor_id', sensors, 'sensor_id', network -> 'suspicious_period');
  delete from raw.membership where station_id = any (stations);
  insert into raw.membership (station_id, region_slug, since, until)
  select m.station_id, m.region_slug, lower(part), upper(part)
  from (
    select station_id, region_slug, range_agg(tstzrange(since, until)) as periods
    from jsonb_populate_recordset(null::raw.membership, network -> 'membership') group by 1, 2
  ) m
  left join raw.network_period h on h.kind = 'hidden' and h.station_id = m.station_id
  cross join unnest(m.periods - coalesce(h.periods, '{}')) part;

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

  return jsonb_build_object('readings_changed', readings_changed) || (
    with named as (
      select kind, coalesce(item ->> 'id', item ->> 'slug') as id
      from unnest(array['providers', 'regions', 'stations', 'sensors']) kind
      cross join jsonb_array_elements(network -> kind) item
    ),
    compared as (
      select f.kind, f.id, n.id is not null as is_named, f.facts, facts_before -> (f.kind || ' ' || f.id) as old
      from raw.network_fact f
      left join named n on n.kind = f.kind and n.id = f.id
    )
    select jsonb_object_agg(kind, counts)
    from (
      select kind, jsonb_build_object(
        'added', count(*) filter (where is_named and old is null),
        'changed', count(*) filter (where is_named and old <> facts),
        'unchanged', count(*) filter (where is_named and old = facts),
        'left', coalesce(jsonb_agg(c.id order by length(c.id), c.id) filter (where not is_named), '[]')) as counts
      from unnest(array['providers', 'regions', 'stations', 'sensors']) kind
      left join compared c using (kind)
      group by kind
    ) kinds
  );
end $$;

revoke all on function raw.replace_network from public;
