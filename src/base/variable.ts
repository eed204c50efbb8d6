/** How a variable of the environment is declared: a schema, registered with its name and meaning. */
import { z } from 'zod';

/** The name in the environment, and what the README says of it. */
type Variable = {
  name: string;
  /** In Markdown. */
  meaning: string;
  /** The meaning of an unset variable, where the schema has no default. */
  defaultsTo?: string;
};

/** Where each schema of a variable is registered. */
export const VARIABLE = z.registry<Variable>();

/** The registered words of a variable, and its default as text; '' stands for no default. */
export function describeVariable(schema: z.ZodType): Required<Variable> {
  const about = VARIABLE.get(schema);
  if (about === undefined) throw new Error('a variable of the environment without a name');
  return { ...about, defaultsTo: about.defaultsTo ?? String(schema.parse(undefined) ?? '') };
}
