/**
 * Migrates a database to the state that this program needs, or refuses with a remedy. Many
 * processes may run it at once.
 */
import type { Log } from '../base/log.ts';
import { AIRSERIES } from '../base/shell.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { checkOwnSession, checkSession } from '../database/checkSession.ts';
import { onConnection, type Sql, type TransactionSql } from '../database/client.ts';
import { acquireLock } from '../database/locks.ts';
import { ROLES } from '../database/session.ts';
import { buildRollups, type Calendar, type Engine, LEVELS } from './aggregates.ts';
import { findDependents, remakeDependents } from './dependents.ts';
import {
  checkEngine,
  checkTimeZone,
  isUntried,
  offeredEngine,
  serverVersions,
  timescaleInWords,
} from './engine.ts';
import {
  type AppliedMigration,
  type Migration,
  MigrationRefused,
  pendingMigrations,
  readMigrations,
} from './migrations.ts';
import type { Columns } from './oracle.ts';
import {
  buildShadow,
  dropReplaced,
  EVERYTHING_IS_STALE,
  makeWay,
  NEW_VERSION_SHOWS,
  shadowSql,
} from './rebuild.ts';
import { repeatableSql } from './repeatable.ts';
import { storageFault } from './storage.ts';
import { DEFINITIONS, type Definitions, fingerprint, readSql } from './template.ts';

/** The row of raw.installation, and the number of migrations applied. */
export type Installation = { timeZone: string; epoch: string; engine: Engine; applied: number };

export const DEFAULT_TIME_ZONE = 'Asia/Yerevan';
export const DEFAULT_EPOCH = '2000-01-01';

type Options = {
  /** Undefined: as recorded, or the default. */
  timeZone?: string | undefined;
  /** A local date, the first of a month; undefined: as recorded, or the default. */
  epoch?: string | undefined;
  now: Date;
  log: Log;
  /** Refuse a database that was never migrated. */
  mustExist?: boolean;
  /**
   * Called for a database that was never migrated: resolves to the zone to make it for. Default:
   * `timeZone`.
   */
  zoneOfNew?: (() => Promise<string>) | undefined;
  /** Called first, while no other process can migrate. `sql` works as the connecting user. */
  first?: (sql: Sql) => Promise<void>;
  definitions?: Definitions;
};

/**
 * Waits for any other migration, then applies what is missing. Throws MigrationRefused, as
 * `checkSession` does, and where the user may not take one of the three roles.
 */
export async function migrate(target: DatabaseAddress, options: Options): Promise<Installation> {
  const installation = await onConnection(target, { name: 'airseries migrate' }, async (sql) => {
    // before any lock, because a pooler would keep it, and its next client would wait for it
    await checkSession(sql, target, {});
    await checkOwnSession(sql, target);
    await lockMigrations(sql, options.log);
    await options.first?.(sql);
    return await migrateLocked(sql, options);
  });
  // the settings of the other roles are among the reader's
  const session = { role: 'airseries_reader', timeZone: installation.timeZone } as const;
  await onConnection(target, session, async (sql) => {
    await checkSession(sql, target, session);
    for (const role of ROLES) await sql`set role ${sql(role)}`;
  });
  return installation;
}

type Recorded = Omit<Installation, 'applied'>;

