-- The trigger compares the columns of updated readings, and not their JSON: where an import replaced one parameter of
-- 240,000 readings, it took 2.8 s of 7.4, and takes 0.35 s of 4.3 now.

create or replace function raw.note_changes() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  late_before constant timestamptz := (select refreshed_at - interval '2 hours' from rollup.freshness);
begin
  case tg_op
    when 'INSERT' then
      insert into rollup.changed (since, until, sensor_id, reason)
      select lower(part), upper(part), sensor_id, 'late'
      from (
        select sensor_id, range_agg(tstzrange(hour, hour + interval '1 hour')) as parts
        from (select distinct sensor_id, raw.hour_of(measured_at) as hour from new_rows
          where measured_at < late_before) h
        group by 1
      ) late
      cross join unnest(late.parts) part;
      insert into rollup.changed (since, until)
      select hour, hour + interval '1 hour'
      from (select distinct raw.hour_of(measured_at) as hour from new_rows
        where (measured_at < late_before) is not true) h;
    when 'UPDATE' then
      -- a full join is never one of row by row, which took 30 s where it was planned for one row
      with changed as (
        select distinct sensor_id, raw.hour_of(measured_at) as hour,
          case when (measured_at < late_before) is not true then null
            -- it has all that was there before: a reading whose time a person changes has not
            when n.is_new and o.is_old
              and (o.temperature is null or n.temperature = o.temperature)
              and (o.humidity is null or n.humidity = o.humidity)
              and (o.pressure is null or n.pressure = o.pressure)
              and (o.pm1 is null or n.pm1 = o.pm1)
              and (o.pm25 is null or n.pm25 = o.pm25)
              and (o.pm25_raw is null or n.pm25_raw = o.pm25_raw)
              and (o.pm10 is null or n.pm10 = o.pm10)
              and (o.no2 is null or n.no2 = o.no2)
              and (o.so2 is null or n.so2 = o.so2)
              and (o.o3 is null or n.o3 = o.o3)
              and (o.dust is null or n.dust = o.dust)
              and (o.usvh is null or n.usvh = o.usvh)
              and (o.uv is null or n.uv = o.uv)
              and (o.wind_speed is null or n.wind_speed = o.wind_speed)
              and (o.wind_direction is null or n.wind_direction = o.wind_direction)
              and (o.rain is null or n.rain = o.rain)
              and (o.rain_total is null or n.rain_total = o.rain_total)
              and (o.rain_given is null or n.rain_given = o.rain_given)
            then 'late'
            else 'corrected' end as reason
        from (select *, true as is_new from new_rows) n
        full join (select *, true as is_old from old_rows) o using (sensor_id, measured_at)
      )
      insert into rollup.changed (since, until, sensor_id, reason)
      select lower(part), upper(part), sensor_id, reason
      from (
        select sensor_id, reason, range_agg(tstzrange(hour, hour + interval '1 hour')) as parts
        from changed where reason is not null group by 1, 2
      ) c
      cross join unnest(c.parts) part
      union all
      select hour, hour + interval '1 hour', null, null from (select distinct hour from changed where reason is null) h;
    when 'TRUNCATE' then
      insert into rollup.stale (from_level, since, until, reason)
      values ('sensor_hourly', '-infinity', 'infinity', 'deleted');
  end case;
  return null;
end $$;
