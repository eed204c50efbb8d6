/**
 * Which of several processes on one database works. The worker is the one whose connection holds the lock airseries.worker. It proves every two
 * seconds that it is there; a session of which nothing is heard is ended by the server, and the lock with it, so a worker that is dead,
 * frozen or cut off is succeeded within ten seconds, and knows when it comes back that it is the worker no more.
 */
import { connect, type Sql, type Target } from '../database/client.ts';
import { withTimeout } from '../database/waiting.ts';
import type { Log } from '../log.ts';

const TRY_EVERY_MS = 2_000;
/** Longer than one proof and its answer. */
const SILENT_MS = 6_000;
const ANSWER_MS = 3_000;

export type Worker = { stop(): Promise<void> };

/** Rejects where this process is no longer the worker: for whoever is about to write. */
export type Confirm = () => Promise<void>;

/**
 * Tries to become the worker, now and every two seconds. `begin` starts the work and returns what stops it; it is stopped when the
 * lock's connection is lost. Resolves after the first try (and after `begin`, where that try was a success).
 */
export async function becomeLeader(
  target: Target,
  log: Log,
  begin: (confirm: Confirm) => Promise<() => Promise<void>>,
  { tryEveryMs = TRY_EVERY_MS, onLeadership }: { tryEveryMs?: number; onLeadership?: (works: boolean) => void } = {},
): Promise<Worker> {
  let lock: Sql | undefined;
  let end: (() => Promise<void>) | undefined;
  let stopped = false;

  const step = async () => {
    if (lock !== undefined && !(await isHeld(lock))) {
      log.warn('the worker lock was lost with its connection; jobs stop here until it is regained');
      const lost = lock;
      lock = undefined; // from here on nothing is confirmed
      await release(lost);
    }
    if (lock !== undefined || stopped) return;
    const taken = await tryLock(target);
    if (taken === undefined) return;
    lock = taken;
    log.info('this process is the worker');
    onLeadership?.(true);
    const confirm = async () => {
      if (lock !== taken || !(await isHeld(taken))) throw new Error('this process is no longer the worker');
    };
    try {
      end = await proving(taken, tryEveryMs, begin(confirm));
    } catch (error) {
      await release(taken);
      throw error;
    }
  };
  const release = async (held: Sql) => {
    onLeadership?.(false);
    if (end !== undefined) await proving(held, tryEveryMs, end());
    end = undefined;
    lock = undefined;
    await held.end({ timeout: 1 });
  };

  await step();
  if (lock === undefined) log.info('another process is the worker; standing by');
  let stepping: Promise<void> | undefined;
  const timer = setInterval(() => {
    stepping ??= step()
      .catch((error: Error) => log.error({ err: error }, 'worker failed to start; retrying'))
      .finally(() => {
        stepping = undefined;
      });
  }, tryEveryMs);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await stepping;
      if (lock !== undefined) await release(lock);
    },
  };
}

async function tryLock(target: Target): Promise<Sql | undefined> {
  const sql = connect(target, { role: 'airseries_owner', name: 'airseries worker', idleTimeoutMs: SILENT_MS });
  try {
    const asked = sql`select raw.try_lock('airseries.worker') as got`;
    const [row] = await withTimeout(
      ANSWER_MS,
      asked,
      () => new Error(`the database did not answer within ${ANSWER_MS} ms`),
    );
    if (row?.got === true) return sql;
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
  await sql.end({ timeout: 1 });
  return undefined;
}

/** Work may take minutes to begin, and to end; the lock is proved meanwhile. */
async function proving<T>(lock: Sql, everyMs: number, work: Promise<T>): Promise<T> {
  const timer = setInterval(() => void isHeld(lock), everyMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** postgres.js reconnects silently; a new connection would not hold the lock, so ask. The question is the proof that we are there. */
async function isHeld(sql: Sql): Promise<boolean> {
  const asked = sql`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and classid = hashtext('airseries.worker')::oid and pid = pg_backend_pid() and granted
    ) as held`;
  try {
    const [row] = await withTimeout(ANSWER_MS, asked, () => new Error('silence'));
    return row?.held === true;
  } catch {
    return false;
  }
}
