/**
 * Recognizes values that cannot be what they are taken for: another unit, columns that were
 * exchanged, a total for an amount (S8). No value is converted for that; it is asked about.
 */
import { GASES, type ParameterName } from '../../contract/parameters.ts';
import { fittingUnits, ownUnitOf, unitInWords } from '../units.ts';
import { type Doubt, ENOUGH } from './doubt.ts';
import type { SourceNotes } from './notes.ts';
import type { ReadingInput } from './reading.ts';
import { medianOf, numberOf, unitChoice } from './unitChoice.ts';
import type { Vocabulary } from './vocabulary.ts';

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
  // but for a gas in mg/m³, of which clean air has as little
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

/** The doubts about the values of some readings. */
export const implausibleValues = (
  readings: readonly ReadingInput[],
  notes: Pick<SourceNotes, 'undeclared' | 'declared'>,
  say: Vocabulary,
): Doubt[] => [
  ...otherUnits(readings, notes, say),
  ...exchangedParticles(readings, notes, say),
  ...risingRain(readings, notes, say),
];

/** The unit is right as it is: the answer to a doubt about values. */
const asTheyAre = (parameter: ParameterName, say: Vocabulary) =>
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
 * The columns that look like another unit by their median, among those of our own names whose unit
 * nobody says.
 */
const otherUnits = (
  readings: readonly ReadingInput[],
  { undeclared }: Pick<SourceNotes, 'undeclared'>,
  say: Vocabulary,
): Doubt[] =>
  [...undeclared].flatMap(([parameter, field]): Doubt[] => {
    if (OTHER_UNITS[parameter] === undefined) return [];
    const given = readings.flatMap(({ values }) => numberOf(values[parameter]) ?? []);
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
  });

/** In µg/m³: more is the mark of a fault, and is left out by itself (S1). */
const MOST_PARTICLES = 2_000;

/** PM10 has all of PM2.5 in it; one row, or nine of ten, may have it the other way round by noise. */
function exchangedParticles(
  readings: readonly ReadingInput[],
  { declared }: Pick<SourceNotes, 'declared'>,
  say: Vocabulary,
): Doubt[] {
  if (declared.has('pm25') || declared.has('pm10')) return [];
  let rows = 0;
  for (const { values } of readings) {
    const fine = numberOf(values.pm25 ?? values.pm25_raw);
    const all = numberOf(values.pm10);
    if (fine === undefined || all === undefined || fine > MOST_PARTICLES) continue;
    if (fine <= all) return [];
    rows += 1;
  }
  if (rows < ENOUGH) return [];
  return [
    {
      what: `PM2.5 is above PM10 in each of ${rows} rows, which cannot be: the columns were exchanged`,
      remedy: `Map each to the right name with ${say.option('column')}, or add ${asTheyAre('pm10', say)} if two instruments measured them so.`,
    },
  ];
}

/** An amount of rain returns to 0. A total only rises. */
function risingRain(
  readings: readonly ReadingInput[],
  { declared }: Pick<SourceNotes, 'declared'>,
  say: Vocabulary,
): Doubt[] {
  if (declared.has('rain')) return [];
  const bySensor = new Map<unknown, [time: string, rain: number][]>();
  for (const { sensorId, device, measuredAt, values } of readings) {
    const rain = numberOf(values.rain);
    if (rain === undefined || typeof measuredAt !== 'string') continue;
    const owner = sensorId ?? device;
    const all = bySensor.get(owner) ?? [];
    if (all.length === 0) bySensor.set(owner, all);
    all.push([measuredAt, rain]);
  }
  for (const all of bySensor.values()) {
    if (all.filter(([, rain]) => rain > 0).length < ENOUGH) continue;
    const amounts = all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rain]) => rain);
    const steps = amounts.slice(1).map((rain, at) => rain - (amounts[at] as number));
    if (steps.some((step) => step < 0) || !steps.some((step) => step > 0)) continue;
    return [
      {
        what: `rain only rises, from ${amounts[0]} to ${amounts.at(-1)} in ${amounts.length} rows: it is the total of a gauge that counts up, and no amount`,
        remedy: `Map it with ${say.option('column', 'rain_total=NAME')}, or add ${asTheyAre('rain', say)} if these are amounts.`,
      },
    ];
  }
  return [];
}
