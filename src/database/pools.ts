/**
 * The two pools of a process: one that reads schema api through Kysely, one that stores readings. Kysely writes the SQL and our own pool
 * runs it: the published dialect for this driver reserves a connection for every query, and hangs when its server process dies.
 */
import {
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { ApiFunctions, ApiViews } from './apiTypes.ts';
import type { Sql, Target } from './client.ts';
import { openQueryPool, type PoolObserver, type Queryable, type QueryPool, query } from './queryPool.ts';

type Options = {
  /** The installation's zone: timestamps come out with its offset (Z2). */
  timeZone: string;
  max?: number;
  watch?: PoolObserver | undefined;
};

/** A database that may only be read, as the role that sees schema api and nothing else. `destroy()` closes it. */
export function openReads<Tables>(target: Target, { timeZone, max = 10, watch }: Options): Kysely<Tables> {
  const pool = openQueryPool(target, {
    role: 'airseries_reader',
    name: 'airseries read',
    timeZone,
    max,
    watch,
    ...READ_LIMITS,
  });
  return kyselyOver(pool, () => pool.close());
}

/** The same on one connection, for statements that belong together in a transaction, or need longer. Closing it is for whoever opened it. */
export function readsOn<Tables>(sql: Sql): Kysely<Tables> {
  return kyselyOver(sql, async () => undefined);
}

/** A client has its answer, or 503, within three seconds: ten connections answer about 500 questions in the two that one may wait. */
const READ_LIMITS = { statementMs: 2_000, answerMs: 2_800, mostWaiting: 500 };

function kyselyOver<Tables>(db: Queryable, destroy: () => Promise<void>): Kysely<Tables> {
  const refuse = (): never => {
    throw new Error('reads have no transactions and no streams: each is one statement');
  };
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => ({
      rows: [...(await query(db, sql, parameters))] as Row[],
    }),
    streamQuery: refuse,
  };
  const driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy,
  };
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createDriver: () => driver,
    },
  });
}

/** Late rows of many months in one batch take their time in compressed chunks; a database that is silent is given up after two seconds. */
const WRITE_LIMITS = {
  statementMs: 20_000,
  answerMs: 25_000,
  mostWaiting: 200,
  pulse: { everyMs: 1_000, answerMs: 1_000 },
};

export function openWrites(
  target: Target,
  { timeZone, max = 4, watch }: { timeZone: string; max?: number; watch?: PoolObserver | undefined },
): QueryPool {
  return openQueryPool(target, {
    role: 'airseries_ingest',
    name: 'airseries ingest',
    timeZone,
    max,
    watch,
    ...WRITE_LIMITS,
  });
}

/** Schema api as Kysely sees it: what PostgreSQL's catalog says (apiTypes.ts, generated), and how a function that returns rows is called. */

export type Api = ApiViews;

/** Over our reads or over one connection: nothing depends on which. */
export type ApiDb = Kysely<Api>;

/** A row of a view or of a function. */
export type ApiRow<Name extends keyof ApiFunctions | keyof ApiViews> = Name extends keyof ApiFunctions
  ? ApiFunctions[Name]['row']
  : Name extends keyof ApiViews
    ? ApiViews[Name]
    : never;

/** The call of a function, to select from under an alias; arguments go by name, so that any with a default may be left out. */
export function apiRows<Name extends keyof ApiFunctions>(
  name: Name,
  args: ApiFunctions[Name]['arguments'],
): RawBuilder<ApiFunctions[Name]['row']> {
  const named = Object.entries(args).map(([key, value]) => sql`${sql.id(key)} => ${value}`);
  return sql`${sql.id('api', name)}(${sql.join(named)})`;
}
