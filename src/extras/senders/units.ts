/**
 * The units that values may come in, and their conversion to the unit that a parameter is stored in
 * (S6). Never guessed, only declared.
 */
import { PARAMETERS, type Parameter, type ParameterName } from '../../contract/parameters.ts';
import { readNumber } from '../../ingest/numbers.ts';

/**
 * A unit: its names, simplified; its factor to the base unit of its quantity, which comes first; and
 * an offset that is added before.
 */
type Scale = readonly [names: readonly string[], factor: number, offset?: number];

const MASS: readonly Scale[] = [
  [['ug/m3', 'ugm3', 'ugm-3'], 1],
  [['mg/m3', 'mgm3', 'mgm-3'], 1_000],
];

/** Factor from µg/m³ at 25 °C, the reference of US EPA, to 20 °C: a gas takes up less room there. */
const WARM = 298.15 / 293.15;
const MASS_AT_25: readonly Scale[] = MASS.map(([names, factor]) => [
  names.map((name) => `${name}@25c`),
  factor * WARM,
]);

/** Each quantity by its units. */
const QUANTITIES: readonly (readonly Scale[])[] = [
  [
    [['c', 'degc'], 1],
    [['f', 'degf'], 5 / 9, -32],
    [['k', 'degk'], 1, -273.15],
  ],
  [
    [['pa'], 1],
    [['hpa', 'mbar', 'mb'], 100],
    [['kpa'], 1_000],
    [['mmhg'], 133.322],
    [['inhg'], 3_386.389],
  ],
  [
    [['m/s', 'ms', 'ms-1', 'mps'], 1],
    [['km/h', 'kmh', 'kmh-1', 'kph', 'kmph'], 1 / 3.6],
    [['mph', 'mi/h'], 0.44704],
    [['kn', 'kt'], 1_852 / 3_600],
  ],
  [
    [['mm', 'l/m2'], 1],
    [['cm'], 10],
    [['in'], 25.4],
  ],
  [
    [['usv/h', 'usvh'], 1],
    [['nsv/h', 'nsvh'], 0.001],
  ],
  [
    [['%'], 1],
    [['fraction'], 100],
  ],
  [[['deg'], 1]],
  [[['uvindex'], 1]],
];

/**
 * Words of units and what they are short for, in the order in which they are replaced: English,
 * Russian, Armenian. `rh` and `lc` (local conditions, of US EPA) say nothing about a unit.
 */
const WORDS: readonly (readonly [word: RegExp, short: string])[] = [
  [/\bper ?cent(?:age)?\b|\bpct\b/g, '%'],
  [/\bper\b/g, '/'],
  [/\(?\b(?:rh|lc|local conditions|relative humidity)\b\)?/g, ''],
  [/\(25 ?°?c\)/g, '@25c'],
  [/\bmicro ?grams?\b|\bmcg\b|мкг|մկգ/g, 'ug'],
  [/\bmilli ?grams?\b|мг|մգ/g, 'mg'],
  [/\bmicro ?sieverts?\b|мкзв/g, 'usv'],
  [/\bnano ?sieverts?\b|нзв/g, 'nsv'],
  [/\b(?:cubic met(?:er|re)s?|cu\.? ?m|cbm)\b|куб\.? ?м|[мմ]3/g, 'm3'],
  [/\bkilomet(?:er|re)s?\b|км(?=\/)|կմ(?=\/)/g, 'km'],
  [/\bmillimet(?:er|re)s?\b|мм|մմ/g, 'mm'],
  [/\bcentimet(?:er|re)s?\b/g, 'cm'],
  [/\bmet(?:er|re)s?\b|[мմ](?=\/)/g, 'm'],
  [/\binch(?:es)?\b/g, 'in'],
  [/\bmiles?\b/g, 'mi'],
  [/\bhours?\b|\bhr\b|(?<=\/ ?)[чժ]$/g, 'h'],
  [/\bsec(?:onds?)?\b|(?<=\/ ?)[сվ]$/g, 's'],
  [/\bof mercury\b|рт\.? ?ст\.?/g, 'hg'],
  [/\bdegrees?\b|^°$/g, 'deg'],
  [/\bcelsius\b|^° ?с$/g, 'c'],
  [/\bfahrenheit\b/g, 'f'],
  [/\bkelvins?\b/g, 'k'],
  [/\bmillibars?\b|мбар/g, 'mbar'],
  [/\bhectopascals?\b|гпа|հպա/g, 'hpa'],
  [/\bkilopascals?\b|кпа|կպա/g, 'kpa'],
  [/\bpascals?\b|^па$|^պա$/g, 'pa'],
  [/\bparts ?\/ ?billion\b|\bppbv\b|\bnmol\/mol\b/g, 'ppb'],
  [/\bparts ?\/ ?million\b|\bppmv\b|\bumol\/mol\b/g, 'ppm'],
  [/\bknots?\b|\bkts\b/g, 'kn'],
];

