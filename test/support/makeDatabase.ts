/** Creates a migrated database for a test file, cloned from a template in about 100 ms. */
import { createHash, randomBytes } from 'node:crypto';
import { refresh, refreshOn } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import type { Role } from '../../src/database/session.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { DEFINITIONS, type Definitions } from '../../src/schema/template.ts';
import type { Targets } from './run/servers.ts';

export type Server = Exclude<DatabaseAddress, string>;

export type TestDatabase = {
  engine: Engine;
  timeZone: string;
  target: Server;
  /** Opens a pool as a role (default: the owner); closed with the database. */
  as(role?: Role, timeZone?: string): Sql;
  /** A pool as the superuser, for statements that only tests send. */
  superuser(): Sql;
  /**
   * Refreshes on a connection that stays: making a new one takes most of the time of a small
   * refresh.
   */
  refresh(now: Date): Promise<void>;
  drop(): Promise<void>;
};

/** What a database begins with; each of them is a copy of one that was filled once in a run. */
export type Seed = { name: string; fill(owner: Sql): Promise<unknown> };

export async function makeDatabase(
  targets: Targets,
  engine: Engine,
  timeZone: string,
  definitions = DEFINITIONS,
  seed?: Seed,
): Promise<TestDatabase> {
  const server = serverOf(targets, engine);
  const template = await templateDatabase(server, timeZone, definitions, seed);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const sql = administration(server);
  // a copy of the files takes 29 ms of processor, and 142 with TimescaleDB; one by the log 48 and 226
  await sql.unsafe(`create database ${name} template ${template} strategy file_copy`);
  // migrations need it, and clones lack it
  await sql.unsafe(`grant create on database ${name} to airseries_owner`);
  const target = { ...server, database: name };
  const pools: Sql[] = [];
  const open = (options: Parameters<typeof connect>[1]) => {
    const pool = connect(target, { max: 2, ...options });
    pools.push(pool);
    return pool;
  };
  let refreshing: Sql | undefined;
  return {
    engine,
    timeZone,
    target,
    async refresh(now) {
      const kept = refreshing ?? open({ role: 'airseries_owner', max: 1 });
      refreshing = undefined; // a connection whose refresh failed may hold its lock, and ends
      try {
        await refreshOn(kept, () => now);
        refreshing = kept;
      } finally {
        if (refreshing !== kept) await kept.end({ timeout: 1 });
      }
    },
    as: (role = 'airseries_owner', zone = timeZone) => open({ role, timeZone: zone }),
    superuser: () => open({}),
    async drop() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
      await administration(server).unsafe(`drop database ${name} with (force)`);
    },
  };
}

/** A database without any migration, or a copy of a template. */
export async function makeEmptyDatabase(
  targets: Targets,
  engine: Engine,
  template = 'template0', // nobody can be connected to it
): Promise<{ target: Server; drop(): Promise<void> }> {
  const server = serverOf(targets, engine);
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await administration(server).unsafe(`create database ${name} template ${template}`);
  return {
    target: { ...server, database: name },
    async drop() {
      await administration(server).unsafe(`drop database ${name} with (force)`);
    },
  };
}

/** The templates that this process has made or found, by server, time zone, extras and seed. */
const templates = new Map<string, Promise<string>>();

function templateDatabase(
  server: Server,
  timeZone: string,
  definitions: Definitions,
  seed?: Seed,
): Promise<string> {
  const key = `${server.host}:${server.port} ${timeZone} ${definitions.extras} ${seed?.name}`;
  const known = templates.get(key) ?? makeTemplate(server, timeZone, definitions, seed);
  templates.set(key, known);
  return known;
}

async function makeTemplate(
  server: Server,
  timeZone: string,
  definitions: Definitions,
  seed?: Seed,
): Promise<string> {
  const kind = `${timeZone} ${definitions.extras} ${seed?.name ?? ''}`.trimEnd();
  const name = `template_${createHash('md5').update(kind).digest('hex')}`;
  const sql = connect(server, {});
  try {
    await sql`select pg_advisory_lock(1)`; // test files run side by side
    const [made] = await sql`select datallowconn from pg_database where datname = ${name}`;
    if (made?.datallowconn === false) return name;
    if (made !== undefined) await sql.unsafe(`drop database ${name} with (force)`);
    await sql.unsafe(`create database ${name}`);
    const target = { ...server, database: name };
    const now = new Date('2026-11-20T00:00:00Z');
    await migrate(target, { timeZone, now, log: makeLog('warn'), definitions });
    await refresh(target, () => now); // the first build, without which the API answers 503
    if (seed !== undefined) {
      const owner = connect(target, { role: 'airseries_owner', timeZone });
      await seed.fill(owner).finally(() => owner.end({ timeout: 1 }));
    }
    await freeze(sql, name);
    return name;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Makes a template of a database: others may be cloned from it, and nobody can connect to it. */
export async function freeze(sql: Sql, name: string): Promise<void> {
  await sql.unsafe(`alter database ${name} allow_connections false`);
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`;
}

const administrations = new Map<string, Sql>();

/**
 * A pool of this process that makes and drops databases. Its connections stay open: one that the
 * driver closes while a test of the same process has another `performance.now()` is opened again
 * when that time has come, and a run of 85 s waited four minutes for it, in three of ten.
 */
function administration(server: Server): Sql {
  const key = `${server.host}:${server.port}`;
  const known = administrations.get(key) ?? connect(server, { max: 2 });
  administrations.set(key, known);
  return known;
}

function serverOf(targets: Targets, engine: Engine): Server {
  const target = targets[engine];
  if (target === undefined || typeof target === 'string')
    throw new Error(`no server for the engine ${engine}`);
  return target;
}
