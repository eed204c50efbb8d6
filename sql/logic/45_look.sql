-- Looks at staged rows as a whole, before any is stored: at one place for files, pushes and feeds (S7, S8).

-- The findings, as a JSON array, in the order in which a person is asked about them; `stops`: the source is asked about
-- instead of stored. With `is_unique` no sensor and time stands twice. Kinds:
--   exchanged       PM2.5 is above PM10 in each of `rows`
--   rising_rain     rain only rises, from `first` to `last` in `rows` of a sensor: it is a total
--   contradictions  as logic.contradictions has them
--   unusual         as logic.unusual_values has them
create function logic.look_at_stage(
  declared int, -- the parameters whose unit somebody declared, a sum of $bit; null: nothing can be declared
  unsaid int, -- the parameters of our own names whose unit nobody said
  is_unique boolean,
  tolerates_few boolean -- a few contradictions are corrections
) returns jsonb language plpgsql stable
set plan_cache_mode = force_custom_plan
set jit = off
set work_mem = '64MB'
-- as in logic.put_together
set enable_nestloop = off
set cpu_tuple_cost = 0.01
as $$
declare
  enough constant int := 20; -- fewer values may be an exception
  is_short constant boolean := (select count(*) from (select from pg_temp.staged_reading limit enough) s) < enough;
  repeats constant boolean := not is_unique and logic.has_repeats();
  contradictions jsonb := '[]';
  findings jsonb := '[]';
  -- of the first sensors and days
  sensors int[];
  first timestamptz;
  last timestamptz;
  temperatures int;
  warmth float8; -- the medians
  winds int;
  wind float8;
begin
  if repeats then
    contradictions := logic.contradictions(tolerates_few);
  end if;
  if is_short or declared is null then return contradictions; end if;

  with looked_at as materialized (select * from logic.first_readings(repeats)),
  exchanged as (
    select jsonb_build_object('kind', 'exchanged', 'rows', count(*), 'stops', true) as finding
    from (select coalesce(l.pm25, l.pm25_raw) as fine, l.pm10 from looked_at l) p
    where declared & ({{pm25_bit}} | {{pm10_bit}}) = 0 and p.fine is not null and p.pm10 is not null
    having count(*) >= enough and not bool_or(p.fine <= p.pm10)
  ),
  rising as (
    select jsonb_build_object('kind', 'rising_rain', 'rows', count(*), 'first', logic.shortest(min(r.rain)),
      'last', logic.shortest(max(r.rain)), 'stops', true) as finding
    from (
      select l.sensor_id, l.ordinal, l.rain,
        l.rain - lag(l.rain) over (partition by l.sensor_id order by l.measured_at, l.ordinal) as step
      from looked_at l where l.rain is not null and l.measured_at is not null
    ) r
    where declared & {{rain_bit}} = 0
    group by r.sensor_id
    having count(*) filter (where r.rain > 0) >= enough and min(r.step) >= 0 and max(r.step) > 0
    order by min(r.ordinal) limit 1
  ),
  located as (select * from looked_at l where l.sensor_id is not null and l.measured_at is not null),
  begun as (select min(l.measured_at) as at from located l),
  chosen as (select l.sensor_id from located l group by 1 order by min(l.ordinal) limit 5),
  near as (
    select l.measured_at, l.temperature, l.wind_speed from located l
    where l.sensor_id in (select c.sensor_id from chosen c)
      and l.measured_at < (select b.at from begun b) + interval '30 days'
      and unsaid & ({{temperature_bit}} | {{wind_speed_bit}}) <> 0
  )
  -- in the opposite order: the median is the higher one of the two in the middle
  select (select coalesce(jsonb_agg(f.finding), '[]')
      from (select finding from exchanged union all select finding from rising) f),
    (select array_agg(c.sensor_id) from chosen c), (select b.at from begun b), max(n.measured_at),
    count(n.temperature), logic.shortest(percentile_disc(0.5) within group (order by n.temperature desc)),
    count(n.wind_speed), logic.shortest(percentile_disc(0.5) within group (order by n.wind_speed desc))
  into findings, sensors, first, last, temperatures, warmth, winds, wind
  from near n;

  findings := findings || contradictions;
  if greatest(temperatures, winds) >= enough then
    findings := findings || logic.unusual_values(unsaid, sensors, first, last,
      case when temperatures >= enough then warmth end, case when winds >= enough then wind end);
  end if;
  return findings;
end $$;

-- Rows that give a parameter another value than an earlier row of the same sensor and time: `count` of `rows`. Of the
-- first such row, and the last before it with another value, the `ordinals`, sensor, time, a `parameter` and its
-- `values`. An empty array where there are none.
create function logic.contradictions(tolerates_few boolean) returns jsonb language plpgsql stable as $$
declare
  finding jsonb;
