-- Computes the days of sensors, which are not stored: means of a sensor's hours (A4). Only hours that lie wholly within
-- one placement count (P2), and only stations that are listed at the instant (C6). `since` and `until` bound the starts
-- of days.
create function logic.sensor_daily(at timestamptz, since timestamptz, until timestamptz)
returns table (
  bucket timestamptz, sensor_id int, pm25 float8, {{list uncorrected: $name float8}}, wind_sin float8, wind_cos float8,
    rain float8
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  day_since constant timestamptz := rollup.bucket_start('day', since);
  day_until constant timestamptz := rollup.bucket_start('day', until);
  first_hour constant timestamptz := case when day_since < since then rollup.bucket_add('day', day_since, 1)
    else day_since end;
  end_hour constant timestamptz := case when day_until < until then rollup.bucket_add('day', day_until, 1)
    else day_until end;
begin
  return query
  select
    rollup.bucket_start('day', s.bucket),
    s.sensor_id,
    avg(logic.possible(coalesce(s.pm25, s.pm25_raw))),
    {{list uncorrected: avg(logic.possible(s.$name))}},
    avg(logic.possible(s.wind_sin)),
    avg(logic.possible(s.wind_cos)),
    sum(logic.possible(s.rain))
  from rollup.sensor_hourly s
  join raw.placement p on p.sensor_id = s.sensor_id and s.bucket >= p.since and s.bucket + interval '1 hour' <= p.until
  where s.bucket >= first_hour and s.bucket < end_hour
    and p.station_id in (select state.station_id from logic.station_state(at) state where state.is_listed)
  group by 1, 2;
end $$;
