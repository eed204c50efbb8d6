/**
 * COPY that settles when it fails. The client's own stream waits for ever if the database refuses after the last byte (a key that is
 * there already is noticed only then), so a COPY runs inside a transaction, and the next statement of it tells how the COPY ended.
 */
import { setImmediate } from 'node:timers/promises';
import type { ReservedSql } from 'postgres';
import type { Sql } from './client.ts';

/** One transaction on a connection of its own; rolled back, and the error rethrown, if the work fails. */
export async function inTransaction<T>(sql: Sql, work: (connection: ReservedSql) => Promise<T>): Promise<T> {
  await sql`select`; // the driver never reserves a connection that it has yet to open
  const connection = await sql.reserve();
  try {
    await connection.unsafe('begin');
    const result = await work(connection);
    const { command } = await connection.unsafe('commit');
    if (command !== 'COMMIT') throw new Error('the database refused the transaction; its log says why');
    return result;
  } catch (error) {
    await connection.unsafe('rollback').catch(() => undefined);
    throw error;
  } finally {
    connection.release();
  }
}

/** Sends what `chunks` yields. Resolves to whether the database took it; if not, nothing but a rollback can follow. */
export async function copyRows(connection: ReservedSql, statement: string, chunks: Iterable<string>): Promise<boolean> {
  const copy = await connection.unsafe(statement).writable();
  copy.on('error', () => undefined); // every write gets it too, and is awaited
  let written: Promise<void> = Promise.resolve();
  for (const chunk of chunks) {
    await written; // the next chunk is made while the last one is on its way
    written = new Promise((resolve, reject) => {
      copy.write(chunk, (error) => (error == null ? resolve() : reject(error)));
    });
    written.catch(() => undefined);
  }
  await written;
  copy.end();
  await setImmediate(); // the end of the COPY goes out before the next statement
  return await connection.unsafe('select').then(
    () => true,
    (error: { code?: string }) => {
      if (error.code === IN_FAILED_TRANSACTION) return false;
      throw error;
    },
  );
}

/** The same as one transaction: all of it or an error. */
export async function copyIn(sql: Sql, statement: string, chunks: Iterable<string>): Promise<void> {
  await inTransaction(sql, async (connection) => {
    if (!(await copyRows(connection, statement, chunks))) {
      throw new Error('the database refused the readings; its log says why');
    }
  });
}

const IN_FAILED_TRANSACTION = '25P02';
