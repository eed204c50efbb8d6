-- Tells how far measurements can be trusted: flag periods of stations (C5, C9), agreement of neighbouring sensors, and
-- stations left out of a region.

create function api.sensor_pair(at timestamptz, only_station int default null)
returns table (
  x_sensor_id int, x_station_id int, y_sensor_id int, y_station_id int, days int, slope float8, intercept float8,
    r2 float8, rmse float8,
  meets_targets boolean
) language sql stable begin atomic
  select p.x_sensor_id, p.x_station_id, p.y_sensor_id, p.y_station_id, p.days,
    round(p.slope::numeric, 2)::float8, round(p.intercept::numeric, 1)::float8, round(p.r2::numeric, 2)::float8,
      round(p.rmse::numeric, 1)::float8,
    p.slope between 0.65 and 1.35 and p.intercept between -5 and 5 and p.r2 >= 0.7 and p.rmse <= 7
  from logic.sensor_pair(at, only_station) p;
end;
comment on function api.sensor_pair is
  'Pairs of PM2.5 sensors at one station, or at stations within 150 m of each other, for all stations or one. The '
  'day means of y are regressed on the day means of x, over the last 30 completed days. x is the sensor at a '
  'trusted station, else the one with the lower id. One row per pair with a day on which at least 18 hours have '
  'both.
Columns:
  x_sensor_id, x_station_id, y_sensor_id and y_station_id (ids),
  days (that are compared [days]),
  slope and r2 (of the regression of y on x; null without two different days),
  intercept (likewise [µg/m³]),
  rmse (root mean square of their differences [µg/m³]),
  meets_targets (slope 0.65 to 1.35, intercept within ±5, r2 at least 0.70 and rmse at most 7: the US EPA’s '
  'targets for PM2.5 sensors, EPA/600/R-20/280; null if one is unknown, unless another fails).';

create function api.station_shift(at timestamptz, only_station int default null)
returns table (
  station_id int, parameter text, hours int, shift_hours int, r float8, r_unshifted float8, is_clear boolean
) language sql stable begin atomic
  select s.station_id, case s.parameter when 'pm25' then 'pm2.5' else s.parameter end, s.hours, s.shift_hours,
    round(s.r::numeric, 3)::float8, round(s.r_unshifted::numeric, 3)::float8, s.is_clear
  from logic.station_shift(at, only_station) s;
end;
comment on function api.station_shift is
  'How well a station’s hours of the last 30 days fit the median of its three nearest neighbours within 10 km when they are moved by up to two hours, for all stations or one. Flagged hours are left out. One row per station that has two of them and at least 200 hours to compare.
Columns:
  station_id (station id),
  parameter (that is compared: temperature, or where that is not possible pm2.5),
  hours (that are compared [h]),
  shift_hours (at which they correlate best; -1: an hour earlier [h]),
  r (correlation there),
  r_unshifted (correlation of the hours as they are),
  is_clear (whether the shift leaves less than 0.7 of what did not correlate, and less than at each neighbour: stamps that name the end of the hour, or another zone).';

create function api.station_flags_json(at timestamptz, only_station int)
returns table (flags text, pairs text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select
    (select coalesce(json_agg(json_build_object(
        'kind', l.kind, 'test', l.reason, 'sensor_id', l.sensor_id, 'since', date_trunc('second', l.since),
          'until', date_trunc('second', l.until),
        'is_left_out', l.is_left_out, 'pm2.5', l."pm2.5", 'median', l.median,
          'compared_with', coalesce(l.compared_with, '[]')::json)
      order by l.since desc nulls last, l.kind, l.reason, l.sensor_id), '[]')::text
      from api.station_flag l where l.station_id = s.id),
    (select coalesce(json_agg(json_build_object(
        'x', json_build_object('sensor_id', p.x_sensor_id, 'station_id', p.x_station_id),
        'y', json_build_object('sensor_id', p.y_sensor_id, 'station_id', p.y_station_id),
        'days', p.days, 'slope', p.slope, 'intercept', p.intercept, 'r2', p.r2, 'rmse', p.rmse,
          'meets_targets', p.meets_targets)
      order by p.x_sensor_id, p.y_sensor_id), '[]')::text
      from api.sensor_pair(at, only_station) p),
    api.history_valid_until(at), f.data_version
  from raw.station s cross join api.freshness f
  where s.id = only_station;
end $$;
comment on function api.station_flags_json is
  'The flag periods of a station with their reasons, and the agreement of its PM2.5 sensors. One row; none for an '
  'unknown id. Columns: flags (a JSON array of api.station_flag, newest first, as text), pairs (a JSON array of '
  'api.sensor_pair, as text), valid_until, data_version.';

create function api.region_particles(at timestamptz, only_region text)
returns table (stations int, left_out int, expected int, digest_valid_until timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
#variable_conflict use_column
declare
  today constant timestamptz := rollup.bucket_start('day', at);
  first_day constant timestamptz := rollup.bucket_add('day', today, -30);
begin
  return query
  select d.pm_stations, d.pm_left_out,
    -- a station that began since the last refresh is in the digest, and has no day yet
    case when d.made_at is not null then greatest(d.pm_stations + d.pm_left_out, measuring.stations) end,
    least(
      d.made_at + interval '30 minutes' + interval '1 microsecond',
      (select min(next.made_at) from rollup.digest next where next.region_slug = r.slug and next.made_at > at))
  from raw.region r
  left join lateral (
    select made_at, pm_stations, pm_left_out from rollup.digest d
    where d.region_slug = r.slug and d.made_at <= at and d.made_at >= at - interval '30 minutes'
    order by d.made_at desc limit 1
  ) d on true
  cross join lateral (
    select count(*)::int as stations from raw.membership m
    where m.region_slug = r.slug and m.since <= at and at < m.until and d.made_at is not null
      and exists (select from rollup.station_daily day
        where day.station_id = m.station_id and day.bucket >= first_day and day.bucket <= today
          and coalesce({{list pm: day.$name}}) is not null)
  ) measuring
  where r.slug = only_region;
end $$;
comment on function api.region_particles is
  'The number of stations behind the particle means in a region’s newest digest, the number left out because their '
  'particles are suspect (C9), and of how many they are. One row; none for an unknown slug.
Columns, null if the digest is older than 30 minutes:
  stations (in the particle means [stations]),
  left_out (suspect [stations]),
  expected (members that measured particles today or on one of the last 30 completed days, so that those that are '
  'offline count too [stations]),
  digest_valid_until (when the digest is too old or the next one counts; null without one).';
