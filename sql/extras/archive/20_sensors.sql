-- Hours and days of single sensors for the open data, as the instruments gave them while they were at a station (P2).

-- Only hours that lie wholly within one placement count, as in station hours. Suspicious times are in no placement.
create view api.sensor_hourly as
  select
    s.bucket as timestamp,
    s.sensor_id,
    p.station_id,
    logic.published_non_negative(coalesce(s.pm25, s.pm25_raw), 1) as avg_pm25,
    {{list uncorrected: $publish(s.$name, $digits) as avg_$name}},
    logic.published_direction(s.wind_sin, s.wind_cos) as avg_wind_direction,
    logic.published(s.rain, 1) as total_rain
  from rollup.sensor_hourly s
  join raw.placement p on p.sensor_id = s.sensor_id and s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until;
comment on view api.sensor_hourly is
  'Hours of sensors while they were at a station and not suspicious, at published precision. One row per hour with '
  'readings.';
comment on column api.sensor_hourly.timestamp is 'start of the hour';
comment on column api.sensor_hourly.sensor_id is 'sensor id';
comment on column api.sensor_hourly.station_id is 'id of the station where the sensor was';
comment on column api.sensor_hourly.avg_pm25 is
  'PM2.5 as the instrument gave it, mean of the hour: its final value, else its raw value; no formula is applied '
  '[µg/m³]';
{{repeat uncorrected: comment on column api.sensor_hourly.avg_$name is '$meaning, mean of the hour [$unit]';}}
comment on column api.sensor_hourly.avg_wind_direction is
  'direction of the mean wind vector of the hour, clockwise from north [degrees]';
comment on column api.sensor_hourly.total_rain is 'precipitation, sum of the hour [mm]';

create function api.sensor_daily(at timestamptz,
  since timestamptz default '-infinity', until timestamptz default 'infinity')
returns table (
  "timestamp" timestamptz,
  sensor_id int,
  avg_pm25 float8,
  {{list uncorrected: avg_$name float8}},
  avg_wind_direction int,
  total_rain float8
) language sql stable begin atomic
  select d.bucket, d.sensor_id, logic.published_non_negative(d.pm25, 1), {{list uncorrected: $publish(d.$name, $digits)}},
    logic.published_direction(d.wind_sin, d.wind_cos), logic.published(d.rain, 1)
  from logic.sensor_daily(at, since, until) d;
end;
comment on function api.sensor_daily is
  'Days of sensors at published precision: means of the hours when they were not suspicious and at a station that is '
  'listed at the instant. One row per sensor and local day with readings; since and until (exclusive) bound the '
  'starts of the days. Columns as in api.sensor_hourly, without station_id.';
