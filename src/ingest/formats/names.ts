/** The names that the fields of a reading come under: ours, the API's, and those of common devices. Case does not matter. */
import { PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';

export const SENSOR_KEY = 'sensor_id';
/** Names of the time; the first one present is used. */
export const TIME_KEYS = ['measured_at', 'time', 'timestamp'] as const;

const KNOWN: ReadonlySet<string> = new Set([SENSOR_KEY, ...TIME_KEYS, ...PARAMETER_NAMES]);

/** In lower case. P0, P1 and P2 are those of Sensor.Community: P1 is PM10 and P2 is PM2.5. */
const OTHER_NAMES: ReadonlyMap<string, ParameterName | typeof SENSOR_KEY | 'time'> = new Map([
  ['pm2.5', 'pm25'],
  ['pm2_5', 'pm25'],
  ['pm2.5_raw', 'pm25_raw'],
  ['pm1.0', 'pm1'],
  ['p0', 'pm1'],
  ['p1', 'pm10'],
  ['p2', 'pm25'],
  ['temp', 'temperature'],
  ['rh', 'humidity'],
  ['sensor', SENSOR_KEY],
  ['sensorid', SENSOR_KEY],
  ['datetime', 'time'],
]);

/** Our name for a field; undefined for one that readings do not have. */
export function fieldNamed(name: string): string | undefined {
  if (KNOWN.has(name)) return name;
  const lower = name.toLowerCase();
  return OTHER_NAMES.get(lower) ?? (KNOWN.has(lower) ? lower : undefined);
}

/** A bound, because a file may have a new key on every line. */
const MOST_IGNORED = 100;

/**
 * An object with its fields under our names; the same object if they are already. Adds to `ignored` the keys that are not used, among them
 * a second name of a field.
 */
export function withOurNames(given: Record<string, unknown>, ignored: Set<string>): Record<string, unknown> {
  let named = given;
  for (const key in given) {
    if (KNOWN.has(key)) continue;
    const name = fieldNamed(key);
    if (name !== undefined && named[name] == null) {
      if (named === given) named = { ...given };
      named[name] = given[key];
    } else if (ignored.size < MOST_IGNORED) ignored.add(key);
  }
  return named;
}
