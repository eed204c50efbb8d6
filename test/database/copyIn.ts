/** A COPY as one transaction. */
import type { Sql } from '../../src/database/client.ts';
import { copyRows, inTransaction } from '../../src/database/copyIn.ts';

export const copyIn = (
  sql: Sql,
  statement: string,
  chunks: Iterable<string | Buffer>,
): Promise<void> => inTransaction(sql, (connection) => copyRows(connection, statement, chunks));
