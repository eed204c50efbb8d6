/** Checks one reading as far as that is possible without the database (rules S1 and S2). */
import { PARAMETERS, type Parameter, type ParameterName } from '../contract/parameters.ts';
import {
  type ReadingInput,
  type ReadingReason,
  readInstant,
  readSensorId,
  readValue,
  type ValueReason,
  validate,
} from './validate.ts';

export type Checked = {
  sensorId: number | undefined;
  /** Microseconds since 1970; undefined: no time with an offset. */
  time: number | undefined;
  /** One for each of the parameters it was checked for, as PostgreSQL reads it; null: none that can be used. */
  values: (string | number | null)[];
  /** Why values that were given cannot be used. */
  rejected: ValueReason[];
  /** Why the whole reading cannot be used. */
  reason: ReadingReason | undefined;
};

/** The parameters that any of the readings has. */
export function givenParameters(readings: readonly ReadingInput[]): readonly Parameter[] {
  return PARAMETERS.filter(({ name }) => readings.some(({ values }) => values[name] !== undefined));
}

/** PostgreSQL reads so short a number as we do, and far faster than the many digits of its single-precision value. */
const SHORT = /^-?\d{1,6}(?:\.\d{1,3})?$/;

/** `latest`: in microseconds since 1970 (latestAcceptable). */
export function checkReading(reading: ReadingInput, parameters: readonly Parameter[], latest: number): Checked {
  const sensorId = readSensorId(reading.sensorId);
  const time = typeof reading.measuredAt === 'string' ? readInstant(reading.measuredAt) : undefined;
  const rejected: ValueReason[] = [];
  let usable = 0;
  const values = parameters.map((parameter) => {
    const name = parameter.name as ParameterName;
    const given = reading.values[name];
    const value = readValue(given, parameter);
    if (typeof value === 'string') rejected.push(`${value}:${name}`);
    if (typeof value !== 'number') return null;
    usable += 1;
    return typeof given === 'string' && SHORT.test(given) && parameter.kind !== 'vector' ? given : value;
  });
  const reason = validate(reading, { sensorId, time, usable, latest });
  return { sensorId, time: time?.local ? undefined : time?.microseconds, values, rejected, reason };
}
