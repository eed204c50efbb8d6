/** Parses a network file into its elements, each with its position in the file, and a list of issues. */
import { z } from 'zod';
import { Network, Provider, Region, Station } from './schema.ts';

/** Something wrong in the file. `position` is such as `stations[3].sensors[0].id`. */
export type Issue = { position: string; message: string };

/** An element of the file. */
export type Listed<T> = { position: string; item: T };

/** What could be parsed. Elements that are invalid by themselves are not in the lists, but their names are in `invalid`. */
export type ParsedNetwork = {
  timeZone: string | undefined;
  providers: Listed<Provider>[];
  regions: Listed<Region>[];
  stations: Listed<Station>[];
  /** Formulas by kind of sensor. */
  corrections: Network['corrections'];
  invalid: { providers: ReadonlySet<unknown>; regions: ReadonlySet<unknown>; stations: ReadonlySet<unknown> };
  issues: Issue[];
};

const Outline = Network.extend({
  providers: z.array(z.unknown()),
  regions: z.array(z.unknown()),
  stations: z.array(z.unknown()),
});

/** Never throws. Each element is checked by itself, so that one issue does not hide others. */
export function parseNetwork(text: string): ParsedNetwork {
  const issues: Issue[] = [];
  const json = parseJson(text, issues);
  if (/\\u0000/.test(text))
    issues.push({ position: 'the file', message: 'it holds the character \\u0000, which cannot be stored' });
  if (json !== undefined) addIssues(Outline.safeParse(json), '', issues);
  const file = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;

  const list = <T>(key: string, schema: z.ZodType<T>, name: 'id' | 'slug') => {
    const elements: unknown[] = Array.isArray(file[key]) ? file[key] : [];
    const invalid = new Set<unknown>();
    const valid = elements.flatMap((element, index): Listed<T>[] => {
      const position = `${key}[${index}]`;
      const result = schema.safeParse(element);
      addIssues(result, position, issues);
      if (result.success) return [{ position, item: result.data }];
      if (typeof element === 'object' && element !== null) invalid.add((element as Record<string, unknown>)[name]);
      return [];
    });
    return { valid, invalid };
  };
  const providers = list('providers', Provider, 'id');
  const regions = list('regions', Region, 'slug');
  const stations = list('stations', Station, 'id');
  return {
    timeZone: typeof file.time_zone === 'string' ? file.time_zone : undefined,
    providers: providers.valid,
    regions: regions.valid,
    stations: stations.valid,
    corrections: Network.shape.corrections.safeParse(file.corrections).data ?? {},
    invalid: { providers: providers.invalid, regions: regions.invalid, stations: stations.invalid },
    issues,
  };
}

function parseJson(text: string, issues: Issue[]): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const { message } = error as Error;
    const offset = /position (\d+)/.exec(message)?.[1];
    const line = offset === undefined ? undefined : text.slice(0, Number(offset)).split('\n').length;
    issues.push({
      position: line === undefined ? 'the file' : `line ${line}`,
      message: `this is not JSON: ${message}`,
    });
    return undefined;
  }
}

function addIssues(result: z.ZodSafeParseResult<unknown>, position: string, issues: Issue[]): void {
  for (const issue of result.error?.issues ?? []) {
    issues.push({ position: at(position, issue.path) || 'the file', message: describe(issue) });
  }
}

function at(position: string, path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return (position + parts.join('')).replace(/^\./, '');
}

function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}: a typo? See network.schema.json`;
    case 'invalid_union':
      return [...new Set(issue.errors.flat().map(describe))].join(', or ');
    case 'invalid_key':
      return `not a valid key here: ${issue.issues.map(describe).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `needed is: ${issue.message}` : issue.message;
    case 'invalid_type':
      return /received undefined/.test(issue.message) ? `it is missing; needed is: ${issue.expected}` : issue.message;
    default:
      return issue.message;
  }
}
