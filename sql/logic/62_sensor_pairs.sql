-- Compares pairs of PM2.5 sensors at one station, or at stations within 150 m of each other. It regresses the day means
-- of y on the day means of x, over the days among the last 30 completed local days that have at least 18 hours of both.
-- The values are as the instruments gave them. x is the sensor at a trusted station, else the one with the lower id.
create function logic.sensor_pair(at timestamptz, only_station int default null)
returns table (
  x_sensor_id int, x_station_id int, y_sensor_id int, y_station_id int, days int, slope float8, intercept float8,
    r2 float8, rmse float8
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  last_day constant timestamptz := rollup.bucket_start('day', at);
  first_day constant timestamptz := rollup.bucket_add('day', last_day, -30);
  steps constant bigint[] := logic.cell_steps();
begin
  return query
  with place as materialized (
    select s.id, s.trusted, s.latitude, s.longitude, logic.cell(s.latitude, s.longitude) as cell from raw.station s
  ),
  near as (
    select one.id, other.id as other_id
    from (select place.*, cell + unnest(steps) as near from place where only_station is null or id = only_station) one
    join place other on other.cell = one.near
    where other.id = one.id or logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) <= 0.15
  ),
  placed as (
    select distinct p.sensor_id, p.station_id, place.trusted
    from raw.placement p join place on place.id = p.station_id
    where p.until > first_day and p.since < last_day
  ),
  pair as (
    -- each pair once, with the reference as x
    select x.sensor_id as x_sensor_id, x.station_id as x_station_id, y.sensor_id as y_sensor_id,
      y.station_id as y_station_id
    from (select id, other_id from near union select other_id, id from near) n
    join placed x on x.station_id = n.id
    join placed y on y.station_id = n.other_id
    where (x.trusted, y.sensor_id) > (y.trusted, x.sensor_id)
  ),
  hour as materialized (
    select h.sensor_id, p.station_id, rollup.bucket_start('day', h.bucket) as day, h.bucket,
      coalesce(h.pm25_raw, h.pm25) as pm25
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= first_day and h.bucket < last_day and coalesce(h.pm25_raw, h.pm25) is not null
      -- so that few are looked up
      and h.sensor_id = any (array(select x_sensor_id from pair union select y_sensor_id from pair))
  ),
  day as (
    select pair.*, hx.day, avg(hx.pm25) as x, avg(hy.pm25) as y
    from pair
    join hour hx on hx.sensor_id = x_sensor_id and hx.station_id = x_station_id
    join hour hy on hy.sensor_id = y_sensor_id and hy.station_id = y_station_id and hy.bucket = hx.bucket
    group by 1, 2, 3, 4, 5
    having count(*) >= 18
  )
  select x_sensor_id, x_station_id, y_sensor_id, y_station_id, count(*)::int, regr_slope(y, x), regr_intercept(y, x),
    regr_r2(y, x),
    sqrt(avg((y - x) ^ 2))
  from day group by 1, 2, 3, 4;
end $$;

revoke all on function logic.sensor_pair from public;
