-- A station's city and district are those it belongs to at an instant, and among several of a kind the first that the network file lists (C8).
alter table raw.station_region add column position int not null default 0;
comment on column raw.station_region.position is 'place among the regions that the network file lists for the station';
update raw.station_region p set position = 1
from raw.station s
where s.id = p.station_id and p.region_slug is distinct from s.city_slug and p.region_slug is distinct from s.district_slug;

-- Nothing reads these any more, but until schema api is rebuilt the views of the version before do.
alter table raw.station drop constraint station_city_slug_fkey, drop constraint station_district_slug_fkey;
comment on column raw.station.city_slug is 'unused';
comment on column raw.station.district_slug is 'unused';

-- How old a reading may be is an absolute duration, whatever zone a session has: a day is 24 hours.
update raw.provider set stale_after = make_interval(secs => extract(epoch from stale_after));

-- What schemas logic and api held when they were built: anything else was changed by hand.
alter table raw.installation add column catalog text;
