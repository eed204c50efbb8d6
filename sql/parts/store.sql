-- The common part of statements that store readings: upserts the last usable reading for each sensor and time into raw.readings.
-- Needs the CTE `usable` (nth, sensor_id, measured_at, the parameters, is_last) and the variables `now` and `only_new`.
written as (
  insert into raw.readings as stored (measured_at, sensor_id, {{list parameter: $name}})
  select measured_at, sensor_id, {{list parameter: $name}} from usable where is_last
  order by sensor_id, measured_at -- in the same order everywhere, or two writers could deadlock
  on conflict (sensor_id, measured_at) do update set {{list parameter: $name = excluded.$name}}
  where not only_new and ({{list parameter: stored.$name}}) is distinct from ({{list parameter: excluded.$name}})
  returning sensor_id, measured_at, extract(epoch from now - measured_at)::float8 as delay
),
-- an earlier reading of the batch for the same sensor and time counts as unchanged if equal (or if only_new), else as accepted
replaced as (
  select count(*)::int as n
  from usable earlier
  join usable last on last.is_last and last.sensor_id = earlier.sensor_id and last.measured_at = earlier.measured_at
  where not earlier.is_last and not only_new and ({{list parameter: earlier.$name}}) is distinct from ({{list parameter: last.$name}})
)
