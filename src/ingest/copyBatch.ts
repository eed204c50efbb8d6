/**
 * Validates a batch of a file and writes what is usable as lines for COPY. Everything that logic.store_readings would look up is known
 * here beforehand, so the database only has to store.
 */
import { setImmediate } from 'node:timers/promises';
import { PARAMETERS, type Parameter, type ParameterName } from '../contract/parameters.ts';
import {
  type Instant,
  instantText,
  latestAcceptable,
  type ReadingInput,
  type Rejection,
  readInstant,
  readSensorId,
  readValue,
  type ValueRejection,
  validate,
} from './validate.ts';

/** A sensor of the network. Times in microseconds since 1970. */
export type KnownSensor = {
  /** The newest reading that is stored or about to be. */
  newest: number;
  placements: readonly (readonly [since: number, until: number])[];
};

/** The earliest acceptable times, in microseconds since 1970: the epoch, and where retention ends. */
export type Bounds = { origin: number; cutoff: number };

export type CopyBatch = {
  /** The column list of COPY. */
  columns: string;
  lines: string[];
  /** Each reading is newer than any of its sensor, so none of them can be stored yet, as far as this process knows. */
  isNew: boolean;
  withoutPlacement: number;
  quarantined: Rejection[];
  values: ValueRejection[];
  bounds: Bounds;
};

type CopyOptions = { now: Date; bounds: Bounds; known: ReadonlyMap<number, KnownSensor> };

const PAUSE_EVERY = 2_000;

/**
 * Raises `newest` of the sensors in `known`, so call it for batches in their order. Pauses now and then, so that the batch before keeps
 * flowing to the database.
 */
export async function makeCopyBatch(
  readings: readonly ReadingInput[],
  { now, bounds, known }: CopyOptions,
): Promise<CopyBatch> {
  const latest = latestAcceptable(now);
  const present = PARAMETERS.filter(({ name }) => readings.some(({ values }) => values[name] !== undefined));
  const batch: CopyBatch = {
    columns: ['measured_at', 'sensor_id', ...present.map(({ name }) => name)].join(', '),
    lines: [],
    isNew: true,
    withoutPlacement: 0,
    quarantined: [],
    values: [],
    bounds,
  };
  for (const [index, reading] of readings.entries()) {
    if (index % PAUSE_EVERY === PAUSE_EVERY - 1) await setImmediate();
    const sensorId = readSensorId(reading.sensorId);
    const time = typeof reading.measuredAt === 'string' ? readInstant(reading.measuredAt) : undefined;
    const rejected: ValueRejection[] = [];
    const { text, usable } = valuesText(reading, present, index, rejected);
    const sensor = sensorId === undefined ? undefined : known.get(sensorId);
    const reason =
      sensor === undefined && !reading.unreadable
        ? 'unknown_sensor'
        : (validate(reading, { sensorId, time, usable, latest }) ?? tooOld(time, bounds));
    if (reason === undefined || reason === 'no_value') batch.values.push(...rejected);
    if (reason !== undefined) {
      batch.quarantined.push({ index, reason });
      continue;
    }
    const { microseconds } = time as Instant;
    const { placements, newest } = sensor as KnownSensor;
    if (!placements.some(([since, until]) => since <= microseconds && microseconds < until))
      batch.withoutPlacement += 1;
    if (microseconds > newest) (sensor as KnownSensor).newest = microseconds;
    else batch.isNew = false;
    batch.lines.push(`${timeText(reading.measuredAt as string, microseconds)}\t${sensorId}${text}\n`);
  }
  return batch;
}

function tooOld(
  time: Instant | undefined,
  { origin, cutoff }: Bounds,
): 'before_epoch' | 'older_than_retention' | undefined {
  const { microseconds } = time as Instant;
  if (microseconds < origin) return 'before_epoch';
  return microseconds < cutoff ? 'older_than_retention' : undefined;
}

/** The values as COPY takes them, each after a tab. Adds to `rejected` those that cannot be used. */
function valuesText(
  { values }: ReadingInput,
  present: readonly Parameter[],
  index: number,
  rejected: ValueRejection[],
): { text: string; usable: number } {
  let text = '';
  let usable = 0;
  for (const parameter of present) {
    const raw = values[parameter.name as ParameterName];
    const value = raw === undefined || raw === '' ? null : readValue(raw, parameter);
    if (typeof value === 'number') {
      usable += 1;
      text += `\t${typeof raw === 'string' && SHORT.test(raw) && parameter.kind !== 'vector' ? raw : value}`;
      continue;
    }
    if (value !== null) rejected.push({ index, reason: `${value}:${parameter.name as ParameterName}` });
    text += '\t\\N';
  }
  return { text, usable };
}

/** PostgreSQL reads so short a number as we do, and far faster than the many digits of its single-precision value. */
const SHORT = /^-?\d{1,6}(?:\.\d{1,3})?$/;

/** As it was given, where PostgreSQL reads the same instant from it. */
function timeText(given: string, microseconds: number): string {
  return PLAIN.test(given) ? given : instantText(microseconds);
}

const PLAIN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;
