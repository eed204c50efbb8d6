-- The door: a batch of readings in columns, one element for each reading, judged already except for what only the network knows.
-- With the rights of the caller. Writers of readings hold the lock raw.network shared, a change of the network holds it alone, so
-- no reading is written with a place that is just being changed. Rows go in one order, or two writers could wait for each other.
-- A scope is what the sender may speak for: readings of other stations raise AS403, and nothing of the batch is stored.
drop function if exists raw.accept_readings cascade;
create function raw.accept_readings(
  now timestamptz,
  source text,
  sensors int[],
  times float8[], -- microseconds since 1970
  problems text[], -- null: none
  lines bigint[], -- where in the source
  texts text, -- of all readings, one a line
  value_nths int[], -- which readings have a value that was left out, counted from 1
  value_reasons text[],
  scope_provider text, -- null: anything
  scope_stations int[], -- null: all of the provider's
  only_new boolean, -- what is stored already stays as it is
  {{each metric: $name_values real[]}},
  out accepted int,
  out unchanged int,
  out without_station int,
  out refused_nths int[], -- readings that could not be used, counted from 1
  out refused_reasons text[],
  out late_hours int, -- closed hours that were written to
  out delays jsonb -- seconds from measuring to now of what was written, alike ones together: [[count, mean], …]
)
language plpgsql
-- a plan for the batch at hand: one for batches of any size would expect ten readings
set plan_cache_mode = force_custom_plan
as $$
declare
  oldest timestamptz;
  strange int[];
  has_formula boolean; -- whether any unit is corrected; most networks have none
  beside_sensors int[] := '{}';
  beside_times timestamptz[] := '{}';
  beside_humidity real[] := '{}';
