-- The history windows at an instant (H1): closed hours, completed days, and months including the current one.
create function api.history_window(at timestamptz)
returns table (series text, unit text, since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select w.series, w.unit,
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running - w.buckets),
    rollup.bucket_add(w.unit, rollup.bucket_start(w.unit, at), w.running)
  from (values {{list window: ('$key', '$unit', $count, $running)}}) as w(series, unit, buckets, running);
end;
comment on function api.history_window is
  'The history windows at an instant. One row per window. Columns: series (key of the window), unit (of its buckets: '
  'hour, day or month), since, until (half-open bounds).';

-- The history windows in one row, with the range of each unit that covers all of its windows. History queries read
-- these ranges.
create function api.history_bounds(at timestamptz)
returns table (
  hours_since timestamptz, hours_until timestamptz, days_since timestamptz, days_until timestamptz,
    months_since timestamptz, months_until timestamptz,
  {{list window: since_$key timestamptz, until_$key timestamptz}}
) language sql immutable parallel safe begin atomic
  select
    min(w.since) filter (where w.unit = 'hour'), max(w.until) filter (where w.unit = 'hour'),
    min(w.since) filter (where w.unit = 'day'), max(w.until) filter (where w.unit = 'day'),
    min(w.since) filter (where w.unit = 'month'), max(w.until) filter (where w.unit = 'month'),
    {{list window: min(w.since) filter (where w.series = '$key'), max(w.until) filter (where w.series = '$key')}}
  from api.history_window(at) w;
end;
comment on function api.history_bounds is
  'The history windows of an instant as the arguments of api.station_history_json and api.region_history_json. One '
  'row. Columns: hours_since, hours_until, days_since, days_until, months_since, months_until (the range of a unit '
  'that covers all of its windows), {{list window: since_$key, until_$key}} (all half-open).';

-- Windows move only when an hour closes, since days and months end with an hour.
create function api.history_valid_until(at timestamptz) returns timestamptz language sql immutable parallel safe
  return rollup.bucket_add('hour', rollup.bucket_start('hour', at), 1);
comment on function api.history_valid_until is
  'The first instant after the given one at which the history windows move.';
