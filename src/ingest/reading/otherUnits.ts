/**
 * Recognizes values that look like another unit. No value is converted for that: a hint names the
 * unit, and an import stops before it stores anything if a whole column looks like one.
 */

import { InputError } from '../../base/inputError.ts';
import { type ParameterName, parameterNames } from '../../contract/parameters.ts';
import { ownUnitOf } from '../units.ts';
import type { SourceNotes } from './notes.ts';
import type { ReadingInput } from './reading.ts';
import { COMMAND_LINE } from './vocabulary.ts';

type OtherUnit = {
  unit: string;
  option: string;
  low: number;
  high: number;
  remedy: (value: number) => string;
  /** A scale is asked about only where at least 20 values have it: clean air has a few of them. */
  isScale?: true;
};

const ppm: Omit<OtherUnit, 'remedy'> = {
  unit: 'ppm',
  option: 'ppm',
  low: Number.MIN_VALUE,
  high: 0.2,
};
const declare = () => 'declare its unit';
const GASES = parameterNames(({ massOfPpb }) => massOfPpb !== undefined);
/** Below the cleanest air there is (S8). */
const milligrams: OtherUnit = {
  ...ppm,
  unit: 'mg/m³',
  option: 'mg/m3',
  remedy: declare,
  isScale: true,
};

/**
 * Where the median of a column is within these, ends included, it is hardly in our unit outdoors.
 */
const OTHER_UNITS: Partial<Record<ParameterName, OtherUnit>> = {
  temperature: {
    unit: '°F',
    option: 'f',
    low: 45.1,
    high: 150,
    remedy: (value) => `send it in °C, as ${Math.round((value - 32) / 0.18) / 10}`,
  },
  pressure: {
    unit: 'hPa',
    option: 'hpa',
    low: 300,
    high: 1_100,
    remedy: (value) => `send it in Pa, as ${Math.round(value * 100)}`,
  },
  ...Object.fromEntries(GASES.map((name) => [name, { ...ppm, remedy: declare }])),
  pm25: milligrams,
  pm25_raw: milligrams,
  pm10: milligrams,
  // below any desert's (S8)
  humidity: {
    unit: 'a fraction of 1',
    option: 'fraction',
    low: Number.MIN_VALUE,
    high: 1,
    remedy: declare,
    isScale: true,
  },
};

/** The unit that a single value looks like; undefined: it does not. */
export function otherUnitOf(name: ParameterName, value: number): OtherUnit | undefined {
  const other = OTHER_UNITS[name];
  return other !== undefined && value >= other.low && value <= other.high ? other : undefined;
}

type Suspicion = {
  parameter: ParameterName;
  field: string;
  unit: string;
  option: string;
  example: number;
  values: number;
};

/**
 * The columns that look like another unit by their median, among the columns without a declared
 * unit.
 */
export function suspectUnits(
  readings: readonly ReadingInput[],
  { undeclared }: Pick<SourceNotes, 'undeclared'>,
): Suspicion[] {
  return [...undeclared].flatMap(([parameter, field]) => {
    if (OTHER_UNITS[parameter] === undefined) return [];
    const given = readings.flatMap(({ values }) => numberOf(values[parameter]) ?? []);
    const example = given.sort((a, b) => a - b)[Math.floor(given.length / 2)];
    const other = example === undefined ? undefined : otherUnitOf(parameter, example);
    if (example === undefined || other === undefined) return [];
    if (other.isScale && given.length < ENOUGH) return [];
    return [
      { parameter, field, unit: other.unit, option: other.option, example, values: given.length },
    ];
  });
}

function numberOf(given: unknown): number | undefined {
  const value = typeof given === 'string' && given !== '' ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Fewer values may be an exception. */
const ENOUGH = 20;

/** Throws InputError if a column of at least 20 values looks like another unit. */
export function refuseOtherUnits(
  readings: readonly ReadingInput[],
  notes: SourceNotes,
  source: string,
): void {
  const found = suspectUnits(readings, notes).find(({ values }) => values >= ENOUGH);
  if (found === undefined) return;
  const { parameter, field, unit, option, example } = found;
  const say = (one: string) => COMMAND_LINE.option('unit', one);
  throw new InputError(
    source,
    `column ${field} looks like ${unit}, for example ${example}; nothing of it was stored`,
    `Add ${say(`${parameter}=${option}`)} if it is, or ${say(`${parameter}=${ownUnitOf(parameter)}`)} if it is right as it is.`,
  );
}
