/**
 * Leader election among the processes on one database: the worker is the one whose connection holds the lock airseries.worker. It queries
 * on that connection every two seconds, and the server ends a session that is silent for six, which releases the lock. So a worker that is
 * dead, frozen or cut off is replaced within ten seconds, and when it comes back it notices that it is no longer the worker.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import { connect, type DatabaseAddress, type Sql } from '../database/client.ts';
import { remedyFor } from '../database/errors.ts';
import { unreachable, withTimeout } from '../database/timeouts.ts';

export const TRY_EVERY_MS = 2_000;
/** Longer than TRY_EVERY_MS and ANSWER_TIMEOUT_MS together. */
export const IDLE_TIMEOUT_MS = 6_000;
const ANSWER_TIMEOUT_MS = 3_000;
/** The first of several failures in a row is logged, and then every tenth. */
const LOG_EVERY_NTH = 10;

/** A process that is the worker or standing by. */
export type Candidate = {
  /** Stops the work, if it runs here, and releases the lock. Call it once. */
  stop(): Promise<void>;
};

type Options = {
  tryEveryMs?: number;
  /** How long the server waits for a silent worker. */
  idleTimeoutMs?: number;
  /** Called with true when this process becomes the worker, and with false when it ceases to be. */
  onLeadership?: (isLeader: boolean) => void;
};

/**
 * Tries to become the worker, now and every two seconds. `start` starts the work and resolves to the function that stops it, which is
 * called when the lock is lost. Resolves after the first try, including `start` if that succeeded; rejects if the first try fails, which
 * later ones only log.
 */
export async function becomeLeader(
  target: DatabaseAddress,
  log: Log,
  start: () => Promise<() => Promise<void>>,
  { tryEveryMs = TRY_EVERY_MS, idleTimeoutMs = IDLE_TIMEOUT_MS, onLeadership }: Options = {},
): Promise<Candidate> {
  let lock: Sql | undefined;
  let stopWork: (() => Promise<void>) | undefined;
  const stopping = new AbortController();

  const tryToLead = async () => {
    if (lock !== undefined && !(await holdsLock(lock))) {
      log.warn('the worker lock was lost with its connection; jobs stop here until it is regained');
      await release(lock);
    }
    if (lock !== undefined || stopping.signal.aborted) return;
    const acquired = await tryLock(target, idleTimeoutMs);
    if (acquired === undefined) return;
    lock = acquired;
    log.info('this process is the worker');
    onLeadership?.(true);
    try {
      stopWork = await keepingAlive(acquired, tryEveryMs, start());
    } catch (error) {
      await release(acquired);
      throw error;
    }
  };
  const release = async (connection: Sql) => {
    onLeadership?.(false);
    if (stopWork !== undefined) await keepingAlive(connection, tryEveryMs, stopWork());
    stopWork = undefined;
    lock = undefined;
    await connection.end({ timeout: 1 });
  };

  await tryToLead();
  if (lock === undefined) log.info('another process is the worker; standing by');
  const keepTrying = async () => {
    let failures = 0;
    while (await pause(tryEveryMs, true, { signal: stopping.signal }).catch(() => false)) {
      try {
        await tryToLead();
        failures = 0;
      } catch (error) {
        if (failures % LOG_EVERY_NTH === 0) {
          log.error({ err: error, ...remedyFor(error) }, 'worker failed to start; retrying');
        }
        failures += 1;
      }
    }
  };
  const trying = keepTrying();
  return {
    async stop() {
      stopping.abort();
      await trying;
      if (lock !== undefined) await release(lock);
    },
  };
}

/** A connection that holds the lock; undefined if another process has it. Rejects if the database does not answer in time. */
async function tryLock(target: DatabaseAddress, idleTimeoutMs: number): Promise<Sql | undefined> {
  const sql = connect(target, { role: 'airseries_owner', name: 'airseries worker', idleTimeoutMs });
  try {
    const [row] = await answered(sql`select raw.try_lock('airseries.worker') as acquired`);
    if (row?.acquired === true) return sql;
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
  await sql.end({ timeout: 1 });
  return undefined;
}

/** Starting and stopping the work may take minutes, in which the lock's session must not be idle. */
async function keepingAlive<T>(lock: Sql, everyMs: number, work: Promise<T>): Promise<T> {
  const timer = setInterval(() => void holdsLock(lock), everyMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Never rejects. postgres.js reconnects silently, and a new connection does not hold the lock. The query also keeps the session alive. */
async function holdsLock(sql: Sql): Promise<boolean> {
  const query = sql`select raw.holds_lock('airseries.worker') as held`;
  try {
    const [row] = await answered(query);
    return row?.held === true;
  } catch {
    return false;
  }
}

const answered = <T>(query: PromiseLike<T>) =>
  withTimeout(ANSWER_TIMEOUT_MS, query, () => unreachable(ANSWER_TIMEOUT_MS));
