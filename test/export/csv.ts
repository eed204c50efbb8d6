/** CSV as programs that open the export read it: columns by name, with a type that every value of the column fits. */
import { splitCsvLine } from '../../src/ingest/formats/csv.ts';

export type Type = 'whole number' | 'number' | 'boolean' | 'time' | 'text';
export type Records = Record<string, string>[];

/** The lines as records by column. Throws on a line with more or fewer fields than the header. */
export function readCsv(text: string): { names: string[]; records: Records } {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const names = splitCsvLine(header, ',') ?? [];
  const records = lines.map((line) => {
    const fields = splitCsvLine(line, ',');
    if (fields?.length !== names.length) throw new Error(`not a line of ${header}: ${line}`);
    return Object.fromEntries(names.map((name, index) => [name, fields[index] as string]));
  });
  return { names, records };
}

const PATTERNS: Readonly<Record<Type, RegExp>> = {
  'whole number': /^-?\d+$/,
  number: /^-?\d+(\.\d+)?$/,
  boolean: /^(true|false)$/,
  time: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
  text: /^/,
};

/** Whether every value is of the type or empty, but not all of them empty. A boolean is never empty, or it would become text. */
export function isOfType(type: Type, values: readonly string[]): boolean {
  const given = values.filter((value) => value !== '');
  if (type === 'boolean' && given.length < values.length) return false;
  return given.length > 0 && given.every((value) => PATTERNS[type].test(value));
}
