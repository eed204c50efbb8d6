-- Imported files, and what is needed to take them back (S11).

create table raw.import (
  id int generated always as identity primary key,
  imported_at timestamptz not null,
  source text not null, -- the path of the file as it was given
  format text,
  declared jsonb not null, -- what was declared about it
  received bigint not null default 0,
  accepted bigint not null default 0,
  unchanged bigint not null default 0,
  replaced bigint not null default 0, -- values
  withdrawn bigint not null default 0,
  oldest timestamptz, -- the first and last hour with a reading that was accepted or unchanged
  newest timestamptz,
  is_complete boolean not null default false, -- all of it was stored
  undone_at timestamptz
);

-- What an import changed: of a sensor, parallel arrays over the times of its changed readings. Of each parameter the
-- value before and after; both null: this parameter was not changed then. A column is null if it would be all null.
create table raw.import_change (
  import_id int not null references raw.import on delete cascade,
  sensor_id int not null,
  measured_at timestamptz[] not null,
  temperature_before real[], temperature_after real[],
  humidity_before real[], humidity_after real[],
  pressure_before real[], pressure_after real[],
  pm1_before real[], pm1_after real[],
  pm25_before real[], pm25_after real[],
  pm25_raw_before real[], pm25_raw_after real[],
  pm10_before real[], pm10_after real[],
  no2_before real[], no2_after real[],
  so2_before real[], so2_after real[],
  o3_before real[], o3_after real[],
  dust_before real[], dust_after real[],
  usvh_before real[], usvh_after real[],
  uv_before real[], uv_after real[],
  wind_speed_before real[], wind_speed_after real[],
  wind_direction_before real[], wind_direction_after real[],
  rain_before real[], rain_after real[],
  rain_total_before real[], rain_total_after real[]
);
create index on raw.import_change (import_id);

grant select, insert, update on raw.import to airseries_ingest;
grant select, insert, delete on raw.import_change to airseries_ingest;
