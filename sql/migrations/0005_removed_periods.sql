-- Periods of sensors that an operator removed, or whose station, and whose hours retention had kept without readings. Nothing can delete these hours
-- among the hours of other sensors, so placements leave the periods out: the hours count for nothing, and a new sensor of the same number begins with none.
create table raw.removed_period (
  sensor_id int not null, -- the sensor is gone, or is a new one
  since timestamptz not null,
  until timestamptz not null, -- the end of the last kept hour; no reading before it is accepted any more
  check (since < until)
);

-- Until when screening has judged a period of kind pm that is open, to the day; null: not yet. What lies before need not be read again every ten minutes.
alter table raw.screened_period add column judged_to timestamptz;

alter table raw.provider add column titles jsonb; -- by locale; null: `title` in every one
