/**
 * A database is built from a folder of SQL files, the tables of the contract, and the small
 * template language in which sql/rollups, sql/logic and sql/api refer to them (migrations are
 * literal SQL): `{{word}}` is replaced by its text, such as the zone as a literal, which is all
 * that a continuous aggregate accepts; `{{list mean: avg(s.$name) as $name}}` becomes one item for
 * each parameter of a group, separated by commas; `{{repeat mean: comment on …;}}` does the same
 * without commas, for whole statements and for terms of a sum; `{{range h.bucket}}`, in aggregates,
 * becomes the condition on that column of time.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { LOCALES } from '../contract/endpoints.ts';
import { EU_LIMITS } from '../contract/limits.ts';
import { FORMULAS, keyOf, PARAMETERS, type Parameter, RAIN_TOTAL } from '../contract/parameters.ts';
import { WINDOWS, type Window } from '../contract/windows.ts';

export type Definitions = {
  /** Ends with a slash. */
  folder: URL;
  parameters: readonly Parameter[];
  windows: readonly Window[];
  /** The extras that have views and functions, by their folders in sql/extras. */
  extras: readonly string[];
};

const FOLDER = new URL('../../sql/', import.meta.url);

/** This program's own: sql/ beside src/ and dist/. */
export const DEFINITIONS: Definitions = {
  folder: FOLDER,
  parameters: PARAMETERS,
  windows: WINDOWS,
  extras: readdirSync(FOLDER).includes('extras')
    ? readdirSync(new URL('extras/', FOLDER)).sort()
    : [],
};

/** The text of a file, by its path in the folder. Throws if there is none. */
export function readSql({ folder }: Definitions, path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** The names of the SQL files in a subfolder, sorted. */
export function listSql({ folder }: Definitions, name: string): string[] {
  return readdirSync(new URL(`${name}/`, folder))
    .filter((file) => file.endsWith('.sql'))
    .sort();
}

/** SHA-256 of the text, in hexadecimal digits. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Replacements by word, without the braces. */
export type Words = Readonly<Record<string, string>>;
type Item = Readonly<Record<string, string>>;

/** The groups of parameters by name. */
const GROUPS: Readonly<Record<string, (parameter: Parameter) => boolean>> = {
  parameter: () => true,
  mean: ({ kind }) => kind === 'mean',
  thp: ({ kind, flag }) => kind === 'mean' && flag === 'thp',
  pm: ({ kind, flag }) => kind === 'mean' && flag === 'pm',
  ambient: ({ kind, flag }) => kind === 'mean' && flag === undefined,
  extreme: ({ extremes }) => extremes === true,
  // with a current value of regions
  regional: ({ inRegions }) => inRegions === true,
  // unaffected by correction formulas
  uncorrected: ({ kind, name }) => kind === 'mean' && !name.startsWith('pm25'),
  // all columns of a reading, and the ones that are never derived (A6)
  reading: () => true,
  given: ({ name }) => name !== 'rain',
};
const COLUMN_GROUPS: ReadonlySet<string> = new Set(['reading', 'given']);

/**
 * Fills a template; the text of a word may use `list` and `repeat`. Throws, naming the culprit, on a
 * word or group that does not exist.
 */
export function render(template: string, definitions: Definitions, words: Words = {}): string {
  const withWords = template.replace(
    /\{\{([^}:]+)\}\}/g,
    (_, word) => words[word] ?? fail(`nothing to put for {{${word}}}`),
  );
  return withWords.replace(/\{\{(list|repeat) (\w+): ([^}]*)\}\}/g, (_, verb, of, line) => {
    const filled = itemsOf(definitions, of).map((item) => fill(line, item));
    return filled.join(verb === 'list' ? ',\n  ' : '\n  ');
  });
}

function itemsOf({ parameters, windows }: Definitions, group: string): Item[] {
  if (group === 'locale') return LOCALES.map((name) => ({ name }));
  if (group === 'formula') return FORMULAS.map((name) => ({ name }));
  if (group === 'window') {
    return windows.map(({ key, unit, count, running }) => ({
      key,
      unit,
      count: `${count}`,
      running: running ? '1' : '0',
    }));
  }
  if (group.startsWith('limit_')) return limitsOf(parameters, group);
  const isIn = GROUPS[group] ?? fail(`there is no group of parameters ${group}`);
  const columns: readonly Parameter[] = COLUMN_GROUPS.has(group)
    ? [...parameters, RAIN_TOTAL]
    : parameters;
  return columns.filter(isIn).map((parameter) => ({
    name: parameter.name,
    // in a set of columns
    bit: String(2 ** columns.indexOf(parameter)),
    key: keyOf(parameter.name),
    digits: String(parameter.digits),
    type: parameter.currentType ?? 'float8',
    unit: quoted(parameter.unit),
    meaning: quoted(parameter.meaning),
    publish: parameter.nonNegative ? 'logic.published_non_negative' : 'logic.published',
  }));
}

/** The limits for a period: the group is `limit_year`, or `limit_8_hours` for `8 hours`. */
function limitsOf(parameters: readonly Parameter[], group: string): Item[] {
  const limits = EU_LIMITS.filter(({ period }) => group === `limit_${period.replace(' ', '_')}`);
  if (limits.length === 0) fail(`there is no group of limits ${group}`);
  return limits.map(({ parameter, limit, allowed }) => {
    const { unit, massOfPpb } = parameters.find(({ name }) => name === parameter) ?? {};
    return {
      name: parameter,
      key: keyOf(parameter),
      limit: `${limit}`,
      allowed: `${allowed}`,
      // limits are in µg/m³ (S6)
      mass: unit === 'ppb' ? ` * ${massOfPpb}` : '',
    };
  });
}

function fill(line: string, item: Item): string {
  return line.replace(/\$([a-z]+)/g, (whole, key) => item[key] ?? whole);
}

/** The text without lines that are only a comment. */
export function withoutComments(text: string): string {
  return text.replace(/^--.*\n/gm, '');
}

/** An SQL string literal, quotes escaped. */
export function literal(text: string): string {
  return `'${quoted(text)}'`;
}

const quoted = (text: string) => text.replaceAll("'", "''");

function fail(what: string): never {
  throw new Error(`SQL template: ${what}`);
}
