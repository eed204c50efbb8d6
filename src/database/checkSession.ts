/**
 * Checks that a session is what it was asked to be: its own, and with every setting. A pooler in
 * between, a driver or a server may drop one silently.
 */
import { randomUUID } from 'node:crypto';
import { type DatabaseAddress, hasPooler } from './address.ts';
import { onConnection, type Sql } from './client.ts';
import { type Session, sessionSettings, settingsOfLogin } from './session.ts';

/**
 * Throws if what one client sets is seen by another, as behind a pooler that lends a session for a
 * transaction at a time: locks of a session would outlive their client there. `sql` is a single
 * connection to the target.
 */
export async function checkOwnSession(sql: Sql, target: DatabaseAddress): Promise<void> {
  const token = randomUUID();
  await sql`select set_config('airseries.session', ${token}, false)`;
  const [other] = await onConnection(
    target,
    { name: 'airseries check' },
    (second) => second<{ token: string | null }[]>`
      select current_setting('airseries.session', true) as token`,
  );
  if (other?.token !== token) return;
  throw new Error(
    'A connection pooler in between lends one session to several clients (pool_mode = transaction or statement). READER_DATABASE_URL can go ' +
      'through one: add ?pooler=transaction. DATABASE_URL cannot, because the worker holds locks of its session: connect it to PostgreSQL itself.',
  );
}

/**
 * Compares every setting on the server with what `sessionSettings` sends for `session`, because a
 * driver, a pooler or a server may drop one silently. Throws, naming those that differ. Keepalives
 * are skipped on a Unix socket, where they mean nothing. `sql` must be connected to the target with
 * that session.
 */
export async function checkSession(
  sql: Sql,
  target: DatabaseAddress,
  session: Session,
): Promise<void> {
  const isPooled = hasPooler(target);
  const expected = JSON.stringify(isPooled ? settingsOfLogin(session) : sessionSettings(session));
  const rows = await sql<{ name: string; expected: string; found: string | null }[]>`
    -- set for this statement only, so that the server formats both alike
    select name, current_setting(name, true) as found, set_config(name, expected, true) as expected
    from jsonb_each_text(${expected}::text::jsonb) s(name, expected)
    where inet_server_addr() is not null or name not like 'tcp_%'`;
  const differing = rows.filter((row) => row.found !== row.expected);
  if (differing.length === 0) return;
  const list = differing.map(
    ({ name, expected, found }) => `${name} is ${found ?? 'unset'} instead of ${expected}`,
  );
  throw new Error(
    isPooled
      ? `The login lacks settings that a pooler cannot pass on: ${list.join(', ')}. Run sql/reader.sql again, and let the pooler reconnect.`
      : `The database server does not have the session settings that this program sent: ${list.join(', ')}. ` +
          'A connection pooler in between must pass start-up parameters on (or connect without it), and the server must allow them.',
  );
}
