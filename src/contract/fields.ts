/**
 * The building blocks of response schemas: zod schemas with meaning and unit attached. The meaning
 * and unit of a parameter come from PARAMETERS.
 */
import { z } from 'zod';
import {
  PARAMETERS,
  type Parameter,
  type ParameterName,
  UCUM_CODES,
  type Unit,
} from './parameters.ts';

/** Numbers have a unit, or null where none makes sense, as for an id. Nothing else has one. */
type UnitOf<T> = [Extract<z.infer<T>, number | readonly (number | null)[]>] extends [never]
  ? []
  : [unit: Unit | null];

/**
 * Attaches meaning and unit to a schema, as its metadata: the unit as people read it and as its
 * UCUM code.
 */
export function field<T extends z.ZodType>(schema: T, meaning: string, ...unitOf: UnitOf<T>): T {
  const [unit = null] = unitOf;
  if (unit === null) return schema.describe(meaning);
  return schema.meta({ description: `${meaning} [${unit}]`, 'x-unit': UCUM_CODES[unit] });
}

/** A time: ISO 8601 with seconds and the network's offset, never `Z` (Z2). */
export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
  .meta({ format: 'date-time' });

/** The slug of a region. */
export const slug = z.string().regex(/^[a-z-]+$/);

/**
 * A value of a parameter, or null if there is none. `how`: how it was computed, for the meaning.
 * Throws on an unknown parameter.
 */
export function measured(name: ParameterName, how: string) {
  const { meaning, unit } = parameter(name);
  return field(z.number().nullable(), `${meaning}, ${how}`, unit);
}

/**
 * Two values, or null. An array of two rather than a tuple, which many tools that read OpenAPI
 * don't know.
 */
export const pairOf = <T extends z.ZodType>(value: T) => z.array(value).length(2).nullable();

/**
 * The lowest and highest hourly mean of a parameter in a bucket, or null if there is none. Throws
 * on an unknown parameter.
 */
export function range(name: ParameterName) {
  const { meaning, unit } = parameter(name);
  return field(
    pairOf(z.number()),
    `${meaning}, lowest and highest hourly mean in the bucket`,
    unit,
  );
}

/** The US EPA air quality index, or null if there is none. */
export const aqi = field(
  z.int().min(0).nullable(),
  'US EPA air quality index of PM2.5 and PM10 only, as published: it says nothing about gases',
  'US EPA AQI',
);

/** The parameter of this name. Throws if there is none. */
export function parameter(name: ParameterName): Parameter {
  const found = PARAMETERS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`unknown parameter ${name}`);
  return found;
}