async function migrateLocked(
  sql: Sql,
  {
    timeZone,
    epoch,
    now,
    log,
    mustExist = false,
    zoneOfNew = async () => timeZone ?? DEFAULT_TIME_ZONE,
    definitions = DEFINITIONS,
  }: Options,
): Promise<Installation> {
  const applied = await appliedMigrations(sql);
  if (mustExist && applied.length === 0) {
    throw new MigrationRefused(
      'This database holds no network yet, and this command makes none. Is it the one that the service uses (DATABASE_URL, DATA_DIR)? ' +
        `To set it up: ${AIRSERIES} start, migrate or import network.`,
    );
  }
  const created =
    applied.length === 0
      ? await createInstallation(sql, { timeZone: await zoneOfNew(), epoch, now, log, definitions })
      : undefined;
  if (created === undefined && !(await ownerMayCreate(sql))) await createRoles(sql, definitions);
  const recorded = created ?? (await readInstallation(sql));
  const migrations = readMigrations(definitions, recorded.engine);
  const pending = pendingMigrations(migrations, applied);
  checkRecorded(recorded, timeZone, epoch);
  if (created === undefined) await rehearse(sql, recorded, pending, definitions, log);
  for (const { number, name, text, checksum } of pending) {
    const record = `insert into raw.migration (number, name, checksum, applied_at) values (${number}, '${name}', '${checksum}', '${now.toISOString()}')`;
    await inTransactionOfOwner(
      sql,
      async (transaction) => void (await transaction.unsafe(`${text};\n${record}`).simple()),
    );
    log.info({ migration: `${number} ${name}` }, 'migrated');
  }
  await build(sql, recorded, definitions, log);
  const { timescaledb } = await serverVersions(sql);
  if (timescaledb !== null && isUntried(timescaledb))
    log.warn(`TimescaleDB ${timescaleInWords(timescaledb)}`);
  return { ...recorded, applied: migrations.length };
}

/**
 * Holds the lock until the connection ends. A server that is still being restored can't be written
 * to, and is rejected as it would reject a write.
 */
async function lockMigrations(sql: Sql, log: Log): Promise<void> {
  await sql`
    do $$ begin
      if pg_is_in_recovery() then raise 'the server is in recovery' using errcode = 'read_only_sql_transaction'; end if;
    end $$`;
  await acquireLock(sql, 'airseries.migrate', log);
}

/** Where migrations are recorded. */
const LEDGER_DDL = `
create schema if not exists raw authorization airseries_owner;
create table if not exists raw.migration (number int primary key, name text not null, checksum text not null, applied_at timestamptz not null);
alter table raw.migration owner to airseries_owner;`;

async function appliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  const [ledger] = await sql`select to_regclass('raw.migration') is not null as there`;
  if (ledger?.there !== true) return [];
  return [
    ...(await sql<
      AppliedMigration[]
    >`select number, name, checksum from raw.migration order by number`),
  ];
}

/**
 * Decides the zone, epoch and engine, which never change, and passes them to the first migration as
 * settings, which records them.
 */
async function createInstallation(
  sql: Sql,
  {
    timeZone,
    epoch = DEFAULT_EPOCH,
    now,
    log,
    definitions,
  }: Pick<Options, 'epoch' | 'now' | 'log'> & { timeZone: string; definitions: Definitions },
): Promise<Recorded> {
  const chosen = { timeZone, epoch };
  await checkTimeZone(sql, chosen.timeZone, chosen.epoch, now);
  const { engine, why } = await offeredEngine(sql);
  log.info({ engine, why, time_zone: chosen.timeZone, epoch: chosen.epoch }, 'new database');
  await createRoles(sql, definitions);
  await sql.unsafe(LEDGER_DDL).simple();
  await sql`
    select set_config('airseries.time_zone', ${chosen.timeZone}, false), set_config('airseries.epoch', ${chosen.epoch}, false),
      set_config('airseries.engine', ${engine}, false)`;
  return { ...chosen, engine };
}

/**
 * A dump does not contain the rights on its database, so they are missing in one that was restored
 * under another name.
 */
async function ownerMayCreate(sql: Sql): Promise<boolean> {
  const [row] =
    await sql`select has_database_privilege('airseries_owner', current_database(), 'create') as may`;
  return row?.may === true;
}

async function createRoles(sql: Sql, definitions: Definitions): Promise<void> {
  try {
    await sql.unsafe(readSql(definitions, 'roles.sql')).simple();
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new MigrationRefused(
      `The roles airseries_owner, airseries_ingest and airseries_reader could not be set up (${(error as Error).message}). ` +
        'The user of DATABASE_URL needs CREATEROLE and must own the database. If another user of this server has made the roles ' +
        'already, that user must run: grant airseries_owner, airseries_ingest, airseries_reader to the user of DATABASE_URL.',
    );
  }
}

/**
 * Reads only what every version has. Throws MigrationRefused if the server no longer has the
 * engine, or the readings their storage.
 */
