/** Finds the sensors of the network that a device may have measured with. */
import { distance } from 'fastest-levenshtein';
import { InputError } from '../../base/inputError.ts';
import { AIRSERIES } from '../../base/shell.ts';
import { arrayLiteral } from '../../database/arrays.ts';
import { type Queryable, query } from '../../database/query.ts';
import type { DevicePush, DeviceSensor } from '../formats.ts';
import type { Declarations } from '../reading/declarations.ts';
import { textOfDevice } from '../reading/devices.ts';
import { readInstant } from '../reading/instants.ts';
import type { ReadingInput } from '../reading/reading.ts';
import type { Scope } from './accept.ts';

/**
 * The device's sensors with a placement at that time. If no such device is in the network and the
 * sender is authorized for a single station, these are the sensors of that station that are not
 * listed with another device.
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

/**
 * The sensors that a push may be of, by id. `db` works in the role airseries_ingest. Rejects with
 * Unavailable where a pool does.
 */
export async function findPushSensors(
  db: Queryable,
  { device }: Pick<DevicePush, 'device'>,
  scope: Scope | undefined,
  at: Date,
): Promise<DeviceSensor[]> {
  const station = scope?.stations?.length === 1 ? (scope.stations[0] ?? null) : null;
  return (await query(db, SENSORS, [device, station, at.toISOString()])) as DeviceSensor[];
}

/**
 * Sensors listed with a device, each with its placements, and the station's sensors without one: an
 * unknown device may be one of the latter.
 */
const OF_DEVICES = `
  select s.device, s.id, extract(epoch from nullif(p.since, '-infinity'))::float8 * 1e6 as since,
    extract(epoch from nullif(p.until, 'infinity'))::float8 * 1e6 as until
  from raw.sensor s left join raw.sensor_station p on p.sensor_id = s.id
  where s.device in (select jsonb_array_elements_text($1::text::jsonb))
  union all
  select null, s.id, null, null from raw.sensor s
  join raw.sensor_station p on p.sensor_id = s.id and p.since <= $3::text::timestamptz and $3::text::timestamptz < p.until
  where s.device is null and p.station_id = $2::int
  order by 2`;

/** A sensor and one of its placements, in microseconds since 1970; null: without that end. */
type Placed = { device: string | null; id: number; since: number | null; until: number | null };

export type SensorsOfDevices = Map<string | null, Placed[]>;

/**
 * Gives readings that name their device, and no sensor, the one sensor that the network has for it;
 * of several, as where an instrument was replaced, the one that stood somewhere at the time of the
 * reading. With a sender that is authorized for a single station, the one sensor of that station
 * may also have no device. All others get a text in our names and units, for a retry once the
 * network has it. `db` works in the role airseries_ingest. `sensors` has the sensors of devices that
 * were looked up before, for the same scope: the others are added.
 */
export async function assignSensors(
  db: Queryable,
  readings: readonly ReadingInput[],
  scope: Scope | undefined,
  now: Date,
  sensors: SensorsOfDevices = new Map(),
): Promise<ReadingInput[]> {
  const isOpen = ({ sensorId, device }: ReadingInput) =>
    device !== undefined && (sensorId === undefined || sensorId === '');
  const devices = new Set(readings.filter(isOpen).map(({ device }) => device as string));
  if (devices.size === 0) return [...readings];
  const unknown = [...devices].filter((device) => !sensors.has(device));
  if (unknown.length > 0) {
    const station = scope?.stations?.length === 1 ? (scope.stations[0] ?? null) : null;
    const rows = (await query(db, OF_DEVICES, [
      JSON.stringify(unknown.map(plain)),
      station,
      now.toISOString(),
    ])) as Placed[];
    for (const row of rows) sensors.set(row.device, [...(sensors.get(row.device) ?? []), row]);
  }
  return readings.map((reading) => {
    if (!isOpen(reading)) return reading;
    const own = sensors.get(reading.device as string) ?? sensors.get(null) ?? [];
    const sensorId = oneOf(own) ?? oneOf(own.filter((placed) => isThere(placed, reading)));
    if (sensorId !== undefined) return { ...reading, sensorId };
    const { columns: _, ...others } = reading;
    return { ...others, text: textOfDevice(reading) };
  });
}

/** The one sensor of all of these; undefined if there are several, or none. */
const oneOf = (placed: readonly Placed[]): number | undefined =>
  placed.every(({ id }) => id === placed[0]?.id) ? placed[0]?.id : undefined;

function isThere({ since, until }: Placed, { measuredAt }: ReadingInput): boolean {
  const instant = typeof measuredAt === 'string' ? readInstant(measuredAt) : undefined;
  if (instant === undefined || instant.local) return false;
  const { microseconds } = instant;
  return (
    (since ?? Number.NEGATIVE_INFINITY) <= microseconds &&
    microseconds < (until ?? Number.POSITIVE_INFINITY)
  );
}

const OVERLAPPING = `
  select from raw.sensor_station one join raw.sensor_station other
    on one.sensor_id < other.sensor_id and one.since < other.until and other.since < one.until
  where one.sensor_id = any ($1::text::int[]) and other.sensor_id = any ($1::text::int[]) limit 1`;

/**
 * Rejects with InputError where the network has no such sensor, or no one sensor of such a device.
 * `db` is as above.
 */
export async function checkDeclaredOwner(
  db: Queryable,
  { sensor, device }: Declarations,
): Promise<void> {
  const known = (await query(db, 'select id, device from raw.sensor order by id', [])) as {
    id: number;
    device: string | null;
  }[];
  if (sensor !== undefined && !known.some(({ id }) => String(id) === String(sensor)))
    throw new InputError('--sensor', `the network has no sensor ${String(sensor)}`, LISTED);
  if (sensor !== undefined || device === undefined) return;
  const own = known.filter((one) => one.device === device);
  if (own.length === 0) {
    const names = [...new Set(known.flatMap((one) => one.device ?? []))];
    const near = names.find((name) => distance(name, device) <= 2);
    throw new InputError(
      '--device',
      `no sensor of the network has device ${JSON.stringify(device)}`,
      near === undefined
        ? `Write "device" into the sensor in the network file, and import it.`
        : `Did you mean ${near}?`,
    );
  }
  const ids = own.map(({ id }) => id);
  if ((await query(db, OVERLAPPING, [arrayLiteral(ids)])).length > 0) {
    throw new InputError(
      '--device',
      `sensors ${ids.join(' and ')} both have device ${device}, and stood at a station at the same time`,
      'Say which with --sensor.',
    );
  }
}

const LISTED = `${AIRSERIES} status --all lists those it has.`;

/** Without the characters that jsonb cannot store: no device in the network has them. */
const plain = (device: string): string => device.replaceAll(/[\0\ud800-\udfff]/g, '');
