/** Parses a network file into its elements, each with its position in the file, and a list of issues. */
import { z } from 'zod';
import { parseLocated } from './json.ts';
import { faultsOf } from './messages.ts';
import { Network, Provider, Region, Station } from './schema.ts';
import { usableParts } from './usableParts.ts';

/** Something wrong in the file. `position` is such as `stations[3].sensors[0].id`, or empty for the file as a whole. */
export type Issue = { line?: number | undefined; position: string; message: string };

/** An element of the file. */
export type Listed<T> = { position: string; item: T };

/** Elements that are invalid in parts are listed with stand-ins for these parts (usableParts.ts); there are issues then. */
export type ParsedNetwork = {
  timeZone: string | undefined;
  providers: Listed<Provider>[];
  regions: Listed<Region>[];
  stations: Listed<Station>[];
  /** Formulas by kind of sensor. */
  corrections: Network['corrections'];
  /** The names of invalid elements as they were given, since what refers to them is no mistake. */
  invalid: { providers: ReadonlySet<unknown>; regions: ReadonlySet<unknown>; stations: ReadonlySet<unknown> };
  issues: Issue[];
  lineOf(position: string): number | undefined;
};

const Outline = Network.extend({
  providers: z.array(z.unknown()),
  regions: z.array(z.unknown()),
  stations: z.array(z.unknown()),
});

/** Never throws. Each element is checked by itself, so that one issue does not hide others. */
export function parseNetwork(text: string): ParsedNetwork {
  const { value: json, slips, lineOf } = parseLocated(text);
  const issues: Issue[] = slips.map((slip) => ({ ...slip, position: '' }));
  const add = (schema: z.ZodType, given: unknown, position: string) => {
    for (const { path, message } of faultsOf(schema, given)) issues.push({ position: at(position, path), message });
  };
  if (/\\u0000/.test(text))
    issues.push({ position: '', message: 'it holds the character \\u0000, which cannot be stored' });
  if (json !== undefined) add(Outline, json, '');
  const file = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;

  const list = <T>(key: string, schema: z.ZodObject & z.ZodType<T>, name: 'id' | 'slug') => {
    const elements: unknown[] = Array.isArray(file[key]) ? file[key] : [];
    const invalid = new Set<unknown>();
    const listed = elements.flatMap((element, index): Listed<T>[] => {
      const position = `${key}[${index}]`;
      const result = schema.safeParse(element);
      if (result.success) return [{ position, item: result.data }];
      add(schema, element, position);
      if (typeof element === 'object' && element !== null) invalid.add((element as Record<string, unknown>)[name]);
      const item = usableParts(schema, element);
      return item === undefined ? [] : [{ position, item }];
    });
    return { listed, invalid };
  };
  const providers = list('providers', Provider, 'id');
  const regions = list('regions', Region, 'slug');
  const stations = list('stations', Station, 'id');
  return {
    timeZone: typeof file.time_zone === 'string' ? file.time_zone : undefined,
    providers: providers.listed,
    regions: regions.listed,
    stations: stations.listed,
    corrections: Network.shape.corrections.safeParse(file.corrections).data ?? {},
    invalid: { providers: providers.invalid, regions: regions.invalid, stations: stations.invalid },
    issues,
    lineOf,
  };
}

function at(position: string, path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return (position + parts.join('')).replace(/^\./, '');
}
