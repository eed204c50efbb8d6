-- Particles of a station may be suspect, as temperature, humidity and pressure may be unreliable: each of its flag periods has one of these kinds.
alter table raw.flag_period
  add column kind text not null default 'thp' check (kind in ('thp', 'pm')),
  drop constraint flag_period_pkey,
  add primary key (station_id, kind, since);

-- The periods of kind pm belong to the station, not to one sensor, and say by which values they were found.
alter table raw.screened_period
  add column kind text not null default 'thp' check (kind in ('thp', 'pm')),
  add column evidence jsonb,
  drop constraint screened_period_pkey,
  alter column sensor_id drop not null,
  add unique nulls not distinct (station_id, sensor_id, reason, since),
  add check ((kind = 'thp') = (sensor_id is not null));

alter table raw.station add column trusted boolean not null default false; -- a reference instrument: its particles are not screened

alter table raw.membership add column is_pm_suspect boolean not null default false;

-- Number of stations in the particle mean, and number left out as suspect. Null in older digests.
alter table rollup.digest add column pm_stations int, add column pm_left_out int;
