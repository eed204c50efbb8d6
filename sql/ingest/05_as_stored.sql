-- The rules that turn what was given into what is stored, for the door and for changes of mind alike.

-- Quality of a reading (C5), from the suspicious periods of its sensor and the flag periods of the station it was taken for; a
-- missing one is null. Inlined.
drop function if exists raw.quality(timestamptz, tstzmultirange, tstzmultirange) cascade;
create function raw.quality(at timestamptz, suspicious tstzmultirange, bad_thp tstzmultirange) returns smallint language sql immutable parallel safe
  return case when suspicious @> at then 2 when bad_thp @> at then 1 else 0 end::smallint;

-- When a station's temperature, humidity and pressure are not to be trusted: the operator says so, or screening does.
drop view if exists raw.bad_thp cascade;
create view raw.bad_thp as
  select station_id, since, until from raw.bad_thp_period
  union all
  select p.station_id, p.since, p.until from raw.screened_period p;

-- The formula in force for a sensor at a time.
drop view if exists raw.correction_period cascade;
create view raw.correction_period as
  select sensor_id, formula, since, lead(since, 1, 'infinity') over (partition by sensor_id order by since) as until from raw.correction;

-- PM2.5 in µg/m³ as corrected by a formula (S5) from what the instrument gave and the relative humidity in % of the same unit.
-- epa-2021: K. K. Barkjohn et al., Development and application of a United States-wide correction for PM2.5 data collected with the
-- PurpleAir sensor (2021, doi 10.5194/amt-14-4617-2021), with the pieces for smoke of the AirNow Fire and Smoke Map; neighbours are
-- blended linearly. Null where a humidity is needed and not known, or where the result is out of the bounds of S1: the instrument's
-- own value is kept beside it in any case.
drop function if exists raw.corrected(text, float8, float8) cascade;
create function raw.corrected(formula text, pm25_raw float8, humidity float8) returns real language plpgsql immutable parallel safe as $$
declare
  low float8 := 0.524 * pm25_raw - 0.0862 * humidity + 5.75;
  middle float8 := 0.786 * pm25_raw - 0.0862 * humidity + 5.75;
  high float8 := 2.966 + 0.69 * pm25_raw + 8.84e-4 * pm25_raw * pm25_raw;
  result float8;
begin
  case formula
    when 'none' then result := pm25_raw;
    when 'epa-2021' then
      result := case
        when pm25_raw < 30 then low
        when pm25_raw < 50 then low + (middle - low) * (pm25_raw - 30) / 20
        when pm25_raw < 210 then middle
        when pm25_raw < 260 then middle + (high - middle) * (pm25_raw - 210) / 50
        else high
      end;
      result := case when result < 0 then 0 else result end;
  end case;
  return case when result between -10 and 2000 then result::real end;
end $$;

-- PM2.5 as it is stored. Given as pm25 it is final (even where it could not be used); given as pm25_raw, or from a sensor with a
-- formula, it is computed. Without a formula inlined to a choice between the two.
drop function if exists raw.pm25_stored(text, boolean, real, real, real) cascade;
create function raw.pm25_stored(formula text, is_final boolean, pm25 real, pm25_raw real, humidity real) returns real language sql immutable parallel safe
  return case
    when formula <> 'none' then raw.corrected(formula, coalesce(pm25_raw, pm25), humidity)
    when is_final then pm25
    else pm25_raw
  end;

-- What of it is kept as the instrument's own value.
drop function if exists raw.pm25_raw_stored(text, real, real) cascade;
create function raw.pm25_raw_stored(formula text, pm25 real, pm25_raw real) returns real language sql immutable parallel safe
  return case when pm25_raw is null and formula <> 'none' then pm25 else pm25_raw end;

-- Relative humidity of the same unit: what another sensor of the station measured at the very same time (the readings that one
-- device sends together carry one time). Of several the one with the lowest number, so that there is no choice.
drop function if exists raw.humidity_beside(int, int, timestamptz) cascade;
create function raw.humidity_beside(station int, sensor int, at timestamptz) returns real language sql stable as $$
  select r.humidity
  from raw.sensor_station place
  join raw.readings r on r.sensor_id = place.sensor_id and r.measured_at = at
  where place.station_id = station and place.sensor_id <> sensor and place.since <= at and at < place.until and r.humidity is not null
  order by r.sensor_id
  limit 1
$$;

-- Applies the formulas in force to stored readings of a sensor, [since, until): after a formula was changed on purpose, and where
-- the humidity of a unit arrived after its particles. Returns how many became other ones.
drop function if exists raw.recorrect(int, timestamptz, timestamptz) cascade;
create function raw.recorrect(sensor int, since timestamptz, until timestamptz) returns bigint language plpgsql
-- planned with the times at hand, so that chunks outside are left alone
set plan_cache_mode = force_custom_plan as $$
declare
  n bigint;
begin
  with corrected as materialized (
    select r.measured_at, raw.pm25_raw_stored(c.formula, r.pm25, r.pm25_raw) as pm25_raw,
      raw.pm25_stored(c.formula, r.pm25_raw is null, r.pm25, r.pm25_raw,
        coalesce(r.humidity, case when c.formula <> 'none' then raw.humidity_beside(r.station_id, r.sensor_id, r.measured_at) end)) as pm25
    from raw.readings r
    join raw.correction_period c on c.sensor_id = r.sensor_id and r.measured_at >= c.since and r.measured_at < c.until
    where r.sensor_id = recorrect.sensor and r.measured_at >= recorrect.since and r.measured_at < recorrect.until
      and (r.pm25 is not null or r.pm25_raw is not null)
  )
  update raw.readings r set pm25 = corrected.pm25, pm25_raw = corrected.pm25_raw
  from corrected
  where r.sensor_id = recorrect.sensor and r.measured_at = corrected.measured_at
    and r.measured_at >= recorrect.since and r.measured_at < recorrect.until
    and (r.pm25, r.pm25_raw) is distinct from (corrected.pm25, corrected.pm25_raw);
  get diagnostics n = row_count;
  return n;
end $$;

revoke all on function raw.quality, raw.corrected, raw.pm25_stored, raw.pm25_raw_stored, raw.humidity_beside, raw.recorrect from public;
grant execute on function raw.quality, raw.corrected, raw.pm25_stored, raw.pm25_raw_stored, raw.humidity_beside, raw.recorrect to airseries_ingest;
grant select on raw.bad_thp, raw.correction_period to airseries_ingest;
