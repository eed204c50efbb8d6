/**
 * Recognizes columns of our own names whose values look like another unit (S8). No value is
 * converted for that; it is asked about. Other questions about values are asked of the stage in SQL:
 * these need the values as they came, and the stage has none that are out of bounds.
 */
import { GASES, type ParameterName } from '../../../contract/parameters.ts';
import { numberOf } from '../../../ingest/numbers.ts';
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { ENOUGH, medianOf } from '../numbers.ts';
import { fittingUnits, ownUnitOf, unitInWords } from '../units.ts';
import type { SourceFacts } from './facts.ts';
import { unitChoice } from './unitChoice.ts';

/** A unit that a column of our own name may be in instead of ours. */
type OtherUnit = {
  unit: string;
  option: string;
  low: number;
  high: number;
  /**
   * A hint comes only with as many values. Clean air has a few that look like another scale; in
   * others a single value is worth a hint.
   */
  least?: number;
};

const ppm: OtherUnit = { unit: 'ppm', option: 'ppm', low: Number.MIN_VALUE, high: 0.2 };
/** Below the cleanest air there is (S8). */
const milligrams: OtherUnit = { ...ppm, unit: 'mg/m³', option: 'mg/m3', least: ENOUGH };

/**
 * Where the median of a column is within these, ends included, it is hardly in our unit outdoors.
 * Several may fit: 740 is a pressure in hPa at 2,600 m, and in mmHg near the sea.
 */
const OTHER_UNITS: Partial<Record<ParameterName, readonly OtherUnit[]>> = {
  temperature: [{ unit: '°F', option: 'f', low: 45.1, high: 150 }],
  pressure: [
    { unit: 'hPa', option: 'hpa', low: 300, high: 1_100 },
    { unit: 'mmHg', option: 'mmhg', low: 376, high: 825 },
    { unit: 'kPa', option: 'kpa', low: 50, high: 110 },
    { unit: 'inHg', option: 'inhg', low: 15, high: 33 },
  ],
  // a hurricane has 33 m/s, and no place a median of 12
  wind_speed: [{ unit: 'km/h', option: 'km/h', low: 12.1, high: 400, least: ENOUGH }],
  // but for a gas in mg/m³: clean air has as little of it
  ...Object.fromEntries(
    GASES.flatMap((name) => (unitInWords(name).startsWith('mg') ? [] : [[name, [ppm]]])),
  ),
  pm25: [milligrams],
  pm25_raw: [milligrams],
  pm10: [milligrams],
  // below any desert's (S8)
  humidity: [
    { unit: 'a fraction of 1', option: 'fraction', low: Number.MIN_VALUE, high: 1, least: 3 },
  ],
};

/**
 * The units that a single value looks like. One that would take it out of bounds is left out, unless
 * each does.
 */
function otherUnitsOf(name: ParameterName, value: number): readonly OtherUnit[] {
  const all = OTHER_UNITS[name]?.filter(({ low, high }) => value >= low && value <= high) ?? [];
  const fitting = fittingUnits(name, value).map(({ unit }) => unit);
  const possible = all.filter(({ option }) => fitting.includes(option));
  return possible.length > 0 ? possible : all;
}

/** A hint at the unit that a single value looks like; undefined: it does not. */
export function otherUnitHint(name: ParameterName, value: number): string | undefined {
  const all = otherUnitsOf(name, value);
  if (all.length === 0) return undefined;
  const fitting = fittingUnits(name, value);
  const stored = all.flatMap(
    ({ option }) => fitting.find(({ unit }) => unit === option)?.stored ?? [],
  );
  const remedy =
    stored.length === 0
      ? 'declare its unit'
      : `send it in ${unitInWords(name)}, as ${stored.join(' or ')}`;
  return `looks like ${all.map(({ unit }) => unit).join(' or ')}: ${remedy}`;
}

/** The unit is right as it is: the answer to a doubt about values. */
export const asTheyAre = (parameter: ParameterName, say: Vocabulary) =>
  say.option('unit', `${parameter}=${ownUnitOf(parameter)}`);

/** The remedy where the values of a column look like another unit, `value` among them. */
export function declareUnit(
  parameter: ParameterName,
  value: number,
  options: readonly string[],
  say: Vocabulary,
): string {
  const fitting = fittingUnits(parameter, value);
  const others = fitting.filter(({ unit }) => options.includes(unit));
  const isOwnPossible = fitting.some(({ unit }) => unit === ownUnitOf(parameter));
  const declared =
    others.length > 1
      ? unitChoice(parameter, value, others, say)
      : options.map((unit) => say.option('unit', `${parameter}=${unit}`)).join(' or ');
  const orOurs = isOwnPossible ? `, or ${asTheyAre(parameter, say)} if it is right as it is` : '';
  return `Add ${declared} if it is${orOurs}.`;
}

/**
 * Judges columns by the median of their values, if nothing says their unit. `without`: parameters that
 * are passed over.
 */
export function makeOtherUnits({ undeclared }: SourceFacts, without: ReadonlySet<string>) {
  const judged = [...undeclared].flatMap(([parameter, field]) =>
    OTHER_UNITS[parameter] === undefined || without.has(parameter)
      ? []
      : [{ parameter, field, given: [] as number[] }],
  );
  return {
    see({ values }: ReadingInput): void {
      for (const { parameter, given } of judged) {
        const value = numberOf(values[parameter]);
        if (value !== undefined) given.push(value);
      }
    },
    doubts: (say: Vocabulary): Doubt[] =>
      judged.flatMap(({ parameter, field, given }): Doubt[] => {
        const example = medianOf(given);
        const others = example === undefined ? [] : otherUnitsOf(parameter, example);
        const [first] = others;
        if (example === undefined || first === undefined || given.length < (first.least ?? 1))
          return [];
        const { least = ENOUGH } = first;
        const options = others.map(({ option }) => option);
        return [
          {
            what: `column ${field} looks like ${others.map(({ unit }) => unit).join(' or ')}, for example ${example}`,
            remedy: declareUnit(parameter, example, options, say),
            ...(given.length < least && { stops: 'never' }),
          },
        ];
      }),
  };
}
