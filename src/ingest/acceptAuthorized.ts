/**
 * Accepts what a provider is authorized for out of a batch that no sender will correct and send again: a polled document or lines of the
 * quarantine. Readings of other sensors are left out one by one and do not keep the rest from being stored.
 */
import { arrayLiteral } from '../database/client.ts';
import { type Queryable, query } from '../database/queryPool.ts';
import {
  type Accepted,
  type AcceptOptions,
  acceptReadings,
  acceptSome,
  toColumns,
  UnauthorizedSensors,
} from './accept.ts';
import type { ReadingInput } from './formats/reading.ts';

/** accepted + unchanged + quarantined + unauthorized = received. */
type AcceptedAuthorized = Accepted & {
  /** Readings that the sender is not authorized for, by their index in the batch: neither stored nor quarantined. */
  unauthorized: ReadonlySet<number>;
};

/** Checked reading by reading: a sensor that moved away still belongs to the provider for what it measured before. */
const UNAUTHORIZED = `
  select given.ordinal::int - 1 as index
  from unnest($1::text::int[], $2::text::float8[]) with ordinality as given(sensor_id, microseconds, ordinal)
  where logic.unauthorized_sensors(array[given.sensor_id], array[given.microseconds], $3::text, $4::text::int[]) <> '{}'`;

/** Like acceptReadings, but leaves unauthorized readings out instead of rejecting with UnauthorizedSensors. */
export async function acceptAuthorized(
  db: Queryable,
  readings: readonly ReadingInput[],
  options: AcceptOptions,
): Promise<AcceptedAuthorized> {
  try {
    return { ...(await acceptReadings(db, readings, options)), unauthorized: new Set() };
  } catch (error) {
    if (!(error instanceof UnauthorizedSensors)) throw error;
  }
  const { provider = null, stations = null } = options.scope ?? {};
  const [sensors = '', times = ''] = (await toColumns(readings, options.now)).columns;
  const rows = await query(db, UNAUTHORIZED, [sensors, times, provider, stations && arrayLiteral(stations)]);
  const unauthorized = new Set((rows as { index: number }[]).map(({ index }) => index));
  const authorized = [...readings.keys()].filter((index) => !unauthorized.has(index));
  const outcome = await acceptSome(db, readings, authorized, options);
  return { ...outcome, received: readings.length, unauthorized };
}
