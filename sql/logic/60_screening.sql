-- Screening: finds by itself the stations whose temperature, humidity or pressure cannot be true (C5). It looks at closed hours of
-- sensors, so its verdict does not change with every reading, and what it says is a function of the readings alone: an hour is
-- suspect or it is not, and a run of hours that is long enough is a period. A run that reaches the newest hour goes on until a
-- better one comes: a sensor that fell silent is not trusted for it.

-- Pressure in Pa of the standard atmosphere (ISO 2533) at an altitude in m.
create function logic.standard_pressure(altitude float8) returns float8 language sql immutable parallel safe
  return 101325 * (1 - 2.25577e-5 * altitude) ^ 5.25588;

-- The suspect periods of closed hours from `since` to `at`, of stations that the operator has not vouched for. A run that had begun
-- earlier is followed to the beginning it is known to have.
create function logic.implausible_periods(since timestamptz, at timestamptz) returns setof raw.screened_period language sql stable
set plan_cache_mode = force_custom_plan as $$
  with earlier as (
    select p.station_id, p.sensor_id, min(p.since) as since from raw.screened_period p where p.until > implausible_periods.since group by 1, 2
  ),
  hour as (
    select h.bucket, p.station_id, h.sensor_id, h.temperature, h.humidity, h.pressure
    from rollup.sensor_hourly h
    join raw.placement p on p.sensor_id = h.sensor_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= implausible_periods.since and h.bucket < rollup.bucket_start('hour', at)
    union all
    select h.bucket, p.station_id, h.sensor_id, h.temperature, h.humidity, h.pressure
    from earlier e
    join rollup.sensor_hourly h on h.sensor_id = e.sensor_id
    join raw.placement p on p.sensor_id = h.sensor_id and p.station_id = e.station_id and h.bucket >= p.since and h.bucket + interval '1 hour' <= p.until
    where h.bucket >= e.since and h.bucket < implausible_periods.since
  ),
  judged as (
    -- per reason, what makes the hour suspect (null: nothing does), and how many such hours in a row it takes
    select h.bucket, h.station_id, h.sensor_id, j.reason, j.suspect, j.hours
    from hour h
    join raw.station s on s.id = h.station_id and s.screening
    cross join lateral (values
      ('zero_values', case when h.temperature = 0 and h.humidity = 0 then 'zero' end, 1, h.temperature is not null and h.humidity is not null),
      ('pressure_off_altitude', case when abs(h.pressure - logic.standard_pressure(s.altitude)) > 5000 then 'off' end, 1,
        h.pressure is not null and s.altitude is not null),
      ('humidity_saturated', case when h.humidity >= 99.5 then 'saturated' end, 24, h.humidity is not null),
      ('constant_temperature', round(h.temperature::numeric, 6)::text, 24, h.temperature is not null),
      ('constant_humidity', case when h.humidity < 99.5 then round(h.humidity::numeric, 6)::text end, 24, h.humidity is not null),
      ('constant_pressure', round(h.pressure::numeric, 3)::text, 24, h.pressure is not null)
    ) j(reason, suspect, hours, is_measured)
    where j.is_measured
  ),
  numbered as (
    select *,
      lead(bucket, 1, 'infinity') over of_reason as next,
      row_number() over of_reason - row_number() over (partition by station_id, sensor_id, reason, suspect order by bucket) as run
    from judged
    window of_reason as (partition by station_id, sensor_id, reason order by bucket)
  ),
  run as (
    select station_id, sensor_id, reason, min(bucket) as since, max(bucket) as last, max(next) as next
    from numbered
    where suspect is not null
    group by station_id, sensor_id, reason, suspect, run, hours
    having count(*) >= hours
  )
  -- it ends at the latest when the sensor is taken from the station, or is marked as suspicious and takes part in nothing any more
  select r.station_id, r.sensor_id, r.reason, r.since, least(r.next, stay.until, suspicious.since)
  from run r
  cross join lateral (
    select coalesce(max(p.until), r.last + interval '1 hour') as until from raw.sensor_station p
    where p.sensor_id = r.sensor_id and p.station_id = r.station_id and p.since < r.last + interval '1 hour' and p.until > r.last
  ) stay
  cross join lateral (
    select min(p.since) as since from raw.suspicious_period p where p.sensor_id = r.sensor_id and p.since > r.last
  ) suspicious
  where least(r.next, stay.until, suspicious.since) > implausible_periods.since
$$;

-- Brings the screened periods from `since` on up to date, one caller at a time, and marks what they change for the next refresh (A3,
-- A10, C5). Returns how many periods began and ended; a run that finds what is recorded already writes nothing and marks nothing.
create function logic.screen(since timestamptz, at timestamptz, out raised int, out lifted int) language plpgsql as $$
declare
  found_periods raw.screened_period[];
  recorded raw.screened_period[];
begin
  lock table raw.screen_lock in exclusive mode;
  found_periods := array(select p from logic.implausible_periods(since, at) p);
  recorded := array(select p from raw.screened_period p where p.until > screen.since);
  raised := (select count(*) from unnest(found_periods) p where not exists (
    select from unnest(recorded) o where (o.station_id, o.sensor_id, o.reason, o.since) = (p.station_id, p.sensor_id, p.reason, p.since)));
  lifted := (select count(*) from unnest(recorded) o where o.until = 'infinity' and not exists (
    select from unnest(found_periods) p where (o.station_id, o.sensor_id, o.reason) = (p.station_id, p.sensor_id, p.reason) and p.until = 'infinity'));
  if not exists (
    (select * from unnest(found_periods) except select * from unnest(recorded))
    union all (select * from unnest(recorded) except select * from unnest(found_periods))
  ) then
    return;
  end if;
  lock table raw.network_lock in exclusive mode;
  delete from raw.screened_period p where p.until > screen.since;
  insert into raw.screened_period (station_id, sensor_id, reason, since, until)
  select p.station_id, p.sensor_id, p.reason, p.since, p.until
  from unnest(found_periods) p
  join raw.station s on s.id = p.station_id and s.screening
  on conflict do nothing;
  perform logic.apply_periods();
end $$;

revoke all on function logic.standard_pressure, logic.implausible_periods, logic.screen from public;