async function readInstallation(sql: Sql): Promise<Recorded> {
  const [row] = await sql<{ timeZone: string; epoch: string; engine: Engine }[]>`
    select time_zone as "timeZone", epoch::text, engine from raw.installation`;
  if (row === undefined)
    throw new MigrationRefused('raw.installation is empty. Restore the database from a backup.');
  await checkEngine(sql, row.engine);
  const fault = await storageFault(sql, row.engine);
  if (fault !== undefined) throw new MigrationRefused(fault);
  return row;
}

/**
 * Throws MigrationRefused if the configuration differs from the database; undefined is not
 * configured.
 */
export function checkRecorded(
  { timeZone, epoch }: Recorded,
  configuredZone: string | undefined,
  configuredEpoch: string | undefined,
): void {
  if (configuredZone !== undefined && configuredZone !== timeZone) {
    throw new MigrationRefused(
      `TIME_ZONE is ${configuredZone}, but this database was made for ${timeZone}, and so were its days and months. ` +
        `Unset TIME_ZONE or set it to ${timeZone}; for another zone make a new database.`,
    );
  }
  if (configuredEpoch !== undefined && configuredEpoch !== epoch) {
    throw new MigrationRefused(
      `EPOCH is ${configuredEpoch}, but this database begins on ${epoch}. ` +
        `Unset EPOCH or set it to ${epoch}; for another epoch make a new database.`,
    );
  }
}

class Rehearsed extends Error {}

/**
 * Throws MigrationRefused if something that an operator has built on our schemas would not fit the
 * new ones, before anything is changed: where a migration takes more than one transaction, it is
 * tried in one that is rolled back, with empty aggregates.
 */
