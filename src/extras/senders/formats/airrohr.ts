/**
 * Reads what a device with the airRohr firmware (Sensor.Community) sends: everything it measured in
 * one body, without a time or sensor ids. The network says which sensor measured a value: on
 * arrival or, on a retry from the quarantine, once the device is in the network.
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import type { DeviceSensor } from '../../../ingest/formats.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import { isOfKind } from '../../../ingest/store/instruments.ts';
import { SENSOR_COMMUNITY_VALUES } from './sensorCommunity.ts';

type PushedValue = { value_type: string; value: unknown };

export type PushRecord = {
  /** The device's name for itself: `esp8266-12345678`. */
  device: string;
  /** The instrument that sent this; null: all of them. */
  pin: string | null;
  /** As the body says, or when it arrived, since most devices have no clock. ISO 8601. */
  measuredAt: string;
  values: PushedValue[];
};

/** The values of a body; undefined if it did not come from that firmware. */
export function readPushedValues(body: unknown): PushedValue[] | undefined {
  const { sensordatavalues } = Object(body) as { sensordatavalues?: unknown };
  if (!Array.isArray(sensordatavalues)) return undefined;
  return (
    sensordatavalues
      .filter((each) => typeof Object(each).value_type === 'string')
      // the firmware sends strings, so nothing nested is its own
      .map(({ value_type, value }: PushedValue) => ({
        value_type,
        value: Object(value) === value ? 'nested' : value,
      }))
  );
}

/**
 * The record that a quarantined reading was made from; undefined if its text was not written by
 * `textOf`.
 */
export function pushFromText(text: string): PushRecord | undefined {
  try {
    const given: unknown = JSON.parse(text);
    const {
      device,
      pin = null,
      measured_at: measuredAt,
    } = Object(given) as Record<string, unknown>;
    const values = readPushedValues(given);
    if (values === undefined || typeof device !== 'string' || typeof measuredAt !== 'string')
      return undefined;
    return pin === null || typeof pin === 'string'
      ? { device, pin, measuredAt, values }
      : undefined;
  } catch {
    return undefined;
  }
}

const textOf = ({ device, pin, measuredAt }: PushRecord, values: readonly PushedValue[]) =>
  JSON.stringify({ device, pin, measured_at: measuredAt, sensordatavalues: values });

/**
 * Assigns each value to the one sensor whose kind fits; if none fits, to the one sensor without a
 * kind; otherwise to none. Unassigned values become one reading of an unknown sensor, whose text
 * pushFromText can read for a retry.
 */
