-- The unrounded means of a bucket `h` of a sensor, station or region, as JSON text.
concat('{"timestamp":', to_json(h.bucket),
  {{list mean: ',"$key":', coalesce(logic.possible(h.$name)::text, 'null')}},
  ',"wind_sin":', coalesce(logic.possible(h.wind_sin)::text, 'null'),
  ',"wind_cos":', coalesce(logic.possible(h.wind_cos)::text, 'null'),
  ',"rain":', coalesce(logic.possible(h.rain)::text, 'null'), '}')
