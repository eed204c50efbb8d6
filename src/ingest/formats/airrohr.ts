/**
 * What a device with the airRohr firmware (Sensor.Community) sends: everything it measured in one body, without a time or sensor ids.
 * The network tells which sensor measured what, now or, on a retry from the quarantine, once the device is in the network.
 */
import type { ParameterName } from '../../contract/parameters.ts';
import type { ReadingInput } from '../validate.ts';

export type PushedValue = { value_type: string; value: unknown };

export type PushRecord = {
  /** The device's name for itself: `esp8266-12345678`. */
  device: string;
  /** Which of its instruments sent this; null: all of them. */
  pin: string | null;
  /** When the body arrived, because the device has no clock. ISO 8601. */
  measuredAt: string;
  values: PushedValue[];
};

/** A sensor that may have measured a pushed value. */
export type PushSensor = { id: number; kind: string | null };

/** The values of a body; undefined if it is none of that firmware. */
export function readPushedValues(body: unknown): PushedValue[] | undefined {
  const { sensordatavalues } = Object(body) as { sensordatavalues?: unknown };
  if (!Array.isArray(sensordatavalues)) return undefined;
  return (
    sensordatavalues
      .filter((each) => typeof Object(each).value_type === 'string')
      // the firmware sends strings, so nothing nested is its own
      .map(({ value_type, value }: PushedValue) => ({ value_type, value: Object(value) === value ? 'nested' : value }))
  );
}

/** The record that a quarantined reading was made from; undefined if its text was not written by `textOf`. */
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
 * Assigns each value to the one sensor whose kind fits; if none fits, to the one sensor without a kind; otherwise to none. Unassigned
 * values become one reading of an unknown sensor, whose text pushFromText can read for a retry.
 */
export function readingsOfPush(record: PushRecord, sensors: readonly PushSensor[]): ReadingInput[] {
  const bySensor = new Map<number, Partial<Record<ParameterName, unknown>>>();
  const unassigned: PushedValue[] = [];
  for (const pushed of record.values) {
    const meaning = meaningOf(pushed.value_type, record.pin);
    if (meaning === undefined) continue;
    const fitting = sensors.filter(({ kind }) => kind !== null && isOfKind(kind, meaning.kinds));
    const [sensor, another] = fitting.length > 0 ? fitting : sensors.filter(({ kind }) => kind === null);
    if (sensor === undefined || another !== undefined) {
      unassigned.push(pushed);
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
  if (unassigned.length > 0)
    readings.push({ sensorId: undefined, measuredAt, values: {}, text: textOf(record, unassigned) });
  return readings;
}

/**
 * The names of Sensor.Community for what it measures, in its feeds and in the airRohr firmware, which adds a prefix for the instrument when
 * it sends everything in one body, and a pin in a header when it sends each instrument by itself. P1 is PM10 and P2 is PM2.5, not the other
 * way round. Pressure is in Pa. Other names are not used.
 */
export const VALUE_TYPES: ReadonlyMap<unknown, ParameterName> = new Map([
  ['P0', 'pm1'],
  ['P1', 'pm10'],
  ['P2', 'pm25'],
  ['temperature', 'temperature'],
  ['humidity', 'humidity'],
  ['pressure', 'pressure'],
]);

/** All instruments that share a prefix. */
type Family = {
  prefix: string;
  pin: string;
  /** The kind of such a sensor contains one of these, in lower case and without punctuation. */
  kinds: readonly string[];
};

/** Names without a prefix are those of the DHT; P1 without a prefix or a pin is a count of particles and no mass (PPD42NS). */
const BARE: Family = { prefix: '', pin: '7', kinds: ['dht'] };
const BARE_NAMES: ReadonlySet<string> = new Set(['temperature', 'humidity']);

const FAMILIES: readonly Family[] = [
  { prefix: 'SDS_', pin: '1', kinds: ['sds'] },
  { prefix: 'PMS_', pin: '1', kinds: ['pms'] },
  { prefix: 'HPM_', pin: '1', kinds: ['hpm'] },
  { prefix: 'NPM_', pin: '1', kinds: ['npm', 'nextpm'] },
  { prefix: 'IPS_', pin: '1', kinds: ['ips'] },
  { prefix: 'SPS30_', pin: '1', kinds: ['sps30'] },
  { prefix: 'BMP_', pin: '3', kinds: ['bmp180', 'bmp085'] },
  { prefix: 'BMP280_', pin: '3', kinds: ['bmp280'] },
  { prefix: 'BME280_', pin: '11', kinds: ['bme280'] },
  { prefix: 'SHT3X_', pin: '7', kinds: ['sht3'] },
  { prefix: 'HTU21D_', pin: '7', kinds: ['htu21'] },
  { prefix: 'DS18B20_', pin: '13', kinds: ['ds18b20'] },
  { prefix: 'SCD30_', pin: '17', kinds: ['scd30'] },
];

/** What was measured and by which kinds of sensor; undefined for a value that is not used. A pin may stand for several families. */
export function meaningOf(
  valueType: string,
  pin: string | null,
): { parameter: ParameterName; kinds: readonly string[] } | undefined {
  const family = FAMILIES.find(({ prefix }) => valueType.startsWith(prefix));
  const parameter = VALUE_TYPES.get(family === undefined ? valueType : valueType.slice(family.prefix.length));
  if (parameter === undefined) return undefined;
  if (family !== undefined) return { parameter, kinds: family.kinds };
  if (pin === null) return BARE_NAMES.has(valueType) ? { parameter, kinds: BARE.kinds } : undefined;
  const kinds = [...FAMILIES, BARE].flatMap((each) => (each.pin === pin ? each.kinds : []));
  return kinds.length === 0 ? undefined : { parameter, kinds };
}

/** Names in full of kinds that meaningOf abbreviates. */
const IN_FULL: Readonly<Record<string, string>> = {
  sds: 'SDS011',
  pms: 'PMS5003',
  sht3: 'SHT31',
  htu21: 'HTU21D',
  dht: 'DHT22',
};

/** The kinds that meaningOf returns, as one would write the first of them in the network file. */
export const instrumentOf = ([kind = '']: readonly string[]): string => IN_FULL[kind] ?? kind.toUpperCase();

/** Whether a sensor's kind, as the network file writes it, is one of the kinds that meaningOf returns. */
export function isOfKind(kind: string, kinds: readonly string[]): boolean {
  const plain = kind.toLowerCase().replace(/[^a-z0-9]/g, '');
  return kinds.some((word) => plain.includes(word));
}
