/** Writes a CSV file (RFC 4180) that nobody sees before it is whole: under another name, which is changed at the end. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../inputError.ts';

/** What is empty in the file is null. */
export type Row = readonly (string | number | null)[];

export type CsvFile = {
  write(rows: readonly Row[]): Promise<void>;
  /** It is whole: from now on it has its name. */
  keep(): Promise<void>;
  discard(): Promise<void>;
};

/** Makes the folder if there is none. */
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
    async keep() {
      await file.close();
      await rename(unfinished, path);
    },
    async discard() {
      await file.close();
      await rm(unfinished, { force: true });
    },
  };
}

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
