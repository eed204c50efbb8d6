/** Session settings count only if the server has them: a driver drops what is falsy, a pooler what it does not know. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onConnection, ROLES } from '../../src/database/client.ts';
import { checkSession } from '../../src/database/session.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

onEveryEngine('session settings', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
  });
  afterAll(() => database.drop());

  describe.each(ROLES)('of %s', (role) => {
    const session = { role, timeZone: 'Asia/Yerevan', statementTimeoutMs: 2_000, idleTimeoutMs: 6_000 };

    it('reach the server as they were sent', async () => {
      await onConnection(database.target, session, (sql) => checkSession(sql, session));
    });

    it('include an unlimited number of decompressed rows', async () => {
      const [row] = await onConnection(
        database.target,
        session,
        (sql) => sql`select current_setting('timescaledb.max_tuples_decompressed_per_dml_transaction') as rows`,
      );
      expect(row).toEqual({ rows: '0' });
    });

    it('are named where the server has others', async () => {
      const check = onConnection(database.target, { ...session, timeZone: 'UTC' }, (sql) => checkSession(sql, session));
      await expect(check).rejects.toThrow('TimeZone is UTC instead of Asia/Yerevan');
    });
  });

  it('end a session that does nothing, and its locks with it', async () => {
    const forgetful = onConnection(database.target, { idleTimeoutMs: 50 }, async (sql) => {
      await sql`select pg_advisory_lock(hashtext('a lock that would stay'))`;
      const [row] = await database.superuser()`select pg_advisory_lock(hashtext('a lock that would stay'))`; // when it is free
      return row;
    });
    await expect(forgetful).resolves.toBeDefined();
  });

  it('are checked one by one: the limit of decompressed rows too', async () => {
    const check = onConnection(database.target, {}, async (sql) => {
      await sql`set timescaledb.max_tuples_decompressed_per_dml_transaction = 100000`;
      await checkSession(sql, {});
    });
    await expect(check).rejects.toThrow('max_tuples_decompressed_per_dml_transaction is 100000 instead of 0');
  });
});
