-- The document of explore/v1 about the stations near a region, which may have none of its own.
create function api.region_neighbours_json(at timestamptz, only_region text, most int default 5)
returns table (neighbours text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    logic.neighbours_json(at, r.map_latitude, r.map_longitude, array(
      select m.station_id from raw.station_region m
      where m.region_slug = r.slug and m.since <= at and at < m.until), most),
    least(api.history_valid_until(at), logic.hidden_changes_after(at), logic.member_changes_after(at, r.slug)),
    f.data_version
  from raw.region r cross join api.freshness f
  where r.slug = only_region;
end $$;
comment on function api.region_neighbours_json is
  'The listed stations nearest to the point at which maps show a region, without its own, at most `most`. One row; none '
  'for an unknown slug. Columns: neighbours (a JSON array with the id and the distance in km of each, the nearest first, '
  'as text), valid_until, data_version.';
