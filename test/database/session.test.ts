/**
 * Session settings reach the server, and the check names the settings that do not: a driver or a
 * pooler may drop some.
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

  describe.each(ROLES)('role %s', (role) => {
    const session = {
      role,
      timeZone: 'Asia/Yerevan',
      statementTimeoutMs: 2_000,
      idleTimeoutMs: 6_000,
    };

    it('session settings reach the server unchanged', async () => {
      await onConnection(database.target, session, (sql) =>
        checkSession(sql, database.target, session),
      );
    });

    it('a session may decompress any number of rows', async () => {
      const [row] = await onConnection(
        database.target,
        session,
        (sql) =>
          sql`select current_setting('timescaledb.max_tuples_decompressed_per_dml_transaction') as rows`,
      );
      expect(row).toEqual({ rows: '0' });
    });

    it('a session whose time zone differs is refused, and the error names both', async () => {
      const check = onConnection(database.target, { ...session, timeZone: 'UTC' }, (sql) =>
        checkSession(sql, database.target, session),
      );
      await expect(check).rejects.toThrow('TimeZone is UTC instead of Asia/Yerevan');
    });
  });

  it('an idle session is ended by the server, which releases its locks', async () => {
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

  it('a session with a limit of decompressed rows is refused', async () => {
    const check = onConnection(database.target, {}, async (sql) => {
      await sql`set timescaledb.max_tuples_decompressed_per_dml_transaction = 100000`;
      await checkSession(sql, database.target, {});
    });
    await expect(check).rejects.toThrow(
      'max_tuples_decompressed_per_dml_transaction is 100000 instead of 0',
    );
  });
});
