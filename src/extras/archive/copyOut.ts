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

/**
 * Writes the rows of a query as CSV, and resolves to their number. `onLines` gets the number of
 * lines written so far.
 */
export async function copyCsv(
  connection: Sql,
  select: string,
  write: (chunk: Buffer) => Promise<void>,
  { hasHeader = true, onLines }: { hasHeader?: boolean; onLines?(lines: number): void } = {},
): Promise<number> {
  let lines = hasHeader ? -1 : 0;
  for await (const chunk of copyOut(
    connection,
    `copy (${select}) to stdout (format csv, header ${hasHeader})`,
  )) {
    await write(chunk);
    lines += countLines(chunk);
    onLines?.(lines);
  }
  return lines;
}

const LINE_FEED = 0x0a;

/** Lines that end in the chunk: no value of these files contains a line end. */
function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
    lines += 1;
  }
  return lines;
}
