-- Notes that means of these sensors are being imported, and of what length. Returns the sensors that have readings and means of the other
-- length; if there are any, nothing is noted. Sensors whose readings were all deleted are free again.
create function logic.claim_means(sensors int[], resolution text) returns int[] language plpgsql as $$
#variable_conflict use_column
declare
  conflicting constant int[] := array(
    select m.sensor_id from raw.imported_means m
    where m.sensor_id = any (sensors) and m.resolution <> claim_means.resolution
      and exists (select from raw.readings r where r.sensor_id = m.sensor_id)
    order by m.sensor_id);
begin
  if conflicting = '{}' then
    insert into raw.imported_means (sensor_id, resolution)
    select s.id, claim_means.resolution from raw.sensor s where s.id = any (sensors) order by s.id
    on conflict (sensor_id) do update set resolution = excluded.resolution
    where imported_means.resolution <> excluded.resolution;
  end if;
  return conflicting;
end $$;

revoke all on function logic.claim_means from public;
grant execute on function logic.claim_means to airseries_ingest;
