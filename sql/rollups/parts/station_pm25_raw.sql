-- Uncorrected PM2.5 of a station from the means `s` of its sensors, each with its placement `p` (S5).
avg(case when p.formula = 'none' then s.pm25_raw else coalesce(s.pm25_raw, s.pm25) end)
