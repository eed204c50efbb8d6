/** Reads CSV: finds out from the header what the columns mean, and splits lines into fields. */

import { InputError } from '../../base/inputError.ts';
import { PARAMETER_NAMES } from '../../contract/parameters.ts';
import {
  chooseProfile,
  declaredColumns,
  type Fields,
  type Format,
  isOwn,
  type Meaning,
  MOST_COLUMNS,
} from './fields.ts';
import type { Line, LineReader } from './lines.ts';
import { type Column, makeMapper, makeNotes } from './mapper.ts';
import type { Profile } from './profiles.ts';
import { type ReadingInput, unreadable } from './reading.ts';

const NONE: readonly [] = [];

/** A number as people write it where a comma is not the delimiter. */
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;

/**
 * Reads the lines after this header. What the columns mean is looked up once, here. Throws InputError where the header lacks what a
 * reading needs, and for a declaration that cannot be followed.
 */
export function csvReader(header: string, position: string, format: Format = {}): LineReader {
  const delimiter = /[,;\t]/.exec(header)?.[0] ?? ',';
  const given = splitCsvLine(header, delimiter) ?? [];
  if (given.length > MOST_COLUMNS) {
    const remedy = `At most ${MOST_COLUMNS} are read: leave out those that are not needed.`;
    throw new InputError(position, `the header has more than ${MOST_COLUMNS} columns`, remedy);
  }
  const lower = given.map((name) => name.toLowerCase());
  const profile = chooseProfile(format.name, (field) => lower.includes(field.toLowerCase()));
  const notes = makeNotes(profile);
  const mapper = makeMapper(profile, format, notes);
  const { columns, long, ignored } = findColumns({
    given,
    lower,
    fields: mapper.fields,
    format,
    header,
    position,
  });
  notes.isLong = long !== undefined;
  for (const name of ignored) notes.ignored.add(name);
  const numbers = [...columns.keys()].filter(
    (index) => columns[index]?.slot === 'value' || index === long?.value,
  );

  const read = ({ number, text, tooLong }: Line): ReadingInput | undefined => {
    const cells = tooLong ? undefined : splitCsvLine(text, delimiter);
    if (cells?.length !== given.length)
      return unreadable(text, number, whyUnreadable(cells, given, tooLong));
    if (delimiter !== ',') {
      for (const index of numbers)
        if (DECIMAL_COMMA.test(cells[index] as string))
          cells[index] = (cells[index] as string).replace(',', '.');
    }
    const measured =
      long === undefined
        ? NONE
        : [
            {
              names: [cells[long.parameter] as string],
              value: cells[long.value],
              unit: cells[long.unit],
            },
          ];
    return mapper.read({ columns, cells, measured, text, line: number });
  };
  return { notes, read };
}

type Header = {
  given: readonly string[];
  lower: readonly string[];
  fields: Fields;
  format: Format;
  header: string;
  /** The position of the header, for messages. */
  position: string;
};

/** The columns that mean something, undefined for all others, and the names of those that are not used. */
function findColumns({ given, lower, fields, format, header, position }: Header) {
  const { profile } = fields;
  const meanings = given.map(fields.meaningOf);
  const isBest = ({ slot, rank }: Meaning, index: number) =>
    !meanings.some(
      (one, other) =>
        one?.slot === slot && (one.rank < rank || (one.rank === rank && other < index)),
    );
  const declared = new Set(
    meanings.flatMap((one) => (one?.slot === 'value' && one.rank < 0 ? one.parameter : [])),
  );
  const columns = meanings.map((meaning, index): Column | undefined => {
    if (meaning === undefined) return undefined;
    const isUsed =
      meaning.slot === 'value'
        ? meaning.rank < 0 || !declared.has(meaning.parameter)
        : isBest(meaning, index);
    return isUsed ? { ...meaning, name: given[index] ?? '' } : undefined;
  });
  const values = columns.flatMap((column) => (column?.slot === 'value' ? column : []));
  const has = (slot: Column['slot']) => columns.some((column) => column?.slot === slot);
  const long = findLong(profile, lower);
  const isUsed = (index: number) =>
    columns[index] !== undefined || long?.all.includes(index) === true;

  const invalid = (what: string, remedy = neededBy(profile)) =>
    new InputError(position, `the header ${what}: ${JSON.stringify(header.slice(0, 300))}`, remedy);
  if (given.length > 0 && given.every((name) => /^[-+\d.:TZ ]*$/.test(name)))
    throw invalid('has numbers instead of names; the first line must name the columns, but it');
  if (
    !has('sensor') &&
    !has('device') &&
    format.sensor === undefined &&
    format.device === undefined
  )
    throw invalid(
      `has no column ${profile.sensor?.[0] ?? profile.device?.[0]}`,
      profile.long === undefined ? `${neededBy(profile)} ${WHOSE}` : WHOSE,
    );
  if (!has('time') && format.now === undefined)
    throw invalid(`has no column ${profile.time.length === 1 ? profile.time[0] : 'for the time'}`);
  if (values.length === 0 && long === undefined) throw invalid('names no parameter');
  checkTwice(values, invalid);
  for (const [index, name] of lower.entries()) {
    if (lower.indexOf(name) !== index && isUsed(lower.indexOf(name)) && name !== '')
      throw invalid(`names ${name} twice`);
  }
  const declaredNames = declaredColumns(format);
  const unknown =
    long === undefined
      ? declaredNames.find((theirs) => !lower.includes(theirs.toLowerCase()))
      : undefined;
  if (unknown !== undefined) throw invalid(`has no column ${unknown}, which --column names`);
  const unused = new Set(profile.unused?.map((name) => name.toLowerCase()));
  const ignored = given.filter((_, index) => !isUsed(index) && !unused.has(lower[index] ?? ''));
  return { columns, long, ignored };
}

