/**
 * Our names of parameters, and names that mean ours wherever they stand, perhaps with a unit at
 * their end.
 */
import { PARAMETER_NAMES, type ParameterName, RAIN_TOTAL } from '../../../contract/parameters.ts';
import { conversionFrom } from '../units.ts';
import { unified, unitInName, unitPlaces } from './unitInName.ts';

/**
 * Names in lower case, each with the parameter that it means and perhaps the unit of its values:
 * `pressure hpa`.
 */
export type OtherNames = Readonly<Record<string, string>>;

/** The names of the API, of Sensor.Community and ESPHome, and short ones, the preferred first. */
export const OTHER_NAMES: OtherNames = {
  'pm2.5': 'pm25',
  pm2_5: 'pm25',
  pm_2_5: 'pm25',
  'pm2,5': 'pm25',
  'pm2.5_raw': 'pm25_raw',
  'pm1.0': 'pm1',
  pm_1_0: 'pm1',
  pm_10_0: 'pm10',
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
const isParameter = (name: string): name is ParameterName => parameters.has(name);

/**
 * The meaning of a name: `pm25`, `no2_ugm3`, `pressure [hPa]`, `temp_f`; undefined if it is unknown.
 */
export function ownName(name: string, others: OtherNames = OTHER_NAMES): OwnName | undefined {
  const key = name.toLowerCase();
  const whole = plainName(key, others);
  if (whole !== undefined) return whole;
  if (!begins(unified(key), others)) return undefined;
  for (const { base, text } of unitPlaces(key)) {
    const found = plainName(base, others);
    if (found === undefined || conversionFrom(text, found.parameter) === undefined) continue;
    const { unit } = unitInName(name, found.parameter);
    return unit === undefined ? undefined : { ...found, unit };
  }
  return undefined;
}

const namesOf = new WeakMap<OtherNames, readonly string[]>();

/**
 * True if a name begins as one that is known. Rows may have new names each: where the places of a
 * unit were looked for in all of them, a body of 8 MB of such rows took 3 s instead of 2.
 */
function begins(key: string, others: OtherNames): boolean {
  let names = namesOf.get(others);
  if (names === undefined) {
    names = [...PARAMETER_NAMES, ...Object.keys(others)];
    namesOf.set(others, names);
  }
  return names.some((name) => key.startsWith(name));
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
