/**
 * Reads for the API: Kysely writes the SQL, our own pool runs it. The published dialect for this driver takes a connection out of the
 * pool for every query, and hangs when its server process dies; this one does not.
 */
import { type DatabaseConnection, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Target } from './client.ts';
import { type AskingPool, openAskingPool, type PoolWatch } from './queryPool.ts';

type Options = {
  /** The installation's zone: timestamps come out with its offset (Z2). */
  timeZone: string;
  max?: number;
  watch?: PoolWatch | undefined;
};

/** A database that may only be read, as the role that sees schema api and nothing else. `destroy()` closes it. */
export function openReads<Tables>(target: Target, { timeZone, max = 10, watch }: Options): Kysely<Tables> {
  const pool = openAskingPool(target, {
    role: 'airseries_reader',
    name: 'airseries read',
    timeZone,
    max,
    watch,
    ...LIMITS,
  });
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createDriver: () => driver(pool),
    },
  });
}

/** A client has its answer, or 503, within three seconds: ten connections answer about 500 questions in the two that one may wait. */
const LIMITS = { statementMs: 2_000, answerMs: 2_800, mostWaiting: 500 };

function driver(pool: AskingPool) {
  const refuse = (): never => {
    throw new Error('reads have no transactions and no streams: each is one statement');
  };
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => ({
      rows: (await pool.ask(sql, parameters)) as Row[],
    }),
    streamQuery: refuse,
  };
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: () => pool.close(),
  };
}
