/**
 * The check of a process that may only read (READER_DATABASE_URL): it cannot migrate the database,
 * so it compares the recorded fingerprints with those that this version would record.
 */

import type { DatabaseAddress } from '../database/address.ts';
import { checkSession } from '../database/checkSession.ts';
import { onConnection, type Sql } from '../database/client.ts';
import { buildRollups } from './aggregates.ts';
import { calendarOf, checkRecorded, type Installation, levelColumns } from './migrate.ts';
import { MigrationRefused, readMigrations } from './migrations.ts';
import { repeatableSql } from './repeatable.ts';
import { storageFault } from './storage.ts';
import { DEFINITIONS, type Definitions, fingerprint } from './template.ts';

type Options = {
  timeZone?: string | undefined;
  epoch?: string | undefined;
  definitions?: Definitions;
};
type Row = Omit<Installation, 'applied'> & {
  migrations: number;
  rollups: string | null;
  repeatable: string | null;
};

const ROLE = 'airseries_reader';

/**
 * Returns what `migrate` would return. Throws MigrationRefused if another process has yet to
 * migrate the database to this version or the configuration differs from it, and as `checkSession`
 * does.
 */
export async function checkInstalled(
  target: DatabaseAddress,
  { timeZone, epoch, definitions = DEFINITIONS }: Options,
): Promise<Installation> {
  const installation = await onConnection(
    target,
    { role: ROLE, name: 'airseries check' },
    async (sql) => {
      const { migrations, rollups, repeatable, ...recorded } = await readRow(sql);
      const { engine } = recorded;
      const calendar = await calendarOf(sql, recorded);
      const expected = {
        migrations: readMigrations(definitions, engine).length,
        rollups: fingerprint(buildRollups(definitions, engine, calendar)),
        repeatable: fingerprint(
          repeatableSql(definitions, engine, calendar, await levelColumns(sql)),
        ),
      };
      const differing = Object.entries({ migrations, rollups, repeatable }).filter(
        ([name, value]) => value !== expected[name as keyof typeof expected],
      );
      if (differing.length > 0)
        throw refusal(`has another version (${differing.map(([name]) => name).join(', ')})`);
      checkRecorded(recorded, timeZone, epoch);
      const fault = await storageFault(sql, engine);
      if (fault !== undefined) throw new MigrationRefused(fault);
      return { ...recorded, applied: migrations };
    },
  );
  const session = { role: ROLE, timeZone: installation.timeZone } as const;
  await onConnection(target, session, (sql) => checkSession(sql, target, session));
  return installation;
}

/** SQLSTATEs of a database that was never migrated: no such relation, schema or role. */
const NOT_MIGRATED = ['42P01', '3F000', '22023', '42704'];

async function readRow(sql: Sql): Promise<Row> {
  try {
    const [row] = await sql<Row[]>`
      select time_zone as "timeZone", epoch, engine, migrations, rollups, repeatable
      from api.installation`;
    if (row !== undefined) return row;
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    if (!NOT_MIGRATED.includes(code)) throw error;
    throw refusal(`is not migrated to this version (${message})`);
  }
  throw new MigrationRefused('raw.installation is empty. Restore the database from a backup.');
}

function refusal(what: string): MigrationRefused {
  return new MigrationRefused(
    `The database of READER_DATABASE_URL ${what}, and a login that may only read cannot migrate it. ` +
      'Start a process of this version with DATABASE_URL, or run its command migrate, and then start this one again.',
  );
}
