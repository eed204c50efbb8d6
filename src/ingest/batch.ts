/**
 * Judges readings one by one and lays them into columns, written as PostgreSQL array literals: building these strings ourselves is
 * many times faster than handing arrays to the driver. What only the database can know (is there such a sensor?) it adds itself.
 */
import { PARAMETERS, type Parameter, type ParameterName } from '../contract/parameters.ts';
import { arrayLiteral } from '../database/client.ts';
import { nextTurn } from './formats/turns.ts';
import type { ReadingReason, VALUE_REASONS, ValueReason } from './summary.ts';
import { readInstant } from './time.ts';

/** A reading as it came; nothing of it is checked yet. */
export type ReadingInput = {
  sensorId: unknown;
  measuredAt: unknown;
  values: Readonly<Partial<Record<ParameterName, unknown>>>;
  /** The whole of it, for the quarantine. */
  text: string;
  /** Where in its source, counted from 1. */
  line?: number;
  /** It could not even be taken apart. */
  unreadable?: true;
};

export type Problem = { index: number; reason: ReadingReason };
export type ValueProblem = { index: number; reason: ValueReason };

export type Batch = { values: ValueProblem[]; columns: string[]; parameters: string[]; text: string };

const LARGEST_INT = 2_147_483_647;

/** In microseconds: later readings are from the future (S2). */
export const latestOf = (now: Date) => (now.getTime() + 300_000) * 1_000;

/** So many readings in one turn of the event loop. */
const TURN = 250;

export async function toColumns(readings: readonly ReadingInput[], now: Date): Promise<Batch> {
  const latest = latestOf(now);
  let isSound = true;
  const values: ValueProblem[] = [];
  const sensors: number[] = [];
  const times: (number | 'NULL')[] = [];
  const reasons: string[] = [];
  const texts: string[] = [];
  const parameters = PARAMETERS.map((): (number | 'NULL')[] => []);

  for (const [index, reading] of readings.entries()) {
    if (index % TURN === TURN - 1) await nextTurn();
    const sensor = readSensor(reading.sensorId);
    const time = typeof reading.measuredAt === 'string' ? readInstant(reading.measuredAt) : undefined;
    let given = 0;
    PARAMETERS.forEach((parameter: Parameter, position) => {
      const raw = reading.values[parameter.name as ParameterName];
      if (raw === undefined || raw === '') return;
      const value = readValue(raw, parameter);
      if (typeof value === 'number') {
        const column = parameters[position] as (number | 'NULL')[];
        while (column.length < index) column.push('NULL');
        column.push(value);
        given += 1;
      } else if (value !== null) {
        values.push({ index, reason: `${value}:${parameter.name as ParameterName}` });
      }
    });
    sensors.push(sensor ?? 0);
    times.push(time === undefined || time.local ? 'NULL' : time.microseconds);
    const reason = judge(reading, sensor, time, given, latest);
    reasons.push(reason ?? 'NULL');
    if (reason !== undefined) isSound = false;
    texts.push(storable(reading.text));
  }
  if (readings.length >= TURN) await nextTurn();

  return {
    values,
    columns: [sensors, times, isSound ? [] : reasons, readings.map(({ line }) => line ?? 'NULL')].map(arrayLiteral),
    parameters: parameters.map(arrayLiteral),
    text: texts.join('\n'),
  };
}

/** Why a reading cannot be used, as far as it can be known without the database. `given`: how many of its values are usable; `latest`: in microseconds. */
export function judge(
  reading: ReadingInput,
  sensor: number | undefined,
  time: ReturnType<typeof readInstant>,
  given: number,
  latest: number,
): ReadingReason | undefined {
  if (reading.unreadable) return 'unreadable_line';
  if (sensor === undefined) return 'unknown_sensor';
  if (time === undefined || time.local) return 'unreadable_time';
  if (given === 0) return 'no_value';
  return time.microseconds > latest ? 'in_the_future' : undefined;
}

/** A sensor's number, from a number or its digits. */
export function readSensor(given: unknown): number | undefined {
  const id = typeof given === 'string' && /^[1-9]\d{0,9}$/.test(given) ? Number(given) : given;
  return Number.isInteger(id) && (id as number) > 0 && (id as number) <= LARGEST_INT ? (id as number) : undefined;
}

/** PostgreSQL stores no NUL in text, and here a line break separates one text from the next. */
function storable(text: string): string {
  return /[\0\n]/.test(text) ? text.replace(/[\0\n]/g, '\ufffd') : text;
}

/** One value as it came becomes the number to store, or the reason why it cannot be one (S1). */

/**
 * What `Number` takes beyond this (blanks, hexadecimal, the empty string) is a mistake rather than a measurement. No digit can be
 * matched in two ways, so the time it takes is linear in the length.
 */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Null: nothing was given. Bounds are compared as given; the number is then what single precision makes of it, which for one too
 * small for that is 0.
 */
export function readValue(given: unknown, parameter: Parameter): number | null | keyof typeof VALUE_REASONS {
  if (given === undefined || given === null || given === '') return null;
  const value = typeof given === 'string' && NUMBER.test(given) ? Number(given) : given;
  if (typeof value !== 'number' || Number.isNaN(value)) return 'unreadable';
  if (parameter.kind === 'vector') return readDirection(value);
  if (!(value >= parameter.low && value <= parameter.high)) return 'out_of_bounds';
  return Math.fround(value);
}

/** 360 is north, which is 0; so is what single precision would round up to 360. */
function readDirection(value: number): number | 'out_of_bounds' {
  if (!(value >= 0 && value <= 360)) return 'out_of_bounds';
  return Math.fround(value) % 360;
}
