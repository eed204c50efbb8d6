-- Arithmetic that the aggregates are built on. Changing any of it is a new migration that rebuilds them.

-- A number as published: rounded half away from zero on its decimal digits, never -0. Null stays null.
create function rollup.published(value float8, digits int) returns float8 language sql immutable parallel safe
  return round(value::numeric, digits)::float8;

-- The same for a concentration of particles, of which instruments report small negatives: published as 0.
create function rollup.published_floor(value float8, digits int) returns float8 language sql immutable parallel safe
  return case when value > 0 then round(value::numeric, digits)::float8 when value <= 0 then 0::float8 end;

-- US EPA air quality index, table of May 2024 (40 CFR 58 Appendix G), of a mean PM2.5 and PM10 in µg/m³: the larger of the two (Q1).
-- Computed from the published values (Q2): PM2.5 in tenths, PM10 in whole µg/m³ after rounding to tenths. Whole numbers all the
-- way, so "half up" is exact: low + (2·rise·x + run) / (2·run). Above the table the last slope goes on.
create function rollup.aqi(pm25 float8, pm10 float8) returns int language plpgsql immutable parallel safe as $$
declare
  fine int := greatest(round(pm25::numeric, 1) * 10, 0)::int;
  coarse int := trunc(greatest(round(pm10::numeric, 1), 0))::int;
begin
  return greatest(
    case
      when pm25 is null then null
      when fine <= 90 then (2 * 50 * fine + 90) / (2 * 90)
      when fine <= 354 then 51 + (2 * 49 * (fine - 91) + 263) / (2 * 263)
      when fine <= 554 then 101 + (2 * 49 * (fine - 355) + 199) / (2 * 199)
      when fine <= 1254 then 151 + (2 * 49 * (fine - 555) + 699) / (2 * 699)
      when fine <= 2254 then 201 + (2 * 99 * (fine - 1255) + 999) / (2 * 999)
      else 301 + (2 * 199 * (fine - 2255) + 999) / (2 * 999)
    end,
    case
      when pm10 is null then null
      when coarse <= 54 then (2 * 50 * coarse + 54) / (2 * 54)
      when coarse <= 154 then 51 + (2 * 49 * (coarse - 55) + 99) / (2 * 99)
      when coarse <= 254 then 101 + (2 * 49 * (coarse - 155) + 99) / (2 * 99)
      when coarse <= 354 then 151 + (2 * 49 * (coarse - 255) + 99) / (2 * 99)
      when coarse <= 424 then 201 + (2 * 99 * (coarse - 355) + 69) / (2 * 69)
      else 301 + (2 * 199 * (coarse - 425) + 179) / (2 * 179)
    end);
end $$;

-- Degrees clockwise from north of a mean wind vector, in [0, 360); null where the vector is too short to have a direction (A7).
create function rollup.wind_degrees(wind_sin float8, wind_cos float8) returns float8 language sql immutable parallel safe
  return case when wind_sin * wind_sin + wind_cos * wind_cos >= 1e-12 then
    (atan2d(wind_sin, wind_cos)::numeric + 360) % 360 end::float8;

-- Equal as rule A10 says: 1e-9 relative. Sums of cancelling terms end near 0 and not at it, so below 1 the tolerance is absolute.
create function rollup.same(a float8, b float8) returns boolean language sql immutable parallel safe
  return coalesce(abs(a - b) <= 1e-9 * greatest(1, abs(a), abs(b)), a is null and b is null);
