-- PM2.5 of a station from the means `s` of its sensors, each with its placement `p` (S5). A sensor without a formula
-- contributes its pm25, or else its pm25_raw. Sensors with the same formula are averaged, then corrected together with
-- their own mean humidity, since the formula was fitted inside the instrument, or where none of them has any, with the
-- station's; without humidity they are left out. Null if no sensor remains.
(coalesce(sum(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none'), 0)
  {{repeat formula: + coalesce(count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name')
    * {{rollup}}.corrected('$name', avg(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name'),
      coalesce(avg(s.humidity) filter (where p.formula = '$name'), avg(s.humidity))), 0)}})
  / nullif(count(coalesce(s.pm25, s.pm25_raw)) filter (where p.formula = 'none')
    {{repeat formula: + case when avg(s.humidity) is null then 0
      else count(coalesce(s.pm25_raw, s.pm25)) filter (where p.formula = '$name') end}}, 0)
