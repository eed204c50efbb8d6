/** CSV as programs that open the files read it: columns by name. */
import { splitCsvLine } from '../../../src/ingest/rows/csv.ts';

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
