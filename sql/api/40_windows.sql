-- The history windows at an instant (H1): of hours and days the closed ones, of months the running one too.
create function api.history_window(at timestamptz)
returns table (series text, unit text, since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select w.series, w.unit,
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running - w.buckets),
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running)
  from (values {{each window: ('$key', '$unit', $count, $running)}}) as w(series, unit, buckets, running);
end;
comment on function api.history_window is
  'The history windows at an instant, half-open. Columns: series (key of the window), unit (of its buckets: hour, day or month), since, until.';
