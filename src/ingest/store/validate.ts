/**
 * Converts a sender's input into a sensor id, an instant and numbers, or into a reason for
 * rejection (rules S1 and S2).
 */
import { PARAMETERS, type Parameter, type ParameterName } from '../../contract/parameters.ts';
import { readInstant } from '../reading/instants.ts';
import type { ReadingInput } from '../reading/reading.ts';
import { readNumber } from '../units.ts';

/** Why a whole reading is rejected, in the order in which the reasons are checked. */
export const READING_REASONS = {
  unreadable_line: 'the line cannot be parsed: wrong number of fields, invalid JSON, or too long',
  unknown_sensor: 'no sensor of the network has this number',
  unreadable_time:
    'the time is not ISO 8601 with Z or an offset: write 2026-11-20T13:00:12Z or 2026-11-20T17:00:12+04:00',
  no_value: 'the reading has no usable value',
  outdated:
    'the feed lists it more than a day after a newer reading of its sensor: a late one, or one of a wrong clock; where its time is right, quarantine retry stores it',
  in_the_future: 'the time is more than 5 minutes in the future',
  before_epoch: 'the time is before the first hour of this database (EPOCH)',
  older_than_retention: 'readings of that time are no longer stored (RAW_RETENTION)',
} as const;

/** Why a single value is rejected while the rest of its reading is kept. */
export const VALUE_REASONS = {
  unreadable: 'the value is not a number',
  out_of_bounds: 'the value is outside its bounds',
} as const;

export type ReadingReason = keyof typeof READING_REASONS;
export type ValueReason = `${keyof typeof VALUE_REASONS}:${ParameterName}`;

/**
 * A reading or a value that cannot be used; `index` is the position of the reading in its batch.
 */
export type Rejection = { index: number; reason: ReadingReason };
export type ValueRejection = { index: number; reason: ValueReason };

/**
 * The latest acceptable time in microseconds since 1970: later readings are from the future (S2).
 */
export const latestAcceptable = (now: Date): number => (now.getTime() + 300_000) * 1_000;

type Checked = {
  sensorId: number | undefined;
  /** Microseconds since 1970; undefined: no time with an offset. */
  time: number | undefined;
  /**
   * One for each of the parameters it was checked for, as PostgreSQL reads it; null: none that can
   * be used.
   */
  values: (string | number | null)[];
  /** Why values that were given cannot be used. */
  rejected: ValueReason[];
  /** Why the whole reading cannot be used; undefined: only the database can know. */
  reason: ReadingReason | undefined;
};

/** The parameters that any of the readings has. */
export function givenParameters(readings: readonly ReadingInput[]): readonly Parameter[] {
  return PARAMETERS.filter(({ name }) => readings.some(({ values }) => values[name] !== undefined));
}

/**
 * PostgreSQL reads such a short number as we do, and far faster than all digits of its
 * single-precision value.
 */
const SHORT = /^-?\d{1,6}(?:\.\d{1,3})?$/;

/**
 * Checks one reading as far as that is possible without the database. `latest`: in microseconds
 * since 1970 (latestAcceptable).
 */
export function checkReading(
  reading: ReadingInput,
  parameters: readonly Parameter[],
  latest: number,
): Checked {
  const sensorId = readSensorId(reading.sensorId);
  const instant =
    typeof reading.measuredAt === 'string' ? readInstant(reading.measuredAt) : undefined;
  const time = instant?.local ? undefined : instant?.microseconds;
  const rejected: ValueReason[] = [];
  const values = parameters.map((parameter) => {
    const name = parameter.name as ParameterName;
    const given = reading.values[name];
    const value = readValue(given, parameter);
    if (typeof value === 'string') rejected.push(`${value}:${name}`);
    if (typeof value !== 'number') return null;
    return typeof given === 'string' && SHORT.test(given) && parameter.kind !== 'vector'
      ? given
      : value;
  });
  const reasonOf = (): ReadingReason | undefined => {
    if (reading.unreadable) return 'unreadable_line';
    if (sensorId === undefined) return 'unknown_sensor';
    if (time === undefined) return 'unreadable_time';
    if (values.every((value) => value === null)) return 'no_value';
    if (reading.isOutdated) return 'outdated';
    return time > latest ? 'in_the_future' : undefined;
  };
  return { sensorId, time, values, rejected, reason: reasonOf() };
}

const LARGEST_INT = 2_147_483_647;

/**
 * A sensor id, from a number or its digits; undefined for anything that is no positive 32-bit
 * integer.
 */
export function readSensorId(given: unknown): number | undefined {
  const id = typeof given === 'string' && /^[1-9]\d{0,9}$/.test(given) ? Number(given) : given;
  return Number.isInteger(id) && (id as number) > 0 && (id as number) <= LARGEST_INT
    ? (id as number)
    : undefined;
}

/**
 * The number to store, null if no value was given, or why the value is rejected. Bounds are checked
 * before rounding to single precision, which turns a number too small for it into 0.
 */
export function readValue(
  given: unknown,
  parameter: Parameter,
): number | null | keyof typeof VALUE_REASONS {
  let value = readNumber(given);
  if (value === undefined && parameter.kind === 'vector') value = readCompass(given);
  if (value === null) return null;
  if (value === undefined || Number.isNaN(value)) return 'unreadable';
  if (parameter.kind === 'vector') return readDirection(value);
  if (!(value >= parameter.low && value <= parameter.high)) return 'out_of_bounds';
  return Math.fround(value);
}

const COMPASS = 'N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW'.split(' ');

/** The degrees of a compass word, of 16. */
function readCompass(given: unknown): number | undefined {
  const point = typeof given === 'string' ? COMPASS.indexOf(given.trim().toUpperCase()) : -1;
  return point < 0 ? undefined : point * 22.5;
}

/**
 * 360 degrees is north, stored as 0; so is a direction that single precision would round up to 360.
 */
function readDirection(value: number): number | 'out_of_bounds' {
  if (!(value >= 0 && value <= 360)) return 'out_of_bounds';
  return Math.fround(value) % 360;
}
