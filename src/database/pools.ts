/**
 * The two pools of a process: one reads schema api through Kysely, one stores readings. Kysely only writes the SQL, and our own pool runs
 * it: the published dialect for this driver reserves a connection for every query, and hangs when its server process dies.
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
import type { DatabaseAddress, Sql } from './client.ts';
import { openQueryPool, type PoolObserver, type Queryable, type QueryPool, query } from './queryPool.ts';

/** Schema api as Kysely sees it. */
export type Api = ApiViews;

/** Schema api over the pool of `openReads` or the connection of `readsOn`. */
export type ApiDb = Kysely<Api>;

/** A row of a view or of a function. */
export type ApiRow<Name extends keyof ApiFunctions | keyof ApiViews> = Name extends keyof ApiFunctions
  ? ApiFunctions[Name]['row']
  : Name extends keyof ApiViews
    ? ApiViews[Name]
    : never;

type Options = {
  /** The installation's zone: timestamps come out with its offset (Z2). */
  timeZone: string;
  /** The most connections; default: ten for reads, four for writes. */
  max?: number;
  observer?: PoolObserver | undefined;
};

/** A client gets its answer or 503 within three seconds: in the two that a statement may wait, ten connections answer about 500. */
const READ_LIMITS = { statementTimeoutMs: 2_000, totalTimeoutMs: 2_800, maxWaiting: 500 };

/**
 * Queries of schema api, as the role that sees nothing else. Each rejects with Unavailable if the database is unreachable or too slow.
 * `destroy()` closes the pool. There are no transactions and no streams.
 */
export function openReads<Tables>(target: DatabaseAddress, { timeZone, max = 10, observer }: Options): Kysely<Tables> {
  const session = { role: 'airseries_reader', name: 'airseries read', timeZone } as const;
  const pool = openQueryPool(target, { ...session, max, observer, ...READ_LIMITS });
  return kyselyOver(pool, () => pool.close());
}

/** The same over one connection, for statements that share a transaction or need longer. The caller closes the connection. */
export function readsOn<Tables>(sql: Sql): Kysely<Tables> {
  return kyselyOver(sql, async () => undefined);
}

/** Late rows of many months in one batch take time in compressed chunks. A silent database is noticed after two seconds. */
const WRITE_LIMITS = {
  statementTimeoutMs: 20_000,
  totalTimeoutMs: 25_000,
  maxWaiting: 200,
  probe: { intervalMs: 1_000, timeoutMs: 1_000 },
};

/** Statements of ingestion, as its role. The caller closes the pool. */
export function openWrites(target: DatabaseAddress, { timeZone, max = 4, observer }: Options): QueryPool {
  const session = { role: 'airseries_ingest', name: 'airseries ingest', timeZone } as const;
  return openQueryPool(target, { ...session, max, observer, ...WRITE_LIMITS });
}

/** A call of a function, to select from under an alias. Arguments are passed by name, so those with a default may be omitted. */
export function apiRows<Name extends keyof ApiFunctions>(
  name: Name,
  args: ApiFunctions[Name]['arguments'],
): RawBuilder<ApiFunctions[Name]['row']> {
  const named = Object.entries(args).map(([key, value]) => sql`${sql.id(key)} => ${value}`);
  return sql`${sql.id('api', name)}(${sql.join(named)})`;
}

function kyselyOver<Tables>(db: Queryable, destroy: () => Promise<void>): Kysely<Tables> {
  const refuse = (): never => {
    throw new Error('reads are single statements: there are no transactions and no streams');
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
      createIntrospector: (db) => new PostgresIntrospector(db),
      createDriver: () => driver,
    },
  });
}
