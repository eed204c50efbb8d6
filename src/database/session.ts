/** The check that a server accepted the session settings that our SQL relies on: a driver, a pooler or a server may drop one silently. */
import { type Session, type Sql, sessionSettings } from './client.ts';

/**
 * Compares every setting on the server with what `sessionSettings` sends for `session`. Throws, naming those that differ. Keepalives are
 * skipped on a Unix socket, where they mean nothing. `sql` must be connected with that session.
 */
export async function checkSession(sql: Sql, session: Session): Promise<void> {
  const expected = JSON.stringify(sessionSettings(session));
  const rows = await sql<{ name: string; expected: string; found: string | null }[]>`
    -- set for this statement only, so that the server formats both alike
    select name, current_setting(name, true) as found, set_config(name, expected, true) as expected
    from jsonb_each_text(${expected}::text::jsonb) s(name, expected)
    where inet_server_addr() is not null or name not like 'tcp_%'`;
  const differing = rows.filter((row) => row.found !== row.expected);
  if (differing.length === 0) return;
  const list = differing.map(({ name, expected, found }) => `${name} is ${found ?? 'unset'} instead of ${expected}`);
  throw new Error(
    `The database server does not have the session settings that this program sent: ${list.join(', ')}. ` +
      'A connection pooler in between must pass start-up parameters on (or connect without it), and the server must allow them.',
  );
}
