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

-- `network`: rows for the tables of schema raw, checked and in full: providers, regions, stations, sensors, and the periods of the
-- stations and sensors among them by table, membership without the hidden periods taken out. Returns what became of each kind.
drop function if exists raw.replace_network(jsonb, timestamptz);
create function raw.replace_network(network jsonb, at timestamptz) returns jsonb language plpgsql as $$
declare
  facts_before jsonb;
  before raw.network_period[];
  stations int[] := array(select (s ->> 'id')::int from jsonb_array_elements(network -> 'stations') s);
  sensors int[] := array(select (s ->> 'id')::int from jsonb_array_elements(network -> 'sensors') s);
begin
  -- nobody writes a reading for a place that is just being changed, see accept_readings
  perform pg_advisory_xact_lock(hashtext('raw.network'));
  facts_before := (select coalesce(jsonb_object_agg(kind || ' ' || id, facts), '{}') from raw.network_fact);
  before := array(select p from raw.network_period p);

  insert into raw.provider select * from jsonb_populate_recordset(null::raw.provider, network -> 'providers')
  on conflict (id) do update set title = excluded.title, url = excluded.url, image = excluded.image, image_dark = excluded.image_dark,
    stale_after = excluded.stale_after, pull = excluded.pull;
  insert into raw.region select * from jsonb_populate_recordset(null::raw.region, network -> 'regions')
  on conflict (slug) do update set kind = excluded.kind, city_slug = excluded.city_slug, title = excluded.title,
    map_latitude = excluded.map_latitude, map_longitude = excluded.map_longitude, map_delta = excluded.map_delta, is_hidden = excluded.is_hidden;
  insert into raw.station select * from jsonb_populate_recordset(null::raw.station, network -> 'stations')
  on conflict (id) do update set provider_id = excluded.provider_id, title = excluded.title, latitude = excluded.latitude,
    longitude = excluded.longitude, altitude = excluded.altitude, city_slug = excluded.city_slug, district_slug = excluded.district_slug,
    screening = excluded.screening;
  insert into raw.sensor select * from jsonb_populate_recordset(null::raw.sensor, network -> 'sensors')
  on conflict (id) do update set kind = excluded.kind, correction = excluded.correction, device = excluded.device;
  -- a changed formula applies from now on; a new sensor's to all it ever measured
  insert into raw.correction (sensor_id, since, formula)
  select s.id, case when last.formula is null then '-infinity' else at end, s.correction
  from raw.sensor s
  left join lateral (select c.formula from raw.correction c where c.sensor_id = s.id order by c.since desc limit 1) last on true
  where s.id = any (sensors) and s.correction is distinct from last.formula
  on conflict (sensor_id, since) do update set formula = excluded.formula;

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

  delete from raw.screened_period p using raw.station s where s.id = p.station_id and not s.screening;
  perform raw.note_changed_periods(before);

  return (
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
