/** What a database is built from: a folder of SQL files, and the tables of the contract that fill their templates. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { PARAMETERS, type Parameter } from '../contract/parameters.ts';
import { WINDOWS, type Window } from '../contract/windows.ts';

export type Definitions = {
  /** Ends with a slash. */
  folder: URL;
  parameters: readonly Parameter[];
  windows: readonly Window[];
};

/** This program's own: sql/ beside src/ and dist/. */
export const DEFINITIONS: Definitions = {
  folder: new URL('../../sql/', import.meta.url),
  parameters: PARAMETERS,
  windows: WINDOWS,
};

/** The text of a file, by its path in the folder. Throws if there is none. */
export function readSql({ folder }: Definitions, path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** The names of the SQL files in a subfolder, sorted. */
export function listSql({ folder }: Definitions, name: string): string[] {
  return readdirSync(new URL(`${name}/`, folder))
    .filter((file) => file.endsWith('.sql'))
    .sort();
}

/** SHA-256 of the text, in hexadecimal digits. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
