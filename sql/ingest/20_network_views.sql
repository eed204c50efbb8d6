-- The network seen in two ways, to be compared before and after a change.
drop view if exists raw.network_fact;
drop view if exists raw.network_period cascade;

-- Everything that holds for a time. Keys that a kind has not are 0 or empty, so that rows can be matched by equality.
create view raw.network_period as
  select 'membership' as kind, 0 as sensor_id, station_id, region_slug, range_agg(tstzrange(since, until)) as periods from raw.membership group by 3, 4
  union all
  select 'hidden', 0, station_id, '', range_agg(tstzrange(since, until)) from raw.hidden_period group by 3
  union all
  select 'bad_thp', 0, station_id, '', range_agg(tstzrange(since, until)) from raw.bad_thp group by 3
  union all
  select 'sensor_station', sensor_id, station_id, '', range_agg(tstzrange(since, until)) from raw.sensor_station group by 2, 3
  union all
  select 'suspicious', sensor_id, 0, '', range_agg(tstzrange(since, until)) from raw.suspicious_period group by 2;

-- Everything that is said about each thing, its periods included.
create view raw.network_fact as
  with station_periods as (
    select station_id, jsonb_agg(to_jsonb(p) order by kind, region_slug) as periods from raw.network_period p where sensor_id = 0 group by 1
  ),
  sensor_periods as (
    select sensor_id, jsonb_agg(to_jsonb(p) order by kind, station_id) as periods from raw.network_period p where sensor_id > 0 group by 1
  )
  select 'providers' as kind, id, to_jsonb(p) as facts from raw.provider p
  union all
  select 'regions', slug, to_jsonb(r) from raw.region r
  union all
  select 'stations', id::text, jsonb_build_array(to_jsonb(s), p.periods) from raw.station s left join station_periods p on p.station_id = s.id
  union all
  select 'sensors', id::text, jsonb_build_array(to_jsonb(s), p.periods) from raw.sensor s left join sensor_periods p on p.sensor_id = s.id;
