/** A transaction that stays open during a test, on a connection of its own. */
import type { Sql } from '../../src/database/client.ts';

/** Opens one and runs a statement in it, such as `lock table raw.token`. */
export async function openTransaction(sql: Sql, statement: string) {
  await sql`select`; // the driver reserves only connections that are already open
  const connection = await sql.reserve();
  await connection`begin`;
  await connection.unsafe(statement);
  return async (end: 'commit' | 'rollback') => {
    await connection.unsafe(end);
    connection.release();
  };
}