begin
  perform pg_advisory_xact_lock_shared(hashtext('raw.network'));
  oldest := (select readings_since from raw.installation);

  if scope_provider is not null then
    strange := raw.out_of_scope(sensors, times, scope_provider, scope_stations);
    if strange <> '{}' then
      raise exception using errcode = 'AS403', message = array_to_string(strange, ', ');
    end if;
  end if;

  has_formula := exists (select from raw.correction where formula <> 'none');
  if has_formula then
    perform raw.lock_units(sensors);
    select array_agg(b.sensor_id), array_agg(b.measured_at), array_agg(b.humidity) into beside_sensors, beside_times, beside_humidity
    from (
      select array_agg(g.sensor_id) as sensors, array_agg(place.station_id) as stations, array_agg(g.measured_at) as times
      from (
        select sensor_id, to_timestamp(microseconds / 1e6) as measured_at, humidity
        from unnest(sensors, times, humidity_values) as g(sensor_id, microseconds, humidity)
      ) g
      join raw.sensor_station place on place.sensor_id = g.sensor_id and g.measured_at >= place.since and g.measured_at < place.until
      join raw.correction_period f
        on f.sensor_id = g.sensor_id and f.formula <> 'none' and g.measured_at >= f.since and g.measured_at < f.until
      where g.humidity is null
    ) needing
    cross join raw.humidity_beside(needing.sensors, needing.stations, needing.times) b;
  end if;

  with given as (
    select *, to_timestamp(microseconds / 1e6) as measured_at
    from unnest(sensors, times, problems, {{each metric: $name_values}})
      with ordinality as given(sensor_id, microseconds, problem, {{each metric: $name}}, nth)
  ),
  -- a sensor is at one station at a time, so each reading meets at most one row of each
  incoming as materialized (
    select given.*, place.station_id, raw.quality(given.measured_at, suspicious.periods, bad_thp.periods) as quality,
      coalesce(correction.formula, 'none') as formula,
      case
        when sensor.id is null and given.problem is distinct from 'unreadable_line' then 'unknown_sensor'
        when given.problem is null and given.measured_at < oldest then 'older_than_retention'
        else given.problem
      end as reason
    from given
    left join raw.sensor on sensor.id = given.sensor_id
    left join raw.sensor_station place
      on place.sensor_id = given.sensor_id and given.measured_at >= place.since and given.measured_at < place.until
    left join (select sensor_id, range_agg(tstzrange(since, until)) as periods from raw.suspicious_period group by 1) suspicious
      on suspicious.sensor_id = given.sensor_id
    left join (select station_id, range_agg(tstzrange(since, until)) as periods from raw.bad_thp group by 1) bad_thp
      on bad_thp.station_id = place.station_id
    left join raw.correction_period correction
      on correction.sensor_id = given.sensor_id and given.measured_at >= correction.since and given.measured_at < correction.until
  ),
  unusable_pm25 as (
    select v.nth from unnest(value_nths, value_reasons) as v(nth, reason) where split_part(v.reason, ':', 2) = 'pm25'
  ),
  usable as materialized (
    select *,
      pm25 is not null or nth in (select u.nth from unusable_pm25 u) as is_final,
      row_number() over (partition by sensor_id, measured_at order by nth desc) = 1 as is_last
    from incoming where reason is null
  ),
  -- the humidity that a unit sent along in readings of its other sensors
  unit as (
    select station_id, measured_at, (array_agg(humidity order by sensor_id))[1] as humidity
    from usable where is_last and humidity is not null and quality < 2 group by 1, 2
  ),
  reading as materialized (
    select u.measured_at, u.sensor_id, u.station_id, u.quality, u.nth, u.is_last,
      {{each as_given: u.$name as $name}},
      raw.pm25_raw_stored(u.formula, u.pm25, u.pm25_raw) as pm25_raw,
      raw.pm25_stored(u.formula, u.is_final, u.pm25, u.pm25_raw, case when u.formula <> 'none' then
        coalesce(u.humidity, unit.humidity, beside.humidity) end) as pm25
    from usable u
    left join unit on u.formula <> 'none' and unit.station_id = u.station_id and unit.measured_at = u.measured_at
    left join (
      select distinct sensor_id, measured_at, humidity
      from unnest(beside_sensors, beside_times, beside_humidity) as b(sensor_id, measured_at, humidity)
    ) beside on beside.sensor_id = u.sensor_id and beside.measured_at = u.measured_at
  ),
  written as (
    insert into raw.readings as stored (measured_at, sensor_id, station_id, quality, {{each metric: $name}})
    select measured_at, sensor_id, station_id, quality, {{each metric: $name}}
    from reading
    where is_last
    order by sensor_id, measured_at
    on conflict (sensor_id, measured_at) do update
    set station_id = excluded.station_id, quality = excluded.quality, {{each metric: $name = excluded.$name}}
    where not only_new and ({{each metric: stored.$name}}) is distinct from ({{each metric: excluded.$name}})
    returning station_id, measured_at
  ),
  delayed as (
    select width_bucket(extract(epoch from now - measured_at)::float8, array[60, 300, 1800, 10800, 86400, 604800]::float8[]) as class,
      count(*) as n, avg(extract(epoch from now - measured_at)::float8) as seconds
    from written group by 1
  ),
  -- twice in this batch: the last wins; an earlier one was either equal or accepted and corrected at once
  earlier as (
    select ({{each metric: a.$name}}) is not distinct from ({{each metric: b.$name}}) as is_equal
    from reading a
    join reading b on b.is_last and b.sensor_id = a.sensor_id and b.measured_at = a.measured_at
    where not a.is_last
  )
  -- of what was only to fill gaps, an earlier one was nothing but repeated
  select w.n + case when only_new then 0 else e.different end, r.n - w.n + e.equal + case when only_new then e.different else 0 end, w.nowhere, i.nths, i.reasons, w.late_hours,
    (select coalesce(jsonb_agg(jsonb_build_array(n, greatest(seconds, 0))), '[]') from delayed)
  into accepted, unchanged, without_station, refused_nths, refused_reasons, late_hours, delays
  from (
    select count(*) as n, count(*) filter (where station_id is null) as nowhere,
      count(distinct date_trunc('hour', measured_at)) filter (where measured_at < date_trunc('hour', now)) as late_hours
    from written
  ) w
  cross join (select count(*) as n from reading where is_last) r
  cross join (select count(*) filter (where is_equal) as equal, count(*) filter (where not is_equal) as different from earlier) e
  cross join (
    select
      coalesce(array_agg(nth order by nth) filter (where reason is not null), '{}') as nths,
      coalesce(array_agg(reason order by nth) filter (where reason is not null), '{}') as reasons
    from incoming
  ) i;

  -- units whose humidity came after their particles
  if has_formula then
    perform raw.correct_again(array_agg(late.sensor_id), array_agg(late.at), false)
    from (
      select distinct neighbour.sensor_id, came.at
      from (
        select place.station_id, g.sensor_id, g.at
        from (
          select sensor_id, to_timestamp(microseconds / 1e6) as at
          from unnest(sensors, times, humidity_values) as g(sensor_id, microseconds, humidity) where humidity is not null
        ) g
        join raw.sensor_station place on place.sensor_id = g.sensor_id and g.at >= place.since and g.at < place.until
      ) came
      join raw.sensor_station neighbour
        on neighbour.station_id = came.station_id and neighbour.sensor_id <> came.sensor_id and came.at >= neighbour.since and came.at < neighbour.until
      join raw.correction_period f
        on f.sensor_id = neighbour.sensor_id and f.formula <> 'none' and came.at >= f.since and came.at < f.until
    ) late
    having count(*) > 0;
  end if;

  insert into raw.quarantine (recorded_at, source, provider_id, stations, line, kind, reason, text, reading)
  select now, source, scope_provider, scope_stations, original.line, refused.kind, refused.reason,
    -- of what was understood, so much of the text is enough to be recognised by
    left(coalesce(original.text, ''), case when given.sensor_id > 0 and given.microseconds is not null then 2000 else 65536 end),
    case when refused.kind = 'reading' and given.sensor_id > 0 and given.microseconds is not null then
      jsonb_strip_nulls(jsonb_build_object('sensor_id', given.sensor_id, 'microseconds', given.microseconds, {{each metric: '$name', given.$name}},
        'unusable', wrong.reasons)) end
  from (
    select r.nth, 'reading' as kind, r.reason from unnest(refused_nths, refused_reasons) as r(nth, reason)
    union all
    -- what is wrong with a value is of interest if the reading was kept, or if nothing else was wrong with it
    select v.nth, 'value', v.reason from unnest(value_nths, value_reasons) as v(nth, reason)
    left join unnest(refused_nths, refused_reasons) as r(nth, reason) on r.nth = v.nth
    where r.nth is null or r.reason = 'no_value'
  ) refused
  left join (
    select v.nth, jsonb_agg(v.reason) as reasons from unnest(value_nths, value_reasons) as v(nth, reason) group by 1
  ) wrong on wrong.nth = refused.nth
  left join unnest(string_to_array(texts, E'\n'), lines) with ordinality as original(text, line, nth) on original.nth = refused.nth
  left join unnest(sensors, times, {{each metric: $name_values}}) with ordinality
    as given(sensor_id, microseconds, {{each metric: $name}}, nth) on given.nth = refused.nth
  order by refused.kind, refused.reason, original.text
  on conflict (fingerprint) do nothing;
