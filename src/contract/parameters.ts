/**
 * The parameters that a reading can measure, in the order used everywhere, with the bounds of rule
 * S1 and the published precision. The columns of the aggregates, the import headers, the units that
 * values may come in, and the fields of current values and history are derived from this table.
 */

/**
 * The formulas that correct PM2.5 (S5), computed by `rollup.corrected` in sql/rollups. `none`, in
 * the database, is not a correction.
 */
export const FORMULAS = ['epa-2021'] as const;

export type Parameter = {
  /** Its column in raw.readings, and its key in readings. */
  readonly name: string;
  readonly unit: Unit;
  readonly meaning: string;
  /** How readings are aggregated: mean (A1), sum (A6) or mean unit vector (A7). */
  readonly kind: 'mean' | 'sum' | 'vector';
  /** The bounds of rule S1, inclusive. */
  readonly low: number;
  readonly high: number;
  /**
   * How far beyond a bound a value is still stored, as that bound: fog reads as 105 %, and a dark
   * sensor as -0.2.
   */
  readonly tolerance?: { readonly below?: number; readonly above?: number };
  /** Decimals published. */
  readonly digits: 0 | 1 | 2;
  /** True if days and months publish the extremes of its hourly means (A5). */
  readonly extremes?: true;
  /** The kind of flag periods of a station in which it is left out of region means (C5, C9). */
  readonly flag?: 'thp' | 'pm';
  /** True if negative values, which instruments report near zero, are published as 0. */
  readonly nonNegative?: true;
  /** µg/m³ in 1 ppb of a gas at 20 °C and 1,013 hPa, as UK-AIR publishes it (S6). */
  readonly massOfPpb?: number;
  /** The SQL type of its current value; float8 if left out. */
  readonly currentType?: 'int';
  /** True if regions publish its current value. Stations publish every parameter's. */
  readonly inRegions?: true;
  /** False if history documents leave it out, as the specification does. Schema api has it. */
  readonly inHistory?: false;
};

/** The largest single-precision number below 360, since a direction is in [0, 360). */
const BELOW_360 = 359.99997;

export const PARAMETERS = [
  {
    name: 'temperature',
    unit: '°C',
    meaning: 'air temperature',
    kind: 'mean',
    low: -60,
    high: 60,
    digits: 1,
    extremes: true,
    flag: 'thp',
    inRegions: true,
  },
  {
    name: 'humidity',
    unit: '%',
    meaning: 'relative humidity',
    kind: 'mean',
    low: 0,
    high: 100,
    tolerance: { above: 5 },
    digits: 0,
    flag: 'thp',
    inRegions: true,
  },
  {
    name: 'pressure',
    unit: 'Pa',
    meaning: 'air pressure',
    kind: 'mean',
    low: 50_000,
    high: 110_000,
    digits: 0,
    flag: 'thp',
    currentType: 'int',
    inRegions: true,
  },
  {
    name: 'pm1',
    unit: 'µg/m³',
    meaning: 'PM1',
    kind: 'mean',
    low: -10,
    high: 2_000,
    digits: 1,
    nonNegative: true,
    flag: 'pm',
    inHistory: false,
  },
  {
    name: 'pm25',
    unit: 'µg/m³',
    meaning: 'PM2.5, corrected where a correction applies',
    kind: 'mean',
    low: -10,
    high: 2_000,
    digits: 1,
    extremes: true,
    nonNegative: true,
    flag: 'pm',
    inRegions: true,
  },
  {
    name: 'pm25_raw',
    unit: 'µg/m³',
    meaning: 'PM2.5 as the instrument gave it',
    kind: 'mean',
    low: -10,
    high: 2_000,
    digits: 1,
    nonNegative: true,
    flag: 'pm',
  },
  {
    name: 'pm10',
    unit: 'µg/m³',
    meaning: 'PM10',
    kind: 'mean',
    low: -10,
    high: 2_000,
    digits: 1,
    extremes: true,
    nonNegative: true,
    flag: 'pm',
    inRegions: true,
  },
  {
    name: 'no2',
    unit: 'ppb',
    meaning: 'nitrogen dioxide',
    kind: 'mean',
    low: -10,
    high: 5_000,
    digits: 1,
    extremes: true,
    nonNegative: true,
    inRegions: true,
    massOfPpb: 1.9125,
  },
  {
    name: 'so2',
    unit: 'µg/m³',
    meaning: 'sulphur dioxide',
    kind: 'mean',
    low: -10,
    high: 5_000,
    digits: 1,
    nonNegative: true,
    massOfPpb: 2.6609,
  },
  {
    name: 'o3',
    unit: 'µg/m³',
    meaning: 'ozone',
    kind: 'mean',
    low: -10,
    high: 5_000,
    digits: 1,
    nonNegative: true,
    massOfPpb: 1.9957,
  },
  {
    name: 'dust',
    unit: 'µg/m³',
    meaning: 'dust (total particulate matter)',
    kind: 'mean',
    low: -10,
    high: 2_000,
    digits: 1,
    extremes: true,
    nonNegative: true,
  },
  {
    name: 'usvh',
    unit: 'µSv/h',
    meaning: 'radiation dose rate',
    kind: 'mean',
    low: 0,
    high: 100,
    tolerance: { below: 0.5 },
    digits: 2,
  },
  {
    name: 'uv',
    unit: 'UV index',
    meaning: 'ultraviolet index',
    kind: 'mean',
    low: 0,
    high: 20,
    tolerance: { below: 0.5 },
    digits: 1,
    inHistory: false,
  },
  {
    name: 'wind_speed',
    unit: 'm/s',
    meaning: 'wind speed',
    kind: 'mean',
    low: 0,
    high: 100,
    tolerance: { below: 0.5 },
    digits: 1,
    extremes: true,
  },
  {
    name: 'wind_direction',
    unit: 'degrees',
    meaning: 'direction the wind comes from, clockwise from north',
    kind: 'vector',
    low: 0,
    high: BELOW_360,
    digits: 0,
  },
  { name: 'rain', unit: 'mm', meaning: 'precipitation', kind: 'sum', low: 0, high: 500, digits: 1 },
] as const satisfies readonly Parameter[];

