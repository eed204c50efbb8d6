/**
 * The numbered migrations, each applied once, forward only, with its checksum recorded: reading the
 * files, and comparing them with what a database has recorded.
 */
import type { Engine } from './aggregates.ts';
import { type Definitions, fingerprint, listSql, readSql } from './template.ts';

export type Migration = { number: number; name: string; text: string; checksum: string };
/** As recorded in raw.migration. */
export type AppliedMigration = { number: number; name: string; checksum: string };

/**
 * This program must not touch the database, or cannot use it; the message says why and what to do.
 */
export class MigrationRefused extends Error {}

const FILE = /^(\d{4})_([a-z0-9_]+?)(?:\.(plain|timescale))?\.sql$/;

/**
 * The migrations for an engine, in order: `NNNN_name.sql`, followed by `NNNN_name.plain.sql` or
 * `NNNN_name.timescale.sql` where there is one. They are literal SQL; the checksum covers the files
 * without comments and white space. Throws MigrationRefused on a misnamed file.
 */
export function readMigrations(definitions: Definitions, engine: Engine): Migration[] {
  const byNumber = new Map<number, Pick<Migration, 'name'> & { texts: string[] }>();
  for (const file of listSql(definitions, 'migrations').sort(commonFirst)) {
    const [, digits, name = '', variant] = FILE.exec(file) ?? [];
    const number = Number(digits);
    const existing = byNumber.get(number);
    const isNext =
      number === byNumber.size + 1 || (existing?.name === name && variant !== undefined);
    if (digits === undefined || !isNext) {
      throw new MigrationRefused(
        `sql/migrations/${file}: migrations are named 0001_name.sql, 0002_name.sql, … without a gap, each once, ` +
          'with a variant such as 0001_name.timescale.sql for what differs between engines. Rename the file.',
      );
    }
    const texts: string[] = existing?.texts ?? [];
    byNumber.set(number, { name, texts });
    if (variant === undefined || variant === engine) {
      texts.push(readSql(definitions, `migrations/${file}`).replaceAll('\r\n', '\n'));
    }
  }
  return [...byNumber].map(([number, { name, texts }]) => {
    const text = texts.join('\n');
    return { number, name, text, checksum: fingerprint(essence(text)) };
  });
}

const NOISE = /('(?:[^']|'')*'|"(?:[^"]|"")*")|(?:\s|--[^\n]*|\/\*[\s\S]*?\*\/)+/g;

/**
 * The SQL without comments, and with one space where there was white space; what is quoted stays.
 */
const essence = (sql: string) => sql.replace(NOISE, (_, quoted?: string) => quoted ?? ' ').trim();

/** `0003_readings.sql` before `0003_readings.plain.sql`. */
function commonFirst(a: string, b: string): number {
  const key = (file: string) => file.replace(/\.sql$/, '');
  return key(a) < key(b) ? -1 : 1;
}

/** The first migration of release candidates, on plain PostgreSQL and on TimescaleDB. */
const CANDIDATES: ReadonlySet<string> = new Set(['40df9c1a26e5', 'bacd8c27bd50']);

/**
 * The migrations still to be applied. Throws MigrationRefused if those already applied are not the
 * ones that this program has.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  for (const [index, row] of applied.entries()) {
    const ours = migrations[row.number - 1];
    if (row.number !== index + 1) {
      throw new MigrationRefused(
        `The database has migration ${row.number} but not ${index + 1}: the record has a gap. Restore raw.migration from a backup.`,
      );
    }
    if (ours === undefined) {
      throw new MigrationRefused(
        `The database is newer than this program: it has migration ${row.number} (${row.name}), this program ends at ${migrations.length}. Install the newer version.`,
      );
    }
    if (ours.name !== row.name || CANDIDATES.has(row.checksum.slice(0, 12))) {
      throw new MigrationRefused(
        `Migration ${row.number} is "${row.name}" (${row.checksum.slice(0, 12)}) in this database and "${ours.name}" in this program: a release ` +
          'candidate made the database, from before the first release, and it cannot be upgraded. Nothing was changed. With that version, write its ' +
          'network ("network export") and its readings to files. Make a new database (for the embedded server: another DATA_DIR), and import ' +
          'both into it: src/database/README.md, A server of your own.',
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
