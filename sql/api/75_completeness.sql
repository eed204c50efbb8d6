-- How complete the data of stations are.

create function api.station_completeness(since timestamptz, until timestamptz, only_stations int[] default null)
returns table ("timestamp" timestamptz, station_id int, expected_hours int, measured_hours int) language sql stable begin atomic
  select c.bucket, c.station_id, c.expected_hours, c.measured_hours from logic.station_completeness(since, until, only_stations) c;
end;
comment on function api.station_completeness is
  'Hours with readings against hours in which they were expected, of all stations or the given ones, over the local days that a period touches; hours after its end are not expected. One row per station and day with an expected hour.
Columns:
  timestamp (start of the day),
  station_id (station id),
  expected_hours (closed hours with a sensor placed there that was not suspicious, from the station''s first hour on [h]),
  measured_hours (those of them with a reading [h]).';
