-- The document of explore/v1 about the stations near a region, which may have none of its own.
create function api.region_neighbours_json(at timestamptz, only_region text, most int default 5)
returns table (neighbours text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    (select coalesce(json_agg(json_build_object('id', n.id, 'distance_km', n.km) order by n.km, n.id), '[]')::text
      from (
        select s.id,
          round(logic.distance_km(r.map_latitude, r.map_longitude, s.latitude, s.longitude)::numeric, 2) as km
        from raw.station s
        where not exists (select from raw.hidden_period h
            where h.station_id = s.id and h.since <= at and at < h.until)
          and not exists (select from raw.station_region m
            where m.station_id = s.id and m.region_slug = r.slug and m.since <= at and at < m.until)
        order by km, s.id limit most) n),
    least(api.history_valid_until(at), logic.hidden_changes_after(at),
      (select least(min(m.since) filter (where m.since > at), min(m.until) filter (where m.until > at))
        from raw.station_region m where m.region_slug = r.slug)),
    f.data_version
  from raw.region r cross join api.freshness f
  where r.slug = only_region;
end $$;
comment on function api.region_neighbours_json is
  'The listed stations nearest to the point at which maps show a region, without its own, at most `most`. One row; none '
  'for an unknown slug. Columns: neighbours (a JSON array with the id and the distance in km of each, the nearest first, '
  'as text), valid_until, data_version.';
