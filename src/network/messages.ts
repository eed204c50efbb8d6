/**
 * Says in words what is wrong with an element of a network file: what is there, and what is
 * expected.
 */
import { z } from 'zod';

type Path = readonly PropertyKey[];

/** Something wrong at a path of the file. */
type Fault = { path: Path; message: string };

/**
 * The value by its schema, and everything that is wrong with it; undefined if anything is. `at`:
 * where it is in the file.
 */
export function parseAt<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  at: Path,
): { value: z.output<Schema> | undefined; faults: Fault[] } {
  const { data, error } = schema.safeParse(given, { error: expectation, reportInput: true });
  return { value: data, faults: (error?.issues ?? []).flatMap(flatten).map(inWords(at)) };
}

const inWords =
  (at: Path) =>
  ({ path: within, message, input, code }: z.core.$ZodIssue): Fault => {
    const path = [...at, ...within];
    if (input === undefined) return { path, message: `missing, ${message}` };
    if (code === 'unrecognized_keys' || code === 'custom') return { path, message };
    // providers have addresses, also in keys that other rooms read
    const isAddress = path[0] === 'providers' && !/^(id|title|stale_after)$/.test(String(path[2]));
    const shown = show(input, isAddress ? withoutSecrets : String);
    return { path, message: `${shown} found, ${message}${commaHint(input)}` };
  };

/** `; write 44.51, with a point` for the text `44,51`; else nothing. */
function commaHint(given: unknown): string {
  const [, whole, fraction] = /^(-?\d+),(\d+)$/.exec(String(given)) ?? [];
  return whole === undefined ? '' : `; write ${whole}.${fraction}, with a point`;
}

/**
 * For a union, the issues of the last alternative of the given value's type; if there is none, one
 * issue that names all alternatives.
 */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const typesOf = (errors: readonly z.core.$ZodIssue[]) =>
    errors.flatMap((one) =>
      one.code === 'invalid_type' && one.path.length === 0 ? one.expected : [],
    );
  const fitting = issue.errors.findLast((errors) => typesOf(errors).length === 0);
  if (fitting === undefined)
    return [
      {
        ...issue,
        message: `expected ${issue.errors.flatMap(typesOf).map(typeInWords).join(', or ')}`,
      },
    ];
  return fitting.flatMap((one) => flatten({ ...one, path: [...issue.path, ...one.path] }));
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text in "double quotes"',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list in [ ]',
  object: 'an object in { }',
  record: 'an object such as {"en": "Main Street"}',
};

const typeInWords = (type: string): string => TYPES[type] ?? type;

/** Zod's own wording for the rest. What a schema says about itself comes first. */
const expectation: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
      return `unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; the keys here are ${known.join(', ')}`;
    }
    case 'invalid_type':
      return `expected ${typeInWords(issue.expected)}`;
    case 'invalid_value':
      return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_key':
      return `as a key, ${issue.issues.map(({ message }) => message).join(', ')}`;
    case 'too_small':
      return `expected at least ${issue.minimum}${issue.origin === 'string' ? ' character' : ''}`;
    case 'too_big':
      return `expected at most ${issue.maximum}`;
  }
  return undefined;
};

/**
 * An address without a possible password and without its query, which may hold a key: messages end
 * up in logs.
 */
export function withoutSecrets(text: string): string {
  const slashes = text.indexOf('//');
  const at = text.lastIndexOf('@');
  const start = slashes === -1 || slashes > at ? 1 : slashes + 2; // 1: after the quotation mark
  const host = at === -1 ? text : `${text.slice(0, start)}…${text.slice(at)}`;
  const query = host.indexOf('?');
  return query === -1 ? host : `${host.slice(0, query)}?…`;
}

/** As JSON, shortened. */
function show(given: unknown, redact: (text: string) => string): string {
  const text = redact(JSON.stringify(given));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
