-- Stations near a place that measures nothing, for its page.

create function api.stations_near_json(
  at timestamptz, near_latitude float8, near_longitude float8, within_km float8, most int)
returns table (neighbours text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    (select coalesce(json_agg(json_build_object('id', n.id, 'distance_km', n.km) order by n.km, n.id), '[]')::text
      from (
        select s.id, round(logic.distance_km(near_latitude, near_longitude, s.latitude, s.longitude)::numeric, 2) as km
        from raw.station s
        where logic.distance_km(near_latitude, near_longitude, s.latitude, s.longitude) <= within_km
          and not exists (select from raw.hidden_period h
            where h.station_id = s.id and h.since <= at and at < h.until)
        order by km, s.id limit most) n),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    (select f.data_version from api.freshness f);
end $$;
comment on function api.stations_near_json is
  'The listed stations nearest to a point [degrees], within a distance [km], at most `most`. One row. Columns: neighbours '
  '(a JSON array with the id and the distance in km of each, the nearest first, as text), valid_until, data_version.';
