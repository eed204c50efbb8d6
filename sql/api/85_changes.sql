-- What changed in published numbers, when and why (R1).

create function api.changes(since timestamptz, until timestamptz)
returns table (
  shown_at timestamptz, reason text, station_id int, region_slug text, sensor_id int, first_hour timestamptz,
    last_hour timestamptz
) language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select c.shown_at, c.reason, c.station_id, c.region_slug, c.sensor_id, c.since, c.until - interval '1 hour'
  from rollup.change c
  where c.shown_at >= changes.since and c.shown_at < changes.until;
end;
comment on function api.changes is
  'Changes of hours that had been published, by the time at which they showed. One row per change, kept for two '
  'years. Without a region, the numbers of the station and of its regions in these hours changed; with one, only '
  'the region’s, because of the station; without a station, all.
Columns:
  shown_at (when the changed numbers showed; of a change that went on within a day, the last time),
  reason (late, corrected or deleted: readings; placement, formula, membership or flag: the network file; screening; '
  'zone: the rules of the time zone; version: the aggregates of a new version; repair: an operator),
  station_id (station id; null: all stations),
  region_slug (slug of the region; null: those of the station, or all),
  sensor_id (sensor that was moved or got another formula; else null),
  first_hour, last_hour (starts of the first and the last changed hour).';
