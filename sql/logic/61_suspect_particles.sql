-- Screening of particles (C9). A closed hour of a station is suspect if its sensors of one kind disagree (sensors), if it
-- is one of many equal hours (flat), or if it alone is far above its neighbours (outlier). Enough suspect hours close to
-- one another are a period of kind pm.

create type logic.suspect_hour as (station_id int, reason text, bucket timestamptz, evidence jsonb);

-- The suspect hours from `since` to `until` of stations that are not trusted, by the tests that look at a station
-- alone, with their PM2.5 and the values it was compared with. Of stations with a period in `open` the hours from its
-- beginning on. Both tests use PM2.5 as the instrument gave it, since a correction also depends on humidity.
create function logic.suspect_hours_alone(since timestamptz, until timestamptz, open logic.screened_period[])
returns setof logic.suspect_hour language plpgsql stable set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  -- the means of 24 hours
  first timestamptz := since - interval '23 hours';
  stations int[] := array(select o.station_id from unnest(open) o where o.reason = 'sensors');
  first_of_open timestamptz := (select min(o.since) - interval '23 hours' from unnest(open) o
    where o.reason = 'sensors');
begin
  return query
  with judged as (
    select s.id, coalesce(o.since, suspect_hours_alone.since) as since
    from raw.station s left join unnest(open) o on o.station_id = s.id and o.reason = 'sensors'
    where not s.trusted and s.id in (select p.station_id from raw.placement p
      group by 1 having count(distinct p.sensor_id) > 1)
  ),
  -- most files name no kind, so sensors without one are of one kind
  placed as (
    select p.*, coalesce(k.kind, '') as kind
    from raw.placement p join judged on judged.id = p.station_id join raw.sensor k on k.id = p.sensor_id
  ),
  sensor_hour as (
    select p.station_id, p.kind, h.sensor_id, h.bucket, coalesce(h.pm25_raw, h.pm25) as pm25
    from rollup.sensor_hourly h
    join placed p on p.sensor_id = h.sensor_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= first and h.bucket < suspect_hours_alone.until and coalesce(h.pm25_raw, h.pm25) is not null
    union all
    select p.station_id, p.kind, h.sensor_id, h.bucket, coalesce(h.pm25_raw, h.pm25)
    from rollup.sensor_hourly h
    join placed p on p.sensor_id = h.sensor_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= first_of_open and h.bucket < first and coalesce(h.pm25_raw, h.pm25) is not null
      and h.sensor_id = any (array(select q.sensor_id from raw.placement q where q.station_id = any (stations)))
      and p.station_id = any (stations)
  ),
  with_day as (
    select *, case when count(*) over day >= 18 then avg(pm25) over day end as day
    from sensor_hour
    window day as (partition by station_id, sensor_id
      order by bucket range between interval '23 hours' preceding and current row)
  ),
  compared as (
    select h.station_id, h.kind, h.bucket,
      count(*) > 1 and max(h.pm25) - min(h.pm25) > 5 and max(h.pm25) - min(h.pm25) > 0.7 * avg(h.pm25) as hours_differ,
      count(h.day) > 1 and max(h.day) - min(h.day) > 3 and max(h.day) - min(h.day) > 0.4 * avg(h.day) as days_differ
    from with_day h join judged j on j.id = h.station_id and h.bucket >= j.since
    group by 1, 2, 3
  ),
  differing as (
    select station_id, bucket, array_agg(kind) as kinds, array_agg(kind) filter (where hours_differ) as kinds_by_hour
    from compared where hours_differ or days_differ group by 1, 2
  )
  select h.station_id, 'sensors', h.bucket,
    jsonb_build_object('pm2.5', logic.published_non_negative(avg(h.pm25), 1), 'compared_with', jsonb_agg(
    jsonb_build_object('id', h.sensor_id,
      'pm2.5', case when h.kind = any (d.kinds_by_hour) then logic.published_non_negative(h.pm25, 1)
        else logic.published_non_negative(h.day, 1) end)
    order by h.sensor_id)
      filter (where h.kind = any (d.kinds_by_hour) or h.kind = any (d.kinds) and h.day is not null))
  from differing d join with_day h on h.station_id = d.station_id and h.bucket = d.bucket
  group by h.station_id, h.bucket;

  stations := array(select o.station_id from unnest(open) o where o.reason = 'flat');
  -- a row of 48 hours
  first := since - interval '47 hours';
  first_of_open := (select min(o.since) - interval '47 hours' from unnest(open) o where o.reason = 'flat');
  return query
  with judged as (
    select s.id, coalesce(o.since, suspect_hours_alone.since) as since
    from raw.station s left join unnest(open) o on o.station_id = s.id and o.reason = 'flat'
    where not s.trusted
  ),
  hour as (
    select h.station_id, h.bucket, coalesce(h.pm25_raw, h.pm25) as pm25, h.pm10 from rollup.station_hourly h
    where h.bucket >= first and h.bucket < suspect_hours_alone.until and coalesce(h.pm25_raw, h.pm25) is not null
    union all
    select h.station_id, h.bucket, coalesce(h.pm25_raw, h.pm25), h.pm10 from rollup.station_hourly h
    where h.bucket >= first_of_open and h.bucket < first
      and coalesce(h.pm25_raw, h.pm25) is not null and h.station_id = any (stations)
  ),
  repeated as (
    -- means of equal readings may differ in their last digits
    select h.*,
      coalesce(bucket - lag(bucket) over hours = interval '1 hour' and abs(pm25 - lag(pm25) over hours) < 1e-6, false)
        as is_same,
      abs(pm10 - lag(pm10) over hours) < 1e-6 or coalesce(pm10, lag(pm10) over hours) is null as is_same_pm10
    from hour h
    window hours as (partition by station_id order by bucket)
  ),
  -- few hours repeat the one before, or are repeated
  kept as (
    select * from (select r.*, lead(is_same) over (partition by station_id order by bucket) as is_repeated
      from repeated r) r where is_same or is_repeated
  ),
  in_row as (
    select k.*, count(*) filter (where not is_same) over hours as pm25_row,
      count(*) filter (where (is_same and is_same_pm10) is not true) over hours as both_row
    from kept k
    window hours as (partition by station_id order by bucket)
  ),
  counted as (
    select r.*, count(*) over (partition by station_id, pm25_row) as pm25_hours,
      count(*) over (partition by station_id, both_row) as both_hours
    from in_row r
  )
  select h.station_id, 'flat', h.bucket,
    jsonb_strip_nulls(jsonb_build_object('pm2.5', logic.published_non_negative(h.pm25, 1),
      'pm10', logic.published_non_negative(h.pm10, 1)))
  from counted h join judged j on j.id = h.station_id and h.bucket >= j.since
  where case when h.pm25 > 0.5 then h.both_hours >= 12 or h.pm25_hours >= 24
    -- very clean air may be the same for a day
    else h.pm25_hours >= case when h.pm25 < 0 then 24 else 48 end end;
