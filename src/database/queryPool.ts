/**
 * Connection pool with a hard deadline per statement: no statement outlives it, whatever the network
 * does.
 *
 * A statement is in one of these states:
 * - waiting: for a permit, while all connections are in use. It leaves with Unavailable if too many
 *   wait already, if none is released in time, or once the whole server has stopped answering
 *   (semaphore.ts).
 * - running: on the connection that was used last (connections.ts). The server cancels it at its
 *   timeout. A connection that was cut silently reports nothing, and the driver would wait for it
 *   forever: silence beyond the timeout means that it is dead. Where statements may take long, the
 *   server is probed meanwhile (liveness.ts).
 * - failed, to be sent again: what the failure means says the table in errors.ts; whether it is
 *   sent again, and how often, retry.ts.
 * - answered, or refused: at the latest when its total time is over, in whatever state it was.
 *
 * A connection is idle or in use until the first failure after which all are replaced, the ones
 * with running statements included; idle ones are closed after a while, and open again when needed.
 */
import type { Row, RowList } from 'postgres';
import { Unavailable } from '../base/unavailable.ts';
import { type DatabaseAddress, openSocket } from './address.ts';
import { connect } from './client.ts';
import { makeConnections } from './connections.ts';
import { failureOf } from './errors.ts';
import { type ProbeTiming, withLivenessProbe } from './liveness.ts';
import type { Statements } from './query.ts';
import { asUnavailable } from './remedies.ts';
import { withRetry } from './retry.ts';
import { makeSemaphore, type Semaphore } from './semaphore.ts';
import type { Role } from './session.ts';
import { withTimeout } from './timeouts.ts';

/** How long after its timeout the server's cancellation of a statement may take to arrive. */
const GRACE_MS = 200;

/**
 * Called once with the size of the pool and its counts: connections in use and statements waiting.
 * Returns what is called for each attempt.
 */
export type PoolObserver = (pool: Pick<Semaphore, 'inUse' | 'waiting'> & { size: number }) => {
  /** When it was given a connection: how long it waited. */
  onAcquired(seconds: number): void;
  /**
   * When it succeeded or failed: the name of the statement (`nameOf`), and how long the database
   * took.
   */
  onQuery(statement: string, seconds: number): void;
};

type Options = {
  role: Role;
  name: string;
  timeZone: string;
  max: number;
  /**
   * How long the server may work on a statement, and how long a statement waits for a free
   * connection.
   */
  statementTimeoutMs: number;
  /** How long all of it may take, retries included. */
  totalTimeoutMs: number;
  /** How many statements may wait for a connection. */
  maxWaiting: number;
  /**
   * Default: a minute. What a peak opened is free for others afterwards: an operator's command, on
   * a small server.
   */
  closeIdleAfterSeconds?: number;
  /** Where statements may take long: probes tell a working server from a silent one. */
  probe?: ProbeTiming;
  observer?: PoolObserver | undefined;
};

export type QueryPool = Statements & {
  /** Statements under way have a second to finish. */
  close(): Promise<void>;
};

/** Connects at the first query. */
export function openQueryPool(
  target: DatabaseAddress,
  {
    role,
    name,
    timeZone,
    max,
    statementTimeoutMs,
    totalTimeoutMs,
    maxWaiting,
    closeIdleAfterSeconds = 60,
    probe,
    observer,
  }: Options,
): QueryPool {
  const session = { role, name, timeZone, statementTimeoutMs };
  const connections = makeConnections(max, () =>
    connect(target, { ...session, max: 1, closeIdleAfterSeconds, openSocket }),
  );
  const semaphore = makeSemaphore(max, { acquireTimeoutMs: statementTimeoutMs, maxWaiting });
  const observed = observer?.({ ...semaphore, size: max });

  async function attempt(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    const asked = performance.now();
    await semaphore.acquire();
    const lease = connections.take();
    const started = performance.now();
    observed?.onAcquired((started - asked) / 1_000);
    const result = lease.connection.unsafe(text, [...parameters] as never[], { prepare: true });
    try {
      const probed = probe === undefined ? result : withLivenessProbe(result, lease.probe, probe);
      return completed(await withResponseTimeout(statementTimeoutMs + GRACE_MS, probed));
    } catch (error) {
      const isFirst = lease.failed(error);
      if (isFirst && failureOf(error).kind === 'silent')
        semaphore.rejectWaiting(asUnavailable(error));
      throw error;
    } finally {
      observed?.onQuery(nameOf(text), (performance.now() - started) / 1_000);
      lease.giveBack();
      semaphore.release();
    }
  }

  return {
    async query(...statement) {
      const late = () => new Unavailable(`no answer within ${totalTimeoutMs} ms`);
      try {
        return await withTimeout(
          totalTimeoutMs,
          withRetry(() => attempt(...statement)),
          late,
        );
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    close: () => connections.close(),
  };
}

const withResponseTimeout = <T>(ms: number, result: PromiseLike<T>) =>
  withTimeout(ms, result, () =>
    Object.assign(new Error(`no response within ${ms} ms`), { code: 'RESPONSE_TIMEOUT' }),
  );

/**
 * The rows of a result, checked. On a connection that breaks, the driver may resolve a statement
 * that the server never completed, or go on counting rows where a failed one stopped, which leaves
 * holes or rows of another statement.
 */
function completed(result: RowList<Row[]>): unknown[] {
  const rows = result.filter((row) => row !== undefined);
  if (result.command === null || (result.command === 'SELECT' && rows.length !== result.count)) {
    throw Object.assign(new Error('the result is incomplete'), { code: 'CONNECTION_CLOSED' });
  }
  return rows;
}

/** The first relation or function of schema api, logic or raw in the statement, or `other`. */
function nameOf(text: string): string {
  const [, schema, name] = /\b"?(api|logic|raw)"?\."?(\w+)/.exec(text) ?? [];
  return name === undefined ? 'other' : `${schema}.${name}`;
}
