/**
 * Which of several processes on one database works. The worker is the one whose connection holds an advisory lock; the lock goes
 * with the connection, so a dead worker is succeeded at the next try of another.
 */
import { connect, type Sql, type Target } from '../database/connect.ts';
import type { Log } from '../log.ts';

const TRY_EVERY_MS = 5_000;

export type Worker = { stop(): Promise<void> };

/**
 * Tries to become the worker, now and every five seconds. `begin` starts the work and returns what stops it; it is stopped when the
 * lock's connection is lost. Resolves after the first try (and after `begin`, where that try was a success).
 */
export async function becomeWorker(
  target: Target,
  log: Log,
  begin: () => Promise<() => Promise<void>>,
  { tryEveryMs = TRY_EVERY_MS, onRole }: { tryEveryMs?: number; onRole?: (works: boolean) => void } = {},
): Promise<Worker> {
  let lock: Sql | undefined;
  let end: (() => Promise<void>) | undefined;
  let stopped = false;

  const step = async () => {
    if (lock !== undefined && !(await stillHeld(lock))) {
      log.warn('the worker lock was lost with its connection; work stops here until it is back');
      await release();
    }
    if (lock !== undefined || stopped) return;
    lock = await tryLock(target);
    if (lock === undefined) return;
    log.info('this process is the worker');
    onRole?.(true);
    try {
      end = await begin();
    } catch (error) {
      await release();
      throw error;
    }
  };
  const release = async () => {
    await end?.();
    await lock?.end({ timeout: 1 });
    onRole?.(false);
    end = undefined;
    lock = undefined;
  };

  await step();
  if (lock === undefined) log.info('another process is the worker; this one stands by');
  let stepping: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    stepping = stepping
      .then(step)
      .catch((error: Error) => log.error({ error: error.message }, 'could not work; trying again'));
  }, tryEveryMs);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await stepping;
      await release();
    },
  };
}

async function tryLock(target: Target): Promise<Sql | undefined> {
  const sql = connect(target, { role: 'airseries_owner', name: 'airseries worker' });
  try {
    const [row] = await sql`select pg_try_advisory_lock(hashtext('airseries.worker')) as got`;
    if (row?.got === true) return sql;
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
  await sql.end({ timeout: 1 });
  return undefined;
}

/** postgres.js reconnects silently; a new connection would not hold the lock, so ask. */
async function stillHeld(sql: Sql): Promise<boolean> {
  try {
    const [row] = await sql`
      select exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted) as held`;
    return row?.held === true;
  } catch {
    return false;
  }
}
