/**
 * A pool for statements that must be answered soon or not at all: none outlives its deadline,
 * whatever the network does. A connection that was cut silently reports nothing, and the driver
 * would wait for it forever; but the server cancels every statement at its timeout, so silence
 * beyond that means that the connection is dead. After that, and after every other connection
 * error, the whole pool is replaced and the statement sent again: the other connections are
 * probably dead too, and one that broke during a query passes the error to the next query it is
 * given. Idle connections are otherwise left alone. The last one used is used first: the processor
 * still has its backend's plans in its caches, which saves a quarter of the time. The pool is
 * replaced as well when a statement no longer fits the schema: a migration may have rebuilt it, and
 * connections keep what they prepared before.
 */
import type { Row, RowList } from 'postgres';
import { Unavailable } from '../base/unavailable.ts';
import { connect, type DatabaseAddress, openSocket, type Role, type Sql } from './client.ts';
import {
  asUnavailable,
  isConnectionError,
  isOutdatedSession,
  isSchemaChange,
  isTransient,
  isUnreachable,
} from './errors.ts';
import type { ApiFunctions } from './generated/apiTypes.ts';
import {
  makeSemaphore,
  type ProbeTiming,
  type Semaphore,
  singleFlight,
  withLivenessProbe,
  withTimeout,
} from './timeouts.ts';

const RETRY_AFTER_MS = 100;
const MAX_ATTEMPTS = 4;
/** How long after its timeout the server's cancellation of a statement may take to arrive. */
const GRACE_MS = 200;
/** A younger pool is not replaced: it has hardly prepared any statement on an earlier schema. */
const REPLACED_AT_MOST_EVERY_MS = 1_000;

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

export type Statements = {
  /**
   * The rows of one statement, which must be safe to repeat. Rejects with Unavailable if the
   * database is unreachable or too slow, and with the server's error otherwise.
   */
  query(text: string, parameters: readonly unknown[]): Promise<unknown[]>;
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
  const responseTimeoutMs = statementTimeoutMs + GRACE_MS;
  const noResponse = () =>
    Object.assign(new Error(`no response within ${responseTimeoutMs} ms`), {
      code: 'RESPONSE_TIMEOUT',
    });
  const open = () => {
    const session = { role, name, timeZone, statementTimeoutMs };
    const one = () => connect(target, { ...session, max: 1, closeIdleAfterSeconds, openSocket });
    const connections = Array.from({ length: max }, one);
    const prober = one();
    return {
      openedAt: performance.now(),
      idle: [...connections],
      all: [...connections, prober],
      probe: singleFlight(() => prober.unsafe('select 1')),
    };
  };
  const semaphore = makeSemaphore(max, { acquireTimeoutMs: statementTimeoutMs, maxWaiting });
  const observed = observer?.({ ...semaphore, size: max });
  let pool = open();
  let isClosed = false;
  async function attempt(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    const asked = performance.now();
    await semaphore.acquire();
    const used = pool;
    const connection = used.idle.pop() as Sql; // there is one for each that the semaphore lets in
    const started = performance.now();
    observed?.onAcquired((started - asked) / 1_000);
    const result = connection.unsafe(text, [...parameters] as never[], { prepare: true });
    try {
      const probed = probe === undefined ? result : withLivenessProbe(result, used.probe, probe);
      const rows = await withTimeout(responseTimeoutMs, probed, noResponse);
      return completed(rows);
    } catch (error) {
      const isOutdated =
        (isSchemaChange(error) || isOutdatedSession(error)) &&
        performance.now() - used.openedAt > REPLACED_AT_MOST_EVERY_MS;
      if ((isConnectionError(error) || isOutdated) && used === pool && !isClosed) {
        pool = open();
        end(used.all).catch(() => undefined);
        if (isUnreachable(error)) semaphore.rejectWaiting(asUnavailable(error));
      }
      throw error;
    } finally {
      observed?.onQuery(nameOf(text), (performance.now() - started) / 1_000);
      used.idle.push(connection);
      semaphore.release();
    }
  }

  async function queryWithRetry(...statement: Parameters<QueryPool['query']>): Promise<unknown[]> {
    for (let n = 1; ; n++) {
      try {
        return await attempt(...statement);
      } catch (error) {
        if (!isTransient(error) || n === MAX_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
  }

  return {
    async query(...statement) {
      const late = () => new Unavailable(`no answer within ${totalTimeoutMs} ms`);
      try {
        return await withTimeout(totalTimeoutMs, queryWithRetry(...statement), late);
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    async close() {
      isClosed = true;
      await end(pool.all);
    },
  };
}

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

const end = (connections: readonly Sql[]) =>
  Promise.all(connections.map((sql) => sql.end({ timeout: 1 })));

/**
 * Anything that runs statements: a pool with deadlines, or the connection of a job or a command,
 * which may take as long as it needs.
 */
export type Queryable = Statements | Sql;

/** The rows of a statement. Where `db` is a pool, rejects as its `query` does. */
export async function query(
  db: Queryable,
  text: string,
  parameters: readonly unknown[],
): Promise<unknown[]> {
  return 'query' in db
    ? await db.query(text, parameters)
    : await db.unsafe(text, [...parameters] as never[], { prepare: true });
}

/** The rows of a call and nothing else. Kysely takes as long to write one as to send it. */
export async function callApi<Name extends keyof ApiFunctions>(
  db: Queryable,
  name: Name,
  args: ApiFunctions[Name]['arguments'],
): Promise<ApiFunctions[Name]['row'][]> {
  const named = Object.keys(args).map((key, n) => `${key} => $${n + 1}`);
  const call = `select * from api.${name}(${named.join(', ')})`;
  return (await query(db, call, Object.values(args))) as ApiFunctions[Name]['row'][];
}
