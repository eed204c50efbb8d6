/**
 * COPY that settles when it fails. The driver's own stream never settles if the database refuses the rows after the last byte, which is
 * when it notices a duplicate key; so a COPY runs inside a transaction, and the transaction's next statement shows how it ended.
 */
import { setImmediate } from 'node:timers/promises';
import type { ReservedSql } from 'postgres';
import type { Sql } from './client.ts';
import { errorCode, isSchemaChange } from './errors.ts';

/**
 * Sends what `chunks` yields in one transaction. Resolves to whether it is stored: false if the database refuses a row (its log says
 * which and why), at a deadlock, while a migration replaces what is called, or if `isWanted`, which is asked first and in the same
 * transaction, says so. Rejects with any other error.
 */
export async function copyIn(
  sql: Sql,
  statement: string,
  chunks: Iterable<string>,
  isWanted: (connection: ReservedSql) => Promise<boolean> = async () => true,
): Promise<boolean> {
  await sql`select`; // the driver cannot reserve a connection before it has opened one
  const connection = await sql.reserve();
  try {
    await connection.unsafe('begin');
    const isAccepted = (await isWanted(connection)) && (await copyRows(connection, statement, chunks));
    const { command } = await connection.unsafe(isAccepted ? 'commit' : 'rollback');
    return command === 'COMMIT';
  } catch (error) {
    await connection.unsafe('rollback').catch(() => undefined);
    if (errorCode(error) === DEADLOCK || isSchemaChange(error)) return false;
    throw error;
  } finally {
    connection.release();
  }
}

async function copyRows(connection: ReservedSql, statement: string, chunks: Iterable<string>): Promise<boolean> {
  const copy = await connection.unsafe(statement).writable();
  copy.on('error', () => undefined); // every write gets the error too, and is awaited
  let written: Promise<void> = Promise.resolve();
  for (const chunk of chunks) {
    await written; // the next chunk is produced while this one is sent
    written = new Promise((resolve, reject) => {
      copy.write(chunk, (error) => (error == null ? resolve() : reject(error)));
    });
    written.catch(() => undefined);
  }
  await written;
  copy.end();
  await setImmediate(); // the end of the COPY must be sent before the next statement
  return await connection.unsafe('select').then(
    () => true,
    (error: { code?: string }) => {
      if (error.code === IN_FAILED_TRANSACTION) return false;
      throw error;
    },
  );
}

const IN_FAILED_TRANSACTION = '25P02';
const DEADLOCK = '40P01';
