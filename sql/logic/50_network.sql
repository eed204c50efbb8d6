-- Imports the network file. The file is authoritative for everything it lists; anything it does not list stays as it
-- is.

-- Replaces the periods of one table for the listed stations or sensors. It merges adjacent and overlapping periods, and
-- does not write unchanged ones.
create procedure logic.replace_periods(period_table text, owner_column text, listed int[], columns text, periods jsonb)
  language plpgsql as $$
declare
  wanted constant text := format(
    'select %2$s, lower(part) as since, upper(part) as until
     from (
       select %2$s, range_agg(tstzrange(since, until)) as parts
       from jsonb_populate_recordset(null::raw.%1$I, $1) group by %2$s) p
     cross join unnest(parts) part', period_table, columns);
begin
  execute format('delete from raw.%1$I where %2$I = any ($2) and (%3$s, since, until) not in (%4$s)', period_table,
    owner_column, columns, wanted)
  using periods, listed;
  execute format('insert into raw.%1$I (%2$s, since, until) %3$s except select %2$s, since, until from raw.%1$I',
    period_table, columns, wanted)
  using periods;
end $$;

-- All facts about each provider, region, station and sensor, including its periods. An import compares them to find out
-- what it changed.
create view logic.network_fact as
  with station_period as (
    select station_id, jsonb_agg(to_jsonb(p) order by to_jsonb(p)) as periods
    from (
      select 'region' as kind, station_id, region_slug, position, since, until from raw.station_region
      union all select 'hidden', station_id, null, null, since, until from raw.hidden_period
      union all select 'flag ' || kind, station_id, null, null, since, until from raw.flag_period
      union all select concat_ws(' ', 'screened', reason, sensor_id), station_id, null, null, since, until
        from raw.screened_period
    ) p group by 1
  ),
  sensor_period as (
    select sensor_id, jsonb_agg(to_jsonb(p) order by to_jsonb(p)) as periods
    from (
      select 'located' as kind, sensor_id, station_id, null as formula, since, until from raw.sensor_station
      union all select 'suspicious', sensor_id, null, null, since, until from raw.suspicious_period
      union all select 'correction', sensor_id, null, formula, since, until from raw.correction
    ) p group by 1
  )
  select 'providers' as kind, id, to_jsonb(p) as facts from raw.provider p
  union all
  select 'regions', slug, to_jsonb(r) from raw.region r
  union all
  select 'stations', id::text, jsonb_build_array(to_jsonb(s), p.periods) from raw.station s
  left join station_period p on p.station_id = s.id
  union all
  select 'sensors', id::text, jsonb_build_array(to_jsonb(s), p.periods) from raw.sensor s
  left join sensor_period p on p.sensor_id = s.id
  union all
  select 'sources', name, declaration from raw.source;

-- Replaces the listed elements of the network. `network` holds validated, complete rows for the tables of schema raw:
-- providers, regions, stations, sensors, and by table the periods of these stations and sensors. Returns per kind how
-- many were added, changed and unchanged, and the ids that are not listed. With a key `sources`, all sources are
-- replaced, and the result has those that are gone. It also returns how many sensors and
-- stations have hours that the next refresh recomputes (P4).
create function logic.replace_network(network jsonb) returns jsonb language plpgsql as $$
declare
  facts_before jsonb;
  affected record;
  result jsonb;
  stations int[] := array(select (s ->> 'id')::int from jsonb_array_elements(network -> 'stations') s);
  sensors int[] := array(select (s ->> 'id')::int from jsonb_array_elements(network -> 'sensors') s);
begin
  if jsonb_array_length(network -> 'screened_period') > 0 then
    lock table raw.screen_lock in exclusive mode; -- a screening that has begun would replace what it did not see
  end if;
  lock table raw.network_lock in exclusive mode;
  facts_before := (select coalesce(jsonb_object_agg(kind || ' ' || id, facts), '{}') from logic.network_fact);

  insert into raw.provider (id, title, titles, url, image, image_dark, stale_after, pull)
  select id, title, titles, url, image, image_dark, make_interval(secs => extract(epoch from stale_after)), pull
  from jsonb_populate_recordset(null::raw.provider, network -> 'providers')
  on conflict (id) do update set title = excluded.title, titles = excluded.titles, url = excluded.url,
    image = excluded.image,
    image_dark = excluded.image_dark, stale_after = excluded.stale_after, pull = excluded.pull
  where (provider.title, provider.titles, provider.url, provider.image, provider.image_dark, provider.stale_after,
    provider.pull)
    is distinct from (excluded.title, excluded.titles, excluded.url, excluded.image, excluded.image_dark,
      excluded.stale_after, excluded.pull);
  insert into raw.region (slug, kind, city_slug, title, map_latitude, map_longitude, map_delta, is_hidden)
  select slug, kind, city_slug, title, map_latitude, map_longitude, map_delta, is_hidden
  from jsonb_populate_recordset(null::raw.region, network -> 'regions')
  on conflict (slug) do update set kind = excluded.kind, city_slug = excluded.city_slug, title = excluded.title,
    map_latitude = excluded.map_latitude, map_longitude = excluded.map_longitude, map_delta = excluded.map_delta,
      is_hidden = excluded.is_hidden
  where (region.kind, region.city_slug, region.title, region.map_latitude, region.map_longitude, region.map_delta,
    region.is_hidden)
    is distinct from (excluded.kind, excluded.city_slug, excluded.title, excluded.map_latitude, excluded.map_longitude,
      excluded.map_delta, excluded.is_hidden);
  insert into raw.station (id, provider_id, title, latitude, longitude, altitude, screening, trusted)
  select id, provider_id, title, latitude, longitude, altitude, screening, trusted
  from jsonb_populate_recordset(null::raw.station, network -> 'stations')
  on conflict (id) do update set provider_id = excluded.provider_id, title = excluded.title,
    latitude = excluded.latitude,
    longitude = excluded.longitude, altitude = excluded.altitude,
    screening = excluded.screening, trusted = excluded.trusted
  where (station.provider_id, station.title, station.latitude, station.longitude, station.altitude, station.screening,
    station.trusted)
    is distinct from (excluded.provider_id, excluded.title, excluded.latitude, excluded.longitude, excluded.altitude,
      excluded.screening,
      excluded.trusted);
  insert into raw.sensor (id, kind, device, rain)
  select id, kind, device, rain from jsonb_populate_recordset(null::raw.sensor, network -> 'sensors')
  on conflict (id) do update set kind = excluded.kind, device = excluded.device, rain = excluded.rain
  where (sensor.kind, sensor.device, sensor.rain)
    is distinct from (excluded.kind, excluded.device, excluded.rain);

  call logic.replace_periods('station_region', 'station_id', stations,
    'station_id, region_slug, position', network -> 'station_region');
  call logic.replace_periods('hidden_period', 'station_id', stations, 'station_id', network -> 'hidden_period');
  call logic.replace_periods('flag_period', 'station_id', stations, 'station_id, kind', network -> 'flag_period');
  call logic.replace_periods('sensor_station', 'sensor_id', sensors,
    'sensor_id, station_id', network -> 'sensor_station');
  call logic.replace_periods('suspicious_period', 'sensor_id', sensors, 'sensor_id', network -> 'suspicious_period');
  call logic.replace_periods('correction', 'sensor_id', sensors, 'sensor_id, formula', network -> 'correction');
  -- a recorded period is as screening last saw it, so the file only adds those that are not there
  insert into raw.screened_period (station_id, sensor_id, reason, since, until, kind, evidence, hours)
  select p.station_id, p.sensor_id, p.reason, p.since, p.until, p.kind, p.evidence, p.hours
  from jsonb_populate_recordset(null::raw.screened_period, network -> 'screened_period') p
  where not exists (
    select from raw.screened_period o
    where (o.station_id, o.sensor_id, o.reason) is not distinct from (p.station_id, p.sensor_id, p.reason)
      and o.since < p.until and o.until > p.since);
  affected := logic.apply_periods();
  if network ? 'sources' then
    delete from raw.source where not network -> 'sources' ? name;
    insert into raw.source (name, declaration) select key, value from jsonb_each(network -> 'sources')
    on conflict (name) do update set declaration = excluded.declaration
    where source.declaration <> excluded.declaration;
  end if;

  result := (
    with listed as (
      select kind, coalesce(item ->> 'id', item ->> 'slug') as id
      from unnest(array['providers', 'regions', 'stations', 'sensors']) kind
      cross join jsonb_array_elements(network -> kind) item
    ),
    compared as (
      select f.kind, f.id, l.id is not null as is_listed, f.facts, facts_before -> (f.kind || ' ' || f.id) as old
      from logic.network_fact f
      left join listed l on l.kind = f.kind and l.id = f.id
    )
    select jsonb_object_agg(kind, counts)
    from (
      select kind, jsonb_build_object(
        'added', count(*) filter (where is_listed and old is null),
        'changed', count(*) filter (where is_listed and old <> facts),
        'unchanged', count(*) filter (where is_listed and old = facts),
        'unlisted', coalesce(jsonb_agg(c.id order by length(c.id), c.id) filter (where not is_listed), '[]')) as counts
      from unnest(array['providers', 'regions', 'stations', 'sensors']) kind
      left join compared c using (kind)
      group by kind
    ) kinds
  );
  if exists (
    select from jsonb_each(result) kind where kind.value ->> 'added' <> '0' or kind.value ->> 'changed' <> '0') then
    perform logic.raise_data_version();
  end if;
  if network ? 'sources' then
    result := result || (
      select jsonb_build_object('sources', jsonb_build_object(
        'added', count(*) filter (where old is null),
        'changed', count(*) filter (where new <> old),
        'unchanged', count(*) filter (where new = old),
        'removed', coalesce(jsonb_agg(name order by name) filter (where new is null), '[]')))
      from (select key as name, value as new from jsonb_each(network -> 'sources')) given
      full join (
        select substr(key, length('sources ') + 1) as name, value as old from jsonb_each(facts_before)
        where starts_with(key, 'sources ')
      ) before using (name));
  end if;
  return result || jsonb_build_object('recomputed',
    jsonb_build_object('sensors', affected.sensors_changed, 'stations', affected.stations_changed));
end $$;

-- Runs replace_network and rolls it back. Returns the same, plus how many hours of data the next refresh would
-- recompute, and every element that would be added or changed, with the keys that differ.
create function logic.preview_network(network jsonb) returns jsonb language plpgsql as $$
declare
  facts_before constant jsonb := (select coalesce(jsonb_object_agg(kind || ' ' || id, facts), '{}')
    from logic.network_fact);
  stale_before constant rollup.stale[] := array(select s from rollup.stale s);
  preview jsonb;
begin
  preview := logic.replace_network(network);
  preview := preview || jsonb_build_object(
    'recomputed', preview -> 'recomputed' || jsonb_build_object('hours', (
      with noted as (select s from rollup.stale s except select unnest(stale_before))
      select count(*) from (
        select h.bucket from noted n
        join rollup.sensor_hourly h on h.sensor_id = (n.s).sensor_id and h.bucket > (n.s).since - interval '1 hour'
          and h.bucket < (n.s).until
        union
        select h.bucket from noted n
        join rollup.station_hourly h on h.station_id = (n.s).station_id and h.bucket >= (n.s).since
          and h.bucket < (n.s).until
        where (n.s).sensor_id is null
      ) hours)),
    'changes', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'id', id, 'keys', keys)
        order by kind, length(id), id), '[]')
      from (
        select f.kind, f.id, case when b.facts is null then '"added"' else (
            select jsonb_agg(key order by key) from jsonb_each(logic.flat_facts(f.facts))
            where value is distinct from logic.flat_facts(b.facts) -> key) end as keys
        from logic.network_fact f
        left join lateral (select facts_before -> (f.kind || ' ' || f.id) as facts) b on true
        where f.facts is distinct from b.facts
      ) changed));
  raise exception 'taken back' using errcode = 'AS103';
exception when sqlstate 'AS103' then
  return preview;
end $$;

-- The facts of an element as one object, with its periods under the key `periods`.
create function logic.flat_facts(facts jsonb) returns jsonb language sql immutable as $$
  select case when jsonb_typeof(facts) = 'object' then facts
    else (facts -> 0) || jsonb_build_object('periods', facts -> 1) end
$$;

revoke all on function logic.replace_network, logic.preview_network, logic.flat_facts from public;
