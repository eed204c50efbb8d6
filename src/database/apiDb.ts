/**
 * Schema api through Kysely. Only what serves numbers imports this file: Kysely is 262 modules, and
 * a command that does not load them starts in 0.28 s instead of 0.46.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { ApiFunctions, ApiViews } from './generated/apiTypes.ts';
import { type Queryable, query, type Statements } from './query.ts';

/** Schema api as Kysely sees it. */
export type Api = ApiViews;

/**
 * Schema api over the pool of `openReaderPool` or a connection: statements that Kysely writes, and
 * statements that are text (`query`).
 */
export type ApiDb = Kysely<Api> & Statements;

/** A row of a view or of a function. */
export type ApiRow<Name extends keyof ApiFunctions | keyof ApiViews> =
  Name extends keyof ApiFunctions
    ? ApiFunctions[Name]['row']
    : Name extends keyof ApiViews
      ? ApiViews[Name]
      : never;

/**
 * A call of a function, to select from under an alias. Arguments are passed by name, so those with
 * a default may be omitted.
 */
export function apiRows<Name extends keyof ApiFunctions>(
  name: Name,
  args: ApiFunctions[Name]['arguments'],
): RawBuilder<ApiFunctions[Name]['row']> {
  const named = Object.entries(args).map(([key, value]) => sql`${sql.id(key)} => ${value}`);
  return sql`${sql.id('api', name)}(${sql.join(named)})`;
}

/**
 * Kysely over a pool or connection. Kysely only writes the SQL, and `db` runs it: the published
 * dialect for this driver reserves a connection for every query, and hangs when its server process
 * dies. There are no transactions and no streams. `destroy` takes the place of Kysely's own.
 */
export function apiOver(db: Queryable, destroy = async () => {}): ApiDb {
  const refuse = (): never => {
    throw new Error('reads are single statements: there are no transactions and no streams');
  };
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => ({
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
    destroy: async () => undefined,
  };
  const kysely = new Kysely<Api>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createDriver: () => driver,
    },
  });
  // Kysely's own destroy() does nothing before Kysely has run its first statement
  return Object.assign(kysely, { query: query.bind(undefined, db), destroy });
}
