/** What Sensor.Community calls what it measures, in its feeds and in its firmware alike. */
import type { ParameterName } from '../../contract/parameters.ts';

/** P1 is PM10 and P2 is PM2.5, whoever may find that odd. Pressure is in Pa. All others mean nothing here. */
export const VALUE_TYPES: ReadonlyMap<unknown, ParameterName> = new Map([
  ['P0', 'pm1'],
  ['P1', 'pm10'],
  ['P2', 'pm25'],
  ['temperature', 'temperature'],
  ['humidity', 'humidity'],
  ['pressure', 'pressure'],
]);

/**
 * What the airRohr firmware calls its instruments and their values: a prefix when it sends everything in one body, a pin in a header
 * when it sends each instrument by itself. A family is all instruments that share a prefix.
 */

export type Family = {
  prefix: string;
  pin: string;
  /** One of them is part of the kind of such a sensor, written small and without punctuation. */
  kinds: readonly string[];
};

/** The bare names are those of the DHT; what is called P1 without a prefix or a pin is no mass but a count (PPD42NS). */
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

/** What was measured and by which kinds of sensor, or undefined for a value of no interest. A pin may stand for several families. */
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

export function isOfKind(kind: string, kinds: readonly string[]): boolean {
  const plain = kind.toLowerCase().replace(/[^a-z0-9]/g, '');
  return kinds.some((word) => plain.includes(word));
}
