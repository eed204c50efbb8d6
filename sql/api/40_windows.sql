-- The five history windows at an instant (H1): hours and days closed, months with the running one. Half-open.
create function api.history_window(at timestamptz)
returns table (series text, unit text, since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select w.series, w.unit,
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running - w.buckets),
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running)
  from (values ('24h', 'hour', 24, 0), ('7d', 'hour', 168, 0), ('30d', 'day', 30, 0), ('1y', 'month', 12, 1), ('2y', 'month', 24, 1))
    as w(series, unit, buckets, running);
end;