function findLong({ long }: Profile, lower: readonly string[]) {
  const first = (names: readonly string[] = []) =>
    names.reduce((found, name) => (found < 0 ? lower.indexOf(name.toLowerCase()) : found), -1);
  const [parameter, value, unit] = [first(long?.parameter), first(long?.value), first(long?.unit)];
  return parameter < 0 || value < 0
    ? undefined
    : { parameter, value, unit, all: [parameter, value, unit] };
}

/** Throws what `invalid` makes of two columns for one parameter: which of them counts would be a guess. */
function checkTwice(
  values: readonly Extract<Column, { slot: 'value' }>[],
  invalid: (what: string) => InputError,
): void {
  for (const { parameter, isMean, rank } of values) {
    const all = values.filter((other) => other.parameter === parameter);
    const names = new Set(all.map(({ name }) => name));
    if (
      all.length === 1 ||
      (isMean && names.size === all.length && all.every((one) => one.rank === rank))
    )
      continue;
    throw invalid(
      `names ${parameter} twice${names.size > 1 ? ` (${all.map(({ name }) => name).join(', ')})` : ''}`,
    );
  }
}

const WHOSE =
  'If all rows are of one sensor, say which: --device with its name in the network file, or --sensor with its id (in an address ?device= or ?sensor_id=).';

function neededBy(profile: Profile): string {
  if (profile.needed !== undefined) return profile.needed;
  const map = 'Name other columns with --column, as in --column pm25=THEIRS.';
  if (isOwn(profile)) {
    const times = profile.time.filter((name) => name !== 'datetime').join(' / ');
    return `Needed are sensor_id, one of ${times}, and parameters by name: ${PARAMETER_NAMES.join(', ')}. ${map}`;
  }
  const values =
    profile.long === undefined
      ? Object.keys(profile.values)
      : [profile.long.parameter.at(-1), profile.long.value[0]];
  const sender = [...(profile.sensor ?? []), ...(profile.device ?? [])].join(' / ');
  return `Files of ${profile.name} have ${sender}, ${profile.time.join(' / ')}, and ${values.join(', ')}. ${map}`;
}

function whyUnreadable(
  fields: readonly string[] | undefined,
  names: readonly string[],
  tooLong?: boolean,
): string {
  if (tooLong) return 'it is too long';
  if (fields === undefined) return 'its quotes do not match up';
  return `it has ${fields.length} field${fields.length === 1 ? '' : 's'}, but the header has ${names.length}`;
}

/**
 * The fields of a line, unquoted and trimmed; undefined if its quotes do not match up. A field never spans lines. A general CSV parser
 * is not used: called for each line or each chunk, it would cost more than all other parsing of an import with quoted time stamps.
 */
export function splitCsvLine(text: string, delimiter: string): string[] | undefined {
  if (!text.includes('"')) return text.split(delimiter).map((field) => field.trim());
  const fields: string[] = [];
  for (let start = 0; ; ) {
    let end: number;
    if (text[start] === '"') {
      const close = closingQuote(text, start + 1);
      if (close < 0) return undefined;
      const field = text.slice(start + 1, close).replaceAll('""', '"');
      fields.push(field.trim());
      end = close + 1;
      if (end < text.length && text[end] !== delimiter) return undefined;
    } else {
      const next = text.indexOf(delimiter, start);
      end = next < 0 ? text.length : next;
      const field = text.slice(start, end);
      if (field.includes('"')) return undefined;
      fields.push(field.trim());
    }
    if (end === text.length) return fields;
    start = end + 1;
  }
}

/** Two quotes in a row stand for one and close nothing. Returns -1 if there is no closing quote. */
function closingQuote(text: string, from: number): number {
  let index = text.indexOf('"', from);
  while (index >= 0 && text[index + 1] === '"') index = text.indexOf('"', index + 2);
  return index;
}