end $$;

-- The same by the test outlier. Its neighbours are stations that are not in a suspect period of the operator or in one
-- of `alone`.
create function logic.suspect_hours_among_neighbours(
  since timestamptz, until timestamptz, open logic.screened_period[], alone logic.screened_period[]
) returns setof logic.suspect_hour language plpgsql stable set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  -- from a cell to itself and its neighbours
  steps constant bigint[] := logic.cell_steps();
  first_of_open constant timestamptz := (select min(o.since) from unnest(open) o where o.reason = 'outlier');
  around_open constant int[] := array(
    select distinct near.id
    from (
      select logic.cell(s.latitude, s.longitude) + unnest(steps) as cell
      from unnest(open) o join raw.station s on s.id = o.station_id where o.reason = 'outlier'
    ) c
    join raw.station near on logic.cell(near.latitude, near.longitude) = c.cell);
begin
  return query
  with suspect as (
    select station_id, range_agg(tstzrange(rollup.bucket_start('hour', since), logic.hour_ceiling(until))) as periods
    from (
      select f.station_id, f.since, f.until from raw.flag_period f where f.kind = 'pm'
      union all select a.station_id, a.since, a.until from unnest(alone) a
    ) p group by 1
  ),
  stored as (
    select h.station_id, h.bucket, h.pm25 from rollup.station_hourly h
    where h.bucket >= suspect_hours_among_neighbours.since and h.bucket < suspect_hours_among_neighbours.until
      and h.pm25 is not null
    union all
    select h.station_id, h.bucket, h.pm25 from rollup.station_hourly h
    where h.bucket >= first_of_open and h.bucket < suspect_hours_among_neighbours.since and h.pm25 is not null
      and h.station_id = any (around_open)
  ),
  hour as materialized (
    select h.*, s.latitude, s.longitude, logic.cell(s.latitude, s.longitude) as cell,
      coalesce(p.periods @> h.bucket, false) is false as is_neighbour,
      h.pm25 > 30 and not s.trusted and h.bucket >= coalesce(o.since, suspect_hours_among_neighbours.since) as is_high
    from stored h
    join raw.station s on s.id = h.station_id
    left join suspect p on p.station_id = h.station_id
    left join unnest(open) o on o.station_id = h.station_id and o.reason = 'outlier'
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
      where h.is_high and h.pm25 > 3 * around.lowest
    ) one
    join hour other on other.bucket = one.bucket and other.cell = one.near and other.is_neighbour
      and other.station_id <> one.station_id
    where logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) <= 10
  ),
  judged as (
    select station_id, bucket, pair.pm25, percentile_cont(0.5) within group (order by other_pm25) as median,
      -- only the first hour of a period says what it was compared with: of a year among 100 neighbours that is 45 MB
      coalesce(bucket - lag(bucket) over (partition by station_id order by bucket) > interval '25 hours', true)
        as is_first
    from pair group by station_id, bucket, pair.pm25
    having count(*) >= 3 and pair.pm25 > 3 * percentile_cont(0.5) within group (order by other_pm25)
      -- smoke and fireworks reach several stations, a fault one
      and count(*) filter (where other_pm25 >= pair.pm25 / 2) <= 1
  )
  select j.station_id, 'outlier', j.bucket, case when j.is_first then
    jsonb_build_object('pm2.5', logic.published_non_negative(j.pm25, 1), 'median', logic.published_non_negative(j.median, 1),
    'compared_with', jsonb_agg(
      jsonb_build_object('id', other_id, 'pm2.5', logic.published_non_negative(other_pm25, 1)) order by other_id)) end
  from judged j left join pair on j.is_first and pair.station_id = j.station_id and pair.bucket = j.bucket
  group by j.station_id, j.bucket, j.pm25, j.median, j.is_first;
