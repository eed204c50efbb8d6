-- What was measured: a reading is a fact and says nothing of the network (P1). Time first, because the aggregates of TimescaleDB find
-- their time column by position; single precision is half the space on disk and finer than any instrument. The checks are rule S1
-- once more: ingest drops what is out of bounds, so a failure here is a fault of ingest. `between` also refuses NaN and infinities.
create table raw.readings (
  measured_at timestamptz not null,
  sensor_id int not null,
  temperature real check (temperature between -60 and 60),
  humidity real check (humidity between 0 and 100),
  pressure real check (pressure between 50000 and 110000),
  pm1 real check (pm1 between -10 and 2000),
  pm25 real check (pm25 between -10 and 2000),
  pm25_raw real check (pm25_raw between -10 and 2000),
  pm10 real check (pm10 between -10 and 2000),
  no2 real check (no2 between 0 and 5000),
  so2 real check (so2 between 0 and 5000),
  o3 real check (o3 between 0 and 5000),
  dust real check (dust between -10 and 2000),
  usvh real check (usvh between 0 and 100),
  uv real check (uv between 0 and 20),
  wind_speed real check (wind_speed between 0 and 100),
  wind_direction real check (wind_direction between 0 and 359.99997), -- the largest single-precision number below 360
  rain real check (rain between 0 and 500),
  primary key (sensor_id, measured_at)
);

-- Nothing before the first hour there is.
do $$
begin
  execute format('alter table raw.readings add constraint readings_epoch_check check (measured_at >= %L)',
    (select (epoch::timestamp at time zone time_zone)::text from raw.installation));
end $$;

grant select, insert, update on raw.readings to airseries_ingest;
