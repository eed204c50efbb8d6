/** The schemas of the contract as JSON Schema, for the OpenAPI document: named, with units and meanings. */
import { z } from 'zod';
import { city, district, provider, region, station } from './current.ts';
import { stationsList } from './endpoints.ts';
import { regionDay, regionHistory, regionHour, stationDay, stationHistory, stationHour } from './history.ts';
import { UCUM_CODES, type Unit } from './parameters.ts';
import { problem } from './problem.ts';

/** Their names in the document. A schema without a name would be repeated wherever it is used. */
const NAMED = {
  StationsList: stationsList,
  Provider: provider,
  Station: station,
  Region: region,
  City: city,
  District: district,
  StationHistory: stationHistory,
  StationHour: stationHour,
  StationDay: stationDay,
  RegionHistory: regionHistory,
  RegionHour: regionHour,
  RegionDay: regionDay,
  Problem: problem,
} satisfies Record<string, z.ZodType>;

export type JsonSchema = z.core.JSONSchema.JSONSchema;
export type SchemaRef = { $ref: string };

const refTo = (name: string) => `#/components/schemas/${name}`;

/** All named schemas, which refer to each other as `#/components/schemas/{name}`. */
export function namedSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: refTo, override: ({ jsonSchema }) => adapt(jsonSchema) });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutIds(schema)]));
}

/** A schema without a name, in place. */
export function inlineSchema(schema: z.ZodType): JsonSchema {
  return withoutIds(z.toJSONSchema(schema, { override: ({ jsonSchema }) => adapt(jsonSchema) }));
}

/** A reference to a named schema. Throws if it has no name. */
export function schemaRef(schema: z.ZodType): SchemaRef {
  const found = Object.entries(NAMED).find(([, named]) => named === schema);
  if (found === undefined) throw new Error(`a response needs a name in NAMED: ${schema.description}`);
  return { $ref: refTo(found[0]) };
}

/** Units get their code, and people find them in the description too. Bounds that only say "safe integer" are left out. */
function adapt(schema: JsonSchema): void {
  const { unit } = schema as { unit?: Unit };
  if (unit !== undefined) {
    delete schema.unit;
    schema.description = `${schema.description} [${unit}]`;
    schema['x-unit'] = UCUM_CODES[unit];
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** In a document, schemas are found by their place. */
function withoutIds({ $schema: _, $id: __, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
