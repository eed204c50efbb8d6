/**
 * COPY that settles when it fails. The driver's own stream never settles if the database refuses
 * the rows after the last byte, which is when it notices a duplicate key; so a COPY runs inside a
 * transaction, and the transaction's next statement shows how it ended.
 */
import { setImmediate } from 'node:timers/promises';
import type { ReservedSql } from 'postgres';
import type { Sql } from './client.ts';
import { errorCode } from './errors.ts';

/** Work on a connection of the pool that nothing else uses meanwhile. Rejects as it does. */
export async function onReserved<T>(
  sql: Sql,
  work: (connection: ReservedSql) => Promise<T>,
): Promise<T> {
  await sql`select`; // the driver cannot reserve a connection before it has opened one
  const connection = await sql.reserve();
  try {
    return await work(connection);
  } finally {
    connection.release();
  }
}

/** One transaction. If the work fails, rolls back and rejects with its error. */
export async function transaction<T>(connection: ReservedSql, work: () => Promise<T>): Promise<T> {
  try {
    await connection.unsafe('begin');
    const result = await work();
    const { command } = await connection.unsafe('commit');
    if (command !== 'COMMIT')
      throw new Error('the database rolled the transaction back; its log says why');
    return result;
  } catch (error) {
    await connection.unsafe('rollback').catch(() => undefined);
    throw error;
  }
}

/** One transaction on a connection of its own. */
export const inTransaction = <T>(
  sql: Sql,
  work: (connection: ReservedSql) => Promise<T>,
): Promise<T> => onReserved(sql, (connection) => transaction(connection, () => work(connection)));

/**
 * Sends what `chunks` yields, inside a transaction. Rejects with the server's
 * error, and only a rollback can follow.
 */
export async function copyRows(
  connection: ReservedSql,
  statement: string,
  chunks: Iterable<string | Buffer>,
): Promise<void> {
  const query = connection.unsafe(statement);
  const copy = await query.writable();
  let refusal: unknown;
  // after the last byte the driver gives an error to the query alone, which has settled already
  Object.assign(query, { reject: (error: unknown) => (refusal = error) });
  copy.on('error', () => undefined); // every write gets the error too, and is awaited
  let written: Promise<void> = Promise.resolve();
  for (const chunk of chunks) {
    await written; // the next chunk is produced while this one is sent
    await setImmediate(); // whoever computes chunks for seconds still reads what probes are answered
    written = new Promise((resolve, reject) => {
      copy.write(chunk, (error) => (error == null ? resolve() : reject(copy.errored ?? error)));
    });
    written.catch(() => undefined);
  }
  await written;
  copy.end();
  await setImmediate(); // the end of the COPY must be sent before the next statement
  await connection.unsafe('select').catch((error: Error) => {
    throw errorCode(error) === IN_FAILED_TRANSACTION ? (refusal ?? error) : error;
  });
}

const IN_FAILED_TRANSACTION = '25P02';
