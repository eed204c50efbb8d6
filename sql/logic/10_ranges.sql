-- Ranges of time and the buckets they overlap.

-- The first full hour at or after an instant (Z3). Infinities are returned unchanged.
create function logic.hour_ceiling(at timestamptz) returns timestamptz language sql immutable parallel safe
  return case when rollup.bucket_start('hour', at) = at then at else rollup.bucket_start('hour', at) + interval '1 hour' end;

-- Symmetric difference; null counts as empty.
create function logic.symmetric_difference(a tstzmultirange, b tstzmultirange) returns tstzmultirange language sql immutable parallel safe
  return (coalesce(a, '{}') + coalesce(b, '{}')) - (coalesce(a, '{}') * coalesce(b, '{}'));

-- Ranges extended to whole buckets of a unit; infinite bounds are kept. Null counts as empty.
create function logic.widen(unit text, ranges tstzmultirange) returns tstzmultirange language sql immutable parallel safe
  return (select coalesce(range_agg(tstzrange(
            rollup.bucket_start(unit, lower(part)),
            rollup.bucket_add(unit, rollup.bucket_start(unit, upper(part) - interval '1 microsecond'), 1))), '{}')
          from unnest(ranges) part);

-- Finite ranges split into pieces of `buckets` buckets of a unit, from the start of each range on, in order of time.
create function logic.pieces(unit text, buckets int, ranges tstzmultirange) returns table (since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select greatest(lower(whole), piece.first), least(upper(whole), piece.next)
  from unnest(ranges) whole
  cross join lateral (select rollup.bucket_start(unit, lower(whole)) as at) start
  cross join lateral generate_series(0, (extract(epoch from upper(whole) - start.at)
    / (extract(epoch from ('1 ' || unit)::interval) * 0.9 * buckets))::int + 1) n -- a month or a day may be shorter than its interval says
  cross join lateral (
    select rollup.bucket_add(unit, start.at, n * buckets) as first, rollup.bucket_add(unit, start.at, (n + 1) * buckets) as next
  ) piece
  where piece.first < upper(whole)
  order by 1;
end;
