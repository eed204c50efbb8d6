-- The document of explore/v1 about one parameter at all listed stations and all regions, for maps. The function runs with
-- the rights of its owner, since bands need unrounded means (X1).
create function api.parameter_map_json(at timestamptz, only_parameter text)
returns table (unit text, hours text, stations text, regions text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  end_of_hours constant timestamptz := rollup.bucket_start('hour', at);
  first_hour constant timestamptz := rollup.bucket_add('hour', end_of_hours, -24);
  flag_kind constant text := case
    when only_parameter = any (array[{{list pm: '$key'}}]) then 'pm'
    when only_parameter = any (array[{{list thp: '$key'}}]) then 'thp' end;
  has_bands constant boolean := only_parameter in ('pm2.5', 'pm10', 'o3', 'no2', 'so2');
begin
  return query
  with slot as materialized (
    select n, rollup.bucket_add('hour', first_hour, n - 1) as bucket from generate_series(1, 24) n
  ),
  hour as materialized (
    select 'station' as kind, s.id::text as key, h.bucket, h.mean
    from raw.station s
    cross join lateral (
      select b.bucket, logic.possible(case only_parameter {{repeat mean: when '$key' then b.$name}} end) as mean
      from rollup.station_hourly b
      where b.station_id = s.id and b.bucket >= first_hour and b.bucket < end_of_hours) h
    where not exists (select from raw.hidden_period p where p.station_id = s.id and p.since <= at and at < p.until)
    union all
    select 'region', r.slug, h.bucket, h.mean
    from raw.region r
    cross join lateral (
      select b.bucket, logic.possible(case only_parameter {{repeat mean: when '$key' then b.$name}} end) as mean
      from rollup.region_hourly b
      where b.region_slug = r.slug and b.bucket >= first_hour and b.bucket < end_of_hours) h
  ),
  place as (
    select one.kind, one.key,
      json_agg(case only_parameter {{repeat mean: when '$key' then $publish(h.mean, $digits)}} end order by slot.n)
        as values,
      case when has_bands then json_agg(api.european_index(
        pm25 => case only_parameter when 'pm2.5' then h.mean end, pm10 => case only_parameter when 'pm10' then h.mean end,
        o3 => case only_parameter when 'o3' then h.mean end, no2 => case only_parameter when 'no2' then h.mean end,
        so2 => case only_parameter when 'so2' then h.mean end) order by slot.n) end as bands,
      coalesce(json_agg(slot.n - 1 order by slot.n) filter (where h.mean is not null and flag.periods @> slot.bucket), '[]')
        as suspect,
      coalesce(json_agg(slot.n - 1 order by slot.n) filter (where h.mean is not null and flag.left_out @> slot.bucket), '[]')
        as left_out
    from (select distinct hour.kind, hour.key from hour where hour.mean is not null) one
    cross join slot
    left join hour h on h.kind = one.kind and h.key = one.key and h.bucket = slot.bucket
    left join logic.flagged flag
      on one.kind = 'station' and flag.station_id::text = one.key and flag.kind = flag_kind
    group by one.kind, one.key
  )
  select case only_parameter {{repeat mean: when '$key' then '$unit'}} end,
    (select json_agg(slot.bucket order by slot.n)::text from slot),
    (select coalesce(json_agg(json_build_object('id', p.key::int, 'values', p.values, 'bands', p.bands,
        'suspect', p.suspect, 'left_out', p.left_out) order by p.key::int), '[]')::text from place p where p.kind = 'station'),
    (select coalesce(json_agg(json_build_object('slug', p.key, 'values', p.values, 'bands', p.bands)
        order by p.key collate "C"), '[]')::text from place p where p.kind = 'region'),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)), (select f.data_version from api.freshness f);
end $$;
comment on function api.parameter_map_json is
  'A parameter, by its key such as pm2.5, at all listed stations and all regions in each of the last 24 closed hours. '
  'One row.
Columns:
  unit (of its values),
  hours (a JSON array of the 24 hours by their start, as text),
  stations (a JSON array by id, as text, of those with a value: id, values, the published means in the order of '
  'hours with null where one is missing; bands, the European band of each, see api.european_index, or null for a '
  'parameter without; suspect, the positions from 0 of hours in which the parameter is flagged, see api.station_flag; '
  'left_out, of these the hours in which regions leave it out),
  regions (likewise, by slug, without suspect and left_out),
  valid_until,
  data_version.';
