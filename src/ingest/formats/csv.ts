/** Readings as CSV with a header that names the parameters, and the splitting of CSV lines into fields. */
import { PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';
import { InputError } from '../../inputError.ts';
import type { ReadingInput } from '../validate.ts';
import { unreadable } from './json.ts';
import type { Line, LineReader } from './lines.ts';
import { fieldNamed, SENSOR_KEY, TIME_KEYS } from './names.ts';

/** CSV whose header has our names, or others that mean the same. Throws InputError where it lacks what a reading needs. */
export function csvReader(header: string, position: string): LineReader {
  const delimiter = /[,;\t]/.exec(header)?.[0] ?? ',';
  const given = splitCsvLine(header, delimiter) ?? [];
  const names = given.map((name) => fieldNamed(name) ?? name);
  const time = TIME_KEYS.find((key) => names.includes(key));
  const needed = `Needed are ${SENSOR_KEY}, one of ${TIME_KEYS.join(' / ')}, and parameters by name: ${PARAMETER_NAMES.join(', ')}.`;
  return tableReader({ header, position, delimiter, given, names, time, needed });
}

type Table = {
  header: string;
  /** Of the header, for messages. */
  position: string;
  delimiter: string;
  /** The columns as the header names them, and under our names. */
  given: readonly string[];
  names: readonly string[];
  /** The column of the time; undefined: there is none. */
  time: string | undefined;
  /** A column that is preferred to it in lines that have it. */
  preferredTime?: string;
  /** What a header has to have, for messages. */
  needed: string;
};

/** A number as people write it where a comma is not the delimiter. */
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;

/** Reads the columns that have one of our names. Throws InputError where the header lacks what a reading needs. */
export function tableReader(table: Table): LineReader {
  const { header, position, delimiter, given, names, needed } = table;
  const indexOf = (name = '') => names.indexOf(name);
  const [sensor, time, preferred] = [indexOf(SENSOR_KEY), indexOf(table.time), indexOf(table.preferredTime)];
  const parameters = PARAMETER_NAMES.filter((name) => indexOf(name) >= 0);
  const used = [sensor, time, preferred, ...parameters.map(indexOf)];

  const invalid = (what: string) =>
    new InputError(position, `the header ${what}: ${JSON.stringify(header.slice(0, 300))}`, needed);
  if (names.length > 0 && names.every((name) => /^[-+\d.:TZ ]*$/.test(name)))
    throw invalid('has numbers instead of names; the first line must name the columns, but it');
  if (sensor < 0) throw invalid(`has no column ${SENSOR_KEY}`);
  if (time < 0) throw invalid(`has no column ${table.time ?? 'for the time'}`);
  if (parameters.length === 0) throw invalid('names no parameter');
  const twice = names.find((name, index) => used.includes(indexOf(name)) && indexOf(name) !== index);
  if (twice !== undefined) {
    const same = given.filter((_, index) => names[index] === twice);
    throw invalid(`names ${twice} twice${new Set(same).size > 1 ? ` (${same.join(', ')})` : ''}`);
  }

  const columns = parameters.map((name) => [name, indexOf(name)] as const);
  const read = ({ number, text, tooLong }: Line): ReadingInput => {
    const fields = tooLong ? undefined : splitCsvLine(text, delimiter);
    if (fields?.length !== names.length) return unreadable(text, number, whyUnreadable(fields, names, tooLong));
    const values: ReadingInput['values'] & { [name in ParameterName]?: unknown } = {};
    for (const [name, index] of columns) {
      const field = fields[index] as string;
      if (field === '') continue;
      values[name] = delimiter !== ',' && DECIMAL_COMMA.test(field) ? field.replace(',', '.') : field;
    }
    return { sensorId: fields[sensor], measuredAt: fields[preferred] || fields[time], values, text, line: number };
  };
  return { ignored: new Set(given.filter((_, index) => !used.includes(index))), read };
}

function whyUnreadable(fields: readonly string[] | undefined, names: readonly string[], tooLong?: boolean): string {
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
