-- Ranges of time and the buckets they overlap.

-- The first full hour at or after an instant (Z3). Infinities are returned unchanged.
create function logic.hour_ceiling(at timestamptz) returns timestamptz language sql immutable parallel safe
  return case when rollup.bucket_start('hour', at) = at then at else rollup.bucket_start('hour', at) + interval '1 hour' end;

-- Symmetric difference; null counts as empty.
create function logic.symmetric_difference(a tstzmultirange, b tstzmultirange) returns tstzmultirange language sql immutable parallel safe
  return (coalesce(a, '{}') + coalesce(b, '{}')) - (coalesce(a, '{}') * coalesce(b, '{}'));

-- Ranges extended to whole buckets of a unit; infinite bounds are kept.
create function logic.widen(unit text, ranges tstzmultirange) returns tstzmultirange language sql immutable parallel safe
  return (select coalesce(range_agg(tstzrange(
            rollup.bucket_start(unit, lower(part)),
            rollup.bucket_add(unit, rollup.bucket_start(unit, upper(part) - interval '1 microsecond'), 1))), '{}')
          from unnest(ranges) part);

-- Finite ranges split at local months, in order of time, so that processing one piece at a time bounds memory.
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
