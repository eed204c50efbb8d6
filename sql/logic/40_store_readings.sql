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
  out left_out int, -- lines for which the quarantine had no room
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
  lock table raw.ingest_lock in row exclusive mode; -- see raise_ingest_cutoff

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
  {{include parts/store.sql}}
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

  left_out := 0;
  if refused_nths <> '{}' or value_nths <> '{}' then
    left_out := logic.quarantine_readings(now, source, scope_provider, scope_stations, sensors, times, lines, texts, value_nths, value_reasons,
      refused_nths, refused_reasons, {{each parameter: $name_values}});
  end if;
end $$;

-- Records in quarantine what of a batch could not be used: readings that were refused, and values left out of readings that were kept or
-- that had no other fault (S2). Of a reading that was understood its values go along, for another try. A line is recorded once.
-- Returns for how many lines of it a provider's quarantine, of 128 MiB, had no room; trimming makes some.
create function logic.quarantine_readings(
  now timestamptz, source text, provider text, stations int[],
  sensors int[], times float8[], lines bigint[], texts text, value_nths int[], value_reasons text[], refused_nths int[], refused_reasons text[],
  {{each parameter: $name_values real[]}}
)
returns int language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  room bigint;
  added bigint;
  without_room int;
begin
  -- the row of the provider is also the turn that its senders take
  insert into raw.quarantine_load as load (provider_id) values (coalesce(provider, ''))
  on conflict (provider_id) do update set bytes = load.bytes
  returning 128 * 1024 * 1024 - load.bytes into room;

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
  ),
  found as (
    select original.line, refused.kind, refused.reason,
      left(coalesce(original.text, ''), case when given.is_understood then 2000 else 65536 end) as text,
      case when refused.kind = 'reading' and given.is_understood then jsonb_strip_nulls(jsonb_build_object(
        'sensor_id', given.sensor_id, 'microseconds', given.microseconds, {{each parameter: '$name', given.$name}}, 'unusable', wrong.reasons)) end as reading
    from refused
    left join wrong on wrong.nth = refused.nth
    left join unnest(string_to_array(texts, E'\n'), lines) with ordinality as original(text, line, nth) on original.nth = refused.nth
    left join (
      select *, sensor_id > 0 and microseconds is not null as is_understood
      from unnest(sensors, times, {{each parameter: $name_values}}) with ordinality as g(sensor_id, microseconds, {{each parameter: $name}}, nth)
    ) given on given.nth = refused.nth
  ),
  missing as materialized (
    select f.*, sum(logic.quarantine_bytes(f.text)) over (order by f.kind, f.reason, f.text) as bytes_so_far
    from (select distinct on (kind, reason, text) * from found order by kind, reason, text, line) f
    where not exists (select from raw.quarantine q
      where q.fingerprint = md5(f.kind || E'\n' || f.reason || E'\n' || coalesce(provider, '') || E'\n' || f.text))
  ),
  recorded as (
    insert into raw.quarantine (recorded_at, source, provider_id, stations, line, kind, reason, text, reading)
    select now, source, provider, stations, m.line, m.kind, m.reason, m.text, m.reading
    from missing m
    where m.bytes_so_far <= room
    order by m.bytes_so_far
    on conflict (fingerprint) do nothing
    returning logic.quarantine_bytes(quarantine.text) as bytes
  )
  select coalesce((select sum(bytes) from recorded), 0), (select count(*) from missing where bytes_so_far > room)
  into added, without_room;

  update raw.quarantine_load load set bytes = load.bytes + added, left_out = load.left_out + without_room
  where load.provider_id = coalesce(provider, '');
  return without_room;
end $$;

-- What a line of the quarantine takes up: its text, and about as much as everything else of it and its places in the indexes.
create function logic.quarantine_bytes(text text) returns bigint language sql immutable as $$ select octet_length(text) + 512::bigint $$;

-- Counts again how much of a provider ('': what was imported) is in quarantine, now that lines were deleted; returns how many lines found
-- no room since it was last counted, and adds them to those that were let go of.
create function logic.recount_quarantine(provider text, out left_out int) language plpgsql as $$
begin
  select load.left_out into left_out from raw.quarantine_load load where load.provider_id = provider for update;
  if not found then
    return;
  end if;
  update raw.quarantine_load load set left_out = 0, bytes = (
    select coalesce(sum(logic.quarantine_bytes(q.text)), 0) from raw.quarantine q where q.provider_id = provider or q.provider_id is null and provider = '')
  where load.provider_id = provider;
  insert into raw.quarantine_dropped as dropped (provider_id, surplus) select provider, recount_quarantine.left_out where recount_quarantine.left_out > 0
  on conflict (provider_id) do update set surplus = dropped.surplus + excluded.surplus;
end $$;


-- The same for readings that an import has copied into the temporary table staged_readings (nth, and the columns of raw.readings), all of
-- them usable. accepted + unchanged = the readings staged.
create function logic.store_staged_readings(now timestamptz, out accepted int, out unchanged int, out without_station int) language plpgsql as $$
declare
  only_new constant boolean := false;
begin
  with usable as materialized (
    select *, row_number() over (partition by sensor_id, measured_at order by nth desc) = 1 as is_last from staged_readings
  ),
  {{include parts/store.sql}}
  select replaced.n + count(w.measured_at), (select count(*) from usable) - replaced.n - count(w.measured_at),
    count(w.measured_at) filter (where p.sensor_id is null)
  into accepted, unchanged, without_station
  from replaced
  left join written w on true
  left join raw.placement p on p.sensor_id = w.sensor_id and w.measured_at >= p.since and w.measured_at < p.until
  group by replaced.n;
end $$;

-- What an import must know of these sensors to judge their readings; none for a sensor that the network does not know. Times in
-- microseconds since 1970. newest: of the stored readings; null without any. placements: [since, until) of each, null where infinite.
create function logic.known_sensors(sensors int[]) returns table (id int, newest float8, placements jsonb) language sql stable
set plan_cache_mode = force_custom_plan as $$
  select s.id,
    (select extract(epoch from r.measured_at)::float8 * 1e6 from raw.readings r where r.sensor_id = s.id order by r.measured_at desc limit 1),
    (select coalesce(jsonb_agg(jsonb_build_array(
        case when isfinite(p.since) then extract(epoch from p.since) * 1000000 end,
        case when isfinite(p.until) then extract(epoch from p.until) * 1000000 end)), '[]')
      from raw.placement p where p.sensor_id = s.id)
  from raw.sensor s
  where s.id = any (sensors)
$$;

-- Takes part in the agreement on the ingest cutoff until the end of the transaction (raise_ingest_cutoff), and returns from when on
-- readings are taken: the first hour there is, and the cutoff; microseconds since 1970, null where there is none.
create function logic.ingest_bounds(out origin float8, out cutoff float8) language plpgsql as $$
begin
  lock table raw.ingest_lock in row exclusive mode;
  select extract(epoch from rollup.origin()) * 1e6, case when isfinite(ingest_cutoff) then extract(epoch from ingest_cutoff) * 1e6 end
  into origin, cutoff from raw.installation;
end $$;

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

revoke all on function logic.store_readings, logic.store_staged_readings, logic.quarantine_readings, logic.quarantine_bytes, logic.recount_quarantine, logic.known_sensors, logic.ingest_bounds,
  logic.unauthorized_sensors from public;
grant execute on function logic.store_readings, logic.store_staged_readings, logic.quarantine_readings, logic.quarantine_bytes, logic.known_sensors, logic.ingest_bounds,
  logic.unauthorized_sensors to airseries_ingest;
grant usage on schema logic to airseries_ingest;
