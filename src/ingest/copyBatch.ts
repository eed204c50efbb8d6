/**
 * Validates a batch of a file and writes what is usable as lines for COPY: everything that store_readings would find out in the database
 * is known here beforehand, so the database has nothing to do but store.
 */
import { setImmediate } from 'node:timers/promises';
import { PARAMETERS, type Parameter, type ParameterName } from '../contract/parameters.ts';
import { judge, latestOf, type Problem, type ReadingInput, readSensor, readValue, type ValueProblem } from './batch.ts';
import { type Instant, instantText, readInstant } from './time.ts';

/** What is known of a sensor of the network. Times in microseconds since 1970. */
export type KnownSensor = {
  /** The newest reading that is stored or about to be. */
  newest: number;
  placements: readonly (readonly [since: number, until: number])[];
};

/** From when on readings are taken, in microseconds since 1970. */
export type Bounds = { origin: number; cutoff: number };

export type CopyBatch = {
  /** Of COPY. */
  columns: string;
  lines: string[];
  /** Nothing can be stored yet for any of them, as far as is known: each is newer than what its sensor has. */
  isNew: boolean;
  withoutPlacement: number;
  quarantined: Problem[];
  values: ValueProblem[];
  bounds: Bounds;
};

const PAUSE_EVERY = 2_000;

type Context = { now: Date; bounds: Bounds; known: ReadonlyMap<number, KnownSensor> };

/**
 * Raises `newest` of the sensors in `known`: to be called for batches in their order. Pauses now and then, so that the batch before
 * keeps flowing to the database meanwhile.
 */
export async function makeCopyBatch(
  readings: readonly ReadingInput[],
  { now, bounds, known }: Context,
): Promise<CopyBatch> {
  const latest = latestOf(now);
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
    const id = readSensor(reading.sensorId);
    const time = typeof reading.measuredAt === 'string' ? readInstant(reading.measuredAt) : undefined;
    const wrong: ValueProblem[] = [];
    const { text, given } = valuesText(reading, present, index, wrong);
    const sensor = id === undefined ? undefined : known.get(id);
    const reason =
      sensor === undefined && !reading.unreadable
        ? 'unknown_sensor'
        : (judge(reading, id, time, given, latest) ?? tooOld(time, bounds));
    if (reason === undefined || reason === 'no_value') batch.values.push(...wrong);
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
    batch.lines.push(`${timeText(reading.measuredAt as string, microseconds)}\t${id}${text}\n`);
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

/** The values as COPY takes them, each after a tab; adds to `wrong` those that cannot be used. */
function valuesText(
  { values }: ReadingInput,
  present: readonly Parameter[],
  index: number,
  wrong: ValueProblem[],
): { text: string; given: number } {
  let text = '';
  let given = 0;
  for (const parameter of present) {
    const raw = values[parameter.name as ParameterName];
    const value = raw === undefined || raw === '' ? null : readValue(raw, parameter);
    if (typeof value === 'number') {
      given += 1;
      text += `\t${typeof raw === 'string' && SHORT.test(raw) && parameter.kind !== 'vector' ? raw : value}`;
      continue;
    }
    if (value !== null) wrong.push({ index, reason: `${value}:${parameter.name as ParameterName}` });
    text += '\t\\N';
  }
  return { text, given };
}

/** So short a number is read by PostgreSQL just as by us, and far faster than one that single precision has made long. */
const SHORT = /^-?\d{1,6}(?:\.\d{1,3})?$/;

/** As it was given where PostgreSQL reads the same instant from it. */
function timeText(given: string, microseconds: number): string {
  return PLAIN.test(given) ? given : instantText(microseconds);
}

const PLAIN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;
