-- The quarantine keeps input that could not be used, with the reason, so that it can be retried.

-- Quarantines what staged rows of a period could not be used for: refused rows, and values left out of rows that were
-- stored or were refused only because no value remained (S2). A refused row that could be parsed is recorded with its
-- values, so that it can be retried. A line is recorded once per reason. Each provider's quarantine is limited to
-- 128 MiB; trimming makes room. Returns how many lines did not fit, and the number of values by reason.
create function logic.quarantine_staged(
  now timestamptz, source text, provider text, stations int[], since timestamptz, until timestamptz, of_others int[],
  refused_ordinals int[], refused_reasons text[],
  out left_out int, out value_reasons jsonb
) language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  room bigint;
  added bigint;
begin
  -- locking the provider's row also serializes its senders
  insert into raw.quarantine_load as load (provider_id) values (coalesce(provider, ''))
  on conflict (provider_id) do update set bytes = load.bytes
  returning 128 * 1024 * 1024 - load.bytes into room;

  with row as materialized (
    select s.*, r.reason, s.sensor_id is not null and s.measured_at is not null as is_understood
    from pg_temp.staged_reading s
    left join unnest(refused_ordinals, refused_reasons) as r(ordinal, reason) on r.ordinal = s.ordinal
    where (r.reason is not null or s.wrong is not null)
      and (s.measured_at >= since and s.measured_at < until or s.measured_at is null and since = '-infinity')
      and s.ordinal <> all (of_others)
  ),
  fault as (
    select row.ordinal, 'reading' as kind, row.reason from row where row.reason is not null
    union all
    select row.ordinal, 'value', v.reason from row cross join unnest(string_to_array(row.wrong, ' ')) as v(reason)
    where row.reason is null or row.reason = 'no_value'
  ),
  found as (
    select row.line, fault.kind, fault.reason,
      logic.excerpt(coalesce(row.text, jsonb_strip_nulls(jsonb_build_object('sensor_id', row.sensor_id,
        'measured_at', row.measured_at, {{list reading: '$name', row.$name}}))::text),
        case when row.is_understood then 2000 else 65536 end) as text,
      case when fault.kind = 'reading' and row.is_understood then jsonb_strip_nulls(jsonb_build_object(
        'sensor_id', row.sensor_id, 'microseconds', (extract(epoch from row.measured_at) * 1000000)::bigint,
        {{list reading: '$name', row.$name}},
        'unusable', to_jsonb(string_to_array(row.wrong, ' ')))) end as reading
    from fault join row on row.ordinal = fault.ordinal
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
  select coalesce((select sum(bytes) from recorded), 0), (select count(*) from missing where bytes_so_far > room),
    coalesce((select jsonb_object_agg(reason, n) from (
      select fault.reason, count(*) as n from fault where fault.kind = 'value' group by 1) v), '{}')
  into added, left_out, value_reasons;

  update raw.quarantine_load load set bytes = load.bytes + added, left_out = load.left_out + quarantine_staged.left_out
  where load.provider_id = coalesce(provider, '');
end $$;

-- The first `most` characters of a text, and a few that tell it from others that begin like it. An excerpt is its own
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

revoke all on function logic.quarantine_staged, logic.excerpt, logic.quarantine_bytes, logic.recount_quarantine
  from public;
grant execute on function logic.quarantine_staged, logic.excerpt, logic.quarantine_bytes to airseries_ingest;
