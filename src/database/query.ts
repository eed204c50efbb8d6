/** Statements on whatever runs them: a pool with deadlines, or a connection of a job or a command. */
import type { Sql } from './client.ts';
import type { ApiFunctions } from './generated/apiTypes.ts';

export type Statements = {
  /**
   * The rows of one statement, which must be safe to repeat. Rejects with Unavailable if the
   * database is unreachable or too slow, and with the server's error otherwise.
   */
  query(text: string, parameters: readonly unknown[]): Promise<unknown[]>;
};

/**
 * Anything that runs statements: a pool with deadlines, or the connection of a job or a command,
 * which may take as long as it needs.
 */
export type Queryable = Statements | Sql;

/** The rows of a statement. Where `db` is a pool, rejects as its `query` does. */
export async function query(
  db: Queryable,
  text: string,
  parameters: readonly unknown[],
): Promise<unknown[]> {
  return 'query' in db
    ? await db.query(text, parameters)
    : await db.unsafe(text, [...parameters] as never[], { prepare: true });
}

/** The rows of a call and nothing else. Kysely takes as long to write one as to send it. */
export async function callApi<Name extends keyof ApiFunctions>(
  db: Queryable,
  name: Name,
  args: ApiFunctions[Name]['arguments'],
): Promise<ApiFunctions[Name]['row'][]> {
  const named = Object.keys(args).map((key, n) => `${key} => $${n + 1}`);
  const call = `select * from api.${name}(${named.join(', ')})`;
  return (await query(db, call, Object.values(args))) as ApiFunctions[Name]['row'][];
}
