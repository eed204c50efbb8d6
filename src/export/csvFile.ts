/** CSV files that are complete or absent: written beside their final path and renamed once they are whole. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../inputError.ts';

/** One field per column; null is an empty field. */
export type Row = readonly (string | number | null)[];

/** Call `commit` or `discard`, once, at the end. */
export type CsvFile = {
  write(rows: readonly Row[]): Promise<void>;
  /** Gives the file its name; replaces one of the same name. */
  commit(): Promise<void>;
  discard(): Promise<void>;
};

/** Creates the folder if there is none. Rejects with InputError if the folder cannot be written to. */
export async function openCsvFile(folder: string, name: string, header: readonly string[]): Promise<CsvFile> {
  const path = join(folder, name);
  const unfinished = `${path}.part`;
  const file = await openForWriting(folder, unfinished);
  const write = async (rows: readonly Row[]) => {
    await file.appendFile(rows.map(csvLine).join(''));
  };
  await write([header]);
  return {
    write,
    async commit() {
      await file.close();
      await rename(unfinished, path);
    },
    async discard() {
      await file.close();
      await rm(unfinished, { force: true });
    },
  };
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

async function openForWriting(folder: string, path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return await open(path, 'w');
  } catch (error) {
    throw new InputError(folder, (error as Error).message, 'Name a folder that you may write to.');
  }
}
