-- The door: a batch of readings in columns, one element for each reading, judged already except for what only the network knows.
-- With the rights of the caller. Writers of readings hold the lock raw.network shared, a change of the network holds it alone, so
-- no reading is written with a place that is just being changed. Rows go in one order, or two writers could wait for each other.
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
  {{each metric: $name_values real[]}},
  out accepted int,
  out unchanged int,
  out without_station int,
  out unknown_nths int[] -- the readings whose sensor is unknown
)
language plpgsql
-- a plan for the batch at hand: one for batches of any size would expect ten readings
set plan_cache_mode = force_custom_plan
as $$
declare
  refused_nths int[];
  refused_reasons text[];
begin
  perform pg_advisory_xact_lock_shared(hashtext('raw.network'));

  with given as (
    select *, to_timestamp(microseconds / 1e6) as measured_at
    from unnest(sensors, times, problems, {{each metric: $name_values}})
      with ordinality as given(sensor_id, microseconds, problem, {{each metric: $name}}, nth)
  ),
  -- a sensor is at one station at a time, so each reading meets at most one row of each
  incoming as materialized (
    select given.*, sensor.correction, place.station_id, raw.quality(given.measured_at, suspicious.periods, bad_thp.periods) as quality,
      case when sensor.id is null and given.problem is distinct from 'unreadable_line' then 'unknown_sensor' else given.problem end as reason
    from given
    left join raw.sensor on sensor.id = given.sensor_id
    left join raw.sensor_station place
      on place.sensor_id = given.sensor_id and given.measured_at >= place.since and given.measured_at < place.until
    left join (select sensor_id, range_agg(tstzrange(since, until)) as periods from raw.suspicious_period group by 1) suspicious
      on suspicious.sensor_id = given.sensor_id
    left join (select station_id, range_agg(tstzrange(since, until)) as periods from raw.bad_thp_period group by 1) bad_thp
      on bad_thp.station_id = place.station_id
  ),
  unusable_pm25 as (
    select v.nth from unnest(value_nths, value_reasons) as v(nth, reason) where split_part(v.reason, ':', 2) = 'pm25'
  ),
  reading as materialized (
    select measured_at, sensor_id, station_id, quality, nth,
      row_number() over (partition by sensor_id, measured_at order by nth desc) = 1 as is_last,
      {{each metric: raw.as_stored('$name', $name, correction, pm25_given, pm25_raw, humidity) as $name}}
    from (select *, pm25 is not null or nth in (select u.nth from unusable_pm25 u) as pm25_given from incoming where reason is null) usable
  ),
  written as (
    insert into raw.readings as stored (measured_at, sensor_id, station_id, quality, {{each metric: $name}})
    select measured_at, sensor_id, station_id, quality, {{each metric: $name}}
    from reading
    where is_last
    order by sensor_id, measured_at
    on conflict (sensor_id, measured_at) do update
    set station_id = excluded.station_id, quality = excluded.quality, {{each metric: $name = excluded.$name}}
    where ({{each metric: stored.$name}}) is distinct from ({{each metric: excluded.$name}})
    returning station_id
  ),
  -- twice in this batch: the last wins; an earlier one was either equal or accepted and corrected at once
  earlier as (
    select ({{each metric: a.$name}}) is not distinct from ({{each metric: b.$name}}) as is_equal
    from reading a
    join reading b on b.is_last and b.sensor_id = a.sensor_id and b.measured_at = a.measured_at
    where not a.is_last
  )
  select w.n + e.different, r.n - w.n + e.equal, w.nowhere, i.unknown_nths, i.refused_nths, i.reasons
  into accepted, unchanged, without_station, unknown_nths, refused_nths, refused_reasons
  from (select count(*) as n, count(*) filter (where station_id is null) as nowhere from written) w
  cross join (select count(*) as n from reading where is_last) r
  cross join (select count(*) filter (where is_equal) as equal, count(*) filter (where not is_equal) as different from earlier) e
  cross join (
    select
      coalesce(array_agg(nth) filter (where reason = 'unknown_sensor'), '{}') as unknown_nths,
      coalesce(array_agg(nth) filter (where reason is not null), '{}') as refused_nths,
      coalesce(array_agg(reason) filter (where reason is not null), '{}') as reasons
    from incoming
  ) i;

  insert into raw.quarantine (recorded_at, source, line, kind, reason, text)
  select now, source, original.line, refused.kind, refused.reason, coalesce(original.text, '')
  from (
    select r.nth, 'reading' as kind, r.reason from unnest(refused_nths, refused_reasons) as r(nth, reason)
    union all
    select v.nth, 'value', v.reason from unnest(value_nths, value_reasons) as v(nth, reason)
    where v.nth not in (select unnest(unknown_nths))
  ) refused
  left join unnest(string_to_array(texts, E'\n'), lines) with ordinality as original(text, line, nth) using (nth)
  order by refused.kind, refused.reason, original.text
  on conflict (fingerprint) do nothing;
end $$;

revoke all on function raw.accept_readings from public;
grant execute on function raw.accept_readings to airseries_ingest;