end $$;

-- The periods of suspect hours, per station and test. Suspect hours with gaps of at most 24 hours between them belong
-- together; 6 or more are a period. It is open-ended while its last hour ended less than 24 hours before `closed`. Of
-- `recorded`, an open period is judged from its beginning; one that has ended holds as it is up to `since`, and suspect
-- hours that follow continue it. An outlier keeps its suspect hours until they are 24: so they are counted whichever of
-- them later runs judge again.
create function logic.periods_of_hours(
  hours logic.suspect_hour[], recorded logic.screened_period[], since timestamptz, closed timestamptz
) returns setof logic.screened_period language sql stable as $$
  with piece as (
    select h.station_id, h.reason, h.bucket as since, h.bucket + interval '1 hour' as until, array[h.bucket] as hours,
      false as is_recorded, h.evidence
    from unnest(hours) h
    union all
    select p.station_id, p.reason, p.since, least(p.until, periods_of_hours.since),
      case when p.hours is not null then array(select h from unnest(p.hours) h where h < periods_of_hours.since) end,
      true, p.evidence
    from unnest(recorded) p where p.until < 'infinity' and p.since < periods_of_hours.since
  ),
  numbered as (
    select *, count(*) filter (where is_first) over (partition by station_id, reason order by since) as period
    from (
      select *, since - lag(until) over (partition by station_id, reason order by since) > interval '24 hours'
        as is_first from piece
    ) p
  ),
  found as (
    select station_id, reason, min(since) as since, max(until) as until,
      (array_agg(evidence order by since))[1] as evidence,
      case when reason = 'outlier' and count(hour) < 24 and not bool_or(hours is null)
        then coalesce(array_agg(hour order by hour) filter (where hour is not null), '{}') end as hours
    from numbered left join lateral unnest(hours) hour on true
    group by station_id, reason, period
    having count(hour) >= 6 or bool_or(is_recorded)
  )
  -- a period that is found again keeps its evidence
  select f.station_id, null::int, f.reason, f.since,
    case when closed - f.until < interval '24 hours' then 'infinity' else f.until end, 'pm',
    coalesce(p.evidence, f.evidence), f.hours
  from found f
  left join raw.screened_period p on p.station_id = f.station_id and p.reason = f.reason and p.since = f.since
$$;

-- The periods of kind pm in closed hours from `since` to `at`. `recorded` are the periods of that kind that are judged
-- again. The test outlier comes last and takes no neighbour away, so the result does not depend on what an earlier run
-- found by it.
create function logic.suspect_periods(since timestamptz, at timestamptz, recorded logic.screened_period[])
returns setof logic.screened_period language plpgsql stable as $$
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
  open constant logic.screened_period[] := array(
    select p from unnest(recorded) p where p.until = 'infinity' and p.since < suspect_periods.since);
  alone logic.screened_period[] := array(
    select p from logic.periods_of_hours(array(select h from logic.suspect_hours_alone(since, closed, open) h),
      array(select p from unnest(recorded) p where p.reason <> 'outlier'), since, closed) p);
begin
  return query select * from unnest(alone);
  -- those that are not judged again hold as recorded
  alone := alone || array(
    select p from logic.screened_period p
    where p.kind = 'pm' and p.reason <> 'outlier' and not exists (
      select from unnest(recorded) r where (r.station_id, r.reason, r.since) = (p.station_id, p.reason, p.since)));
  return query select p.* from logic.periods_of_hours(array(select h
    from logic.suspect_hours_among_neighbours(since, closed, open, alone) h),
    array(select p from unnest(recorded) p where p.reason = 'outlier'), since, closed) p;
end $$;

revoke all on function logic.suspect_hours_alone, logic.suspect_hours_among_neighbours,
  logic.periods_of_hours, logic.suspect_periods from public;
