-- The way in: a batch of readings in columns, one element for each reading, validated already except for what only the database
-- knows (S2, S3). With the rights of the caller, in one transaction: all of it or nothing.

-- Stores what is usable and puts the rest into quarantine. accepted + unchanged + refused = the readings given. Raises AS403, and stores
-- nothing, if the sender may not send for one of the sensors.
create function logic.store_readings(
  now timestamptz,
  source text,
  sensors int[],
  times float8[], -- microseconds since 1970
  problems text[], -- why a reading cannot be used; null: no reason known yet
  lines bigint[], -- where in the source
  texts text, -- of all readings, one a line
  value_nths int[], -- which readings have a value that was left out, counted from 1
  value_reasons text[],
  scope_provider text, -- for which provider the sender may send; null: for any
  scope_stations int[], -- and for which stations of it; null: for all
  only_new boolean, -- what is stored already stays as it is
  {{each parameter: $name_values real[]}},
  out accepted int,
  out unchanged int,
  out without_station int, -- of the accepted: how many had no placement at their time
  out refused_nths int[], -- readings that could not be used, counted from 1
  out refused_reasons text[],
  out late_hours int, -- closed hours that were written to
  out delays jsonb -- seconds from measurement to now of what was written, alike ones together: [[count, mean], …]
)
language plpgsql
set plan_cache_mode = force_custom_plan -- a plan for batches of any size would expect ten readings
as $$
declare
  unauthorized int[] := logic.unauthorized_sensors(sensors, times, scope_provider, scope_stations);
begin
  if unauthorized <> '{}' then
    raise exception using errcode = 'AS403', message = array_to_string(unauthorized, ', ');
  end if;
  perform pg_advisory_xact_lock_shared(hashtext('raw.ingest_cutoff')); -- see raise_ingest_cutoff

  with given as materialized (
    select g.nth, g.sensor_id, to_timestamp(g.microseconds / 1e6) as measured_at, {{each parameter: g.$name}},
      case
        when s.id is null and g.problem is distinct from 'unreadable_line' then 'unknown_sensor'
        when g.problem is not null then g.problem
        when to_timestamp(g.microseconds / 1e6) < rollup.origin() then 'before_epoch'
        when to_timestamp(g.microseconds / 1e6) < i.ingest_cutoff then 'older_than_retention'
      end as reason
    from unnest(sensors, times, problems, {{each parameter: $name_values}})
      with ordinality as g(sensor_id, microseconds, problem, {{each parameter: $name}}, nth)
    left join raw.sensor s on s.id = g.sensor_id
    cross join raw.installation i
  ),
  usable as materialized (
    select *, row_number() over (partition by sensor_id, measured_at order by nth desc) = 1 as is_last from given where reason is null
  ),
  written as (
    insert into raw.readings as stored (measured_at, sensor_id, {{each parameter: $name}})
    select measured_at, sensor_id, {{each parameter: $name}} from usable where is_last
    order by sensor_id, measured_at -- one order for all, or two writers could wait for each other
    on conflict (sensor_id, measured_at) do update set {{each parameter: $name = excluded.$name}}
    where not only_new and ({{each parameter: stored.$name}}) is distinct from ({{each parameter: excluded.$name}})
    returning sensor_id, measured_at, extract(epoch from now - measured_at)::float8 as delay
  ),
  -- twice in this batch: the last wins; an earlier one is unchanged if equal (or if it could only have filled a gap), else accepted
  replaced as (
    select count(*)::int as n
    from usable earlier
    join usable last on last.is_last and last.sensor_id = earlier.sensor_id and last.measured_at = earlier.measured_at
    where not earlier.is_last and not only_new and ({{each parameter: earlier.$name}}) is distinct from ({{each parameter: last.$name}})
  )
  select replaced.n + count(w.measured_at),
    (select count(*) from usable) - replaced.n - count(w.measured_at),
    count(w.measured_at) filter (where p.sensor_id is null),
    count(distinct rollup.bucket_start('hour', w.measured_at)) filter (where w.measured_at < rollup.bucket_start('hour', now)),
    coalesce((select jsonb_agg(jsonb_build_array(n, greatest(seconds, 0))) from (
      select count(*) as n, avg(delay) as seconds from written
      group by width_bucket(delay, array[60, 300, 1800, 10800, 86400, 604800]::float8[])) d), '[]'),
    (select coalesce(array_agg(nth order by nth), '{}') from given where reason is not null),
    (select coalesce(array_agg(reason order by nth), '{}') from given where reason is not null)
  into accepted, unchanged, without_station, late_hours, delays, refused_nths, refused_reasons
  from replaced
  left join written w on true
  left join raw.placement p on p.sensor_id = w.sensor_id and w.measured_at >= p.since and w.measured_at < p.until
  group by replaced.n;

  if refused_nths <> '{}' or value_nths <> '{}' then
    insert into raw.quarantine (recorded_at, source, provider_id, stations, line, kind, reason, text, reading)
    select now, store_readings.source, scope_provider, scope_stations, q.line, q.kind, q.reason, q.text, q.reading
    from logic.refused_lines(sensors, times, lines, texts, value_nths, value_reasons, refused_nths, refused_reasons, {{each parameter: $name_values}}) q
    order by q.kind, q.reason, q.text
    on conflict (fingerprint) do nothing;
  end if;
