/** CSV files as they are published. */
import { openPublishedFile } from './publishedFile.ts';

/** One field per column; null is an empty field. */
export type Row = readonly (string | number | null)[];

/** As PublishedFile, but of rows. */
export type CsvFile = {
  write(rows: readonly Row[]): Promise<void>;
  commit(): Promise<boolean>;
  discard(): Promise<void>;
};

/** A file with its header. Rejects with InputError if it cannot be written. */
export async function openCsvFile(folder: string, name: string, header: readonly string[]): Promise<CsvFile> {
  const file = await openPublishedFile(folder, name);
  const write = (rows: readonly Row[]) => file.write(rows.map(csvLine).join(''));
  await write([header]);
  return { ...file, write };
}

/** A line of CSV with its line end (RFC 4180, but LF). */
export function csvLine(row: Row): string {
  return `${row.map(field).join(',')}\n`;
}

function field(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
