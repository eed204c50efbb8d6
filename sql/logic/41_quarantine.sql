-- The quarantine keeps input that could not be used, with the reason, so that it can be retried.

-- Quarantines what a batch could not use: refused readings, and values left out of readings that were stored or were
-- refused only because no value remained (S2). A refused reading that could be parsed is recorded with its values, so
-- that it can be retried. A line is recorded once per reason. Each provider's quarantine is limited to 128 MiB;
-- trimming makes room. Returns how many lines did not fit.
create function logic.quarantine_readings(
  now timestamptz, source text, provider text, stations int[],
  sensors int[], times float8[], lines bigint[], texts text, value_ordinals int[], value_reasons text[],
  refused_ordinals int[],
    refused_reasons text[],
  {{list reading: $name_values real[]}}
)
returns int language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  room bigint;
  added bigint;
  without_room int;
begin
  -- locking the provider's row also serializes its senders
  insert into raw.quarantine_load as load (provider_id) values (coalesce(provider, ''))
  on conflict (provider_id) do update set bytes = load.bytes
  returning 128 * 1024 * 1024 - load.bytes into room;

  with refused as (
    select r.ordinal, 'reading' as kind, r.reason from unnest(refused_ordinals, refused_reasons) as r(ordinal, reason)
    union all
    select v.ordinal, 'value', v.reason
    from unnest(value_ordinals, value_reasons) as v(ordinal, reason)
    left join unnest(refused_ordinals, refused_reasons) as r(ordinal, reason) on r.ordinal = v.ordinal
    where r.ordinal is null or r.reason = 'no_value'
  ),
  wrong as (
    select v.ordinal, jsonb_agg(v.reason) as reasons
    from unnest(value_ordinals, value_reasons) as v(ordinal, reason) group by 1
  ),
  found as (
    select original.line, refused.kind, refused.reason,
      logic.excerpt(coalesce(original.text, ''), case when given.is_understood then 2000 else 65536 end) as text,
      case when refused.kind = 'reading' and given.is_understood then jsonb_strip_nulls(jsonb_build_object(
        'sensor_id', given.sensor_id, 'microseconds', given.microseconds, {{list reading: '$name', given.$name}},
          'unusable', wrong.reasons)) end as reading
    from refused
    left join wrong on wrong.ordinal = refused.ordinal
    left join unnest(string_to_array(texts, E'\n'), lines) with ordinality as original(text, line, ordinal)
      on original.ordinal = refused.ordinal
    left join (
      select *, sensor_id > 0 and microseconds is not null as is_understood
      from unnest(sensors, times, {{list reading: $name_values}})
        with ordinality as g(sensor_id, microseconds, {{list reading: $name}}, ordinal)
    ) given on given.ordinal = refused.ordinal
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

-- At most so many characters of a text, and a few that tell it from others that begin like it. An excerpt is its own
-- excerpt.
create function logic.excerpt(text text, most int) returns text language sql immutable as $$
  select case when length(text) <= most + 34 then text else left(text, most) || ' …' || md5(text) end
$$;

-- The approximate size of a quarantined line in bytes: its text plus a constant for its other columns and index
-- entries.
create function logic.quarantine_bytes(text text) returns bigint
  language sql immutable as $$ select octet_length(text) + 512::bigint $$;

-- Recounts the size of a provider's quarantine after lines were deleted; '' stands for imports by hand. Returns how
-- many lines have not fitted since the last count, and adds them to the provider's dropped lines.
create function logic.recount_quarantine(provider text, out left_out int) language plpgsql as $$
begin
  select load.left_out into left_out from raw.quarantine_load load where load.provider_id = provider for update;
  if not found then
    return;
  end if;
  update raw.quarantine_load load set left_out = 0, bytes = (
    select coalesce(sum(logic.quarantine_bytes(q.text)), 0) from raw.quarantine q
    where q.provider_id = provider or q.provider_id is null and provider = '')
  where load.provider_id = provider;
  insert into raw.quarantine_dropped as dropped (provider_id, surplus) select provider, recount_quarantine.left_out
  where recount_quarantine.left_out > 0
  on conflict (provider_id) do update set surplus = dropped.surplus + excluded.surplus;
end $$;

revoke all on function logic.quarantine_readings, logic.excerpt, logic.quarantine_bytes, logic.recount_quarantine
  from public;
grant execute on function logic.quarantine_readings, logic.excerpt, logic.quarantine_bytes to airseries_ingest;