end $$;

-- The lines of a batch that belong into quarantine: readings that were refused, and values left out of readings that were kept or that
-- had no other fault. Of a reading that was understood its values go along, for another try.
create function logic.refused_lines(
  sensors int[], times float8[], lines bigint[], texts text, value_nths int[], value_reasons text[], refused_nths int[], refused_reasons text[],
  {{each parameter: $name_values real[]}}
)
returns table (line bigint, kind text, reason text, text text, reading jsonb) language sql stable
set plan_cache_mode = force_custom_plan as $$
  with refused as (
    select r.nth, 'reading' as kind, r.reason from unnest(refused_nths, refused_reasons) as r(nth, reason)
    union all
    select v.nth, 'value', v.reason
    from unnest(value_nths, value_reasons) as v(nth, reason)
    left join unnest(refused_nths, refused_reasons) as r(nth, reason) on r.nth = v.nth
    where r.nth is null or r.reason = 'no_value'
  ),
  wrong as (
    select v.nth, jsonb_agg(v.reason) as reasons from unnest(value_nths, value_reasons) as v(nth, reason) group by 1
  )
  select original.line, refused.kind, refused.reason,
    left(coalesce(original.text, ''), case when given.is_understood then 2000 else 65536 end),
    case when refused.kind = 'reading' and given.is_understood then jsonb_strip_nulls(jsonb_build_object(
      'sensor_id', given.sensor_id, 'microseconds', given.microseconds, {{each parameter: '$name', given.$name}}, 'unusable', wrong.reasons)) end
  from refused
  left join wrong on wrong.nth = refused.nth
  left join unnest(string_to_array(texts, E'\n'), lines) with ordinality as original(text, line, nth) on original.nth = refused.nth
  left join (
    select *, sensor_id > 0 and microseconds is not null as is_understood
    from unnest(sensors, times, {{each parameter: $name_values}}) with ordinality as g(sensor_id, microseconds, {{each parameter: $name}}, nth)
  ) given on given.nth = refused.nth
$$;

-- The sensors among these for which the sender may not send: known ones that stood at another's station at that time, suspicious or
-- not, or, where they stood nowhere then, never stood at one of the sender's.
create function logic.unauthorized_sensors(sensors int[], times float8[], provider text, stations int[]) returns int[] language sql stable as $$
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
        to_timestamp(g.microseconds / 1e6) >= stood.since and to_timestamp(g.microseconds / 1e6) < stood.until as is_then
      from raw.sensor_station stood
      join raw.station st on st.id = stood.station_id
      where stood.sensor_id = g.sensor_id
    ) at_station
  ) of_sensor
  where provider is not null and not coalesce(of_sensor.own_then, of_sensor.own_ever, false)
$$;

revoke all on function logic.store_readings, logic.refused_lines, logic.unauthorized_sensors from public;
grant execute on function logic.store_readings, logic.refused_lines, logic.unauthorized_sensors to airseries_ingest;
grant usage on schema logic to airseries_ingest;
