/**
 * The small template language of sql/rollups, sql/logic and sql/api (migrations are literal):
 * `{{word}}` is a literal such as the zone, because a continuous aggregate admits nothing else;
 * `{{each mean: avg(s.$name) as $name}}` is one item for each parameter of a group, with commas between them;
 * `{{every mean: comment on …;}}` the same without commas, for whole statements and for terms of a sum;
 * `{{publish pm25: c.pm25}}` is a value rounded as its parameter is published;
 * `{{include parts/store.sql}}` is a file that several others share, without its comments.
 */
import { LOCALES } from '../contract/locales.ts';
import { FORMULAS, type Parameter } from '../contract/parameters.ts';
import { type Definitions, readSql } from './definitions.ts';

export type Words = Readonly<Record<string, string>>;
type Item = Readonly<Record<string, string>>;

/** The groups of parameters by name. */
const GROUPS: Readonly<Record<string, (parameter: Parameter) => boolean>> = {
  parameter: () => true,
  mean: ({ kind }) => kind === 'mean',
  thp: ({ kind, thp }) => kind === 'mean' && thp === true,
  ambient: ({ kind, thp }) => kind === 'mean' && thp !== true,
  extreme: ({ extremes }) => extremes === true,
  uncorrected: ({ kind, name }) => kind === 'mean' && !name.startsWith('pm25'), // what no formula touches
};

/** Fills a template. Throws, naming it, on a word, group or parameter that does not exist. */
export function render(template: string, definitions: Definitions, words: Words = {}): string {
  const whole = template.replace(/\{\{include ([\w./]+)\}\}/g, (_, path) =>
    withoutComments(readSql(definitions, path)).trim(),
  );
  const worded = whole.replace(
    /\{\{([^}:]+)\}\}/g,
    (_, word) => words[word] ?? refuse(`nothing to put for {{${word}}}`),
  );
  return worded.replace(/\{\{(each|every|publish) (\w+): ([^}]*)\}\}/g, (_, how, of, line) => {
    if (how === 'publish') return published(definitions, of, line);
    const filled = itemsOf(definitions, of).map((item) => fill(line, item));
    return filled.join(how === 'each' ? ',\n  ' : '\n  ');
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
  const isIn = GROUPS[group] ?? refuse(`there is no group of parameters ${group}`);
  return parameters.filter(isIn).map((parameter) => ({
    name: parameter.name,
    digits: String(parameter.digits),
    unit: quoted(parameter.unit),
    meaning: quoted(parameter.meaning),
    publish: publisher(parameter),
  }));
}

function fill(line: string, item: Item): string {
  return line.replace(/\$([a-z]+)/g, (whole, key) => item[key] ?? whole);
}

function published({ parameters }: Definitions, name: string, value: string): string {
  const parameter = parameters.find((each) => each.name === name) ?? refuse(`there is no parameter ${name}`);
  return `${publisher(parameter)}(${value}, ${parameter.digits})`;
}

const publisher = ({ floor }: Parameter) => (floor ? 'logic.published_floor' : 'logic.published');

/** Without the lines that are nothing but a comment. */
export function withoutComments(text: string): string {
  return text.replace(/^--.*\n/gm, '');
}

/** An SQL string literal. */
export function literal(text: string): string {
  return `'${quoted(text)}'`;
}

const quoted = (text: string) => text.replaceAll("'", "''");

function refuse(what: string): never {
  throw new Error(`SQL template: ${what}`);
}
