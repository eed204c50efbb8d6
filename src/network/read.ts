/** The text of a network file becomes its providers, regions and stations, each with its place, and a list of what is wrong with it. */
import { z } from 'zod';
import { Network, Provider, Region, Station } from './schema.ts';

/** Somewhere in the file, as a person would write it: `stations[3].sensors[0].id`. */
export type Problem = { place: string; what: string };

export type Listed<T> = { place: string; item: T };

/** What could be read. Elements with a fault in themselves are missing from the lists, but count as named. */
export type Draft = {
  timeZone: string | undefined;
  providers: Listed<Provider>[];
  regions: Listed<Region>[];
  stations: Listed<Station>[];
  /** Formula by kind of sensor. */
  corrections: Network['corrections'];
  faulty: { providers: ReadonlySet<unknown>; regions: ReadonlySet<unknown>; stations: ReadonlySet<unknown> };
  problems: Problem[];
};

const Outline = Network.extend({
  providers: z.array(z.unknown()),
  regions: z.array(z.unknown()),
  stations: z.array(z.unknown()),
});

/** Each element is checked by itself, so that one fault does not hide what is wrong elsewhere. */
export function readNetwork(text: string): Draft {
  const problems: Problem[] = [];
  const json = parseJson(text, problems);
  if (/\\u0000/.test(text))
    problems.push({ place: 'the file', what: 'it holds the character \\u0000, which cannot be stored' });
  if (json !== undefined) note(Outline.safeParse(json), '', problems);
  const file = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;

  const list = <T>(key: string, schema: z.ZodType<T>, name: 'id' | 'slug') => {
    const elements: unknown[] = Array.isArray(file[key]) ? file[key] : [];
    const faulty = new Set<unknown>();
    const sound = elements.flatMap((element, index): Listed<T>[] => {
      const place = `${key}[${index}]`;
      const result = schema.safeParse(element);
      note(result, place, problems);
      if (result.success) return [{ place, item: result.data }];
      if (typeof element === 'object' && element !== null) faulty.add((element as Record<string, unknown>)[name]);
      return [];
    });
    return { sound, faulty };
  };
  const providers = list('providers', Provider, 'id');
  const regions = list('regions', Region, 'slug');
  const stations = list('stations', Station, 'id');
  return {
    timeZone: typeof file.time_zone === 'string' ? file.time_zone : undefined,
    providers: providers.sound,
    regions: regions.sound,
    stations: stations.sound,
    corrections: Network.shape.corrections.safeParse(file.corrections).data ?? {},
    faulty: { providers: providers.faulty, regions: regions.faulty, stations: stations.faulty },
    problems,
  };
}

function parseJson(text: string, problems: Problem[]): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const { message } = error as Error;
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    problems.push({ place: line === undefined ? 'the file' : `line ${line}`, what: `this is not JSON: ${message}` });
    return undefined;
  }
}

function note(result: z.ZodSafeParseResult<unknown>, place: string, problems: Problem[]): void {
  for (const issue of result.error?.issues ?? []) {
    problems.push({ place: at(place, issue.path) || 'the file', what: describe(issue) });
  }
}

export function at(place: string, path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return (place + parts.join('')).replace(/^\./, '');
}

function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${issue.keys.map((key) => JSON.stringify(key)).join(', ')} means nothing here: a typing error? See network.schema.json`;
    case 'invalid_union':
      return [...new Set(issue.errors.flat().map(describe))].join(', or ');
    case 'invalid_key':
      return `not a key for this place: ${issue.issues.map(describe).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `needed is: ${issue.message}` : issue.message;
    case 'invalid_type':
      return /received undefined/.test(issue.message) ? `it is missing; needed is: ${issue.expected}` : issue.message;
    default:
      return issue.message;
  }
}
