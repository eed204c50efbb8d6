/**
 * Converts a sender's input into a sensor id, an instant and numbers, or into a reason for
 * rejection (rules S1 and S2).
 */
import { type Parameter, READING_COLUMNS, type ReadingColumn } from '../../contract/parameters.ts';
import { readWithinBounds } from '../numbers.ts';
import { readInstant } from '../reading/instants.ts';
import type { ReadingInput } from '../reading/reading.ts';
import { type Instrument, unmeasured } from './instruments.ts';

/** The facts of the network file by which a sensor's values are judged. */
export type SensorFacts = {
  /** The values of its instrument that are no measurement; undefined: no such value is known. */
  instrument: Instrument | undefined;
  /** True if its rain is the total of a gauge that counts up (A6). */
  countsRain: boolean;
  /** When a formula applies to it, in microseconds since 1970; undefined: not looked up. */
  corrected?: readonly (readonly [since: number, until: number])[];
};

/** Why a whole reading is rejected, in the order in which the reasons are checked. */
export const READING_REASONS = {
  unreadable_line:
    'the line cannot be parsed: wrong number of fields, invalid JSON, text that is not UTF-8, or too long',
  unknown_sensor: 'no sensor of the network has this number',
  unreadable_time:
    'the time is not ISO 8601 with Z or an offset: write 2026-11-20T13:00:12Z or 2026-11-20T17:00:12+04:00',
  no_value: 'the reading has no usable value',
  outdated:
    'the feed lists it more than a day after a newer reading of its sensor: a late one, or one of a wrong clock; where its time is right, quarantine retry stores it',
  corrected_already:
    'the sender corrects PM2.5 itself (pm02Compensated), and sends a compensated humidity, so a formula would correct it again: take the correction of this sensor out of the network file, import it, then run quarantine retry',
  in_the_future: 'the time is more than 5 minutes in the future',
  before_epoch: 'the time is before the first hour of this database (EPOCH)',
  older_than_retention: 'readings of that time are no longer stored (RAW_RETENTION)',
} as const;

/** Why a single value is rejected while the rest of its reading is kept. */
export const VALUE_REASONS = {
  unreadable: 'the value is not a number',
  out_of_bounds: 'the value is outside its bounds',
  end_of_range:
    'the value is the end of the range of such an instrument, which says only that there is more',
  nothing_measured:
    'the value is what such an instrument sends when it has measured nothing: a raw zero, or its value at start-up',
  no_time:
    'rain of a reading without a time of its own is not stored, because it would count again whenever the reading is repeated: send the time',
} as const;

export type ReadingReason = keyof typeof READING_REASONS;
export type ValueReason = `${keyof typeof VALUE_REASONS}:${ReadingColumn}`;

/** The column whose value a reason is about. */
export const columnOfReason = (reason: ValueReason): ReadingColumn =>
  reason.slice(reason.indexOf(':') + 1) as ReadingColumn;

/** Every reason of either kind. */
export const ALL_REASONS: readonly string[] = [
  ...Object.keys(READING_REASONS),
  ...Object.keys(VALUE_REASONS).flatMap((reason) =>
    READING_COLUMNS.map(({ name }) => `${reason}:${name}`),
  ),
];

/**
 * A reading or a value that cannot be used; `index` is the position of the reading in its batch.
 */
export type Rejection = { index: number; reason: ReadingReason };
export type ValueRejection = { index: number; reason: ValueReason };

/**
 * The latest acceptable time in microseconds since 1970: later readings are from the future (S2).
 */
export const latestAcceptable = (now: Date): number => (now.getTime() + 300_000) * 1_000;

