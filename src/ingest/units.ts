/**
 * The units that values may come in, and their conversion to the unit that a parameter is stored in
 * (S6). Never guessed, only declared.
 */
import { PARAMETERS, type Parameter, type ParameterName } from '../contract/parameters.ts';
import { readNumber } from './numbers.ts';

/**
 * A unit: its names, simplified; what one of it is in the first of its quantity; and what is added
 * before.
 */
type Scale = readonly [names: readonly string[], factor: number, offset?: number];

const MASS: readonly Scale[] = [
  [['ug/m3', 'ugm3', 'ug_m3', 'ugm-3', 'ug.m-3'], 1],
  [['mg/m3', 'mgm3', 'mg_m3', 'mgm-3', 'mg.m-3'], 1_000],
];

/**
 * A gas takes up more room at 25 °C, the reference of US EPA: 1 µg/m³ there is so much at 20 °C.
 */
const WARM = 298.15 / 293.15;
const MASS_AT_25: readonly Scale[] = MASS.map(([names, factor]) => [
  names.map((name) => `${name}@25c`),
  factor * WARM,
]);

/** Each quantity by its units. */
const QUANTITIES: readonly (readonly Scale[])[] = [
  [
    [['c', 'degc', 'celsius'], 1],
    [['f', 'degf', 'fahrenheit'], 5 / 9, -32],
    [['k', 'kelvin'], 1, -273.15],
  ],
  [
    [['pa'], 1],
    [['hpa', 'mbar', 'mb'], 100],
    [['kpa'], 1_000],
    [['mmhg'], 133.322],
    [['inhg'], 3_386.389],
  ],
  [
    [['m/s', 'ms'], 1],
    [['km/h', 'kmh', 'kph'], 1 / 3.6],
    [['mph'], 0.44704],
    [['kn', 'kt', 'knots'], 1_852 / 3_600],
  ],
  [
    [['mm'], 1],
    [['in', 'inch'], 25.4],
  ],
  [
    [['usv/h', 'usvh'], 1],
    [['nsv/h', 'nsvh'], 0.001],
  ],
  [
    [['%', 'percent', 'pct'], 1],
    [['fraction'], 100],
  ],
  [[['degrees', 'deg'], 1]],
  [[['uvindex'], 1]],
];

/** `µg/m³`, `ug/m3` and `UG/M^3` are one; `°F` is `f`. */
const simplified = (unit: string): string =>
  unit
    .toLowerCase()
    .replace(/[\s°º^*·]/g, '')
    .replaceAll(/[µμ]/g, 'u')
    .replaceAll('⁻', '-')
    .replaceAll('³', '3');

function scalesOf({ unit, massOfPpb: ppb }: Parameter): readonly Scale[] {
  if (ppb !== undefined) return [...MASS, ...MASS_AT_25, [['ppb'], ppb], [['ppm'], ppb * 1_000]];
  const stored = simplified(unit);
  return (
    [MASS, ...QUANTITIES].find((scales) => scales.some(([names]) => names.includes(stored))) ?? []
  );
}

const UNITS = new Map(
  PARAMETERS.map((parameter) => {
    const scales = scalesOf(parameter);
    const stored = simplified(parameter.unit);
    return [
      parameter.name,
      { scales, own: scales.find(([names]) => names.includes(stored)) },
    ] as const;
  }),
);

/**
 * Turns a value into one in the stored unit; anything but a number stays what it is, to be judged
 * when it is validated.
 */
export type Convert = (given: unknown) => unknown;

/**
 * The conversion from a unit that the parameter does not have: it makes a text of value and unit,
 * which is rejected.
 */
export const withUnit =
  (unit: string): Convert =>
  (given) =>
    readNumber(given) === null || typeof given === 'object'
      ? given
      : `${String(given)} ${unit}`.slice(0, 100);

/** By parameter, because a text of both for each value would cost more than its conversion. */
const conversions = new Map<ParameterName, Map<string, Convert | null | undefined>>();
/** A bound, because senders write units. */
const MOST_UNITS = 100;

/**
 * How values of a parameter are converted from a unit; null: they are in the stored one; undefined:
 * it has no such unit.
 */
export function conversionFrom(unit: string, parameter: ParameterName): Convert | null | undefined {
  let known = conversions.get(parameter);
  if (known === undefined || known.size >= MOST_UNITS) {
    known = new Map();
    conversions.set(parameter, known);
  }
  const before = known.get(unit);
  if (before !== undefined || known.has(unit)) return before;
  const conversion = makeConversion(unit, parameter);
  known.set(unit, conversion);
  return conversion;
}

function makeConversion(unit: string, parameter: ParameterName): Convert | null | undefined {
  const { scales = [], own } = UNITS.get(parameter) ?? {};
  const stored = own?.[1] ?? 1;
  const plain = simplified(unit);
  const scale = scales.find(([names]) => names.includes(plain));
  if (scale === undefined) return undefined;
  const [, factor, offset = 0] = scale;
  if (factor === stored && offset === 0) return null;
  return (given) => {
    const value = readNumber(given);
    return typeof value === 'number' ? ((value + offset) * factor) / stored : given;
  };
}

/** True for a unit of any parameter. */
export const isUnit = (text: string): boolean =>
  text.length <= 30 && PARAMETERS.some(({ name }) => conversionFrom(text, name) !== undefined);

/** The units that values of a parameter may have, for messages. */
export const unitsOf = (parameter: ParameterName): string[] =>
  (UNITS.get(parameter)?.scales ?? []).map(([[name = '']]) => name);

/** The unit that a parameter is stored in, as it may be declared. */
export const ownUnitOf = (parameter: ParameterName): string =>
  UNITS.get(parameter)?.own?.[0][0] ?? '';
