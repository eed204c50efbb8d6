/** Lays values into an object with exactly the keys of a contract schema, in its order; whatever else there is stays out. */
import type { z } from 'zod';

export function inOrder<Schema extends z.ZodObject>(schema: Schema, values: z.infer<Schema>): z.infer<Schema> {
  const keys = Object.keys(schema.shape);
  return Object.fromEntries(keys.map((key) => [key, values[key as keyof typeof values]])) as z.infer<Schema>;
}
