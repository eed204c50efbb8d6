/**
 * COPY that settles when it fails. The client's own stream waits for ever if the database refuses after the last byte (a key that
 * is there already is noticed only then), so the COPY runs in a transaction, and how that ends tells how the COPY ended.
 */
import { setImmediate } from 'node:timers/promises';
import type { Sql } from '../database/connect.ts';

/** Sends what `chunks` yields as one transaction: all of it or an error. */
export async function copyIn(sql: Sql, statement: string, chunks: Iterable<string>): Promise<void> {
  await sql`select`; // the driver never reserves a connection that it has yet to open
  const connection = await sql.reserve();
  try {
    await connection.unsafe('begin');
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
    await setImmediate(); // the end of the COPY goes out before the commit
    const { command } = await connection.unsafe('commit');
    if (command !== 'COMMIT') throw new Error('the database refused the readings; its log says why');
  } catch (error) {
    await connection.unsafe('rollback').catch(() => undefined);
    throw error;
  } finally {
    connection.release();
  }
}
