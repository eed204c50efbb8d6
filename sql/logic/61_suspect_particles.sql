-- Screening of particles (C9). A closed hour of a station is suspect if its sensors disagree (sensors), if it repeats the hours before it (flat), or if
-- it is far above its neighbours (outlier). Enough suspect hours close to one another are a period of kind pm.

-- The suspect hours from `since` to `until` of stations that are not trusted, per test, with their PM2.5 and the values it was compared with. The tests
-- sensors and flat use PM2.5 as the instrument gave it, since a correction also depends on humidity.
create function logic.suspect_hours(since timestamptz, until timestamptz)
returns table (station_id int, reason text, bucket timestamptz, evidence jsonb)
language plpgsql stable set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  -- from a cell to itself and its neighbours
  steps constant bigint[] := logic.cell_steps();
begin
  return query
  with untrusted as (select s.id from raw.station s where not s.trusted),
  sensor_hour as (
    select p.station_id, h.sensor_id, h.bucket, coalesce(h.pm25_raw, h.pm25) as pm25
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= suspect_hours.since and h.bucket < suspect_hours.until and coalesce(h.pm25_raw, h.pm25) is not null
      and p.station_id in (select q.station_id from raw.placement q group by 1 having count(distinct q.sensor_id) > 1)
  )
  select h.station_id, 'sensors', h.bucket, jsonb_build_object('pm2.5', {{publish pm25: avg(h.pm25)}}, 'compared_with',
    jsonb_agg(jsonb_build_object('id', h.sensor_id, 'pm2.5', {{publish pm25: h.pm25}}) order by h.sensor_id))
  from sensor_hour h join untrusted s on s.id = h.station_id
  group by h.station_id, h.bucket
  having count(*) > 1 and max(h.pm25) - min(h.pm25) > 5 and max(h.pm25) - min(h.pm25) > 0.7 * avg(h.pm25);

  return query
  with hour as (
    -- twelfth is the twelfth hour with these very values, counting back from this one
    select h.station_id, h.bucket, v.pm25, v.pm10,
      lag(h.bucket, 11) over (partition by h.station_id, v.pm25, v.pm10 order by h.bucket) as twelfth
    from rollup.station_hourly h
    join raw.station s on s.id = h.station_id and not s.trusted
    cross join lateral (select round(coalesce(h.pm25_raw, h.pm25)::numeric, 6) as pm25, round(h.pm10::numeric, 6) as pm10) v
    where h.bucket >= suspect_hours.since - interval '11 hours' and h.bucket < suspect_hours.until and coalesce(h.pm25_raw, h.pm25) > 0.5
  )
  select h.station_id, 'flat', h.bucket, jsonb_build_object('pm2.5', {{publish pm25: h.pm25}}, 'pm10', {{publish pm10: h.pm10}})
  from hour h
  where h.bucket >= suspect_hours.since and h.twelfth = h.bucket - interval '11 hours';

  return query
  with suspect as (
    select f.station_id, range_agg(tstzrange(rollup.bucket_start('hour', f.since), logic.hour_ceiling(f.until))) as periods
    from logic.flag f where f.kind = 'pm' group by 1
  ),
  hour as materialized (
    select h.station_id, h.bucket, h.pm25, s.latitude, s.longitude, logic.cell(s.latitude, s.longitude) as cell,
      coalesce(p.periods @> h.bucket, false) is false as is_neighbour, h.pm25 > 50 and not s.trusted as is_high
    from rollup.station_hourly h
    join raw.station s on s.id = h.station_id
    left join suspect p on p.station_id = h.station_id
    where h.bucket >= suspect_hours.since and h.bucket < suspect_hours.until and h.pm25 is not null
  ),
  -- few stations are far enough above the lowest value in the cells around them; only those get a median
  filled as (select bucket, cell, min(hour.pm25) as lowest from hour where is_neighbour group by 1, 2),
  around as (
    select h.bucket, h.cell, min(filled.lowest) as lowest
    from (select d.*, cell + unnest(steps) as near from (select distinct bucket, cell from hour where is_high) d) h
    join filled on filled.bucket = h.bucket and filled.cell = h.near
    group by 1, 2
  ),
  pair as materialized (
    select one.station_id, one.bucket, one.pm25, other.station_id as other_id, other.pm25 as other_pm25
    from (
      select h.*, h.cell + unnest(steps) as near
      from hour h join around on around.bucket = h.bucket and around.cell = h.cell
      where h.is_high and h.pm25 > 5 * around.lowest
    ) one
    join hour other on other.bucket = one.bucket and other.cell = one.near and other.is_neighbour and other.station_id <> one.station_id
    where logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) <= 10
  ),
  judged as (
    select station_id, bucket, percentile_cont(0.5) within group (order by other_pm25) as median
    from pair group by station_id, bucket, pair.pm25
    having count(*) >= 3 and pair.pm25 > 5 * percentile_cont(0.5) within group (order by other_pm25)
  )
  select station_id, 'outlier', bucket, jsonb_build_object('pm2.5', {{publish pm25: pair.pm25}}, 'median', {{publish pm25: median}}, 'compared_with',
    jsonb_agg(jsonb_build_object('id', other_id, 'pm2.5', {{publish pm25: other_pm25}}) order by other_id))
  from judged join pair using (station_id, bucket)
  group by station_id, bucket, pair.pm25, median;
end $$;

-- The periods of suspect hours from `since` to `at`, per station and test. Suspect hours with gaps of at most 24 hours between them belong together; 6
-- or more are a period. It is open-ended while its last hour ended less than 24 hours ago. A period recorded before `since` is not judged again, and
-- suspect hours that follow it continue it.
create function logic.suspect_periods(since timestamptz, at timestamptz) returns setof raw.screened_period language plpgsql stable
set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
begin
  return query
  with piece as (
    select h.station_id, h.reason, h.bucket as since, h.bucket + interval '1 hour' as until, 1 as hours, h.evidence
    from logic.suspect_hours(suspect_periods.since, closed) h
    union all
    select p.station_id, p.reason, p.since, least(p.until, suspect_periods.since), 6, p.evidence
    from raw.screened_period p join raw.station s on s.id = p.station_id and not s.trusted
    where p.kind = 'pm' and p.since < suspect_periods.since and p.until > suspect_periods.since - interval '24 hours'
  ),
  numbered as (
    select *, count(*) filter (where is_first) over (partition by station_id, reason order by since) as period
    from (
      select *, since - lag(until) over (partition by station_id, reason order by since) > interval '24 hours' as is_first from piece
    ) p
  ),
  found as (
    select station_id, reason, min(since) as since, max(until) as until, (array_agg(evidence order by since))[1] as evidence
    from numbered
    group by station_id, reason, period
    having sum(hours) >= 6
  )
  -- a period that is found again keeps its evidence
  select f.station_id, null::int, f.reason, f.since, case when closed - f.until < interval '24 hours' then 'infinity' else f.until end, 'pm',
    coalesce(p.evidence, f.evidence)
  from found f
  left join raw.screened_period p on p.station_id = f.station_id and p.reason = f.reason and p.since = f.since;
end $$;

revoke all on function logic.suspect_hours, logic.suspect_periods from public;
