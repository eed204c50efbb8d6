-- The history windows at an instant (H1): closed hours and completed days, and months including the current one.
create function api.history_window(at timestamptz)
returns table (series text, unit text, since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select w.series, w.unit,
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running - w.buckets),
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running)
  from (values {{each window: ('$key', '$unit', $count, $running)}}) as w(series, unit, buckets, running);
end;
comment on function api.history_window is
  'The history windows at an instant. One row per window. Columns: series (key of the window), unit (of its buckets: hour, day or month), since, until (half-open bounds).';

-- What has to be read for them: per unit, the range that holds all of its windows.
create function api.history_extent(at timestamptz)
returns table (
  hours_since timestamptz, hours_until timestamptz, days_since timestamptz, days_until timestamptz, months_since timestamptz, months_until timestamptz
) language sql immutable parallel safe begin atomic
  select
    min(w.since) filter (where w.unit = 'hour'), max(w.until) filter (where w.unit = 'hour'),
    min(w.since) filter (where w.unit = 'day'), max(w.until) filter (where w.unit = 'day'),
    min(w.since) filter (where w.unit = 'month'), max(w.until) filter (where w.unit = 'month')
  from api.history_window(at) w;
end;
comment on function api.history_extent is
  'The ranges that hold all history windows of an instant, as api.station_series and api.region_series take them. One row. Columns: hours_since, hours_until, days_since, days_until, months_since, months_until (half-open bounds).';

-- Only a closing hour moves a window: days and months close with one.
create function api.history_valid_until(at timestamptz) returns timestamptz language sql immutable parallel safe
  return rollup.bucket_add('hour', rollup.bucket_start('hour', at), 1);
comment on function api.history_valid_until is 'The first instant at which the history windows of an instant move.';
