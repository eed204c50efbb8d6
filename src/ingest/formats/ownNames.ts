/**
 * Our names of parameters, and names that mean ours wherever they stand, perhaps with a unit at
 * their end.
 */
import { PARAMETER_NAMES, type ParameterName, RAIN_TOTAL } from '../../contract/parameters.ts';
import { conversionFrom } from '../units.ts';

/**
 * Names in lower case, each with the parameter that it means and perhaps the unit of its values:
 * `pressure hpa`.
 */
export type OtherNames = Readonly<Record<string, string>>;

/** The names of the API, of Sensor.Community, and short ones. In the order of preference. */
export const OTHER_NAMES: OtherNames = {
  'pm2.5': 'pm25',
  pm2_5: 'pm25',
  'pm2,5': 'pm25',
  'pm2.5_raw': 'pm25_raw',
  'pm1.0': 'pm1',
  temp: 'temperature',
  rh: 'humidity',
  p0: 'pm1',
  p1: 'pm10',
  p2: 'pm25',
};

export type OwnName = {
  parameter: ParameterName;
  /** Undefined: the name says none. */
  unit: string | undefined;
  /** The lowest counts where several names mean the same. */
  rank: number;
  isTotal?: true;
};

const parameters: ReadonlySet<string> = new Set(PARAMETER_NAMES);
export const isParameter = (name: string): name is ParameterName => parameters.has(name);

/**
 * The meaning of a name: `pm25`, `no2_ugm3`, `pressure [hPa]`, `temp_f`; undefined if it is unknown.
 */
export function ownName(name: string, others: OtherNames = OTHER_NAMES): OwnName | undefined {
  const key = name.toLowerCase();
  const whole = plainName(key, others);
  if (whole !== undefined) return whole;
  for (const [base, unit] of withUnits(key)) {
    const found = plainName(base, others);
    if (found !== undefined && conversionFrom(unit, found.parameter) !== undefined)
      return { ...found, unit };
  }
  return undefined;
}

function plainName(key: string, others: OtherNames): OwnName | undefined {
  if (isParameter(key)) return { parameter: key, unit: undefined, rank: 0 };
  // before the amount, which follows from it
  if (key === RAIN_TOTAL.name)
    return { parameter: 'rain', unit: undefined, rank: -1, isTotal: true };
  if (!Object.hasOwn(others, key)) return undefined;
  const [parameter, unit] = (others[key] as string).split(' ') as [ParameterName, string?];
  return { parameter, unit, rank: 1 + Object.keys(others).indexOf(key) };
}

/** A name that is longer has no unit at its end. */
const LONGEST_NAME = 60;

/**
 * The ways to take a name for a shorter one and a unit, which is in brackets or behind an
 * underscore.
 */
function withUnits(key: string): [base: string, unit: string][] {
  const last = key.at(-1);
  if (last === ')' || last === ']') {
    const open = key.search(/[([]/);
    return open > 0 ? [[key.slice(0, open).trim(), key.slice(open + 1, -1)]] : [];
  }
  return underscores(key).map((at) => [key.slice(0, at), key.slice(at + 1)]);
}

const underscores = (key: string): number[] =>
  key.length > LONGEST_NAME
    ? []
    : [...key].flatMap((character, index) => (character === '_' && index > 0 ? index : []));

const IN_BRACKETS = /[([]([^()[\]]{0,30})[)\]]/g;

/**
 * The unit that someone else's name for a parameter says: `Stickstoffdioxid (µg/m³)`, `outdoor_f`.
 */
export function unitInName(name: string, parameter: ParameterName): string | undefined {
  const key = name.toLowerCase();
  const units = [
    ...[...key.matchAll(IN_BRACKETS)].map(([, unit = '']) => unit),
    ...underscores(key).map((at) => key.slice(at + 1)),
  ];
  return units.find((unit) => conversionFrom(unit, parameter) !== undefined);
}