/** A row of units may have `(°C)`. */
const IN_BRACKETS = /^[([](.+)[)\]]$/;

/** Names of columns have numbers behind their underscores, and rows may have new ones each. */
const BEGINS_A_UNIT = /^\s*[\p{L}\p{So}%]/u;

/** Longer texts are not looked at as a unit. */
const LONGEST = 60;

/**
 * `µg/m³`, `ug m-3`, `UG/M^3`, `㎍/㎥` and `Micrograms per cubic metre (LC)` are one; `°F`, `℉` and
 * `degrees Fahrenheit` are `f` or `degf`.
 */
function simplified(unit: string): string {
  if (unit.length > LONGEST) return unit;
  const plain = unit
    .replaceAll('º', '°')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('μ', 'u')
    .replaceAll('\u2212', '-')
    .trim();
  const short = WORDS.reduce((text, [word, name]) => text.replaceAll(word, name), plain);
  return short.replaceAll(/[\s°^*·._]/g, '');
}

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

/** Conversions by parameter: a text of both for each value would cost more than its conversion. */
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

function scaleOf(unit: string, parameter: ParameterName): Scale | undefined {
  const bare = unit.replace(IN_BRACKETS, '$1');
  if (!BEGINS_A_UNIT.test(bare)) return undefined;
  const plain = simplified(bare);
  return UNITS.get(parameter)?.scales.find(([names]) => names.includes(plain));
}

function makeConversion(unit: string, parameter: ParameterName): Convert | null | undefined {
  const stored = UNITS.get(parameter)?.own?.[1] ?? 1;
  const scale = scaleOf(unit, parameter);
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
  PARAMETERS.some(({ name }) => conversionFrom(text, name) !== undefined);

/** True if both are units of the parameter, and one. */
export function isSameUnit(one: string, other: string, parameter: ParameterName): boolean {
  const scale = scaleOf(one, parameter);
  return scale !== undefined && scale === scaleOf(other, parameter);
}

/** A unit that a value may be in, and the value in ours. */
export type FittingUnit = { unit: string; stored: number };

/** The units in which a value lies within the bounds of its parameter (S1). */
export const fittingUnits = (parameter: ParameterName, value: number): FittingUnit[] =>
  PARAMETERS.filter(({ name }) => name === parameter).flatMap(({ low, high, digits }) =>
    unitsOf(parameter).flatMap((unit) => {
      const exact = Number(conversionFrom(unit, parameter)?.(value) ?? value);
      return exact >= low && exact <= high ? { unit, stored: Number(exact.toFixed(digits)) } : [];
    }),
  );

/** The unit that a parameter is stored in, as it is written for people. */
export const unitInWords = (parameter: ParameterName): string =>
  PARAMETERS.find(({ name }) => name === parameter)?.unit ?? '';

/** The units that values of a parameter may have, for messages. */
export const unitsOf = (parameter: ParameterName): string[] =>
  (UNITS.get(parameter)?.scales ?? []).map(([[name = '']]) => name);

/** The unit that a parameter is stored in, as it may be declared. */
export const ownUnitOf = (parameter: ParameterName): string =>
  UNITS.get(parameter)?.own?.[0][0] ?? '';
