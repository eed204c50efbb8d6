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

-- Whoever writes or corrects particles or humidity of a station that has a formula holds the station's lock to the end: of two that
-- write at the same time, the second sees what the first wrote. In one order, or two could wait for each other.
drop function if exists raw.lock_units(int[]) cascade;
create function raw.lock_units(sensors int[]) returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('raw.unit'), u.station_id)
  from (
    select distinct place.station_id
    from raw.sensor_station place
    where place.station_id in (select p.station_id from raw.sensor_station p where p.sensor_id = any (sensors))
      and place.sensor_id in (select c.sensor_id from raw.correction c where c.formula <> 'none')
    order by 1
  ) u
$$;

-- Relative humidity of the same unit: what another sensor of the station measured at the very same time (the readings that one
-- device sends together carry one time), unless it is suspect as a whole. Of several the one with the lowest number, so that there is
-- no choice. For many at once; `stations` are where the sensors stood at those times.
drop function if exists raw.humidity_beside(int[], int[], timestamptz[]) cascade;
create function raw.humidity_beside(sensors int[], stations int[], times timestamptz[])
returns table (sensor_id int, measured_at timestamptz, humidity real) language plpgsql stable
-- planned with the times at hand, so that chunks outside are left alone
set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  earliest timestamptz := (select min(t) from unnest(times) t);
  latest timestamptz := (select max(t) from unnest(times) t);
begin
  return query
  select w.sensor_id, w.measured_at, (array_agg(r.humidity order by r.sensor_id))[1]
  from unnest(sensors, stations, times) as w(sensor_id, station_id, measured_at)
  join raw.sensor_station place
    on place.station_id = w.station_id and place.sensor_id <> w.sensor_id and w.measured_at >= place.since and w.measured_at < place.until
  join raw.readings r on r.sensor_id = place.sensor_id and r.measured_at = w.measured_at
  where r.measured_at >= earliest and r.measured_at <= latest and r.humidity is not null and r.quality < 2
  group by 1, 2;
end $$;

-- Applies the formulas in force to stored readings, given by sensor and time. Under the lock of their units. Where `keep_given`, a PM2.5
-- that no formula makes of the instrument's own value was given as final, and stays. Returns how many became other ones.
drop function if exists raw.correct_again(int[], timestamptz[], boolean) cascade;
create function raw.correct_again(sensors int[], times timestamptz[], keep_given boolean) returns bigint language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  earliest timestamptz := (select min(t) from unnest(times) t);
  latest timestamptz := (select max(t) from unnest(times) t);
  needing_sensors int[];
  needing_stations int[];
  needing_times timestamptz[];
  n bigint;
begin
  select array_agg(r.sensor_id), array_agg(r.station_id), array_agg(r.measured_at) into needing_sensors, needing_stations, needing_times
  from unnest(sensors, times) as k(sensor_id, measured_at)
  join raw.readings r on r.sensor_id = k.sensor_id and r.measured_at = k.measured_at
  where r.measured_at >= earliest and r.measured_at <= latest and r.humidity is null and (r.pm25 is not null or r.pm25_raw is not null);

  update raw.readings r
  set pm25_raw = raw.pm25_raw_stored(k.formula, r.pm25, r.pm25_raw),
      pm25 = raw.pm25_stored(k.formula, r.pm25_raw is null, r.pm25, r.pm25_raw, coalesce(r.humidity, k.humidity))
  from (
    select k.sensor_id, k.measured_at, c.formula, beside.humidity
    from unnest(sensors, times) as k(sensor_id, measured_at)
    join raw.correction_period c on c.sensor_id = k.sensor_id and k.measured_at >= c.since and k.measured_at < c.until
    left join raw.humidity_beside(needing_sensors, needing_stations, needing_times) beside
      on beside.sensor_id = k.sensor_id and beside.measured_at = k.measured_at
  ) k
  where r.sensor_id = k.sensor_id and r.measured_at = k.measured_at and r.measured_at >= earliest and r.measured_at <= latest
    and (r.pm25 is not null or r.pm25_raw is not null)
    and (not keep_given or r.pm25 is null or r.pm25_raw is null or r.pm25 = r.pm25_raw
      or r.pm25 = raw.corrected('epa-2021', r.pm25_raw, coalesce(r.humidity, k.humidity)))
    and (r.pm25_raw, r.pm25) is distinct from (
      raw.pm25_raw_stored(k.formula, r.pm25, r.pm25_raw),
      raw.pm25_stored(k.formula, r.pm25_raw is null, r.pm25, r.pm25_raw, coalesce(r.humidity, k.humidity)));
  get diagnostics n = row_count;
  return n;
end $$;

-- The same for all readings of a sensor in [since, until), as far as readings are kept: after a formula was changed on purpose.
drop function if exists raw.recorrect(int, timestamptz, timestamptz) cascade;
create function raw.recorrect(sensor int, since timestamptz, until timestamptz) returns bigint language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  oldest timestamptz;
  times timestamptz[];
begin
  perform pg_advisory_xact_lock_shared(hashtext('raw.network'));
  perform raw.lock_units(array[sensor]);
  oldest := (select readings_since from raw.installation);
  times := array(select r.measured_at from raw.readings r
    where r.sensor_id = recorrect.sensor and r.measured_at >= greatest(recorrect.since, oldest) and r.measured_at < recorrect.until);
  return raw.correct_again(array_fill(sensor, array[cardinality(times)]), times, true);
end $$;

revoke all on function raw.lock_units, raw.humidity_beside, raw.correct_again, raw.recorrect from public;
grant execute on function raw.lock_units, raw.humidity_beside, raw.correct_again to airseries_ingest;
revoke all on function raw.quality, raw.corrected, raw.pm25_stored, raw.pm25_raw_stored from public;
grant execute on function raw.quality, raw.corrected, raw.pm25_stored, raw.pm25_raw_stored to airseries_ingest;
grant select on raw.bad_thp, raw.correction_period to airseries_ingest;
