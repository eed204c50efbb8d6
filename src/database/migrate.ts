/** Brings a database to the state this program needs, or refuses with a reason and a remedy. Safe to run from many processes at once. */
import type { Log } from '../log.ts';
import { commentsSql } from './comments.ts';
import { connect, onConnection, ROLES, type Sql, type Target } from './connect.ts';
import { checkEngine, offeredEngine } from './engine.ts';
import { fingerprint, sqlFile } from './files.ts';
import { type Applied, type Migration, MigrationRefused, pendingMigrations, readMigrations } from './migrations.ts';
import type { Columns } from './oracle.ts';
import { repeatableSql } from './repeatable.ts';
import { buildRollups, type Engine, LEVELS, rebuildRollups } from './rollups.ts';
import { checkSession } from './session.ts';
import { checkTimeZone } from './timeZone.ts';

export type Installation = { timeZone: string; engine: Engine; applied: number };

export const DEFAULT_TIME_ZONE = 'Asia/Yerevan';

type Options = { timeZone?: string | undefined; now: Date; log: Log };

/** Throws too where the server did not take the session settings that our SQL relies on, in any of the three roles. */
export async function migrate(target: Target, options: Options): Promise<Installation> {
  const installation = await migrateAsUser(target, options);
  for (const role of ROLES) {
    const session = { role, timeZone: installation.timeZone };
    await onConnection(target, session, (sql) => checkSession(sql, session));
  }
  return installation;
}

async function migrateAsUser(target: Target, { timeZone, now, log }: Options): Promise<Installation> {
  const sql = connect(target, { name: 'airseries migrate' });
  try {
    await sql`select pg_advisory_lock(hashtext('airseries.migrate'))`;
    const recorded = await installation(sql);
    if (recorded === undefined) {
      const zone = timeZone ?? DEFAULT_TIME_ZONE;
      await checkTimeZone(sql, zone, now);
      const { engine, why } = await offeredEngine(sql);
      log.info({ engine, why, time_zone: zone }, 'new database');
      await makeRoles(sql);
      await sql.unsafe(RECORD).simple();
      return await bring(sql, engine, zone, now, log);
    }
    if (timeZone !== undefined && timeZone !== recorded.zone) {
      throw new MigrationRefused(
        `TIME_ZONE is ${timeZone}, but this database was made for ${recorded.zone}, and its days and months are of that zone. ` +
          `Unset TIME_ZONE or set it to ${recorded.zone}; for another zone make a new database.`,
      );
    }
    await checkEngine(sql, recorded.engine);
    return await bring(sql, recorded.engine, recorded.zone, now, log);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function makeRoles(sql: Sql): Promise<void> {
  try {
    await sql.unsafe(sqlFile('roles.sql')).simple();
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new MigrationRefused(
      `The roles airseries_owner, airseries_ingest and airseries_reader could not be set up (${(error as Error).message}). ` +
        'The user of DATABASE_URL needs CREATEROLE and must own the database. Where another user of this server has made the roles ' +
        'already, let that user run: grant airseries_owner, airseries_ingest, airseries_reader to the user of DATABASE_URL.',
    );
  }
}

/** Where migrations are recorded; made before the first of them. */
const RECORD = `
create schema if not exists raw authorization airseries_owner;
create table if not exists raw.migration (number int primary key, name text not null, checksum text not null, applied_at timestamptz not null);
alter table raw.migration owner to airseries_owner;`;

async function installation(sql: Sql): Promise<{ zone: string; engine: Engine } | undefined> {
  const [there] = await sql`select to_regclass('raw.installation') is not null as made`;
  if (there?.made !== true) return undefined;
  const [row] = await sql<{ zone: string; engine: Engine }[]>`select time_zone as zone, engine from raw.installation`;
  return row;
}

async function bring(sql: Sql, engine: Engine, zone: string, now: Date, log: Log): Promise<Installation> {
  const migrations = readMigrations(engine, zone);
  const applied = await sql<Applied[]>`select number, name, checksum from raw.migration order by number`;
  const pending = pendingMigrations(migrations, applied);
  const rebuilds = pending.some((migration) => migration.rebuildsRollups);
  if (rebuilds && applied.length > 0) await checkReadings(sql);
  if (!rebuilds) await checkRollups(sql, buildRollups(engine, zone));
  for (const migration of pending) {
    await apply(sql, migration, rebuildRollups(engine, zone), now);
    log.info({ migration: `${migration.number} ${migration.name}` }, 'migrated');
  }
  await rebuildRepeatable(sql, engine, zone, log);
  return { timeZone: zone, engine, applied: migrations.length };
}

async function apply(sql: Sql, migration: Migration, rebuild: string, now: Date): Promise<void> {
  const { number, name, text, checksum, rebuildsRollups } = migration;
  await inTransaction(
    sql,
    `${text}; ${rebuildsRollups ? rebuild : ''}
     insert into raw.migration values (${number}, '${name}', '${checksum}', '${now.toISOString()}');`,
  );
}

/** Building the aggregates anew would erase those whose readings are gone. */
async function checkReadings(sql: Sql): Promise<void> {
  const [row] = await sql<{ since: string | null }[]>`
    select to_jsonb(i) ->> 'dropped_before' as since from raw.installation i where isfinite((to_jsonb(i) ->> 'dropped_before')::timestamptz)`;
  if (row === undefined) return;
  throw new MigrationRefused(
    `This version builds the aggregates anew, and readings before ${row.since} are gone (RAW_RETENTION): what was computed from them would be lost. ` +
      'Stay with the version before, or bring those readings back first.',
  );
}

async function checkRollups(sql: Sql, rollups: string): Promise<void> {
  const [row] = await sql`select rollups from raw.installation`;
  if (row?.rollups === fingerprint(rollups)) return;
  throw new MigrationRefused(
    'The definitions of the aggregates (sql/rollups) are not those that this database was built with. ' +
      'Put them back, or add a migration with the line "-- airseries: rebuild rollups".',
  );
}

async function rebuildRepeatable(sql: Sql, engine: Engine, zone: string, log: Log): Promise<void> {
  const text = repeatableSql(engine, zone, await levelColumns(sql)) + commentsSql();
  const mark = fingerprint(text);
  const [row] = await sql`select repeatable from raw.installation`;
  if (row?.repeatable === mark) return;
  await inTransaction(sql, `${text}; update raw.installation set repeatable = '${mark}';`);
  log.info('schema api built');
}

async function levelColumns(sql: Sql): Promise<Columns> {
  const rows = await sql<{ level: string; name: string; type: string }[]>`
    select c.relname as level, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'rollup'::regnamespace and c.relname in ${sql(LEVELS.map(({ name }) => name))} and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`;
  return Object.fromEntries(LEVELS.map(({ name }) => [name, rows.filter((row) => row.level === name)]));
}

/** Several statements as one transaction of the owner; on an error nothing of it is left. */
async function inTransaction(sql: Sql, text: string): Promise<void> {
  try {
    await sql.unsafe(`begin; set local role airseries_owner; ${text} ; commit;`).simple();
  } catch (error) {
    await sql.unsafe('rollback').simple();
    throw error;
  }
}