export type ParameterName = (typeof PARAMETERS)[number]['name'];

/** The total of a gauge that counts up; the amount of a reading is derived from it (A6). */
export const RAIN_TOTAL = {
  name: 'rain_total',
  unit: 'mm',
  meaning: 'total of a rain gauge that counts up',
  kind: 'sum',
  low: 0,
  high: 100_000,
  digits: 1,
} as const satisfies Parameter;

/** The columns of a stored reading. */
export const READING_COLUMNS: readonly Parameter[] = [...PARAMETERS, RAIN_TOTAL];
/** The same by name. */
export const READING_COLUMNS_BY_NAME: ReadonlyMap<string, Parameter> = new Map(
  READING_COLUMNS.map((column) => [column.name, column]),
);
export type ReadingColumn = ParameterName | typeof RAIN_TOTAL.name;

const BITS = new Map(READING_COLUMNS.map(({ name }, index) => [name, 2 ** index]));

/** Parameters as a set: the sum of their bits in SQL ($bit in its templates). */
export const bitsOf = (names: readonly ReadingColumn[]): number =>
  names.reduce((sum, name) => sum | (BITS.get(name) ?? 0), 0);

/** The values of one reading; only the parameters that were measured. */
export type Values = Partial<Record<ParameterName, number>>;

/** Its key in documents of values, as the specification writes it: `pm2.5_raw` for `pm25_raw`. */
export const keyOf = (name: string): string => name.replace('pm25', 'pm2.5');

/**
 * The parameters that a condition selects: those in `first` in its order, then the others in the
 * order used everywhere.
 */
export function parameterNames(
  isWanted: (parameter: Parameter) => boolean,
  first: readonly ParameterName[] = [],
): ParameterName[] {
  const wanted = PARAMETERS.filter((parameter) => isWanted(parameter)).map(({ name }) => name);
  return [
    ...first.filter((name) => wanted.includes(name)),
    ...wanted.filter((name) => !first.includes(name)),
  ];
}

export const PARAMETER_NAMES: readonly ParameterName[] = parameterNames(() => true);

/** The parameters that come in ppb or in µg/m³. */
export const GASES: readonly ParameterName[] = parameterNames(
  ({ massOfPpb }) => massOfPpb !== undefined,
);

/**
 * The units of the published numbers, each with its code in UCUM (the Unified Code for Units of
 * Measure), which programs can convert. What is counted or indexed has no dimension: its code is
 * `1`, or an annotation in braces, which UCUM reads as 1.
 */
export const UCUM_CODES = {
  '°C': 'Cel',
  '%': '%',
  Pa: 'Pa',
  'µg/m³': 'ug/m3',
  ppb: '[ppb]',
  'µSv/h': 'uSv/h',
  'm/s': 'm/s',
  mm: 'mm',
  degrees: 'deg',
  days: 'd',
  hours: 'h',
  times: '1',
  stations: '{stations}',
  readings: '{readings}',
  cigarettes: '{cigarettes}',
  km: 'km',
  'UV index': '{UV_index}',
  'US EPA AQI': '{AQI}',
} as const;

/** A unit as people read it. */
export type Unit = keyof typeof UCUM_CODES;
