/** COPY to this process, as the bytes that the server sends. */
import type { Sql } from '../../database/client.ts';

/**
 * The driver (3.4.9) pauses its socket while bytes wait to be read, and resumes it when more are
 * asked for. After the last ones it is never asked: where they had to wait, the answer to the next
 * statement was never read. So its `_read`, which resumes the socket, is called at the end.
 */
export async function* copyOut(connection: Sql, statement: string): AsyncGenerator<Buffer> {
  const bytes = await connection.unsafe(statement).readable();
  try {
    yield* bytes;
  } finally {
    bytes._read(0);
  }
}
