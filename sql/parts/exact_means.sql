-- A bucket `h` of a sensor, station or region as JSON, unrounded: what a page needs to compute the published values again.
json_build_object(
  'timestamp', h.bucket,
  {{list mean: '$key', logic.possible(h.$name)}},
  'wind_sin', logic.possible(h.wind_sin),
  'wind_cos', logic.possible(h.wind_cos),
  'rain', logic.possible(h.rain))
