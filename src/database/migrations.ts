/** The numbered migrations: once, forward only, checksum recorded. Here they are read and held against what a database recorded. */
import { fingerprint, sqlFile, sqlFiles } from './files.ts';
import { literal, render } from './render.ts';
import type { Engine } from './rollups.ts';

export type Migration = { number: number; name: string; text: string; checksum: string; rebuildsRollups: boolean };
export type Applied = { number: number; name: string; checksum: string };

/** A database that this program must not touch; the message says why and what to do. */
export class MigrationRefused extends Error {}

const REBUILD = /^-- airseries: rebuild rollups$/m;

/** The migrations of this program, rendered for an engine and a zone. */
export function readMigrations(
  engine: Engine,
  zone: string,
  paths = sqlFiles('migrations'),
  read = sqlFile,
): Migration[] {
  return paths.map((path, index) => {
    const [, number, name] = /(\d{4})_([a-z_]+)\.sql$/.exec(path) ?? [];
    if (name === undefined || Number(number) !== index + 1) {
      throw new MigrationRefused(`${path}: migrations are numbered 0001, 0002, … without a gap. Rename the file.`);
    }
    const included = read(path).replace(/\{\{engine ([\w.]+)\}\}/g, (_, file) => read(`engines/${engine}/${file}`));
    const text = render(included, { zone: literal(zone), engine: literal(engine) });
    return { number: index + 1, name, text, checksum: fingerprint(text), rebuildsRollups: REBUILD.test(text) };
  });
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
    if (ours.checksum !== row.checksum) {
      throw new MigrationRefused(
        `Migration ${row.number} (${ours.name}) was changed after it was applied. Put the file back as it was, and make the change in a new migration.`,
      );
    }
  }
  return migrations.slice(applied.length);
}
