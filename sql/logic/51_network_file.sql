-- Writes the network as a file that an import reads. Importing it changes nothing.

-- Periods as the file writes them: null for none, true for always, otherwise a list. Times are in the session's time
-- zone.
create function logic.flag_of_periods(periods tstzmultirange) returns json language sql stable as $$
  select case when periods = '{(,)}'::tstzmultirange or periods = '{[-infinity,infinity)}' then 'true'::json else (
    select json_agg(json_build_object('since', nullif(lower(part), '-infinity'),
      'until', nullif(upper(part), 'infinity')) order by part)
    from unnest(periods) part) end
$$;

create function logic.network_file() returns json language sql stable
set intervalstyle = 'iso_8601' as $$
  with hidden as (select station_id, range_agg(tstzrange(since, until)) as periods from raw.hidden_period group by 1),
  flagged as (select station_id, kind, range_agg(tstzrange(since, until)) as periods from raw.flag_period
    group by 1, 2),
  suspicious as (select sensor_id, range_agg(tstzrange(since, until)) as periods from raw.suspicious_period group by 1),
  located as (
    select sensor_id, (array_agg(station_id order by until desc, since desc))[1] as listed_under,
      case when count(*) > 1 or min(since) > '-infinity' or max(until) < 'infinity' then
        json_agg(json_build_object('id', station_id, 'since', nullif(since, '-infinity'),
          'until', nullif(until, 'infinity')) order by since) end as stations
    from raw.sensor_station group by 1
  ),
  corrected as (
    select sensor_id, case when count(*) = 1 and min(since) = '-infinity'
      and max(until) = 'infinity' then to_json(min(formula)) else
      json_agg(json_build_object('formula', formula, 'since', nullif(since, '-infinity'),
        'until', nullif(until, 'infinity')) order by since) end as correction
    from raw.correction group by 1
  ),
  sensors as (
    select located.listed_under as station_id, json_agg(json_build_object(
      'id', s.id, 'kind', s.kind, 'device', s.device, 'rain', s.rain, 'correction', corrected.correction,
      'stations', located.stations,
      'suspicious', logic.flag_of_periods(suspicious.periods)) order by s.id) as list
    from raw.sensor s
    join located on located.sensor_id = s.id
    left join corrected on corrected.sensor_id = s.id
    left join suspicious on suspicious.sensor_id = s.id
    group by 1
  ),
  screened as (
    select station_id, json_agg(json_build_object('test', reason, 'sensor', sensor_id, 'since', since,
      'until', nullif(until, 'infinity'),
      'evidence', evidence, 'hours', hours) order by since, reason, sensor_id) as list
    from raw.screened_period group by 1
  ),
  regions as (
    select r.station_id, json_agg(case when r.since = '-infinity'
      and r.until = 'infinity' then to_json(r.region_slug) else
        json_build_object('slug', r.region_slug, 'since', nullif(r.since, '-infinity'),
          'until', nullif(r.until, 'infinity')) end
      order by r.position, r.region_slug, r.since) as list
    from raw.station_region r group by 1
  )
  select json_strip_nulls(json_build_object(
    'time_zone', (select time_zone from raw.installation),
    'providers', (select coalesce(json_agg(json_build_object('id', id, 'title', coalesce(titles, to_jsonb(title)),
      'url', nullif(url, ''), 'image', nullif(image, ''), 'image_dark', nullif(image_dark, ''),
      'stale_after', stale_after::text, 'pull', pull) order by id), '[]') from raw.provider),
    'regions', (select coalesce(json_agg(json_build_object('slug', slug, 'kind', kind, 'city', city_slug,
      'title', title,
      'map', json_build_object('latitude', map_latitude, 'longitude', map_longitude, 'delta', map_delta),
      'is_hidden', nullif(is_hidden, false)) order by kind, slug), '[]') from raw.region),
    'stations', (select coalesce(json_agg(json_build_object('id', s.id, 'provider', s.provider_id, 'title', s.title,
        'latitude', s.latitude, 'longitude', s.longitude, 'altitude', s.altitude,
        'hidden', logic.flag_of_periods(hidden.periods), 'is_bad_thp', logic.flag_of_periods(thp.periods),
          'is_bad_pm', logic.flag_of_periods(pm.periods),
        'screening', nullif(s.screening, true), 'trusted', nullif(s.trusted, false),
        'regions', coalesce(regions.list, '[]'), 'sensors', coalesce(sensors.list, '[]'), 'screened', screened.list)
          order by s.id), '[]')
      from raw.station s
      left join hidden on hidden.station_id = s.id
      left join flagged thp on thp.station_id = s.id and thp.kind = 'thp'
      left join flagged pm on pm.station_id = s.id and pm.kind = 'pm'
      left join regions on regions.station_id = s.id
      left join sensors on sensors.station_id = s.id
      left join screened on screened.station_id = s.id),
    'sources', (select json_object_agg(name, declaration order by name) from raw.source)))
$$;

revoke all on function logic.flag_of_periods, logic.network_file from public;
