-- The running day and month that were put off are stale from the days upward: their hours have been recomputed.
alter table rollup.stale
  drop constraint stale_from_level_check,
  add constraint stale_from_level_check check (from_level in ('sensor_hourly', 'station_hourly', 'region_hourly', 'station_daily'));

-- When a refresh last left nothing waiting. Until then refreshed_at tells only how fresh the running day is.
alter table rollup.freshness add column completed_at timestamptz;
update rollup.freshness set completed_at = refreshed_at;

drop procedure if exists rollup.refresh_levels(timestamptz, boolean); -- refresh_step takes its place
