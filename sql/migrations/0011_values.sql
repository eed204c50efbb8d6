-- A source replaces the values that it has, and no others (S3): the amount of rain that a source gave is kept where a
-- total is stored too, from which the amount in column rain is derived. Its bounds are checked as those of rain, by
-- which it comes: every further check makes COPY slower.
alter table raw.readings add column rain_given real;

-- The last total before the readings that retention deleted: the first amount after it is derived from it (A6). Where
-- retention has deleted readings without keeping their last total, amounts of the 24 hours after `lost_until` stay as
-- they are.
alter table raw.rain_gauge
  add column deleted_at timestamptz,
  add column deleted_total real,
  add column lost_until timestamptz;
update raw.rain_gauge set lost_until = retained_from from raw.installation where isfinite(retained_from);