async function rehearse(
  sql: Sql,
  recorded: Recorded,
  pending: readonly Migration[],
  definitions: Definitions,
  log: Log,
): Promise<void> {
  const { engine } = recorded;
  const [row] = await sql<[{ rollups: string | null }]>`select rollups from raw.installation`;
  const calendar = await calendarOf(sql, recorded);
  const isRebuild =
    row.rollups !== null &&
    row.rollups !== fingerprint(buildRollups(definitions, engine, calendar));
  const transaction = (work: (owner: TransactionSql) => Promise<void>) =>
    inTransactionOfOwner(sql, work);
  await dropReplaced(sql, engine, transaction, log); // by a migration that was killed
  if (pending.length === 0 && !isRebuild) return;
  try {
    await transaction(async (owner) => {
      const { objects } = await findDependents(owner, ['logic', 'api', 'rollup']);
      if (objects.length === 0) return;
      for (const { text } of pending) await owner.unsafe(text).simple();
      if (isRebuild) await owner.unsafe(shadowSql(definitions, engine, calendar)).simple();
      const dependents = await makeWay(owner, { engine, isRebuild, log });
      await owner`set local check_function_bodies = off`;
      await owner
        .unsafe(repeatableSql(definitions, engine, calendar, await levelColumns(owner)))
        .simple();
      await remakeDependents(owner, dependents, log);
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
}

/**
 * Builds the aggregates if their SQL has changed, in a shadow schema, and schemas logic and api if
 * theirs has. One transaction replaces what serves requests. It waits for the step of a refresh
 * that runs: the step commits on its way, and would go on with functions that are gone.
 */
async function build(
  sql: Sql,
  { timeZone, epoch, engine }: Recorded,
  definitions: Definitions,
  log: Log,
): Promise<void> {
  const [built] = await sql<[Built]>`select rollups, repeatable, catalog from raw.installation`;
  const calendar = await calendarOf(sql, { timeZone, epoch });
  const rollups = buildRollups(definitions, engine, calendar);
  const repeatable = async (owner: Sql) =>
    repeatableSql(definitions, engine, calendar, await levelColumns(owner));
  const hasChanged = built.rollups !== fingerprint(rollups);
  if (!hasChanged && built.repeatable === fingerprint(await repeatable(sql))) {
    if (built.catalog === (await catalogFingerprint(sql))) return;
    log.warn(
      'schemas logic and api are not as they were built: they were changed, or restored from a dump; building them again',
    );
  }
  const transaction = (work: (owner: TransactionSql) => Promise<void>) =>
    inTransactionOfOwner(sql, work);
  const isRebuild = hasChanged && built.rollups !== null;
  await acquireLock(sql, 'rollup.refresh', log);
  if (isRebuild) await buildShadow(sql, { engine, calendar, definitions, log, transaction });
  let remade: string[] = [];
  await transaction(async (owner) => {
    if (hasChanged && !isRebuild) await owner.unsafe(`${rollups}\n${EVERYTHING_IS_STALE}`).simple();
    const dependents = await makeWay(owner, { engine, isRebuild, log });
    if (isRebuild) await owner.unsafe(NEW_VERSION_SHOWS);
    const text = await repeatable(owner);
    await owner`set local check_function_bodies = off`;
    await owner.unsafe(text).simple();
    await remakeDependents(owner, dependents, log);
    remade = dependents.objects.map(({ what }) => what);
    await owner`update raw.installation set ${owner({
      rollups: fingerprint(rollups),
      repeatable: fingerprint(text),
      catalog: await catalogFingerprint(owner),
    })}`;
    await owner`select logic.raise_data_version()`; // other SQL may publish other numbers
  });
  await sql`select raw.release_lock('rollup.refresh')`;
  if (hasChanged)
    log.info(isRebuild ? 'aggregates replaced' : 'aggregates built; the next refresh fills them');
  if (remade.length > 0) log.info({ objects: remade }, 'what depends on them was made again');
  await dropReplaced(sql, engine, transaction, log);
}

/**
 * Fingerprints of what a database holds; null before anything is built. Each finds what the others
 * cannot: `rollups`, that this version computes aggregates otherwise, so that all years are computed
 * again; `repeatable`, that its schemas logic and api are others, which are replaced within a second;
 * `catalog`, that what was recorded is no longer there, such as a function that somebody dropped, or
 * that a dump was restored in part.
 */
type Built = { rollups: string | null; repeatable: string | null; catalog: string | null };

/**
 * The fingerprint of the repeatable SQL as the catalog holds it. Rights and
 * objects of other owners are left out: they are operators'. */
async function catalogFingerprint(sql: Sql): Promise<string> {
  const [row] = await sql<[{ fingerprint: string }]>`
    select encode(sha256(convert_to(string_agg(definition, ' ' order by definition collate "C"), 'UTF8')), 'hex') as fingerprint
    from (
      select pg_get_functiondef(p.oid) as definition from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.proowner = n.nspowner
        and (n.nspname in ('logic', 'api') and p.prokind in ('f', 'p') or n.nspname = 'rollup' and p.prokind = 'p')
      union all
      select format('%s.%s %s', n.nspname, c.relname, pg_get_viewdef(c.oid)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('logic', 'api') and c.relkind = 'v' and c.relowner = n.nspowner
    ) repeatable`;
  return row.fingerprint;
}

/** The zone and the instant of the epoch's local midnight, at which every level begins. */
export async function calendarOf(
  sql: Sql,
  { timeZone, epoch }: Pick<Recorded, 'timeZone' | 'epoch'>,
): Promise<Calendar> {
  const [row] = await sql<{ origin: string }[]>`
    select to_char(${epoch}::text::timestamp at time zone ${timeZone}::text at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"+00"') as origin`;
  return { timeZone, origin: row?.origin as string };
}

/** The columns of every level, in order; empty for a level that does not exist. */
export async function levelColumns(sql: Sql): Promise<Columns> {
  const rows = await sql<{ level: string; name: string; type: string }[]>`
    select c.relname as level, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'rollup'::regnamespace and c.relname in ${sql(LEVELS.map(({ name }) => name))} and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`;
  return Object.fromEntries(
    LEVELS.map(({ name }) => [name, rows.filter((row) => row.level === name)]),
  );
}

/** One transaction in the owner's role; an error rolls it back. */
async function inTransactionOfOwner(
  sql: Sql,
  work: (transaction: TransactionSql) => Promise<void>,
): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`set local role airseries_owner`;
    await work(transaction as unknown as TransactionSql);
  });
}
