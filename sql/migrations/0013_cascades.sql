-- What was said of a sensor or a station goes with it. Placements and memberships follow from that (logic.apply_periods) and refer to nothing.
alter table raw.sensor_station
  drop constraint sensor_station_sensor_id_fkey, add foreign key (sensor_id) references raw.sensor on delete cascade,
  drop constraint sensor_station_station_id_fkey, add foreign key (station_id) references raw.station on delete cascade;
alter table raw.screened_period
  drop constraint screened_period_sensor_id_fkey, add foreign key (sensor_id) references raw.sensor on delete cascade,
  drop constraint screened_period_station_id_fkey, add foreign key (station_id) references raw.station on delete cascade;
alter table raw.suspicious_period
  drop constraint suspicious_period_sensor_id_fkey, add foreign key (sensor_id) references raw.sensor on delete cascade;
alter table raw.correction
  drop constraint correction_sensor_id_fkey, add foreign key (sensor_id) references raw.sensor on delete cascade;
alter table raw.station_region
  drop constraint station_region_station_id_fkey, add foreign key (station_id) references raw.station on delete cascade;
alter table raw.hidden_period
  drop constraint hidden_period_station_id_fkey, add foreign key (station_id) references raw.station on delete cascade;
alter table raw.flag_period
  drop constraint flag_period_station_id_fkey, add foreign key (station_id) references raw.station on delete cascade;
alter table raw.placement drop constraint placement_sensor_id_fkey, drop constraint placement_station_id_fkey;
alter table raw.membership drop constraint membership_station_id_fkey, drop constraint membership_region_slug_fkey;
alter table raw.token drop constraint token_provider_id_fkey, add foreign key (provider_id) references raw.provider on delete cascade;
alter table raw.pull drop constraint pull_provider_id_fkey, add foreign key (provider_id) references raw.provider on delete cascade;
alter table rollup.digest
  drop constraint digest_region_slug_fkey, add foreign key (region_slug) references raw.region on delete cascade;

-- Hours and days of one sensor are told apart within one import only.
drop table raw.imported_means;
