-- When a station's temperature, humidity and pressure were not to be trusted, and who says so (C5).
create view api.station_flag as
  select station_id, 'operator' as reason, null::int as sensor_id, nullif(since, '-infinity') as since, nullif(until, 'infinity') as until
  from raw.bad_thp_period
  union all
  select station_id, reason, sensor_id, nullif(since, '-infinity'), nullif(until, 'infinity') from raw.screened_period;
