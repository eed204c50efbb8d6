-- Listed stations that are offline (C2) but have measured before. A station without any reading is left out: it never
-- sent one, or retention has deleted them all. In PL/pgSQL for the reason given in 70_current.sql.
create function logic.station_offline(at timestamptz)
returns table (station_id int, last_measurement_time timestamptz, offline_minutes int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  -- the newest reading is usually that recent, and found in a few chunks instead of all
  recently constant timestamptz := at - interval '31 days';
begin
  return query
  with silent as materialized (
    select state.station_id as id
    from logic.station_state(at) state
    where state.is_listed and not exists (select from logic.station_current(at) c where c.station_id = state.station_id)
  )
  select silent.id, last.measured_at, floor(extract(epoch from at - last.measured_at) / 60)::int
  from silent
  cross join lateral (
    select max(coalesce(
      (
        select r.measured_at from raw.readings r
        where r.sensor_id = p.sensor_id and r.measured_at >= p.since and r.measured_at < p.until and r.measured_at <= at
          and r.measured_at >= recently
        order by r.measured_at desc limit 1
      ),
      (
        select r.measured_at from raw.readings r
        where r.sensor_id = p.sensor_id and r.measured_at >= p.since and r.measured_at < p.until and r.measured_at <= at
        order by r.measured_at desc limit 1
      )
    )) as measured_at
    from raw.placement p
    where p.station_id = silent.id
  ) last
  where last.measured_at is not null;
end $$;
