-- How a number that is stored becomes one that is published.

-- Rounded half away from zero on its decimal digits, never -0. Null stays null.
create function logic.published(value float8, digits int) returns float8 language sql immutable parallel safe
  return round(value::numeric, digits)::float8;

-- The same for a concentration of particles, of which instruments report small negatives: published as 0.
create function logic.published_floor(value float8, digits int) returns float8 language sql immutable parallel safe
  return case when value > 0 then round(value::numeric, digits)::float8 when value <= 0 then 0::float8 end;

-- Degrees clockwise from north of a mean wind vector, in [0, 360); null where the vector is too short to have a direction (A7).
create function logic.wind_degrees(wind_sin float8, wind_cos float8) returns float8 language sql immutable parallel safe
  return case when wind_sin * wind_sin + wind_cos * wind_cos >= 1e-12 then
    (atan2d(wind_sin, wind_cos)::numeric + 360) % 360 end::float8;

-- The same as published: whole degrees, in 0 … 359.
create function logic.published_direction(wind_sin float8, wind_cos float8) returns int language sql immutable parallel safe
  return round(logic.wind_degrees(wind_sin, wind_cos)::numeric)::int % 360;

-- Equal as rule A10 says: 1e-9 relative. Sums of cancelling terms end near 0 and not at it, so below 1 the tolerance is absolute.
create function logic.same(a float8, b float8) returns boolean language sql immutable parallel safe
  return coalesce(abs(a - b) <= 1e-9 * greatest(1, abs(a), abs(b)), a is null and b is null);
