-- Documents of explore/v1 with the last 24 hours of many places, for lists.

create function api.last_day_json(at timestamptz, most int default 1500)
returns table (stations text, regions text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed constant int[] := array(
    select s.id from raw.station s
    where not exists (select from raw.hidden_period h where h.station_id = s.id and h.since <= at and at < h.until)
    limit most + 1);
begin
  return query
  select logic.stations_last_day(at, case when cardinality(listed) <= most then listed end),
    logic.regions_last_day(at, array(select r.slug from raw.region r)),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    (select f.data_version from api.freshness f);
end $$;
comment on function api.last_day_json is
  'PM2.5 of the last 24 closed hours at all listed stations, of a network of more than `most` at none, and in all '
  'regions. One row. Columns: stations (a JSON array, as text: of each, id, trend, see api.trend, and pm2.5, the '
  'published means in the order of time, with null where one is missing [µg/m³]), regions (likewise, by slug), '
  'valid_until, data_version.';

create function api.region_last_day_json(at timestamptz, only_region text)
returns table (stations text, regions text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    logic.stations_last_day(at, array(
      select distinct m.station_id from raw.station_region m
      where m.region_slug = only_region and m.since <= at and at < m.until
        and not exists (select from raw.hidden_period h
          where h.station_id = m.station_id and h.since <= at and at < h.until))),
    logic.regions_last_day(at, array(select r.slug from raw.region r where r.city_slug = only_region)),
    least(api.history_valid_until(at), logic.hidden_changes_after(at), logic.member_changes_after(at, only_region)),
    f.data_version
  from raw.region s cross join api.freshness f
  where s.slug = only_region;
end $$;
comment on function api.region_last_day_json is
  'PM2.5 of the last 24 closed hours at the listed stations and in the districts of a region. One row; none for an '
  'unknown slug. Columns: stations and regions (as of api.last_day_json), valid_until, data_version.';
