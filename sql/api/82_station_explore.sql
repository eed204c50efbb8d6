-- Documents of explore/v1 that only stations have: the completeness of the last 24 hours, and the readings behind an
-- hour. station_readings_json runs with the rights of its owner, since no view of this schema has readings.

create function api.station_last_hours(at timestamptz, only_station int)
  returns table (expected_hours int, measured_hours int)
language sql stable
  {{seek_settings}}
begin atomic
  -- the hours of the days that the 24 hours touch, minus those before the 24 hours
  select coalesce(sum(c.expected_hours * c.sign), 0)::int, coalesce(sum(c.pm25_hours * c.sign), 0)::int
  from (
    select d.expected_hours, d.pm25_hours, 1 as sign
    from api.station_completeness(at, 'day', at - interval '24 hours', at, array[only_station]) d
    union all
    select d.expected_hours, d.pm25_hours, -1
    from api.station_completeness(at - interval '24 hours', 'day', at - interval '24 hours', at - interval '24 hours',
      array[only_station]) d
  ) c;
end;
comment on function api.station_last_hours is
  'How complete the last 24 closed hours of a station are. One row. Columns: expected_hours (those from its first '
  'hour on [h]) and measured_hours (those with PM2.5 [h]).';

create function api.station_readings_json(at timestamptz, only_station int, instant timestamptz, most int default 5000)
returns table (
  "timestamp" timestamptz, hour text, sensors text, station text, kept boolean, complete boolean,
    valid_until timestamptz, data_version int
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  start constant timestamptz := rollup.bucket_start('hour', instant);
  next constant timestamptz := rollup.bucket_add('hour', start, 1);
  is_closed constant boolean := next <= at;
begin
  return query
  with placed as materialized (
    select p.sensor_id, nullif(p.formula, 'none') as formula from raw.placement p
    where p.station_id = only_station and p.since <= start and p.until >= next and is_closed
  ),
  reading as materialized ( -- one more than wanted, to know whether there are more
    select p.sensor_id, r.measured_at, concat('{"time":', to_json(date_trunc('second', r.measured_at)),
      {{list parameter: ',"$key":', coalesce(r.$name::text, 'null')}}, '}') as reading
    from placed p
    cross join lateral (
      select * from raw.readings r
      where r.sensor_id = p.sensor_id and r.measured_at >= start and r.measured_at < next
      order by r.measured_at limit most + 1) r
    limit most + 1
  ),
  shown as (select * from reading limit most)
  select start,
    (select {{station_hour_point}} from api.station_hourly b
      where b.station_id = only_station and b.timestamp = start and is_closed),
    (select '[' || coalesce(string_agg(concat(
      '{"id":', p.sensor_id,
      ',"formula":', coalesce(to_json(p.formula)::text, 'null'),
      ',"mean":', coalesce(
        (select {{exact_means}} from rollup.sensor_hourly h
          where h.sensor_id = p.sensor_id and h.bucket = start), 'null'),
      ',"readings":[', (select string_agg(r.reading, ',' order by r.measured_at) from shown r
        where r.sensor_id = p.sensor_id), ']}'
    ), ',' order by p.sensor_id), '') || ']' from placed p),
    (select {{exact_means}}
      from rollup.station_hourly h where h.station_id = only_station and h.bucket = start and is_closed),
    start >= i.retained_from,
    (select count(*) <= most from reading),
    api.history_valid_until(at), f.data_version
  from raw.station s
  cross join raw.installation i
  cross join api.freshness f
  where s.id = only_station;
end $$;
comment on function api.station_readings_json is
  'The readings behind an hour of a station, from all sensors that were there for the whole hour; none until the '
  'hour has closed. One row; none for an unknown id.
Columns:
  timestamp (start of the hour that contains the instant),
  hour (its point as JSON, as text; null without readings),
  sensors (a JSON array: each with its id, formula, unrounded means, and readings in the order of time),
  station (the unrounded means of the station as JSON, as text; null without readings),
  kept (whether readings of that hour are still kept),
  complete (whether these are all the readings: at most `most` are shown),
  valid_until,
  data_version.';

create function api.station_neighbours_json(at timestamptz, only_station int, most int default 5)
returns table (neighbours text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    logic.neighbours_json(at, s.latitude, s.longitude, array[s.id], most),
    least(api.history_valid_until(at), logic.hidden_changes_after(at)),
    f.data_version
  from raw.station s cross join api.freshness f
  where s.id = only_station;
end $$;
comment on function api.station_neighbours_json is
  'The listed stations nearest to a station, at most `most`. One row; none for an unknown id. Columns: neighbours (a '
  'JSON array with the id and the distance in km of each, the nearest first, as text), valid_until, data_version.';
