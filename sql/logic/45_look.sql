-- Questions about staged rows as a whole, before any is stored (S7, S8): in one place for files, pushes and feeds.

-- What was found, as a JSON array, the gravest first; `stops` says whether the source is to be asked about instead of
-- stored. `declared`: the parameters whose unit somebody declared, `unsaid`: those of our own names whose unit nobody
-- said, each a sum of $bit.
--   contradictions  rows that give a parameter another value than an earlier row of the same sensor and time: `count` of
--                   `rows`, and of the first the `ordinals` and `lines` of both rows, `parameter` and the two `values`
--   exchanged       PM2.5 is above PM10 in each of `rows`
--   rising_rain     rain only rises, from `first` to `last` in `rows` of a sensor: a total
--   unusual         the `median` of a `parameter` is far from the usual one nearby (`usual`), as it is in another unit;
--                   `is_own`: of the sensors' own stations
create function logic.look_at_stage(declared int, unsaid int) returns jsonb language plpgsql stable
set plan_cache_mode = force_custom_plan
set jit = off
set work_mem = '64MB'
as $$
declare
  enough constant int := 20; -- fewer rows may be an exception
  findings jsonb := '[]';
  found jsonb;
  rows int;
  has_times_of_day boolean;
  is_repeated boolean;
begin
  select count(*), min(t.of_day) <> max(t.of_day) into rows, has_times_of_day
  from (
    select date_trunc('minute', s.measured_at at time zone 'UTC')::time as of_day
    from pg_temp.staged_reading s where s.measured_at is not null and s.sensor_id is not null
  ) t;
  is_repeated := exists (
    select from pg_temp.staged_reading s where s.measured_at is not null
    group by s.sensor_id, s.measured_at having count(*) > 1);

  if is_repeated then
    with repeated as (
      select s.sensor_id, s.measured_at from pg_temp.staged_reading s
      where s.sensor_id is not null and s.measured_at is not null
      group by 1, 2 having count(*) > 1
    ),
    earlier as (
      select s.*,
        {{list reading: min(s.$name) over before as least_$name, max(s.$name) over before as most_$name}}
      from pg_temp.staged_reading s join repeated r on r.sensor_id = s.sensor_id and r.measured_at = s.measured_at
      window before as (partition by s.sensor_id, s.measured_at order by s.ordinal
        rows between unbounded preceding and 1 preceding)
    ),
    contradicting as (
      select e.ordinal, e.line, e.sensor_id, e.measured_at, c.parameter, c.value, c.least, c.most
      from earlier e
      cross join lateral (
        select v.* from (values {{list reading: ('$name', e.$name, e.least_$name, e.most_$name)}})
          as v(parameter, value, least, most)
        where v.value <> v.least or v.value <> v.most limit 1
      ) c
    )
    select jsonb_build_object('kind', 'contradictions', 'count', (select count(*) from contradicting), 'rows', rows,
      'ordinals', jsonb_build_array(other.ordinal, c.ordinal), 'lines', jsonb_build_array(other.line, c.line),
      'sensor_id', c.sensor_id, 'measured_at', c.measured_at,
      'parameter', c.parameter, 'values', jsonb_build_array(logic.shortest(other.value), logic.shortest(c.value)),
      -- one, or one of a hundred, is a correction; of dates alone none
      'is_mistaken', (select count(*) from contradicting) > case when has_times_of_day then greatest(1, rows * 0.01) else 0 end)
    into found
    from contradicting c
    cross join lateral (
      select o.ordinal, o.line, v.value
      from pg_temp.staged_reading o
      cross join lateral (values {{list reading: ('$name', o.$name)}}) as v(parameter, value)
      where o.sensor_id = c.sensor_id and o.measured_at = c.measured_at and o.ordinal < c.ordinal
        and v.parameter = c.parameter and v.value <> c.value
      order by o.ordinal desc limit 1
    ) other
    order by c.ordinal limit 1;
    if found is not null then
      findings := findings || (found || jsonb_build_object('stops', (found ->> 'is_mistaken')::boolean and rows >= enough));
    end if;
  end if;
  if rows < enough then return findings; end if;

  if declared & ({{pm25_bit}} | {{pm10_bit}}) = 0 then
    select jsonb_build_object('kind', 'exchanged', 'rows', count(*), 'stops', true) into found
    from pg_temp.staged_reading s
    cross join lateral (select coalesce(s.pm25, s.pm25_raw) as fine) p
    where p.fine is not null and s.pm10 is not null
    having count(*) >= enough and not bool_or(p.fine <= s.pm10);
    if found is not null then findings := findings || found; end if;
  end if;

  if declared & {{rain_bit}} = 0 then
    select jsonb_build_object('kind', 'rising_rain', 'rows', count(*), 'first', logic.shortest(min(r.rain)),
      'last', logic.shortest(max(r.rain)), 'stops', true) into found
    from (
      select s.sensor_id, s.rain, s.rain - lag(s.rain) over (partition by s.sensor_id order by s.measured_at, s.ordinal) as step
      from pg_temp.staged_reading s where s.rain is not null and s.measured_at is not null
    ) r
    group by r.sensor_id
    having count(*) filter (where r.rain > 0) >= enough and min(r.step) >= 0 and max(r.step) > 0
    order by r.sensor_id limit 1;
    if found is not null then findings := findings || found; end if;
  end if;

  if unsaid & ({{temperature_bit}} | {{wind_speed_bit}}) <> 0 then
    findings := findings || logic.unusual_values(unsaid);
  end if;
  return findings;
