/** What is wrong with an element of a network file, in words: what is there, what is needed and, where that can be said, what to write. */
import { z } from 'zod';
import { nearest } from './nearest.ts';

/** Something wrong at a path within an element. */
type Fault = { path: readonly PropertyKey[]; message: string };

/** Everything that is wrong with `given` by its schema. */
export function faultsOf(schema: z.ZodType, given: unknown, error: z.ZodError | undefined): Fault[] {
  const issues = (error?.issues ?? []).flatMap(flatten);
  const keysAt = (path: readonly PropertyKey[]) => {
    const here = schemaAt(schema, path);
    return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
  };
  // a misspelt key is no missing one besides
  const misspelt = new Set<string>();
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    for (const key of issue.keys) misspelt.add(JSON.stringify([...issue.path, meantKey(key, keysAt(issue.path))]));
  }
  return issues
    .filter(({ path }) => valueAt(given, path) !== undefined || !misspelt.has(JSON.stringify(path)))
    .map((issue) => ({ path: issue.path, message: describe(issue, valueAt(given, issue.path), keysAt(issue.path)) }));
}

/** Of a union, the alternatives that the given value is of the type of; all of them if it is of none. */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isOtherType = (one: z.core.$ZodIssue) => one.code === 'invalid_type' && one.path.length === 0;
  const fitting = issue.errors.filter((errors) => !errors.some(isOtherType));
  const chosen = fitting.length > 0 ? fitting : issue.errors;
  if (fitting.length === 0) {
    const needed = chosen.flat().flatMap((one) => (one.code === 'invalid_type' ? [neededOf(one)] : []));
    return [
      { code: 'custom', path: issue.path, message: [...new Set(needed)].join(', or '), params: { needed: true } },
    ];
  }
  return chosen.flat().flatMap((one) => flatten({ ...one, path: [...issue.path, ...one.path] }));
}

function describe(issue: z.core.$ZodIssue, given: unknown, knownKeys: readonly string[]): string {
  const key = String(issue.path.at(-1) ?? '');
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownKeys(issue.keys, knownKeys);
    case 'invalid_key':
      return `${show(key)} is not a valid key; expected ${issue.issues.map(({ message }) => message).join(', ')}`;
    case 'invalid_format':
      return `${show(given)} is not valid; expected ${issue.message}${slugHint(key, given)}`;
    case 'invalid_type':
      return `${wrongType(neededOf(issue), given)}${deviceHint(key, given)}`;
    case 'invalid_value':
      return `${show(given)} is unknown: write one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return typeof given === 'number'
        ? `${given} is too small: the least is ${issue.minimum}`
        : 'it is empty: write something';
    case 'too_big':
      return `${show(given)} is too big: the most is ${issue.maximum}${swapHint(key, given)}`;
    default:
      return issue.code === 'custom' && issue.params?.needed === true ? wrongType(issue.message, given) : issue.message;
  }
}

const SYNONYMS: Readonly<Record<string, string>> = {
  name: 'title',
  type: 'kind',
  lng: 'longitude',
  elevation: 'altitude',
  height: 'altitude',
};

function meantKey(unknown: string, known: readonly string[]): string | undefined {
  const synonym = SYNONYMS[unknown.toLowerCase()] ?? '';
  return known.includes(synonym) ? synonym : nearest(unknown, known);
}

function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  const remedies = keys.flatMap((key) => meantKey(key, known) ?? []).map((meant) => JSON.stringify(meant));
  const remedy =
    remedies.length === keys.length ? `write ${remedies.join(', ')}` : `the keys here are ${known.join(', ')}`;
  return `unknown key ${keys.map((key) => JSON.stringify(key)).join(', ')}: ${remedy}`;
}

const NEEDED: Readonly<Record<string, string>> = {
  string: 'text in "double quotes"',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list in [ ]',
  object: 'an object in { }',
  record: 'an object such as {"en": "Main Street"}',
};
const neededOf = ({ expected }: z.core.$ZodIssueInvalidType) => NEEDED[expected] ?? expected;

function wrongType(needed: string, given: unknown): string {
  if (given === undefined) return `is missing; expected ${needed}`;
  return `${show(given)} is ${typeName(given)}; expected ${needed}${remedyFor(needed, given)}`;
}

function remedyFor(needed: string, given: unknown): string {
  const isText = typeof given === 'string';
  if (/number/.test(needed) && isText && /^-?\d+([.,]\d+)?$/.test(given))
    return `: write ${given.replace(',', '.')}, without quotes`;
  if (needed === NEEDED.array) return `: write [${show(given)}]`;
  if (needed === NEEDED.record && isText) return `: write {"en": ${show(given)}}`;
  if (needed === NEEDED.object && typeof given === 'number') return `: write {"id": ${given}}`;
  return needed === NEEDED.string && typeof given === 'number' ? `: write "${given}"` : '';
}

function typeName(given: unknown): string {
  if (given === null) return 'nothing';
  if (Array.isArray(given)) return 'a list';
  return typeof given === 'string' ? 'text' : `a${typeof given === 'object' ? 'n' : ''} ${typeof given}`;
}

/** As JSON, shortened. */
export function show(given: unknown): string {
  const text = JSON.stringify(given) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function slugHint(key: string, given: unknown): string {
  if (typeof given !== 'string' || !(key === 'slug' || key === 'city' || /^\d+$/.test(key))) return '';
  const bare = given.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  const slug = bare
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '')
    .replace(/-history$/, '');
  return slug === '' ? '' : `, such as "${slug}"`;
}

const deviceHint = (key: string, given: unknown) =>
  key === 'id' && typeof given === 'string' && /[a-z]/i.test(given)
    ? ' (what a device calls itself goes into "device")'
    : '';

const swapHint = (key: string, given: unknown) =>
  key === 'latitude' && Math.abs(Number(given)) <= 180 ? ': are latitude and longitude swapped?' : '';

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], given);
}

/** The schema of what a path leads to; undefined within a union or a record. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let here: unknown = schema;
  for (const key of [...path, undefined]) {
    while (here instanceof z.ZodOptional || here instanceof z.ZodNullable || here instanceof z.ZodDefault)
      here = here.unwrap();
    if (key === undefined) break;
    here =
      here instanceof z.ZodObject ? here.shape[key as string] : here instanceof z.ZodArray ? here.element : undefined;
  }
  return here instanceof z.ZodType ? here : undefined;
}
