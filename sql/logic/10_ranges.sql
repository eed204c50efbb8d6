-- Functions on ranges of time and on the buckets that they overlap.

-- The first full hour at or after an instant (Z3). Infinities are returned unchanged.
create function logic.hour_ceiling(at timestamptz) returns timestamptz language sql immutable parallel safe
  return case when rollup.bucket_start('hour', at) = at then at else rollup.bucket_start('hour', at)
    + interval '1 hour' end;

-- The bucket of a unit that contains an instant.
create function logic.bucket(unit text, at timestamptz) returns tstzrange language sql immutable parallel safe
  return tstzrange(rollup.bucket_start(unit, at), rollup.bucket_add(unit, rollup.bucket_start(unit, at), 1));

-- Symmetric difference of two sets of ranges. Null counts as empty.
create function logic.symmetric_difference(a tstzmultirange, b tstzmultirange) returns tstzmultirange
  language sql immutable parallel safe
  return (coalesce(a, '{}') + coalesce(b, '{}')) - (coalesce(a, '{}') * coalesce(b, '{}'));

-- Extends ranges to whole buckets of a unit, keeping infinite bounds. Null counts as empty.
create function logic.widen(unit text, ranges tstzmultirange) returns tstzmultirange
  language sql immutable parallel safe
  return (select coalesce(range_agg(tstzrange(
            rollup.bucket_start(unit, lower(part)),
            rollup.bucket_add(unit, rollup.bucket_start(unit, upper(part) - interval '1 microsecond'), 1))), '{}')
          from unnest(ranges) part);

-- The whole hours inside ranges. Null counts as empty.
create function logic.whole_hours(ranges tstzmultirange) returns tstzmultirange
  language sql immutable parallel safe
  return (select coalesce(range_agg(tstzrange(hours.first, hours.next)), '{}')
          from unnest(ranges) part
          cross join lateral (select logic.hour_ceiling(lower(part)) as first,
            rollup.bucket_start('hour', upper(part)) as next) hours
          where hours.first < hours.next);

-- Joins ranges between which no more than `gap` lies, counted in hours.
create function logic.join_ranges(ranges tstzmultirange, gap interval) returns tstzmultirange language sql stable as $$
  select coalesce(range_agg(tstzrange(lower(part), upper(part) - gap)), '{}')
  from unnest((select range_agg(tstzrange(lower(part), upper(part) + gap)) from unnest(ranges) part)) part
$$;

-- Splits finite ranges into pieces of `buckets` buckets of a unit, counted from the bucket in which each range begins,
-- in order of time.
create function logic.pieces(unit text, buckets int, ranges tstzmultirange)
  returns table (since timestamptz, until timestamptz)
language sql immutable parallel safe begin atomic
  select greatest(lower(whole), piece.first), least(upper(whole), piece.next)
  from unnest(ranges) whole
  cross join lateral (select rollup.bucket_start(unit, lower(whole)) as at) start
  cross join lateral generate_series(0, (extract(epoch from upper(whole) - start.at)
    -- a month or a day can be shorter than its interval
    / (extract(epoch from ('1 ' || unit)::interval) * 0.9 * buckets))::int + 1) n
  cross join lateral (
    select rollup.bucket_add(unit, start.at, n * buckets) as first,
      rollup.bucket_add(unit, start.at, (n + 1) * buckets) as next
  ) piece
  where piece.first < upper(whole)
  order by 1;
end;
