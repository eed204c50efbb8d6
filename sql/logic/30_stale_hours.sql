-- Hours that a refresh recomputes although none of their readings changed. To be called while the level below is up to date.

-- The hours that these stale periods cover, for all stations or regions of a level and the levels above it: finite, and limited to the
-- extent of readings and aggregates.
create function logic.stale_hours(level text, periods bigint[]) returns tstzmultirange language plpgsql stable as $$
begin
  if periods = '{}' then -- the usual case; planning the query below touches every chunk
    return '{}';
  end if;
  return (
    with wanted as (
      select p.* from rollup.stale_period p
      where p.id = any (periods) and p.sensor_id is null
        and array_position('{sensor_hourly,station_hourly,region_hourly}', p.from_level) <= array_position('{sensor_hourly,station_hourly,region_hourly}', level)
    ),
    extent as (
      select rollup.bucket_start('month', min(low)) as low, rollup.bucket_add('month', rollup.bucket_start('month', max(high)), 1) as high
      from (
        select min(measured_at) as low, max(measured_at) as high from raw.readings
        union all select min(bucket), max(bucket) from rollup.sensor_hourly
        union all select min(bucket), max(bucket) from rollup.station_monthly
        union all select min(bucket), max(bucket) from rollup.region_monthly
      ) ends
      where exists (select from wanted where station_id is null)
    )
    select coalesce(range_agg(hours), '{}')
    from (
      -- an operator's request
      select logic.widen('hour', tstzmultirange(tstzrange(greatest(w.since, extent.low), least(w.until, extent.high)))) as hours
      from wanted w cross join extent
      where w.station_id is null and w.since < extent.high and w.until > extent.low
      union all
      -- a changed membership: from the first to the last hour of the station in the period
      select tstzmultirange(tstzrange(first.bucket, last.bucket + interval '1 hour'))
      from wanted w
      cross join lateral (
        select h.bucket from rollup.station_hourly h
        where h.station_id = w.station_id and h.bucket >= w.since and h.bucket < w.until order by h.bucket limit 1
      ) first
      cross join lateral (
        select h.bucket from rollup.station_hourly h
        where h.station_id = w.station_id and h.bucket >= w.since and h.bucket < w.until order by h.bucket desc limit 1
      ) last
    ) parts
  );
end $$;

-- Station hours to recompute because a sensor's placement at the station changed: from the first to the last affected hour of the
-- sensor, month by month.
create function logic.stale_station_hours(periods bigint[]) returns table (station_id int, since timestamptz, until timestamptz) language plpgsql stable as $$
begin
  if periods = '{}' then
    return;
  end if;
  return query
  select affected.station_id, piece.since, piece.until
  from (
    select p.station_id, range_agg(tstzrange(first.bucket, last.bucket + interval '1 hour')) as hours
    from rollup.stale_period p
    cross join lateral (
      select h.bucket from rollup.sensor_hourly h
      where h.sensor_id = p.sensor_id and h.bucket > p.since - interval '1 hour' and h.bucket < p.until order by h.bucket limit 1
    ) first
    cross join lateral (
      select h.bucket from rollup.sensor_hourly h
      where h.sensor_id = p.sensor_id and h.bucket > p.since - interval '1 hour' and h.bucket < p.until order by h.bucket desc limit 1
    ) last
    where p.id = any (periods) and p.sensor_id is not null
    group by 1
  ) affected
  cross join logic.month_pieces(affected.hours) piece;
end $$;

-- Recomputes the hours of one station.
create function logic.recompute_station(station int, since timestamptz, until timestamptz) returns void language plpgsql as $$
declare
  storage constant regclass := logic.storage_of('station_hourly');
begin
  execute format('delete from %s where station_id = $1 and bucket >= $2 and bucket < $3', storage) using station, since, until;
  execute format('insert into %s (%s) %s', storage,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
     where attrelid = 'rollup.station_hourly'::regclass and attnum > 0 and not attisdropped),
    $select${{select of one station}}$select$) using station, since, until;
end $$;

revoke all on function logic.recompute_station from public;
