/**
 * What a device with the airRohr firmware (Sensor.Community) sends: everything it measured in one body, without a time and without
 * our sensors' numbers. Which sensor measured what follows from the network, now or, out of the quarantine, once the network knows it.
 */
import type { ParameterName } from '../../contract/parameters.ts';
import { type Queryable, query } from '../../database/queryPool.ts';
import type { Scope } from '../accept.ts';
import type { ReadingInput } from '../batch.ts';
import { isOfKind, meaningOf } from './valueTypes.ts';

export type PushedValue = { value_type: string; value: unknown };

export type PushRecord = {
  /** What the device calls itself: `esp8266-12345678`. */
  device: string;
  /** Which of its instruments sent this, where it was one alone. */
  pin: string | null;
  /** The device has no clock: when this arrived. ISO 8601. */
  measuredAt: string;
  values: PushedValue[];
};

export type PushSensor = { id: number; kind: string | null };

/** Undefined: this is no body of that firmware. */
export function readPushedValues(body: unknown): PushedValue[] | undefined {
  const { sensordatavalues } = Object(body) as { sensordatavalues?: unknown };
  if (!Array.isArray(sensordatavalues)) return undefined;
  return (
    sensordatavalues
      .filter((each) => typeof Object(each).value_type === 'string')
      // the firmware sends strings; whatever is nested, however deeply, is not its own
      .map(({ value_type, value }: PushedValue) => ({ value_type, value: Object(value) === value ? 'nested' : value }))
  );
}

/** The record that a reading in quarantine was made from, as `textOf` wrote it. */
export function pushFromText(text: string): PushRecord | undefined {
  try {
    const given: unknown = JSON.parse(text);
    const { device, pin = null, measured_at: measuredAt } = Object(given) as Record<string, unknown>;
    const values = readPushedValues(given);
    if (values === undefined || typeof device !== 'string' || typeof measuredAt !== 'string') return undefined;
    return pin === null || typeof pin === 'string' ? { device, pin, measuredAt, values } : undefined;
  } catch {
    return undefined;
  }
}

const textOf = ({ device, pin, measuredAt }: PushRecord, values: readonly PushedValue[]) =>
  JSON.stringify({ device, pin, measured_at: measuredAt, sensordatavalues: values });

/**
 * The sensors of the device that stand somewhere at that time. Where the network knows no such device, a sender that speaks for one
 * station alone means the sensors of that station, except those that are said to be of another device.
 */
const SENSORS = `
  select s.id, s.kind
  from raw.sensor s
  join raw.sensor_station p on p.sensor_id = s.id and p.since <= $3::text::timestamptz and $3::text::timestamptz < p.until
  where case
    when exists (select from raw.sensor known where known.device = $1::text) then s.device = $1::text
    else s.device is null and p.station_id = $2::int
  end
  order by s.id`;

/** `db` is a pool in the role airseries_ingest. Rejects with Unavailable where the pool does. */
export async function findPushSensors(
  db: Queryable,
  record: PushRecord,
  scope: Scope | null,
  at: Date,
): Promise<PushSensor[]> {
  const station = scope?.stations?.length === 1 ? (scope.stations[0] ?? null) : null;
  const parameters = [record.device, station, at.toISOString()];
  const rows = await query(db, SENSORS, parameters);
  return rows as PushSensor[];
}

/**
 * A value belongs to the one sensor whose kind fits; if none fits, to the one sensor without a kind; otherwise to none. What belongs
 * to none stays together as one reading of an unknown sensor, from whose text it can be tried again.
 */
export function readingsOfPush(record: PushRecord, sensors: readonly PushSensor[]): ReadingInput[] {
  const bySensor = new Map<number, Partial<Record<ParameterName, unknown>>>();
  const left: PushedValue[] = [];
  for (const pushed of record.values) {
    const meaning = meaningOf(pushed.value_type, record.pin);
    if (meaning === undefined) continue;
    const fitting = sensors.filter(({ kind }) => kind !== null && isOfKind(kind, meaning.kinds));
    const [sensor, another] = fitting.length > 0 ? fitting : sensors.filter(({ kind }) => kind === null);
    if (sensor === undefined || another !== undefined) {
      left.push(pushed);
      continue;
    }
    const values = bySensor.get(sensor.id) ?? {};
    values[meaning.parameter] ??= pushed.value; // two instruments in a sensor without a kind: the first counts
    bySensor.set(sensor.id, values);
  }
  const { measuredAt } = record;
  const readings: ReadingInput[] = [...bySensor].map(([sensorId, values]) => ({
    sensorId,
    measuredAt,
    values,
    text: JSON.stringify({ sensor_id: sensorId, measured_at: measuredAt, ...values }),
  }));
  if (left.length > 0) readings.push({ sensorId: undefined, measuredAt, values: {}, text: textOf(record, left) });
  return readings;
}