end $$;

-- The sensors among these that the sender may not speak for: known ones that stood at another's station then, or, where they stood
-- nowhere then, never stood at one of the sender's.
drop function if exists raw.out_of_scope(int[], float8[], text, int[]) cascade;
create function raw.out_of_scope(sensors int[], times float8[], provider text, stations int[]) returns int[] language sql stable as $$
  select coalesce(array_agg(distinct g.sensor_id order by g.sensor_id), '{}')
  from unnest(sensors, times) as g(sensor_id, microseconds)
  join raw.sensor s on s.id = g.sensor_id
  cross join lateral (
    select
      bool_or(is_own) filter (where is_then) as own_then,
      bool_or(is_own) as own_ever
    from (
      select
        st.provider_id = provider and (stations is null or st.id = any (stations)) as is_own,
        to_timestamp(g.microseconds / 1e6) >= p.since and to_timestamp(g.microseconds / 1e6) < p.until as is_then
      from raw.sensor_station p
      join raw.station st on st.id = p.station_id
      where p.sensor_id = g.sensor_id
    ) place
  ) of_sensor
  where not coalesce(of_sensor.own_then, of_sensor.own_ever, false)
$$;

revoke all on function raw.accept_readings, raw.out_of_scope from public;
grant execute on function raw.accept_readings, raw.out_of_scope to airseries_ingest;
