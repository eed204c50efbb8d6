-- Ranges of time and the buckets they touch.

-- The first full hour at or after an instant (Z3). Infinities stay as they are.
create function logic.hour_ceiling(at timestamptz) returns timestamptz language sql immutable parallel safe
  return case when rollup.bucket_start('hour', at) = at then at else rollup.bucket_start('hour', at) + interval '1 hour' end;

-- What is in one of the two and not in the other; a missing one is empty.
create function logic.either(a tstzmultirange, b tstzmultirange) returns tstzmultirange language sql immutable parallel safe
  return (coalesce(a, '{}') + coalesce(b, '{}')) - (coalesce(a, '{}') * coalesce(b, '{}'));

-- Ranges widened to whole buckets; infinite ends stay as they are.
create function logic.widen(unit text, ranges tstzmultirange) returns tstzmultirange language sql immutable parallel safe
  return (select coalesce(range_agg(tstzrange(
            rollup.bucket_start(unit, lower(part)),
            rollup.bucket_add(unit, rollup.bucket_start(unit, upper(part) - interval '1 microsecond'), 1))), '{}')
          from unnest(ranges) part);

-- Finite ranges cut at local months, in order of time, so that work on one piece needs no more memory than a month does.
create function logic.month_pieces(ranges tstzmultirange) returns table (since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select greatest(lower(whole), month.first), least(upper(whole), month.next)
  from unnest(ranges) whole
  cross join lateral generate_series(0, (extract(epoch from upper(whole) - lower(whole)) / 86400 / 28)::int + 1) n
  cross join lateral (
    select rollup.bucket_add('month', rollup.bucket_start('month', lower(whole)), n) as first,
           rollup.bucket_add('month', rollup.bucket_start('month', lower(whole)), n + 1) as next
  ) month
  where month.first < upper(whole)
  order by 1;
end;
