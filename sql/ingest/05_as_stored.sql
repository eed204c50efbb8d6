-- The two rules that turn what was given into what is stored, inlined wherever they are called.

-- Quality of a reading (C5), from the suspicious periods of its sensor and the flag periods of the station it was taken for; a
-- missing one is null. For the door and for corrections of the network alike.
drop function if exists raw.quality(timestamptz, tstzmultirange, tstzmultirange) cascade;
create function raw.quality(at timestamptz, suspicious tstzmultirange, bad_thp tstzmultirange) returns smallint language sql immutable parallel safe
  return case when suspicious @> at then 2 when bad_thp @> at then 1 else 0 end::smallint;

-- A value as it is stored: as it was given, except PM2.5 (S5). Given as pm25 it is final, even where it could not be used; given
-- as pm25_raw alone it is computed by the sensor's correction, of which `none` is the only one so far.
drop function if exists raw.as_stored(text, real, text, boolean, real, real) cascade;
create function raw.as_stored(metric text, value real, correction text, pm25_given boolean, pm25_raw real, humidity real)
returns real language sql immutable parallel safe
  return case when metric = 'pm25' and not pm25_given then pm25_raw else value end;

revoke all on function raw.quality, raw.as_stored from public;
grant execute on function raw.quality, raw.as_stored to airseries_ingest;
