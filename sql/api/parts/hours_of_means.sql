-- The number of hours behind each mean of a bucket `h`, as JSON.
concat('{', {{list mean: '"$key":', h.$name_hours, ','}},
  '"wind_sin":', h.wind_hours, ',"wind_cos":', h.wind_hours, '}')::json
