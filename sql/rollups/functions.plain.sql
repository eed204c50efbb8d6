-- Plain PostgreSQL: the two TimescaleDB functions that the aggregates use, with the same results for hours, days and
-- months.
create function {{rollup}}.time_bucket(bucket_width interval, ts timestamptz, origin timestamptz) returns timestamptz
language sql immutable parallel safe
  return date_bin(bucket_width, ts, origin);
create function {{rollup}}.time_bucket(bucket_width interval, ts timestamptz, timezone text, origin timestamptz)
  returns timestamptz
language sql stable parallel safe
  return date_trunc(case bucket_width when interval '1 month' then 'month' else 'day' end, ts, timezone);
