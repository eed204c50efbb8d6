-- Screening automatically flags stations with implausible temperature, humidity or pressure (C5). It tests closed hours
-- of sensors, so the result depends only on the readings and does not change with every one of them. A run of enough
-- suspect hours is a flagged period. A run that reaches the newest hour stays open until a good hour follows; going
-- offline does not end it.

-- Pressure of the standard atmosphere (ISO 2533) in Pa at an altitude in m.
create function logic.standard_pressure(altitude float8) returns float8 language sql immutable parallel safe
  return 101325 * (1 - 2.25577e-5 * altitude) ^ 5.25588;

-- The sensors that may have a suspect period in closed hours from `since` to `at`; all others certainly have none. It
-- looks at quarters of days, in one pass: of any 24 measured hours in a row, at least 14 lie in quarters that hold no
-- others. Compiling (jit) would take longer than that.
create function logic.suspect_sensors(since timestamptz, at timestamptz) returns setof int language plpgsql stable
set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
begin
  return query
  with quarter as (
    select h.sensor_id, p.station_id,
      bool_or(h.temperature = 0 and h.humidity = 0) as is_zero,
      min(h.pressure) as lowest_pressure, max(h.pressure) as highest_pressure, count(h.pressure) as pressures,
      min(h.humidity) as lowest_humidity, max(h.humidity) - min(h.humidity) as humidity_range,
        count(h.humidity) as humidities,
      max(h.temperature) - min(h.temperature) as temperature_range, count(h.temperature) as temperatures
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= suspect_sensors.since and h.bucket < closed
      and (h.temperature is not null or h.humidity is not null or h.pressure is not null)
    group by h.sensor_id, p.station_id, date_bin('6 hours', h.bucket, rollup.origin())
  )
  select distinct q.sensor_id
  from quarter q
  join raw.station s on s.id = q.station_id and s.screening
  group by q.sensor_id, q.station_id, s.altitude
  having bool_or(q.is_zero)
    or max(q.highest_pressure) > logic.standard_pressure(s.altitude) + 5000
      or min(q.lowest_pressure) < logic.standard_pressure(s.altitude) - 5000
    or sum(q.humidities) filter (where q.lowest_humidity >= 99.5) >= 14
    -- these ranges are wider than any that implausible_periods rounds to one value
    or sum(q.temperatures) filter (where q.temperature_range < 1e-5) >= 14
    or sum(q.humidities) filter (where q.humidity_range < 1e-5) >= 14
    or sum(q.pressures) filter (where q.highest_pressure - q.lowest_pressure < 1e-2) >= 14;
end $$;

-- The recorded periods that a screening from `since` on judges again: the periods that its hours can change (periods of
-- kind pm continue after gaps of up to 24 hours), all open ones among them. Where the station has no hour since the
-- beginning, nothing says otherwise: a network file may come before its readings.
create function logic.rejudged_periods(since timestamptz) returns setof logic.screened_period language sql stable as $$
  select p.* from logic.screened_period p
  where p.until > rejudged_periods.since - case p.kind when 'pm' then interval '24 hours' else interval '0' end
    and exists (select from rollup.station_hourly h where h.station_id = p.station_id and h.bucket >= p.since)
$$;

-- The suspect periods in closed hours from `since` to `at`, of stations with screening enabled. A run in `recorded`,
-- the periods that are judged again, with an earlier start keeps that start.
create function logic.implausible_periods(since timestamptz, at timestamptz, recorded logic.screened_period[])
returns setof logic.screened_period language plpgsql stable set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  closed constant timestamptz := rollup.bucket_start('hour', at);
  sensors constant int[] := array(
    select suspect from logic.suspect_sensors(since, at) suspect
    union select p.sensor_id from unnest(recorded) p);
