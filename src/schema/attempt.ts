/** Statements of operators within a migration: one that fails is reported, and changes nothing. */
import type { TransactionSql } from '../database/client.ts';
import { errorCode } from '../database/errors.ts';

const NOT_ITS_FAULT = /^(40|53|55|57|58|08)/;

/**
 * Runs a statement as `owner`, or as the connecting superuser, who need not be in that role.
 * Resolves to the reason if it fails. Rejects for errors that are not the fault of the statement:
 * locks, resources, an ended connection. Ends in the owner's role of our schemas.
 */
export async function attemptAs(
  transaction: TransactionSql,
  owner: string,
  statement: string,
): Promise<string | undefined> {
  const [user] = await transaction<[{ rolsuper: boolean }]>`
    select rolsuper from pg_roles where rolname = session_user`;
  try {
    await transaction.savepoint(async (inner) => {
      await inner.unsafe(`set local role ${user.rolsuper ? 'none' : owner}`);
      await inner.unsafe(statement).simple();
      await inner`set local role airseries_owner`;
    });
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code.length !== 5 || NOT_ITS_FAULT.test(code)) throw error;
    return (error as Error).message;
  }
}
