-- Functions that the aggregates call. They are built with the aggregates and are part of their fingerprint: a change of
-- this text rebuilds all aggregates, except in lines that begin with `--`. A body in PL/pgSQL must not name its own
-- schema: a rebuild creates it in schema rollup_next, and its text would still name that schema after the move.

-- The time zone, and the instant at which the first hour, day and month begin, as constants that the planner can fold
-- (Z1).
create function {{rollup}}.time_zone() returns text language sql immutable parallel safe return {{zone}};
create function {{rollup}}.origin() returns timestamptz language sql immutable parallel safe return {{origin}};

-- The start of the hour, local day or local month that contains an instant (Z3). Infinities are returned unchanged.
create function {{rollup}}.bucket_start(unit text, at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return case unit when 'hour' then date_bin('1 hour', at, {{rollup}}.origin())
         else date_trunc(unit, at at time zone {{rollup}}.time_zone()) at time zone {{rollup}}.time_zone() end;

-- The start of the n-th bucket after the one that starts at `bucket`.
create function {{rollup}}.bucket_add(unit text, bucket timestamptz, n int) returns timestamptz
  language sql immutable parallel safe
  return case unit when 'hour' then bucket + n * interval '1 hour'
         -- truncated first: where the clocks skip midnight, that day begins at 01:00 but the next one at 00:00
         else (date_trunc(unit, bucket at time zone {{rollup}}.time_zone()) + n * ('1 ' || unit)::interval)
           at time zone {{rollup}}.time_zone() end;

-- US EPA air quality index with the breakpoints of May 2024 (40 CFR 58 Appendix G), from mean PM2.5 and PM10 in µg/m³.
-- It is the larger of the two (Q1), null if both means are null. Means of 500,000 µg/m³ and more, which no instrument
-- measures, count as null, and so do NaN and infinities. The index is computed from the published values (Q2): PM2.5 in
-- tenths, PM10 in whole µg/m³ after rounding to tenths. Near a tie numeric arithmetic rounds; elsewhere floats do, in
-- less than half the time. The rest is integer arithmetic, so rounding half up is exact: low + (2·rise·x + run) /
-- (2·run). Above the table the last slope continues.
create function {{rollup}}.aqi(pm25 float8, pm10 float8) returns int language plpgsql immutable parallel safe as $$
declare
  fine int := case when abs(pm25) < 500000 then
    greatest(round(case when abs(pm25 * 10 - round(pm25 * 10)) < 0.4999 then pm25 * 10
      else round(pm25::numeric, 1) * 10 end), 0) end::int;
  coarse int := case when abs(pm10) < 500000 then
    greatest(round(case when abs(pm10 * 10 - round(pm10 * 10)) < 0.4999 then pm10 * 10
      else round(pm10::numeric, 1) * 10 end), 0) end::int / 10;
begin
  return greatest(
    case
      when fine is null then null
      when fine <= 90 then (2 * 50 * fine + 90) / (2 * 90)
      when fine <= 354 then 51 + (2 * 49 * (fine - 91) + 263) / (2 * 263)
      when fine <= 554 then 101 + (2 * 49 * (fine - 355) + 199) / (2 * 199)
      when fine <= 1254 then 151 + (2 * 49 * (fine - 555) + 699) / (2 * 699)
      when fine <= 2254 then 201 + (2 * 99 * (fine - 1255) + 999) / (2 * 999)
      else 301 + (2 * 199 * (fine - 2255) + 999) / (2 * 999)
    end,
    case
      when coarse is null then null
      when coarse <= 54 then (2 * 50 * coarse + 54) / (2 * 54)
      when coarse <= 154 then 51 + (2 * 49 * (coarse - 55) + 99) / (2 * 99)
      when coarse <= 254 then 101 + (2 * 49 * (coarse - 155) + 99) / (2 * 99)
      when coarse <= 354 then 151 + (2 * 49 * (coarse - 255) + 99) / (2 * 99)
      when coarse <= 424 then 201 + (2 * 99 * (coarse - 355) + 69) / (2 * 69)
      else 301 + (2 * 199 * (coarse - 425) + 179) / (2 * 179)
    end);
end $$;

-- PM2.5 in µg/m³ corrected by a formula (S5), from the mean PM2.5 that instruments of one kind measured and the
-- relative humidity in %. Null if either is null, NaN, infinite or larger than anything measured; never below 0. An
-- unknown formula is an error. epa-2021: K. K. Barkjohn et al., Development and application of a United States-wide
-- correction for PM2.5 data collected with the PurpleAir sensor (2021, doi 10.5194/amt-14-4617-2021), extended for
-- smoke as in the AirNow Fire and Smoke Map; adjacent pieces are blended linearly.
create function {{rollup}}.corrected(formula text, pm25_raw float8, humidity float8) returns float8
  language plpgsql immutable strict parallel safe as $$
declare
  smoke constant float8 := least(greatest((pm25_raw - 210) / 50, 0), 1); -- the share of the piece for smoke
begin
  if formula <> 'epa-2021' then
    raise exception 'unknown correction formula %', formula;
  end if;
  if abs(pm25_raw) >= 1e6 or abs(humidity) >= 1e6 then
    return null;
  end if;
  return greatest(0,
    (1 - smoke) * ((0.524 + 0.262 * least(greatest((pm25_raw - 30) / 20, 0), 1)) * pm25_raw - 0.0862 * humidity + 5.75)
    + smoke * (2.966 + 0.69 * pm25_raw + 8.84e-4 * pm25_raw * pm25_raw));
end $$;
