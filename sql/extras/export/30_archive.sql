-- The archive needs these beside the published buckets: its periods, what changed in them, and the flags of stations.

-- The months and years of the archive at an instant: months of hours that have ended, and years of completed days, the
-- running one as far as it has come. The first is the one with the first hour of the stations. `seen`: the newest id
-- of rollup.change that a reader knows; `relisted`: stations that it does not know, or that are gone.
create function logic.archive_period(at timestamptz, stations int[], relisted int[], seen bigint)
returns table (
  unit text, -- of the buckets: hour or day
  name text, -- the local month or year
  since timestamptz,
  until timestamptz,
  stations_changed boolean,
  regions_changed boolean
) language sql stable begin atomic
  with first as (
    select min(h.bucket) as hour from rollup.station_hourly h where h.station_id = any(stations)
    having min(h.bucket) is not null
  ),
  period as materialized (
    select 'hour' as unit, to_char(m.since at time zone rollup.time_zone(), 'YYYY-MM') as name, m.since, m.until
    from first f
    cross join lateral (select rollup.bucket_start('month', at) as month) running
    cross join lateral logic.pieces('month', 1, tstzmultirange(
      tstzrange(least(rollup.bucket_start('month', f.hour), running.month), running.month))) m
    union all
    select 'day', year::text, y.since, least(y.until, rollup.bucket_start('day', at))
    from first f
    cross join lateral generate_series(extract(year from f.hour at time zone rollup.time_zone())::int,
      extract(year from at at time zone rollup.time_zone())::int) year
    cross join lateral (
      select make_timestamp(year, 1, 1, 0, 0, 0) at time zone rollup.time_zone() as since,
        make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone rollup.time_zone() as until) y
    where y.since < rollup.bucket_start('day', at)
  )
  select p.unit, p.name, p.since, p.until,
    exists (select from rollup.change c where c.id > seen and c.shown_at is not null
      and c.since < p.until and c.until > p.since and c.region_slug is null)
    or exists (select from rollup.station_hourly h
      where h.station_id = any(relisted) and h.bucket >= p.since and h.bucket < p.until),
    exists (select from rollup.change c where c.id > seen and c.shown_at is not null
      and c.since < p.until and c.until > p.since)
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
