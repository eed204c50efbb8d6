/**
 * Creates a migrated database without data for a test file, cloned from a template in about 100 ms.
 */
import { createHash, randomBytes } from 'node:crypto';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { connect, type DatabaseAddress, type Role, type Sql } from '../../src/database/client.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { migrate } from '../../src/schema/migrate.ts';
import type { Targets } from './servers.ts';

export type Server = Exclude<DatabaseAddress, string>;

export type TestDatabase = {
  engine: Engine;
  timeZone: string;
  target: Server;
  /** Opens a pool as a role (default: the owner); closed with the database. */
  as(role?: Role, timeZone?: string): Sql;
  /** A pool as the superuser, for what only tests do to a server. */
  superuser(): Sql;
  drop(): Promise<void>;
};

export async function makeDatabase(
  targets: Targets,
  engine: Engine,
  timeZone: string,
): Promise<TestDatabase> {
  const server = serverOf(targets, engine);
  const template = await templateDatabase(server, timeZone);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(server, async (sql) => {
    await sql.unsafe(`create database ${name} template ${template}`);
    // migrations need it, and clones lack it
    await sql.unsafe(`grant create on database ${name} to airseries_owner`);
  });
  const target = { ...server, database: name };
  const pools: Sql[] = [];
  const open = (options: Parameters<typeof connect>[1]) => {
    const pool = connect(target, { max: 2, ...options });
    pools.push(pool);
    return pool;
  };
  return {
    engine,
    timeZone,
    target,
    as: (role = 'airseries_owner', zone = timeZone) => open({ role, timeZone: zone }),
    superuser: () => open({}),
    async drop() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
      await administer(server, (sql) => sql.unsafe(`drop database ${name} with (force)`));
    },
  };
}

/** A database without any migration; or, with a template, all that is in that. */
export async function makeEmptyDatabase(
  targets: Targets,
  engine: Engine,
  template = 'template0', // nobody can be connected to it
): Promise<{ target: Server; drop(): Promise<void> }> {
  const server = serverOf(targets, engine);
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await administer(server, (sql) => sql.unsafe(`create database ${name} template ${template}`));
  return {
    target: { ...server, database: name },
    drop: () => administer(server, (sql) => sql.unsafe(`drop database ${name} with (force)`)),
  };
}

async function templateDatabase(server: Server, timeZone: string): Promise<string> {
  const name = `template_${createHash('md5').update(timeZone).digest('hex')}`;
  await administer(server, async (sql) => {
    await sql`select pg_advisory_lock(1)`; // test files run side by side
    const [made] = await sql`select datallowconn from pg_database where datname = ${name}`;
    if (made?.datallowconn === false) return;
    if (made !== undefined) await sql.unsafe(`drop database ${name} with (force)`);
    await sql.unsafe(`create database ${name}`);
    const target = { ...server, database: name };
    const now = new Date('2026-11-20T00:00:00Z');
    await migrate(target, { timeZone, now, log: makeLog('warn') });
    await refresh(target, now); // the first build is done: before it nothing is answered
    await freeze(sql, name);
  });
  return name;
}

/** Makes a template of a database: others may be cloned from it, and nobody can connect to it. */
export async function freeze(sql: Sql, name: string): Promise<void> {
  await sql.unsafe(`alter database ${name} allow_connections false`);
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`;
}

async function administer(server: Server, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = connect(server, {});
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function serverOf(targets: Targets, engine: Engine): Server {
  const target = targets[engine];
  if (target === undefined || typeof target === 'string')
    throw new Error(`no server for the engine ${engine}`);
  return target;
}
