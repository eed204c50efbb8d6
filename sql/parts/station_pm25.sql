-- PM2.5 of a station from the means `s` of its sensors, each with its placement `p` (S5): sensors without a formula give what they
-- call final, or else what the instrument said; those of one formula are averaged first and corrected together, with the station's
-- mean humidity. Without humidity they are left out; null if none is left.
(coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  {{every formula: + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name')
    * rollup.corrected('$name', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name'), avg(s.humidity)), 0)}})
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    {{every formula: + case when avg(s.humidity) is null then 0 else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name') end}}, 0)
