-- Screening: finds by itself the stations whose temperature, humidity or pressure cannot be true (C5). It looks at closed hours of
-- sensors, so its verdict does not change with every reading, and what it says is a function of the readings alone: an hour is
-- suspect or it is not, and a run of hours that is long enough is a period. A run that reaches the newest hour goes on until a
-- better one comes: a sensor that fell silent is not trusted for it.

-- Pressure in Pa of the standard atmosphere (ISO 2533) at an altitude in m.
drop function if exists raw.standard_pressure(float8) cascade;
create function raw.standard_pressure(altitude float8) returns float8 language sql immutable parallel safe
  return 101325 * (1 - 2.25577e-5 * altitude) ^ 5.25588;

-- The suspect periods of closed hours from `since` to `at`, of stations that the operator has not vouched for. A run that had begun
-- earlier is followed to the beginning it is known to have.
drop function if exists raw.implausible_periods(timestamptz, timestamptz) cascade;
create function raw.implausible_periods(since timestamptz, at timestamptz) returns setof raw.screened_period language sql stable
set plan_cache_mode = force_custom_plan as $$
  with earlier as (
    select p.station_id, p.sensor_id, min(p.since) as since from raw.screened_period p where p.until > implausible_periods.since group by 1, 2
  ),
  hour as (
    select h.bucket, h.station_id, h.sensor_id, h.temperature, h.humidity, h.pressure, abs(h.pressure - raw.standard_pressure(s.altitude)) as off
    from rollup.sensor_hourly h
    join raw.station s on s.id = h.station_id and s.screening
    left join earlier e on e.station_id = h.station_id and e.sensor_id = h.sensor_id
    where h.bucket >= (select least(implausible_periods.since, min(e.since)) from earlier e)
      and h.bucket >= least(implausible_periods.since, e.since)
      and h.bucket < rollup.bucket_start('hour', at)
  ),
  judged as (
    -- per reason, what makes the hour suspect (null: nothing does), and how many such hours in a row it takes
    select h.bucket, h.station_id, h.sensor_id, j.reason, j.suspect, j.hours
    from hour h
    cross join lateral (values
      ('all_zero', case when h.temperature = 0 and h.humidity = 0 then 'zero' end, 1, h.temperature is not null and h.humidity is not null),
      ('pressure_off_altitude', case when h.off > 5000 then 'off' end, 1, h.off is not null),
      ('humidity_pinned', case when h.humidity >= 99.5 then 'pinned' end, 24, h.humidity is not null),
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
  )
  select station_id, sensor_id, reason, min(bucket), max(next)
  from numbered
  where suspect is not null
  group by station_id, sensor_id, reason, suspect, run, hours
  having count(*) >= hours
$$;

-- Brings the screened periods from `since` on up to date, and in the same step the quality of the readings in them (A3, A10, C5): the
-- next refresh repairs the history of the regions. Returns how many periods began and ended, and how many readings changed.
drop function if exists raw.screen(timestamptz, timestamptz) cascade;
create function raw.screen(since timestamptz, at timestamptz, out raised int, out lifted int, out readings_changed bigint) language plpgsql as $$
declare
  periods raw.screened_period[] := array(select p from raw.implausible_periods(since, at) p);
  old raw.screened_period[];
  before raw.network_period[];
begin
  raised := 0;
  lifted := 0;
  readings_changed := 0;
  old := array(select p from raw.screened_period p where p.until > screen.since);
  if not exists ((select * from unnest(periods) except select * from unnest(old)) union all (select * from unnest(old) except select * from unnest(periods))) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('raw.network')); -- see accept_readings
  before := array(select p from raw.network_period p);
  delete from raw.screened_period p where p.until > screen.since;
  insert into raw.screened_period
  select p.* from unnest(periods) p join raw.station s on s.id = p.station_id and s.screening
  on conflict do nothing;
  readings_changed := raw.follow_periods(before);
  raised := (select count(*) from unnest(periods) p where not exists (
    select from unnest(old) o where (o.station_id, o.sensor_id, o.reason, o.since) = (p.station_id, p.sensor_id, p.reason, p.since)));
  lifted := (select count(*) from unnest(old) o where o.until = 'infinity' and not exists (
    select from unnest(periods) p where (o.station_id, o.sensor_id, o.reason) = (p.station_id, p.sensor_id, p.reason) and p.until = 'infinity'));
end $$;

revoke all on function raw.standard_pressure, raw.implausible_periods, raw.screen from public;
