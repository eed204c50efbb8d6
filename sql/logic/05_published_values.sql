-- Functions that turn stored values into published ones.

-- Returns the value, or null if no instrument can have measured it: NaN, infinities, and magnitudes of a billion or
-- more.
create function logic.possible(value float8) returns float8 language sql immutable parallel safe
  return case when abs(value) < 1e9 then value end;

-- Rounds a value to `digits` decimals, halves away from zero, and never returns -0. Halves are judged by the 15 digits
-- that a float8 certainly holds. Values that logic.possible rejects become null. Near a half, numeric arithmetic
-- decides; elsewhere floats give the same result sooner.
create function logic.published(value float8, digits int) returns float8
  language sql immutable parallel safe return case
  when abs(value) >= 1e9 then null -- NaN compares as greater than any number
  when abs(value * 10::float8 ^ digits - round(value * 10::float8 ^ digits)) < 0.4999
    then round(value * 10::float8 ^ digits) / 10::float8 ^ digits + 0
  else round(value::numeric, digits)::float8 end;

-- Like logic.published, for concentrations of particles and gases: negative values become 0, because instruments report
-- small ones.
create function logic.published_non_negative(value float8, digits int) returns float8
  language sql immutable parallel safe return case
  when value > -1e9 and value <= 0 then 0::float8
  else logic.published(value, digits) end;

-- Direction of a mean wind vector in degrees clockwise from north, in [0, 360). Null if the vector is too short to have
-- a direction (A7), or too long to be a mean of directions.
create function logic.wind_degrees(wind_sin float8, wind_cos float8) returns float8 language sql immutable parallel safe
  return case when abs(wind_sin) < 2 and abs(wind_cos) < 2 then
    case when wind_sin * wind_sin + wind_cos * wind_cos >= 1e-12
      then (atan2d(wind_sin, wind_cos)::numeric + 360) % 360 end
  end::float8;

-- Direction of a mean wind vector as published: whole degrees from 0 to 359.
create function logic.published_direction(wind_sin float8, wind_cos float8) returns int
  language sql immutable parallel safe
  return round(logic.wind_degrees(wind_sin, wind_cos)::numeric)::int % 360;

-- Equality of aggregates (A10): the tolerance is relative, 1e-9, and absolute below 1, because terms that cancel leave
-- a sum near 0 but not at 0. Null, NaN and infinities equal only themselves.
create function logic.same(a float8, b float8) returns boolean language sql immutable parallel safe return case
  when abs(a) < 1e300 and abs(b) < 1e300 then abs(a - b) <= 1e-9 * greatest(1, abs(a), abs(b))
  else a is not distinct from b end;
