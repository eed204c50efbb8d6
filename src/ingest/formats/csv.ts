/** Readings as CSV with a header that names the parameters, and the splitting of CSV lines into fields. */
import { PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';
import { InputError } from '../../inputError.ts';
import type { ReadingInput } from '../validate.ts';
import { unreadable } from './json.ts';
import type { Line, LineReader } from './lines.ts';
import { fieldNamed, SENSOR_KEY, TIME_KEYS } from './names.ts';

/** A number as people write it where a comma is not the delimiter. */
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;

/** `position` names the header in messages. Throws InputError where the header lacks what a reading needs. */
export function csvReader(header: string, position: string): LineReader {
  const delimiter = /[,;\t]/.exec(header)?.[0] ?? ',';
  const given = splitCsvLine(header, delimiter) ?? [];
  const names = given.map((name) => fieldNamed(name) ?? name);
  const indexOf = (name: string) => names.indexOf(name);
  const sensor = indexOf(SENSOR_KEY);
  const timeKey = TIME_KEYS.find((name) => indexOf(name) >= 0);
  const time = timeKey === undefined ? -1 : indexOf(timeKey);
  const parameters = PARAMETER_NAMES.flatMap((name): [ParameterName, number][] =>
    indexOf(name) < 0 ? [] : [[name, indexOf(name)]],
  );
  const used = [sensor, time, ...parameters.map(([, index]) => index)];

  const invalid = (what: string) =>
    new InputError(
      position,
      `the header ${what}: ${JSON.stringify(header.slice(0, 300))}`,
      `Needed are ${SENSOR_KEY}, one of ${TIME_KEYS.join(' / ')}, and parameters by name: ${PARAMETER_NAMES.join(', ')}.`,
    );
  if (names.every((name) => /^[-+\d.:TZ ]*$/.test(name)))
    throw invalid('has numbers instead of names; the first line must name the columns, but it');
  if (sensor < 0) throw invalid(`has no column ${SENSOR_KEY}`);
  if (time < 0) throw invalid('has no column for the time');
  if (parameters.length === 0) throw invalid('names no parameter');
  const twice = names.find((name, index) => used.includes(indexOf(name)) && indexOf(name) !== index);
  if (twice !== undefined) {
    const same = given.filter((_, index) => names[index] === twice);
    throw invalid(`names ${twice} twice${new Set(same).size > 1 ? ` (${same.join(', ')})` : ''}`);
  }

  const read = ({ number, text, tooLong }: Line): ReadingInput => {
    const fields = tooLong ? undefined : splitCsvLine(text, delimiter);
    if (fields?.length !== names.length) return unreadable(text, number, whyUnreadable(fields, names, tooLong));
    const values: ReadingInput['values'] & { [name in ParameterName]?: unknown } = {};
    for (const [name, index] of parameters) {
      const field = fields[index] as string;
      if (field === '') continue;
      values[name] = delimiter !== ',' && DECIMAL_COMMA.test(field) ? field.replace(',', '.') : field;
    }
    return { sensorId: fields[sensor], measuredAt: fields[time], values, text, line: number };
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
