/** What a database is built from: a folder of SQL, and the tables of the contract that its templates are filled from. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { PARAMETERS, type Parameter } from '../contract/parameters.ts';
import { WINDOWS, type Window } from '../contract/windows.ts';
import type { Engine } from './aggregates.ts';

export type Definitions = {
  /** Ends with a slash. */
  folder: URL;
  parameters: readonly Parameter[];
  windows: readonly Window[];
};

/** Those of this program: sql/ beside src/ and dist/. */
export const DEFINITIONS: Definitions = {
  folder: new URL('../../sql/', import.meta.url),
  parameters: PARAMETERS,
  windows: WINDOWS,
};

export function readSql({ folder }: Definitions, path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** The names of the SQL files in a folder of the folder, sorted. */
export function listSql({ folder }: Definitions, name: string): string[] {
  return readdirSync(new URL(`${name}/`, folder))
    .filter((file) => file.endsWith('.sql'))
    .sort();
}

export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The numbered migrations: once, forward only, checksum recorded. Here they are read and held against what a database recorded. */

export type Migration = { number: number; name: string; text: string; checksum: string };
export type Applied = { number: number; name: string; checksum: string };

/** A database that this program must not touch; the message says why and what to do. */
export class MigrationRefused extends Error {}

const FILE = /^(\d{4})_([a-z0-9_]+?)(?:\.(plain|timescale))?\.sql$/;

/**
 * The migrations for an engine: `NNNN_name.sql`, followed by its twin `NNNN_name.plain.sql` or `NNNN_name.timescale.sql` where there is
 * one. Literal SQL: the checksum is that of the files as they lie there, line ends aside.
 */
export function readMigrations(definitions: Definitions, engine: Engine): Migration[] {
  const byNumber = new Map<number, Pick<Migration, 'name'> & { texts: string[] }>();
  for (const file of listSql(definitions, 'migrations').sort(commonFirst)) {
    const [, digits, name = '', twin] = FILE.exec(file) ?? [];
    const number = Number(digits);
    const known = byNumber.get(number);
    const isNext = number === byNumber.size + 1 || (known?.name === name && twin !== undefined);
    if (digits === undefined || !isNext) {
      throw new MigrationRefused(
        `sql/migrations/${file}: migrations are named 0001_name.sql, 0002_name.sql, … without a gap, each once, ` +
          'with a twin such as 0001_name.timescale.sql for what differs between engines. Rename the file.',
      );
    }
    const texts: string[] = known?.texts ?? [];
    byNumber.set(number, { name, texts });
    if (twin === undefined || twin === engine) {
      texts.push(readSql(definitions, `migrations/${file}`).replaceAll('\r\n', '\n'));
    }
  }
  return [...byNumber].map(([number, { name, texts }]) => {
    const text = texts.join('\n');
    return { number, name, text, checksum: fingerprint(text) };
  });
}

/** `0003_readings.sql` before `0003_readings.plain.sql`. */
function commonFirst(a: string, b: string): number {
  const key = (file: string) => file.replace(/\.sql$/, '');
  return key(a) < key(b) ? -1 : 1;
}

/** What is still to be applied; throws if what was applied is not what this program has. */
export function pendingMigrations(migrations: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  for (const [index, row] of applied.entries()) {
    const ours = migrations[row.number - 1];
    if (row.number !== index + 1) {
      throw new MigrationRefused(
        `The database has migration ${row.number} but not ${index + 1}: its record has a gap. Restore raw.migration from a backup.`,
      );
    }
    if (ours === undefined) {
      throw new MigrationRefused(
        `The database is newer than this program: it has migration ${row.number} (${row.name}), this program ends at ${migrations.length}. Install the newer version.`,
      );
    }
    if (ours.name !== row.name) {
      throw new MigrationRefused(
        `Migration ${row.number} of this database is "${row.name}", that of this program "${ours.name}": the database was made by a ` +
          'development version from before the first release, and cannot be upgraded. Make a new database (for the embedded server: ' +
          'another DATA_DIR), import the network file into it, and the readings again.',
      );
    }
    if (ours.checksum !== row.checksum) {
      throw new MigrationRefused(
        `Migration ${row.number} (${ours.name}) was changed after it was applied. Put the file back as it was, and make the change in a new migration.`,
      );
    }
  }
  return migrations.slice(applied.length);
}