export function readingsOfPush(
  record: PushRecord,
  sensors: readonly DeviceSensor[],
): ReadingInput[] {
  const bySensor = new Map<number, Partial<Record<ParameterName, unknown>>>();
  const unassigned: PushedValue[] = [];
  for (const pushed of record.values) {
    const meaning = meaningOf(pushed.value_type, record.pin);
    if (meaning === undefined) continue;
    const [sensor, another] = fittingSensors(sensors, meaning.kinds);
    if (sensor === undefined || another !== undefined) {
      unassigned.push(pushed);
      continue;
    }
    const values = bySensor.get(sensor.id) ?? {};
    // two instruments in a sensor without a kind: the first counts
    values[meaning.parameter] ??= pushed.value;
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
    readings.push({
      sensorId: undefined,
      measuredAt,
      values: {},
      text: textOf(record, unassigned),
    });
  return readings;
}

/**
 * The airRohr firmware adds a prefix for the instrument when it sends everything in one body, and a
 * pin in a header when it sends each instrument by itself. Other names are not used.
 */
const VALUE_TYPES: ReadonlyMap<unknown, ParameterName> = new Map(
  Object.entries(SENSOR_COMMUNITY_VALUES),
);

/** All instruments that share a prefix. */
type Family = {
  prefix: string;
  pin: string;
  /** The kind of such a sensor contains one of these, in lower case and without punctuation. */
  kinds: readonly string[];
  /** One of them, as the network file may name it. */
  instrument: string;
};

const FAMILIES: readonly Family[] = [
  { prefix: 'SDS_', pin: '1', kinds: ['sds'], instrument: 'SDS011' },
  { prefix: 'PMS_', pin: '1', kinds: ['pms'], instrument: 'PMS5003' },
  { prefix: 'HPM_', pin: '1', kinds: ['hpm'], instrument: 'HPM' },
  { prefix: 'NPM_', pin: '1', kinds: ['npm', 'nextpm'], instrument: 'NPM' },
  { prefix: 'IPS_', pin: '1', kinds: ['ips'], instrument: 'IPS' },
  { prefix: 'SPS30_', pin: '1', kinds: ['sps30'], instrument: 'SPS30' },
  { prefix: 'BMP_', pin: '3', kinds: ['bmp180', 'bmp085'], instrument: 'BMP180' },
  { prefix: 'BMP280_', pin: '3', kinds: ['bmp280'], instrument: 'BMP280' },
  { prefix: 'BME280_', pin: '11', kinds: ['bme280'], instrument: 'BME280' },
  { prefix: 'SHT3X_', pin: '7', kinds: ['sht3'], instrument: 'SHT31' },
  { prefix: 'HTU21D_', pin: '7', kinds: ['htu21'], instrument: 'HTU21D' },
  { prefix: 'DS18B20_', pin: '13', kinds: ['ds18b20'], instrument: 'DS18B20' },
  { prefix: 'SCD30_', pin: '17', kinds: ['scd30'], instrument: 'SCD30' },
];

/**
 * Names without a prefix belong to the DHT; P1 without a prefix or a pin is a count of particles
 * and no mass (PPD42NS).
 */
const BARE: Family = { prefix: '', pin: '7', kinds: ['dht'], instrument: 'DHT22' };
const BARE_NAMES: ReadonlySet<string> = new Set(['temperature', 'humidity']);

/** The parameter of a value, and the kinds of sensor that measure it. */
type Meaning = { parameter: ParameterName } & Pick<Family, 'kinds' | 'instrument'>;

/** Undefined for a value that is not used. A pin may stand for several families. */
export function meaningOf(valueType: string, pin: string | null): Meaning | undefined {
  const named = FAMILIES.find(({ prefix }) => valueType.startsWith(prefix)) ?? BARE;
  const parameter = VALUE_TYPES.get(valueType.slice(named.prefix.length));
  if (parameter === undefined) return undefined;
  if (named === BARE && pin === null && !BARE_NAMES.has(valueType)) return undefined;
  const families =
    named === BARE && pin !== null
      ? [...FAMILIES, BARE].filter((each) => each.pin === pin)
      : [named];
  const [family] = families;
  return (
    family && {
      parameter,
      kinds: families.flatMap(({ kinds }) => kinds),
      instrument: family.instrument,
    }
  );
}

/**
 * The sensors that may have measured such a value: sensors of the kinds or, if there are none,
 * sensors without a kind.
 */
export function fittingSensors(
  sensors: readonly DeviceSensor[],
  kinds: readonly string[],
): DeviceSensor[] {
  const fitting = sensors.filter(({ kind }) => kind !== null && isOfKind(kind, kinds));
  return fitting.length > 0 ? fitting : sensors.filter(({ kind }) => kind === null);
}

/**
 * A line of InfluxDB's line protocol, as far as the firmware sends it: `feinstaub,node=esp8266-1
 * SDS_P1=5.10,SDS_P2=3.20`, one line for everything a device measured, without a time. The
 * measurement's name is set in the device, and the fields have the names of its JSON.
 */
const HEAD = /^[^\s,=]+(?:,[^\s,=]+=[^\s,=]+)*$/;
const FIELD = /^([^\s,="]+)=(?:"([^"]*)"|([^\s,"]+))(?:,|$)/;

/**
 * In the form of the firmware's JSON; undefined: another line. A time at its end is left out,
 * because devices have no clock that could be trusted.
 */
export function readInfluxLine(text: string) {
  const [line = '', ...more] = text.split('\n').filter((each) => each.trim() !== '');
  const [head = '', ...others] = line.trim().split(' ');
  if (/^-?\d+$/.test(others.at(-1) ?? '')) others.pop();
  const fields = others.join(' ').trim();
  if (!HEAD.test(head) || fields === '' || more.length > 0) return undefined;
  const sensordatavalues = [];
  for (let rest = fields; rest !== ''; ) {
    const field = FIELD.exec(rest);
    if (field === null) return undefined;
    const [whole, name = '', quoted, bare] = field;
    sensordatavalues.push({ value_type: name, value: quoted ?? bare?.replace(/(?<=\d)[iu]$/, '') });
    rest = rest.slice(whole.length);
  }
  return { device: /,node=([^,]+)/.exec(head)?.[1], sensordatavalues };
}
