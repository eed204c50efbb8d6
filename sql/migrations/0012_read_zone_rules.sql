-- Stamps without an offset are read by the recorded rules of the zone (Z5).
grant select on raw.zone_offset to airseries_ingest;