begin
  return query
  with earlier as (
    select p.station_id, p.sensor_id, min(p.since) as since from unnest(recorded) p group by 1, 2
  ),
  hour as (
    select h.bucket, p.station_id, h.sensor_id, h.temperature, h.humidity, h.pressure
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.sensor_id = any (sensors) and h.bucket >= implausible_periods.since and h.bucket < closed
    union all
    select h.bucket, p.station_id, h.sensor_id, h.temperature, h.humidity, h.pressure
    from earlier e
    join rollup.sensor_hourly h on h.sensor_id = e.sensor_id
    join raw.placement p on p.sensor_id = h.sensor_id and p.station_id = e.station_id and h.bucket >= p.since
      and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= e.since and h.bucket < implausible_periods.since
  ),
  tested as (
    -- per reason: the suspect value or pattern (null: not suspect), and how many such hours in a row make a period
    select h.bucket, h.station_id, h.sensor_id, j.reason, j.suspect, j.hours
    from hour h
    join raw.station s on s.id = h.station_id and s.screening
    cross join lateral (values
      ('zero_values', case when h.temperature = 0 and h.humidity = 0 then 'zero' end, 1, h.temperature is not null
        and h.humidity is not null),
      ('pressure_off_altitude',
        case when abs(h.pressure - logic.standard_pressure(s.altitude)) > 5000 then 'off' end, 1,
        h.pressure is not null and s.altitude is not null),
      ('humidity_saturated', case when h.humidity >= 99.5 then 'saturated' end, 24, h.humidity is not null),
      ('constant_temperature', round(h.temperature::numeric, 6)::text, 24, h.temperature is not null),
      ('constant_humidity', case when h.humidity < 99.5 then round(h.humidity::numeric, 6)::text end, 24,
        h.humidity is not null),
      ('constant_pressure', round(h.pressure::numeric, 3)::text, 24, h.pressure is not null)
    ) j(reason, suspect, hours, is_measured)
    where j.is_measured
  ),
  numbered as (
    select *,
      lead(bucket, 1, 'infinity') over of_reason as next,
      row_number() over of_reason - row_number() over (partition by station_id, sensor_id, reason, suspect
        order by bucket) as run
    from tested
    window of_reason as (partition by station_id, sensor_id, reason order by bucket)
  ),
  run as (
    select station_id, sensor_id, reason, min(bucket) as since, max(bucket) as last, max(next) as next
    from numbered
    where suspect is not null
    group by station_id, sensor_id, reason, suspect, run, hours
    having count(*) >= hours
  )
  -- a period ends at the latest when the sensor leaves the station, or when it is marked suspicious and no longer
  -- counts
  select r.station_id, r.sensor_id, r.reason, r.since, least(r.next, placed.until, suspicious.since),
    'thp', null::jsonb, null::timestamptz[]
  from run r
  cross join lateral (
    select coalesce(max(p.until), r.last + interval '1 hour') as until from raw.sensor_station p
    where p.sensor_id = r.sensor_id and p.station_id = r.station_id and p.since < r.last + interval '1 hour'
      and p.until > r.last
  ) placed
  cross join lateral (
    select min(p.since) as since from raw.suspicious_period p where p.sensor_id = r.sensor_id and p.since > r.last
  ) suspicious
  where least(r.next, placed.until, suspicious.since) > implausible_periods.since;
end $$;

-- Updates the screened periods from `since` on, one caller at a time, and marks the changes for the next refresh (A3,
-- A10, C5, C9). It writes nothing if nothing changed. It returns how many flags were raised and lifted.
create function logic.screen(since timestamptz, at timestamptz, out raised int, out lifted int) language plpgsql as $$
declare
  found_periods logic.screened_period[];
  recorded logic.screened_period[];
begin
  lock table raw.screen_lock in exclusive mode;
  recorded := array(select p from logic.rejudged_periods(since) p);
  found_periods := array(
    select p from logic.implausible_periods(since, at, array(select o from unnest(recorded) o where o.kind = 'thp')) p
    union all
    select p from logic.suspect_periods(since, at, array(select o from unnest(recorded) o where o.kind = 'pm')) p);
  raised := (select count(*) from unnest(found_periods) p where not exists (
    select from unnest(recorded) o
    where (o.station_id, o.sensor_id, o.reason, o.since) is not distinct from (p.station_id, p.sensor_id, p.reason,
      p.since)));
  lifted := (select count(*) from unnest(recorded) o where o.until = 'infinity' and not exists (
    select from unnest(found_periods) p
    where (o.station_id, o.sensor_id, o.reason, p.until) is not distinct from (p.station_id, p.sensor_id, p.reason,
      timestamptz 'infinity')));
  if exists (
    (select * from unnest(found_periods) except select * from unnest(recorded))
    union all (select * from unnest(recorded) except select * from unnest(found_periods))
  ) then
    call logic.replace_screened_periods(recorded, found_periods);
  end if;
end $$;

create procedure logic.replace_screened_periods(recorded logic.screened_period[], found_periods logic.screened_period[])
  language plpgsql as $$
begin
  lock table raw.network_lock in exclusive mode;
  delete from raw.screened_period p using unnest(recorded) o
  where (p.station_id, p.sensor_id, p.reason, p.since) is not distinct from (o.station_id, o.sensor_id, o.reason,
    o.since);
  insert into raw.screened_period (station_id, sensor_id, reason, since, until, kind, evidence, hours)
  select p.station_id, p.sensor_id, p.reason, p.since, p.until, p.kind, p.evidence, p.hours
  from unnest(found_periods) p
  join raw.station s on s.id = p.station_id and case p.kind when 'thp' then s.screening else not s.trusted end
  on conflict do nothing;
  perform logic.apply_periods('screening');
  perform logic.raise_data_version();
end $$;

revoke all on function logic.standard_pressure, logic.suspect_sensors, logic.rejudged_periods,
  logic.implausible_periods, logic.screen from public;
