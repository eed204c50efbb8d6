/** CSV: the header says which parameter a column is. A line without a quote is simply split; only one with quotes needs a parser. */
import { parse } from 'csv-parse/sync';
import { PARAMETER_NAMES, type ParameterName } from '../../contract/parameters.ts';
import { InputError } from '../../inputError.ts';
import type { ReadingInput } from '../batch.ts';
import { SENSOR_KEY, TIME_KEYS, unreadable } from './json.ts';
import type { Line } from './lines.ts';
import type { LineReader } from './readings.ts';

/** Throws where the header lacks what a reading needs. */
export function csvReader(header: string, place: string): LineReader {
  const delimiter = /[,;\t]/.exec(header)?.[0] ?? ',';
  const names = split(header, delimiter)?.map((name) => name.trim()) ?? [];
  const at = (name: string) => names.indexOf(name);
  const sensor = at(SENSOR_KEY);
  const timeKey = TIME_KEYS.find((name) => at(name) >= 0);
  const time = timeKey === undefined ? -1 : at(timeKey);
  const parameters = PARAMETER_NAMES.flatMap((name): [ParameterName, number][] =>
    at(name) < 0 ? [] : [[name, at(name)]],
  );
  const used = [sensor, time, ...parameters.map(([, position]) => position)];

  const wrong = (what: string) =>
    new InputError(
      place,
      `the header ${what}: ${JSON.stringify(header.slice(0, 300))}`,
      `Needed are ${SENSOR_KEY}, one of ${TIME_KEYS.join(' / ')}, and parameters by name: ${PARAMETER_NAMES.join(', ')}.`,
    );
  if (sensor < 0) throw wrong(`has no column ${SENSOR_KEY}`);
  if (time < 0) throw wrong('has no column for the time');
  if (parameters.length === 0) throw wrong('names no parameter');
  const twice = names.find((name, position) => used.includes(at(name)) && at(name) !== position);
  if (twice !== undefined) throw wrong(`names ${twice} twice`);

  const ignored = new Set(names.filter((_, position) => !used.includes(position)));
  const read = ({ number, text, tooLong }: Line): ReadingInput => {
    const fields = tooLong ? undefined : split(text, delimiter)?.map((field) => field.trim());
    if (fields?.length !== names.length) {
      return unreadable(text, number);
    }
    const values: ReadingInput['values'] & { [name in ParameterName]?: unknown } = {};
    for (const [name, position] of parameters) {
      const field = fields[position];
      if (field !== '') values[name] = field;
    }
    return { sensorId: fields[sensor], measuredAt: fields[time], values, text, line: number };
  };
  return { ignored, read };
}

/** Undefined: the quotes of the line don't match up. A field never goes over several lines. */
function split(text: string, delimiter: string): string[] | undefined {
  if (!text.includes('"')) return text.split(delimiter);
  try {
    return parse(text, { delimiter })[0];
  } catch {
    return undefined;
  }
}

/**
 * Splits a line of CSV whose fields may be quoted. Older files of airquality.am quote every time stamp, and a parser made anew for
 * each line would cost more than all the rest of an import.
 */

/** Trimmed fields; undefined: the quotes of the line don't match up. */
export function splitQuoted(text: string): string[] | undefined {
  if (!text.includes('"')) return text.split(',').map((field) => field.trim());
  const fields: string[] = [];
  for (let at = 0; ; ) {
    let end: number;
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close < 0) return undefined;
      fields.push(
        text
          .slice(at + 1, close)
          .replaceAll('""', '"')
          .trim(),
      );
      end = close + 1;
      if (end < text.length && text[end] !== ',') return undefined;
    } else {
      const comma = text.indexOf(',', at);
      end = comma < 0 ? text.length : comma;
      const field = text.slice(at, end);
      if (field.includes('"')) return undefined;
      fields.push(field.trim());
    }
    if (end === text.length) return fields;
    at = end + 1;
  }
}

/** Two quotes in a row stand for one. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
