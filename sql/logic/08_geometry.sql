-- Distances between places, and cells of the globe by which near ones are found.

-- Great-circle distance in km (haversine, the mean radius of the Earth).
create function logic.distance_km(latitude float8, longitude float8, other_latitude float8, other_longitude float8)
  returns float8
language sql immutable parallel safe
  return 2 * 6371.0088 * asin(least(1, sqrt(sind((other_latitude - latitude) / 2) ^ 2
    + cosd(latitude) * cosd(other_latitude) * sind((other_longitude - longitude) / 2) ^ 2)));

-- The number of the cell, a cube of 10 km, that contains a place on the globe. Places within 10 km of it are in the
-- same cell or an adjacent one.
create function logic.cell(latitude float8, longitude float8) returns bigint language sql immutable parallel safe
  return (floor(637.1 * cosd(latitude) * cosd(longitude))::bigint * 4096
    + floor(637.1 * cosd(latitude) * sind(longitude))::bigint) * 4096
    + floor(637.1 * sind(latitude))::bigint;

-- The differences between the number of a cell and the numbers of itself and the 26 cells around it.
create function logic.cell_steps() returns bigint[] language sql immutable parallel safe
  return array(
    select (x * 4096::bigint + y) * 4096 + z
    from generate_series(-1, 1) x, generate_series(-1, 1) y, generate_series(-1, 1) z);
