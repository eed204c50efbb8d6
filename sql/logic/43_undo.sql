-- Takes imported files back (S11).

-- Fills the stage with the values as they were before an import, and empty ones where there was none: stored like the
-- rows of a file, they undo it. A value that another source has changed since stays, and so does one of a sensor that was
-- removed, or of a time whose readings are no longer accepted. Returns how many stay, and their hours, by sensor.
create function logic.stage_undo(import int)
returns table (sensor_id int, kept int, first_hour timestamptz, last_hour timestamptz)
language plpgsql set plan_cache_mode = force_custom_plan
-- Right after an import TimescaleDB's new chunks have no statistics: kept for a sensor, its readings were compared with
-- each value of the import, which took more than ten minutes for 3 sensors of 86,400 readings.
set enable_memoize = off
as $$
#variable_conflict use_column
declare
  -- plain values: they tell the planner which chunks to read
  earliest constant timestamptz := (
    select min(at) from raw.import_change c cross join unnest(c.measured_at) at where c.import_id = stage_undo.import);
  latest constant timestamptz := (
    select max(at) from raw.import_change c cross join unnest(c.measured_at) at where c.import_id = stage_undo.import);
begin
  create temporary table undone_reading on commit drop as
  select c.sensor_id, u.measured_at,
    {{list reading: case when u.$name_after is not distinct from r.$name then u.$name_before end as $name}},
    0 {{repeat reading: | case when u.$name_before is null and u.$name_after = r.$name then $bit else 0 end}} as empty,
    0 {{repeat reading: + ((u.$name_before is not null or u.$name_after is not null)
      and (u.$name_after is distinct from r.$name or k.id is null or u.measured_at < i.ingest_cutoff))::int}} as kept
  from raw.import_change c
  cross join unnest(c.measured_at, {{list reading: c.$name_before, c.$name_after}})
    as u(measured_at, {{list reading: $name_before, $name_after}})
  cross join raw.installation i
  left join raw.sensor k on k.id = c.sensor_id
  left join lateral (
    select {{list given: r.$name}}, logic.given_rain(r.rain, r.rain_total, r.rain_given) as rain
    from raw.readings r
    where r.sensor_id = c.sensor_id and r.measured_at = u.measured_at
      and r.measured_at >= earliest and r.measured_at <= latest
  ) r on true
  where c.import_id = stage_undo.import;

  insert into pg_temp.staged_reading (ordinal, sensor_id, measured_at, {{list reading: $name}}, empty, problem)
  select row_number() over (order by u.measured_at, u.sensor_id), u.sensor_id, u.measured_at, {{list reading: u.$name}},
    u.empty, case when num_nonnulls({{list reading: u.$name}}) = 0 then 'no_value' end
  from undone_reading u
  cross join raw.installation i
  join raw.sensor k on k.id = u.sensor_id
  where (u.empty <> 0 or num_nonnulls({{list reading: u.$name}}) > 0) and u.measured_at >= i.ingest_cutoff;

  return query
  select u.sensor_id, sum(u.kept)::int, rollup.bucket_start('hour', min(u.measured_at)),
    rollup.bucket_start('hour', max(u.measured_at))
  from undone_reading u where u.kept > 0 group by 1 order by 1;
end $$;

-- Deletes what is needed to undo imports from before an instant, and of readings that retention has deleted.
create function logic.delete_old_undo(before timestamptz) returns void language sql as $$
  delete from raw.import_change c using raw.import i
  where i.id = c.import_id
    and (i.imported_at < before or i.newest < (select retained_from from raw.installation))
$$;

revoke all on function logic.stage_undo, logic.delete_old_undo from public;
grant execute on function logic.stage_undo to airseries_ingest;
