-- The archive needs these beside the published buckets: its periods, what changed in them, and the flags of stations.

-- The months and years of the archive at an instant: months of closed hours and years of completed days, the running
-- ones as far as they have come. The first is the one with the first hour of the stations. `seen`: a change up to this
-- id of rollup.change concerns no reader; `relisted`: stations that only one of reader and database lists.
--
-- The numbers of values are those behind the monthly means. They tell what no row of the record does: hours that nobody
-- had published before, such as the import of a history.
create function logic.archive_period(at timestamptz, stations int[], relisted int[], seen bigint)
returns table (
  unit text, -- of the buckets: hour or day
  name text, -- the local month or year
  since timestamptz,
  until timestamptz,
  is_running boolean,
  is_relisted boolean,
  station_change bigint, -- the newest id of a change of stations, 0 without one
  region_change bigint,
  station_values bigint,
  region_values bigint
) language sql stable begin atomic
  with first as (
    select min(h.bucket) as hour from rollup.station_hourly h where h.station_id = any(stations)
    having min(h.bucket) is not null
  ),
  period as materialized (
    select 'hour' as unit, to_char(m.since at time zone rollup.time_zone(), 'YYYY-MM') as name, m.since,
      least(m.until, rollup.bucket_start('hour', at)) as until, m.until > at as is_running
    from first f
    cross join logic.pieces('month', 1, tstzmultirange(
      tstzrange(least(rollup.bucket_start('month', f.hour), at), rollup.bucket_add('month',
        rollup.bucket_start('month', at), 1)))) m
    where m.since < rollup.bucket_start('hour', at)
    union all
    select 'day', year::text, y.since, least(y.until, rollup.bucket_start('day', at)), y.until > at
    from first f
    cross join lateral generate_series(extract(year from f.hour at time zone rollup.time_zone())::int,
      extract(year from at at time zone rollup.time_zone())::int) year
    cross join lateral (
      select make_timestamp(year, 1, 1, 0, 0, 0) at time zone rollup.time_zone() as since,
        make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone rollup.time_zone() as until) y
    where y.since < rollup.bucket_start('day', at)
  ),
  station_month as materialized (
    select m.bucket, sum(v.values)::bigint as values
    from rollup.station_monthly m
    cross join lateral (
      select sum(n) as values from unnest(array[m.hours, m.wind_hours, {{list mean: m.$name_hours}}]) n) v
    where m.station_id = any(stations)
    group by 1
  ),
  region_month as materialized (
    select m.bucket, sum(v.values)::bigint as values
    from rollup.region_monthly m
    cross join lateral (
      select sum(n) as values from unnest(array[m.hours, m.wind_hours, {{list mean: m.$name_hours}}]) n) v
    group by 1
  )
  select p.unit, p.name, p.since, p.until, p.is_running,
    exists (select from rollup.station_hourly h
      where h.station_id = any(relisted) and h.bucket >= p.since and h.bucket < p.until),
    (select coalesce(max(c.id), 0) from rollup.change c where c.id > seen and c.shown_at is not null
      and c.since < p.until and c.until > p.since and c.region_slug is null),
    (select coalesce(max(c.id), 0) from rollup.change c where c.id > seen and c.shown_at is not null
      and c.since < p.until and c.until > p.since),
    (select coalesce(sum(m.values), 0)::bigint from station_month m where m.bucket >= p.since and m.bucket < p.until),
    (select coalesce(sum(m.values), 0)::bigint from region_month m where m.bucket >= p.since and m.bucket < p.until)
  from period p
  order by p.unit, p.name;
end;

-- The hours or days (by unit) of a period in which a station is flagged, a day if one of its hours is. Only those.
create function logic.flagged_bucket(unit text, since timestamptz, until timestamptz)
returns table (bucket timestamptz, station_id int, is_bad_thp boolean, is_bad_pm boolean)
language sql stable begin atomic
  select rollup.bucket_start(unit, b.since), f.station_id, bool_or(f.kind = 'thp'), bool_or(f.kind = 'pm')
  from raw.flagged f
  cross join lateral logic.pieces(unit, 1,
    tstzmultirange(tstzrange(greatest(f.since, flagged_bucket.since), least(f.until, flagged_bucket.until)))) b
  where f.since < flagged_bucket.until and f.until > flagged_bucket.since
  group by 1, 2;
end;
