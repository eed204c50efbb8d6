/**
 * Values that instruments send and that are no measurement, by the kind that the network file gives
 * a sensor (S1): the end of their range, and the value of a raw zero or of a start-up.
 */
import type { ReadingColumn } from '../../contract/parameters.ts';
import { readNumber } from '../numbers.ts';

type Values = Readonly<Partial<Record<ReadingColumn, number>>>;

/** The facts by which the values of a sensor are judged. */
export type Instrument = {
  /** The end of the range by parameter: it and all values above are not concentrations. */
  ends: Values;
  /**
   * Values that it sends when it has measured nothing, in our units: they say nothing where a
   * reading has all of one entry.
   */
  nothing: readonly Pick<Values, 'temperature' | 'humidity'>[];
};

type Row = Partial<Instrument> & {
  /** As isOfKind compares them. */
  kinds: readonly string[];
  source: string;
};

const RAW_ZERO = 'a raw zero, by the formula of the data sheet';

/**
 * Only instruments that stand still at the end of their range are listed. Plantower's data sheet
 * names a least maximum (PMS5003: "not less than 1000"), Sensirion's a warranted range (SPS30: 0 to
 * 1000), and both send more than that.
 */
const INSTRUMENTS: readonly Row[] = [
  {
    kinds: ['sds011'],
    ends: { pm25: 999.9, pm25_raw: 999.9, pm10: 1_999.9 },
    source:
      'Nova Fitness, Laser PM2.5 Sensor specification, SDS011, V1.3 (2015-10-09): 0.0 to 999.9 µg/m³; the largest PM10 in the archive of Sensor.Community is 1999.9',
  },
  {
    kinds: ['htu21', 'sht21'],
    nothing: [{ temperature: -46.85 }, { humidity: -6 }],
    source: `${RAW_ZERO}: Sensirion, SHT21, version 4: T = -46.85 + 175.72 · S ÷ 2¹⁶, RH = -6 + 125 · S ÷ 2¹⁶; Measurement Specialties, HTU21D(F), HPC199: the same`,
  },
  {
    kinds: ['sht3'],
    nothing: [{ temperature: -45, humidity: 0 }],
    source: `${RAW_ZERO}: Sensirion, SHT3x-DIS, version 6: T = -45 + 175 · S ÷ (2¹⁶ - 1), RH = 100 · S ÷ (2¹⁶ - 1)`,
  },
  {
    kinds: ['ds18b20'],
    nothing: [{ temperature: 85 }, { temperature: -127 }],
    source:
      'Maxim, DS18B20, 19-7487: "The power-on reset value of the temperature register is +85°C"; DallasTemperature.h: DEVICE_DISCONNECTED_C -127',
  },
  {
    kinds: ['dht'],
    nothing: [{ temperature: 0, humidity: 0 }],
    source:
      'Aosong, AM2302: the parity is the sum of four bytes, so five bytes of zero are a valid answer of 0 °C and 0 %',
  },
];

/**
 * True if a sensor's kind, as the network file writes it, contains one of these words, which are
 * in lower case and without punctuation.
 */
export function isOfKind(kind: string, kinds: readonly string[]): boolean {
  const plain = kind.toLowerCase().replace(/[^a-z0-9]/g, '');
  return kinds.some((word) => plain.includes(word));
}

/** Undefined for a kind that is not in the list. A kind may name two: `SDS011 + DHT22`. */
export function instrumentOf(kind: string | null): Instrument | undefined {
  const found = INSTRUMENTS.filter(({ kinds }) => kind !== null && isOfKind(kind, kinds));
  if (found.length === 0) return undefined;
  return {
    ends: Object.assign({}, ...found.map(({ ends }) => ends)) as Values,
    nothing: found.flatMap(({ nothing = [] }) => nothing),
  };
}

/**
 * Senders round to one decimal, as -46.8 or -46.9, and keep single precision, as -46.849998. The
 * instruments measure nothing so near to these values but DHT, which sends exact zeros, and SHT21
 * and SHT3x measure nothing below -40 °C.
 */
const TOLERANCE = 0.051;

type Given = Readonly<Partial<Record<ReadingColumn, unknown>>>;

/**
 * The parameters of a reading whose values say that nothing was measured. Its values are read once:
 * read for each row of the list they cost an import 7 % of its time.
 */
export function unmeasured(given: Given, nothing: Instrument['nothing']): readonly string[] {
  if (given.temperature === undefined && given.humidity === undefined) return NONE;
  const temperature = readNumber(given.temperature);
  const humidity = readNumber(given.humidity);
  let found = NONE;
  for (const values of nothing)
    if (isNear(temperature, values.temperature) && isNear(humidity, values.humidity))
      found = [...found, ...Object.keys(values)];
  return found;
}

const NONE: readonly string[] = [];

/** True, too, where the row of the list says nothing of the parameter. */
const isNear = (number: number | null | undefined, value: number | undefined): boolean =>
  value === undefined || (typeof number === 'number' && Math.abs(number - value) < TOLERANCE);

const ALL_NOTHING = INSTRUMENTS.flatMap(({ nothing = [] }) => nothing);
const ALL_ENDS = INSTRUMENTS.flatMap(({ ends = {} }) => Object.values(ends));
const LOWEST_END = Math.min(...ALL_ENDS);
const PARAMETERS_WITH_END = [
  ...new Set(INSTRUMENTS.flatMap(({ ends = {} }) => Object.keys(ends) as ReadingColumn[])),
];

/** True for values that an instrument in the list may not have measured. */
export const mayBeNoMeasurement = (values: Given): boolean =>
  PARAMETERS_WITH_END.some((name) => (readNumber(values[name]) ?? 0) >= LOWEST_END) ||
  unmeasured(values, ALL_NOTHING).length > 0;
