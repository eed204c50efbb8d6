/**
 * The kinds of field that responses are made of, as zod schemas that carry unit and meaning. What a parameter measures and in which unit
 * is said in PARAMETERS alone; here is only how the specification names and uses it.
 */
import { z } from 'zod';
import { PARAMETERS, type ParameterName } from './parameters.ts';

/** Attaches meaning and unit to a schema; both end up in the OpenAPI document and in the database's comments. */
export function field<T extends z.ZodType>(schema: T, meaning: string, unit?: string): T {
  return schema.meta({ description: meaning, ...(unit === undefined ? {} : { unit }) });
}

/** ISO 8601 with seconds and the installation's offset, never `Z` (Z2). */
export const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);

export const slug = z.string().regex(/^[a-z-]+$/);

/** A number that a parameter gives, or null where there is no value: `how` is what was done to the parameter. */
export function measured(name: ParameterName, how: string) {
  const { meaning, unit } = parameter(name);
  return field(z.number().nullable(), `${meaning}, ${how}`, unit);
}

/** The lowest and the highest of a bucket's hourly means. */
export function range(name: ParameterName) {
  const { meaning, unit } = parameter(name);
  const pair = z.tuple([z.number(), z.number()]).nullable();
  return field(pair, `${meaning}, lowest and highest hourly mean in the bucket`, unit);
}

export const aqi = field(
  z.int().min(0).nullable(),
  'US EPA air quality index of the published PM2.5 and PM10',
  'US EPA AQI',
);

export function parameter(name: ParameterName) {
  const found = PARAMETERS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no parameter is called ${name}`);
  return found;
}

/** Exactly the keys of a contract schema, in its order; whatever else `values` holds stays out. */
export function pickFields<Schema extends z.ZodObject>(schema: Schema, values: z.infer<Schema>): z.infer<Schema> {
  const keys = Object.keys(schema.shape);
  return Object.fromEntries(keys.map((key) => [key, values[key as keyof typeof values]])) as z.infer<Schema>;
}
