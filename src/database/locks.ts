/**
 * Waiting for locks, and saying whom for: a start that waits without a word looks like one that
 * hangs.
 */
import type { Log } from '../base/log.ts';
import type { Sql } from './client.ts';
import { errorCode } from './errors.ts';

/** A wait is reported after this time, and then at this interval. */
export const REPORT_AFTER_MS = 2_000;
export const REPORT_EVERY_MS = 10_000;

/** As in a log line; `since`: when it connected, or when its transaction began. */
type Session = {
  pid: number;
  application: string;
  user: string | null;
  address: string | null;
  since: string | null;
};

/**
 * Waits for a lock of the session, the one of raw.acquire_lock, which a new database lacks; it is
 * held until `sql`, a single connection, ends. Logs the session that holds it.
 */
export async function acquireLock(sql: Sql, name: string, log: Log): Promise<void> {
  for (let timeoutMs = REPORT_AFTER_MS; ; timeoutMs = REPORT_EVERY_MS) {
    await sql`select set_config('lock_timeout', ${`${timeoutMs}ms`}, false)`;
    try {
      await sql`select pg_advisory_lock(hashtext('airseries'), hashtext(${name}))`;
      await sql`reset lock_timeout`;
      return;
    } catch (error) {
      if (errorCode(error) !== '55P03') throw error;
    }
    const holders = await sql<Session[]>`
      select a.pid, a.application_name as application, a.usename as user, host(a.client_addr) || ':' || a.client_port as address,
        a.backend_start::text as since
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.classid = hashtext('airseries')::oid and l.objid = hashtext(${name})::oid
        and l.database = (select oid from pg_database where datname = current_database())`;
    const [holder] = holders;
    if (holder === undefined) continue; // it has just been released
    const remedy = `If its program is gone: select pg_terminate_backend(${holder.pid});`;
    log.warn(
      { lock: name, held_by: [...holders], remedy },
      'waiting for another session to release a lock',
    );
  }
}

/**
 * Sessions with locks on tables and views of these schemas, those whose transaction began first,
 * first.
 */
export async function sessionsIn(sql: Sql, schemas: readonly string[]): Promise<Session[]> {
  const sessions = await sql<Session[]>`
    select a.pid, a.application_name as application, a.usename as user, host(a.client_addr) || ':' || a.client_port as address,
      a.xact_start::text as since
    from pg_stat_activity a
    where a.pid <> pg_backend_pid() and a.pid in (
      select l.pid from pg_locks l join pg_class c on c.oid = l.relation
      where l.granted and l.database = (select oid from pg_database where datname = current_database())
        and c.relnamespace::regnamespace::text in ${sql(schemas)})
    order by a.xact_start limit 5`;
  return [...sessions];
}