/** A reading as far as it can be checked without the database. */
export type Checked = {
  sensorId: number | undefined;
  /** Microseconds since 1970; undefined: no time with an offset. */
  time: number | undefined;
  /**
   * One for each of the parameters it was checked for, in single precision; null: none that can be
   * used.
   */
  values: (number | null)[];
  /** Parameters that the reading has and leaves empty: their stored values are withdrawn (S3). */
  empty: readonly ReadingColumn[];
  /** Why values that were given cannot be used. */
  rejected: ValueReason[];
  /** Why the whole reading cannot be used; undefined: only the database can know. */
  reason: ReadingReason | undefined;
};

/** The columns for which any of the readings has a value. */
export function givenParameters(readings: readonly ReadingInput[]): readonly Parameter[] {
  return READING_COLUMNS.filter(({ name }) =>
    readings.some(({ values }) => values[name as ReadingColumn] !== undefined),
  );
}

/**
 * Checks one reading as far as that is possible without the database. `latest`: in microseconds
 * since 1970 (latestAcceptable). `sensors`: those whose facts are known.
 */
export function checkReading(
  reading: ReadingInput,
  parameters: readonly Parameter[],
  latest: number,
  sensors: ReadonlyMap<number, SensorFacts>,
): Checked {
  const sensorId = readSensorId(reading.sensorId);
  const instant =
    typeof reading.measuredAt === 'string' ? readInstant(reading.measuredAt) : undefined;
  const time = instant?.local ? undefined : instant?.microseconds;
  const { instrument, corrected } = sensors.get(sensorId ?? 0) ?? {};
  const nothing = instrument && unmeasured(reading.values, instrument.nothing);
  const rejected: ValueReason[] = [];
  let empty: ReadingColumn[] = NONE;
  // by index: an iterator took 330 bytes more for each reading, and an array that grows 100
  const values = new Array<number | null>(parameters.length).fill(null);
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index] as Parameter;
    const name = parameter.name as ReadingColumn;
    const given = reading.values[name];
    if (given === undefined) continue;
    let value = readValue(given, parameter);
    if (nothing?.includes(name)) value = 'nothing_measured';
    const end = instrument?.ends[name];
    if (end !== undefined && typeof value === 'number' && value >= Math.fround(end))
      value = 'end_of_range';
    if (reading.hasArrivalTime && parameter.kind === 'sum' && typeof value === 'number')
      value = 'no_time';
    if (typeof value === 'string') rejected.push(`${value}:${name}`);
    if (typeof value === 'number') values[index] = value;
    if (value === null) empty = [...empty, name];
  }
  const reason = reasonOf(reading, { sensorId, time, values, empty }, latest, corrected);
  return { sensorId, time, values, empty, rejected, reason };
}

/** Shared by all readings that leave nothing empty. */
const NONE: ReadingColumn[] = [];

function reasonOf(
  reading: ReadingInput,
  { sensorId, time, values, empty }: Pick<Checked, 'sensorId' | 'time' | 'values' | 'empty'>,
  latest: number,
  corrected: SensorFacts['corrected'] | undefined,
): ReadingReason | undefined {
  if (reading.unreadable) return 'unreadable_line';
  if (sensorId === undefined) return 'unknown_sensor';
  if (time === undefined) return 'unreadable_time';
  const hasNoValue = values.every((value) => value === null);
  if (hasNoValue && empty.length === 0) return 'no_value';
  if (reading.isOutdated) return 'outdated';
  if (reading.isCorrected && corrected?.some(([since, until]) => since <= time && time < until))
    return 'corrected_already';
  if (time > latest) return 'in_the_future';
  // only the database knows whether it withdraws a stored value
  return hasNoValue ? 'no_value' : undefined;
}

/** In place of a value that was rejected before: rejected again, for the same reason. */
export class Unusable {
  readonly reason: keyof typeof VALUE_REASONS;

  constructor(reason: keyof typeof VALUE_REASONS) {
    this.reason = reason;
  }
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

/** The number to store, null if no value was given, or why the value is rejected. */
export const readValue = (
  given: unknown,
  parameter: Parameter,
): number | null | keyof typeof VALUE_REASONS =>
  given instanceof Unusable ? given.reason : readWithinBounds(given, parameter);