end $$;

-- Temperatures in °F and wind in km/h may lie within the bounds of our units, and only the hours nearby tell (S8). The
-- first five sensors and 30 days of the stage are compared, with hours from a week before to a week after: on a year of
-- 1,000 stations a push of one waits 3 ms for them, and one of all 21 ms. With 20 stations and 90 days that took 1 s.
create function logic.unusual_values(unsaid int) returns jsonb language plpgsql stable
set plan_cache_mode = force_custom_plan
as $$
declare
  sensors constant int[] := array(
    select s.sensor_id from pg_temp.staged_reading s where s.sensor_id is not null and s.measured_at is not null
    group by 1 order by min(s.ordinal) limit 5);
  first constant timestamptz := (select min(s.measured_at) from pg_temp.staged_reading s where s.sensor_id is not null);
  last timestamptz;
  temperatures int;
  temperature real;
  winds int;
  wind_speed real;
begin
  select max(s.measured_at), count(s.temperature), percentile_disc(0.5) within group (order by s.temperature),
    count(s.wind_speed), percentile_disc(0.5) within group (order by s.wind_speed)
  into last, temperatures, temperature, winds, wind_speed
  from pg_temp.staged_reading s
  where s.sensor_id = any (sensors) and s.measured_at < first + interval '30 days';
  if greatest(temperatures, winds) < 20 then return '[]'; end if;
  return coalesce((
    select jsonb_agg(jsonb_build_object('kind', 'unusual', 'parameter', far.parameter,
      'median', logic.shortest(far.median), 'usual', far.usual, 'is_own', far.is_own, 'stops', true)
      order by far.parameter, far.is_own desc)
    from (
      -- °F are at least 20 more than °C from -15 °C on
      select 'temperature' as parameter, temperature as median, u.temperature as usual, u.is_own
      from logic.usual_values(sensors, first - interval '7 days', last + interval '7 days') u
      where unsaid & {{temperature_bit}} <> 0 and temperatures >= 20 and u.temperature_hours >= 24
        and temperature - u.temperature >= 20
      union all
      -- km/h are 3.6 times as many as m/s
      select 'wind_speed', wind_speed, u.wind_speed, u.is_own
      from logic.usual_values(sensors, first - interval '7 days', last + interval '7 days') u
      where unsaid & {{wind_speed_bit}} <> 0 and winds >= 20 and u.wind_hours >= 24
        and wind_speed >= 2.5 * greatest(u.wind_speed, 0.5)
    ) far), '[]');
end $$;

revoke all on function logic.look_at_stage, logic.unusual_values from public;
grant execute on function logic.look_at_stage, logic.unusual_values, logic.shortest to airseries_ingest;
