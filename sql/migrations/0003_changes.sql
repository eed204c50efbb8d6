-- Smoke is not hidden at once (C9), and the record keeps what its hours were then (R1).

-- A period of outlier with fewer than 24 suspect hours keeps them, so that later runs can count; regions leave the
-- station out where they are null. Older periods stay as they were published: `screen --from` judges them again.
alter table raw.screened_period add hours timestamptz[];

-- The regions whose numbers a station's change changed, which are those of its hours when it showed: a later membership
-- does not rewrite them. Reason first: hours that were never published before, which is no change to tell; the archive
-- alone reads it.
alter table rollup.change add regions text[];
alter table rollup.change drop constraint change_reason_check;
alter table rollup.change add constraint change_reason_check check (reason in ('first', 'late', 'corrected', 'deleted',
  'placement', 'formula', 'membership', 'flag', 'screening', 'zone', 'version', 'repair'));
create index on rollup.change using gin (regions);
-- of older rows, the memberships as they are now are all that is known
update rollup.change c set regions = array(
  select distinct m.region_slug from raw.membership m
  where m.station_id = c.station_id and m.since < c.until and m.until > c.since order by 1)
where c.station_id is not null and c.region_slug is null and c.shown_at is not null;
do $$
begin
  if to_regclass('rollup.station_hourly') is not null then
    update rollup.change c set reason = 'first'
    where c.reason = 'late' and c.region_slug is null and not exists (
      select from rollup.station_hourly h where h.station_id = c.station_id and h.bucket < c.since);
  end if;
end $$;
