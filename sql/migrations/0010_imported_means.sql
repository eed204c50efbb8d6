-- Sensors of which means were imported from files, and of what length: hours and days of one sensor would count twice.
create table raw.imported_means (
  sensor_id int primary key references raw.sensor on delete cascade,
  resolution text not null check (resolution in ('hour', 'day'))
);
grant select, insert, update on raw.imported_means to airseries_ingest;
