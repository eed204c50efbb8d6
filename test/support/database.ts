/** A migrated database of its own for each test file and engine, cloned from a template in about 100 ms. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, inject } from 'vitest';
import { connect, type Role, type Sql, type Target } from '../../src/database/connect.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { Engine } from '../../src/database/rollups.ts';
import { makeLog } from '../../src/log.ts';

const targets = inject('targets');

/** The engines this run covers; every test that touches data runs on each of them. */
export const engines = Object.keys(targets) as Engine[];

export function onEveryEngine(name: string, tests: (engine: Engine) => void): void {
  describe.each(engines)(`${name} (%s)`, tests);
}

export type TestDatabase = {
  engine: Engine;
  timeZone: string;
  target: Target;
  /** Opens a pool as a role (default: the owner); closed with the database. */
  as(role?: Role, timeZone?: string): Sql;
  /** A pool as the superuser, for what tests do to a server and nobody else may. */
  superuser(): Sql;
  drop(): Promise<void>;
};

export async function testDatabase(engine: Engine, timeZone = 'Asia/Yerevan'): Promise<TestDatabase> {
  const template = await templateDatabase(engine, timeZone);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(engine, (sql) => sql.unsafe(`create database ${name} template ${template}`));
  const target = at(engine, name);
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
      await administer(engine, (sql) => sql.unsafe(`drop database ${name} with (force)`));
    },
  };
}

/** An empty database without any migration. */
export async function emptyDatabase(engine: Engine): Promise<{ target: Target; drop(): Promise<void> }> {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await administer(engine, (sql) => sql.unsafe(`create database ${name}`));
  return {
    target: at(engine, name),
    drop: () => administer(engine, (sql) => sql.unsafe(`drop database ${name} with (force)`)),
  };
}

async function templateDatabase(engine: Engine, timeZone: string): Promise<string> {
  const name = `template_${createHash('md5').update(timeZone).digest('hex')}`;
  await administer(engine, async (sql) => {
    await sql`select pg_advisory_lock(1)`; // test files run side by side
    const [made] = await sql`select datallowconn from pg_database where datname = ${name}`;
    if (made?.datallowconn === false) return;
    if (made !== undefined) await sql.unsafe(`drop database ${name} with (force)`);
    await sql.unsafe(`create database ${name}`);
    await migrate(at(engine, name), { timeZone, now: new Date('2026-11-20T00:00:00Z'), log: makeLog('warn') });
    await sql.unsafe(`alter database ${name} allow_connections false`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
  });
  return name;
}

async function administer(engine: Engine, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = connect(at(engine, 'postgres'), {});
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function at(engine: Engine, database: string): Target {
  const target = targets[engine];
  if (target === undefined || typeof target === 'string') throw new Error(`no server for the engine ${engine}`);
  return { ...target, database };
}
