-- Compares a station's clock with its neighbours' clocks. Where its hours fit theirs clearly better an hour or two
-- earlier or later, its stamps name the end of the hour, or its zone is another. Nothing is flagged by it: the air may
-- be late as well. Hours whose thermometer or particles are flagged are not compared: a thermometer on a warm wall has its
-- maximum hours before the air, and would accuse the stations around it as well as its own.

-- The three nearest stations within 10 km of each station, or of `only_stations`, that have hours from `since` on.
create function logic.nearest_stations(since timestamptz, only_stations int[] default null)
returns table (station_id int, other_id int)
language plpgsql stable set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  steps constant bigint[] := logic.cell_steps();
begin
  return query
  with place as materialized (
    select s.id, s.latitude, s.longitude, logic.cell(s.latitude, s.longitude) as cell
    from raw.station s
    where exists (select from rollup.station_hourly h
      where h.station_id = s.id and h.bucket >= nearest_stations.since)
  )
  select n.id, n.other_id
  from (
    select one.id, other.id as other_id,
      row_number() over (partition by one.id order by apart.km, other.id) as position
    from (
      select place.*, cell + unnest(steps) as near from place
      where only_stations is null or id = any (only_stations)
    ) one
    join place other on other.cell = one.near and other.id <> one.id
    cross join lateral (
      select logic.distance_km(one.latitude, one.longitude, other.latitude, other.longitude) as km) apart
    where apart.km <= 10
  ) n
  where n.position <= 3;
end $$;

-- By how many hours, -2 to +2, a station's hours of the last 30 days must be moved to correlate best with the median of
-- the three nearest stations (of two: their mean; by one alone it would not be known whose clock is wrong). By
-- temperature where at least 200 hours can be compared at each shift, else by PM2.5; without both a station has no row.
-- It is clear where moving leaves less than 0.7 of what did not correlate (1 - r), and less than at any of the three.
-- Measured on hours of three stations in Beijing over two years and of three in Aberdeen over two months, in windows of
-- 30 days, each station moved by one hour and by two, with two neighbours only (the harder case):
--   part left   | temperature, 1 hour | 2 hours | PM2.5, 1 hour | 2 hours | false alarms, temperature | PM2.5
--   0.9         | 272 of 312          | 298     | 124 of 282    | 209     | 3 of 156                  | 12 of 141
--   0.8         | 254                 | 298     | 88            | 177     | 1                         | 4
--   0.7         | 228                 | 298     | 42            | 151     | 0                         | 0
--   0.6         | 211                 | 294     | 6             | 120     | 0                         | 0
-- Without the comparison with the three, 540 of 1,248 stations beside a moved one were accused by temperature at 0.7; with
-- it, 20. Also without it, a difference of r above 0.01 finds 266 and 303, with 4 false alarms; 0.8 finds 262 and 303,
-- with 1.
create function logic.station_shift(at timestamptz, only_station int default null)
returns table (
  station_id int, parameter text, hours int, shift_hours int, r float8, r_unshifted float8, is_clear boolean
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan
  set enable_nestloop = off set jit = off -- the planner can't know how many stations there are
as $$
#variable_conflict use_column
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
  first constant timestamptz := closed - interval '30 days';
  -- it is compared with its neighbours, and these with theirs
  compared constant int[] := case when only_station is not null then array(
    select only_station union select n.other_id from logic.nearest_stations(first, array[only_station]) n) end;
begin
  return query
  with near as materialized (select * from logic.nearest_stations(first, compared)),
  hour as materialized (
    select h.station_id, (extract(epoch from h.bucket - first) / 3600)::int as n,
      case when thp.periods @> h.bucket then null else h.temperature end as temperature,
      case when pm.periods @> h.bucket then null else h.pm25 end as pm25
    from rollup.station_hourly h
    left join logic.flagged thp on thp.station_id = h.station_id and thp.kind = 'thp'
    left join logic.flagged pm on pm.station_id = h.station_id and pm.kind = 'pm'
    where h.bucket >= first and h.bucket < closed
      and h.station_id = any (array(select n.station_id from near n union select n.other_id from near n))
  ),
  median as materialized (
    select near.station_id, h.n,
      case count(h.temperature) when 3 then sum(h.temperature) - min(h.temperature) - max(h.temperature)
        when 2 then sum(h.temperature) / 2 end as temperature,
      case count(h.pm25) when 3 then sum(h.pm25) - min(h.pm25) - max(h.pm25)
        when 2 then sum(h.pm25) / 2 end as pm25
    from near join hour h on h.station_id = near.other_id
    group by near.station_id, h.n
  ),
  moved as materialized (
    select h.station_id, h.shift,
      regr_count(h.temperature, m.temperature)::int as temperatures, corr(h.temperature, m.temperature) as temperature_r,
      regr_count(h.pm25, m.pm25)::int as particles, corr(h.pm25, m.pm25) as pm25_r
    -- The shifts are unnested rather than joined: without statistics the planner joined the hours of a station with all
    -- of its medians first. 1,000 stations took more than 13 minutes then, and take 9 s now.
    from (select hour.*, unnest('{-2, -1, 0, 1, 2}'::int[]) as shift from hour) h
    join median m on m.station_id = h.station_id and m.n = h.n + h.shift
    group by 1, 2
  ),
  best as materialized (
    select distinct on (fit.station_id) fit.*,
      (1 - fit.r) / nullif(1 - fit.r_unshifted, 0) as left_over
    from (
      select station_id, parameter, min(hours) as least_hours, max(hours) filter (where shift = 0) as hours,
        (array_agg(shift order by r desc, abs(shift)))[1] as shift, max(r) as r,
        max(r) filter (where shift = 0) as r_unshifted
      from moved cross join lateral (values
        ('temperature', temperatures, temperature_r), ('pm25', particles, pm25_r)) p(parameter, hours, r)
      where r is not null
      group by 1, 2
      having count(*) = 5
    ) fit
    where fit.least_hours >= 200
    order by fit.station_id, fit.parameter desc
  ),
  beside as materialized (
    select n.station_id, min(other.left_over) as left_over
    from near n join best other on other.station_id = n.other_id
    group by 1
  )
  select b.station_id, b.parameter, b.hours, b.shift, b.r, b.r_unshifted,
    coalesce(b.shift <> 0 and b.left_over < 0.7 and (beside.left_over < b.left_over) is not true, false)
  from best b left join beside on beside.station_id = b.station_id
  where only_station is null or b.station_id = only_station;
end $$;

revoke all on function logic.nearest_stations from public;
