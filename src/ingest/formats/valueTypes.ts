/**
 * The names of Sensor.Community for what it measures, in its feeds and in the airRohr firmware. The firmware adds a prefix for the
 * instrument when it sends everything in one body, and a pin in a header when it sends each instrument by itself.
 */
import type { ParameterName } from '../../contract/parameters.ts';

/** P1 is PM10 and P2 is PM2.5, not the other way round. Pressure is in Pa. Other names are not used. */
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

/** Whether a sensor's kind, as the network file writes it, is one of the kinds that meaningOf returns. */
export function isOfKind(kind: string, kinds: readonly string[]): boolean {
  const plain = kind.toLowerCase().replace(/[^a-z0-9]/g, '');
  return kinds.some((word) => plain.includes(word));
}