begin
  with mistaken as (
    select s.sensor_id, s.measured_at from pg_temp.staged_reading s
    where s.sensor_id is not null and s.measured_at is not null
    group by 1, 2 having false {{repeat reading: or min(s.$name) <> max(s.$name)}}
  ),
  compared as materialized (
    select s.*,
      (false {{repeat reading: or s.$name <> min(s.$name) over before or s.$name <> max(s.$name) over before}}) is true
        as contradicts
    from pg_temp.staged_reading s join mistaken m on m.sensor_id = s.sensor_id and m.measured_at = s.measured_at
    window before as (partition by s.sensor_id, s.measured_at order by s.ordinal
      rows between unbounded preceding and 1 preceding)
  ),
  pair as (
    select o.ordinal as earlier, c.ordinal as later, c.sensor_id, c.measured_at, v.parameter, v.one, v.other
    from (select * from compared c where c.contradicts order by c.ordinal limit 1) c
    join compared o on o.sensor_id = c.sensor_id and o.measured_at = c.measured_at and o.ordinal < c.ordinal
    cross join lateral (values {{list reading: ('$name', o.$name, c.$name)}}) as v(parameter, one, other)
    where v.one <> v.other
    order by o.ordinal desc limit 1
  )
  select jsonb_build_array(jsonb_build_object('kind', 'contradictions', 'count', n.count, 'rows', n.rows,
    'ordinals', jsonb_build_array(p.earlier, p.later), 'sensor_id', p.sensor_id, 'measured_at', p.measured_at,
    'parameter', p.parameter, 'values', jsonb_build_array(logic.shortest(p.one), logic.shortest(p.other)),
    -- one, or one of a hundred, may be a correction
    'stops', n.count > case when tolerates_few then greatest(1, n.rows * 0.01) else 0 end))
  into finding
  from pair p
  cross join (
    select (select count(*) from compared c where c.contradicts) as count,
      (select count(*) from pg_temp.staged_reading s
        where s.sensor_id is not null and s.measured_at is not null) as rows
  ) n;
  return coalesce(finding, '[]');
end $$;

-- The readings of the first 5,000 rows. `repeats`: sensors and times may stand twice, and are put together from all
-- rows, since rows of one parameter each may stand far apart. 5,000 rows tell what a column is; among more there would
-- be the day on which a gauge begins again, and a row in which PM2.5 is as large as PM10.
create function logic.first_readings(repeats boolean) returns table (
  ordinal int, sensor_id int, measured_at timestamptz,
  temperature real, pm25 real, pm25_raw real, pm10 real, wind_speed real, rain real
) language sql stable as $$
  select min(s.ordinal), s.sensor_id, s.measured_at,
    max(s.temperature), min(s.pm25), min(s.pm25_raw), max(s.pm10), max(s.wind_speed), max(s.rain)
  from pg_temp.staged_reading s
  where s.ordinal <= 5000 or repeats and (s.sensor_id, s.measured_at) in (
    select f.sensor_id, f.measured_at from pg_temp.staged_reading f where f.ordinal <= 5000)
  -- a row without a sensor or a time stands for itself
  group by s.sensor_id, s.measured_at, case when s.sensor_id is null or s.measured_at is null then s.ordinal end
$$;

-- Temperatures in °F and wind in km/h may lie within the bounds of our units, and only the hours nearby tell (S8):
-- where the `median` of a `parameter` is far from the usual one (`usual`) of the sensors' own stations (`is_own`) or of
-- those nearby. The first five sensors and 30 days are compared, with hours from a week before to a week after: on a
-- year of 1,000 stations a push of one waits 3 ms for them, and one of all 21 ms. With 20 stations and 90 days that
-- took 1 s.
create function logic.unusual_values(
  unsaid int, sensors int[], first timestamptz, last timestamptz,
  warmth float8, wind float8 -- medians of enough values; null: there are too few
) returns jsonb language sql stable
set plan_cache_mode = force_custom_plan
set enable_nestloop = on
as $$
  select coalesce(jsonb_agg(jsonb_build_object('kind', 'unusual', 'parameter', far.parameter, 'median', far.median,
    'usual', far.usual, 'is_own', far.is_own, 'stops', true)), '[]')
  from logic.usual_values(sensors, first - interval '7 days', last + interval '7 days') u
  cross join lateral (
    -- °F are at least 20 more than °C from -15 °C on
    select 'temperature' as parameter, warmth as median, u.temperature as usual, u.is_own
    where unsaid & {{temperature_bit}} <> 0 and u.temperature_hours >= 24 and warmth - u.temperature >= 20
    union all
    -- km/h are 3.6 times as many as m/s
    select 'wind_speed', wind, u.wind_speed, u.is_own
    where unsaid & {{wind_speed_bit}} <> 0 and u.wind_hours >= 24 and wind >= 2.5 * greatest(u.wind_speed, 0.5)
  ) far
$$;

revoke all on function logic.look_at_stage, logic.contradictions, logic.first_readings, logic.unusual_values
  from public;
grant execute on function logic.look_at_stage, logic.contradictions, logic.first_readings, logic.unusual_values,
  logic.shortest to airseries_ingest;
