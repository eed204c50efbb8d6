/** Which sensors of the network a device may have measured with. */
import { type Queryable, query } from '../database/queryPool.ts';
import type { Scope } from './accept.ts';
import type { PushRecord, PushSensor } from './formats/airrohr.ts';

/**
 * The device's sensors with a placement at that time. If no such device is in the network and the sender is authorized for a single
 * station, these are the sensors of that station that are not listed with another device.
 */
const SENSORS = `
  select s.id, s.kind
  from raw.sensor s
  join raw.sensor_station p on p.sensor_id = s.id and p.since <= $3::text::timestamptz and $3::text::timestamptz < p.until
  where case
    when exists (select from raw.sensor other where other.device = $1::text) then s.device = $1::text
    else s.device is null and p.station_id = $2::int
  end
  order by s.id`;

/** The sensors that a record may be of, by id. `db` works in the role airseries_ingest. Rejects with Unavailable where a pool does. */
export async function findPushSensors(
  db: Queryable,
  record: PushRecord,
  scope: Scope | undefined,
  at: Date,
): Promise<PushSensor[]> {
  const station = scope?.stations?.length === 1 ? (scope.stations[0] ?? null) : null;
  return (await query(db, SENSORS, [record.device, station, at.toISOString()])) as PushSensor[];
}
