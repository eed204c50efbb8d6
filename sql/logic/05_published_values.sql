-- From stored values to published ones.

-- A value, unless no measurement can have given it: NaN, infinities and everything from a billion on are null.
create function logic.possible(value float8) returns float8 language sql immutable parallel safe
  return case when abs(value) < 1e9 then value end;

-- Rounded to `digits` decimals, half away from zero by the 15 digits that a float8 holds for certain, never -0. Null for what is not
-- possible, as above. Numeric arithmetic decides near a tie; elsewhere floats give the same in less time.
create function logic.published(value float8, digits int) returns float8 language sql immutable parallel safe return case
  when abs(value) >= 1e9 then null -- so is NaN
  when abs(value * 10::float8 ^ digits - round(value * 10::float8 ^ digits)) < 0.4999
    then round(value * 10::float8 ^ digits) / 10::float8 ^ digits + 0
  else round(value::numeric, digits)::float8 end;

-- The same for particle concentrations: instruments report small negative values, which are published as 0.
create function logic.published_floor(value float8, digits int) returns float8 language sql immutable parallel safe return case
  when value > -1e9 and value <= 0 then 0::float8
  else logic.published(value, digits) end;

-- Direction of a mean wind vector in degrees clockwise from north, [0, 360); null if the vector is too short to have one (A7), or
-- longer than any mean of directions.
create function logic.wind_degrees(wind_sin float8, wind_cos float8) returns float8 language sql immutable parallel safe
  return case when abs(wind_sin) < 2 and abs(wind_cos) < 2 then
    case when wind_sin * wind_sin + wind_cos * wind_cos >= 1e-12 then (atan2d(wind_sin, wind_cos)::numeric + 360) % 360 end
  end::float8;

-- The same as published: whole degrees from 0 to 359.
create function logic.published_direction(wind_sin float8, wind_cos float8) returns int language sql immutable parallel safe
  return round(logic.wind_degrees(wind_sin, wind_cos)::numeric)::int % 360;

-- Equality of aggregates (A10): relative tolerance 1e-9, absolute below 1, since sums of cancelling terms end near 0 but not at 0. Null, NaN
-- and infinities equal nothing but themselves.
create function logic.same(a float8, b float8) returns boolean language sql immutable parallel safe return case
  when abs(a) < 1e300 and abs(b) < 1e300 then abs(a - b) <= 1e-9 * greatest(1, abs(a), abs(b))
  else a is not distinct from b end;
