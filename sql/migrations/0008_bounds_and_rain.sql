-- Instruments report small negative concentrations of gases, too (S1).
alter table raw.readings
  drop constraint readings_no2_check, add constraint readings_no2_check check (no2 between -10 and 5000),
  drop constraint readings_so2_check, add constraint readings_so2_check check (so2 between -10 and 5000),
  drop constraint readings_o3_check, add constraint readings_o3_check check (o3 between -10 and 5000);

-- Gauges that count up (A6). The total is kept as it came; the amount in column rain is derived from it.
alter table raw.readings add column rain_total real check (rain_total between 0 and 100000);
alter table raw.sensor add column rain text check (rain in ('total')); -- as the operator declares it; null: its rain is the amount, unless its sender says otherwise

-- Sensors of which a total is stored or was. A writer of their readings locks their rows, because the amount depends on
-- the readings beside it.
create table raw.rain_gauge (sensor_id int primary key);
grant select, insert, update on raw.rain_gauge to airseries_ingest;
