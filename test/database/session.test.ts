/**
 * Session settings reach the server, and the check names those that do not: a driver or a pooler
 * may drop some.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkSession } from '../../src/database/checkSession.ts';
import { onConnection } from '../../src/database/client.ts';
import { ROLES } from '../../src/database/session.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

onEveryEngine('session settings', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
  });
  afterAll(() => database.drop());

  describe.each(ROLES)('of %s', (role) => {
    const session = {
      role,
      timeZone: 'Asia/Yerevan',
      statementTimeoutMs: 2_000,
      idleTimeoutMs: 6_000,
    };

    it('reach the server unchanged', async () => {
      await onConnection(database.target, session, (sql) =>
        checkSession(sql, database.target, session),
      );
    });

    it('include an unlimited number of decompressed rows', async () => {
      const [row] = await onConnection(
        database.target,
        session,
        (sql) =>
          sql`select current_setting('timescaledb.max_tuples_decompressed_per_dml_transaction') as rows`,
      );
      expect(row).toEqual({ rows: '0' });
    });

    it('are named in the error where the server has others', async () => {
      const check = onConnection(database.target, { ...session, timeZone: 'UTC' }, (sql) =>
        checkSession(sql, database.target, session),
      );
      await expect(check).rejects.toThrow('TimeZone is UTC instead of Asia/Yerevan');
    });
  });

  it('end an idle session and release its locks', async () => {
    // at load, a shorter time ends before the first statement
    const idle = onConnection(database.target, { idleTimeoutMs: 1_000 }, async (sql) => {
      await sql`select pg_advisory_lock(hashtext('a lock that would stay'))`;
      const [row] =
        // once the session has ended
        await database.superuser()`select pg_advisory_lock(hashtext('a lock that would stay'))`;
      return row;
    });
    await expect(idle).resolves.toBeDefined();
  });

  it('are all checked, including the limit of decompressed rows', async () => {
    const check = onConnection(database.target, {}, async (sql) => {
      await sql`set timescaledb.max_tuples_decompressed_per_dml_transaction = 100000`;
      await checkSession(sql, database.target, {});
    });
    await expect(check).rejects.toThrow(
      'max_tuples_decompressed_per_dml_transaction is 100000 instead of 0',
    );
  });
});
