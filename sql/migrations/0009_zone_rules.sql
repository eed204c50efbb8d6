-- The rules of the zone with which days and months were computed: its offsets from the epoch to about five years on, each with its period (Z5).
create table raw.zone_offset (
  since timestamptz primary key,
  until timestamptz not null,
  utc_offset interval not null
);

-- When the server's rules last changed and were followed, and the first instant that they changed. Or from when on they are not followed, and why.
alter table raw.installation
  add column zone_changed_at timestamptz,
  add column zone_changed_from timestamptz,
  add column zone_refused_from timestamptz,
  add column zone_refused text;

-- A record of kept hours is of this month as it was then: other rules of the zone may let the month end at another hour.
alter table rollup.expired_month add column until timestamptz;
update rollup.expired_month m set until = coalesce(
  (select min(n.month) from rollup.expired_month n where n.month > m.month and n.month < m.month + interval '32 days'),
  (date_trunc('month', (m.month + interval '1 day') at time zone i.time_zone) + interval '1 month') at time zone i.time_zone)
from raw.installation i;
alter table rollup.expired_month alter column until set not null;
