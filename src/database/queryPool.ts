/**
 * A pool for statements that must be answered soon or not at all: none outlives its limit, whatever the network does.
 * A connection that was cut silently never says so, and the driver would wait for it for ever; but the server stops every statement
 * at its limit, so silence beyond that means that nobody is there. After that, and after every other break, the whole pool is
 * replaced and the statement sent again (so it must be one that may be repeated): the other connections are as likely cut, and one that broke in mid-query hands the
 * error to the next question it is given. Idle connections are otherwise left alone.
 */
import { connect as dial, type Socket } from 'node:net';
import { connect, type Place, type Role, type Sql, type Target } from './client.ts';
import { asUnavailable, isConnectionError, isSilent, isTransient, Unavailable } from './errors.ts';
import { makeSemaphore, type Rhythm, type Semaphore, whileAnswered, withTimeout } from './waiting.ts';

const PAUSE_MS = 100;
const ATTEMPTS = 4;
const GRACE_MS = 200;

/**
 * Given how many connections work and how many statements wait; gives what is told how long the database took to answer, or to fail,
 * by what was asked.
 */
export type PoolObserver = (counts: Pick<Semaphore, 'inUse' | 'waiting'>) => (query: string, seconds: number) => void;

type Options = {
  role: Role;
  name: string;
  timeZone: string;
  max: number;
  /** How long the server may work on a statement, and how long a statement waits for a free connection. */
  statementMs: number;
  /** How long all of it may take, retries included. */
  answerMs: number;
  /** How many statements may wait for a connection. */
  mostWaiting: number;
  /** Where a statement may take long: how to tell a server that works from one that is silent. */
  pulse?: Rhythm;
  watch?: PoolObserver | undefined;
};

export type QueryPool = {
  query(text: string, parameters: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
};

export function openQueryPool(
  target: Target,
  { role, name, timeZone, max, statementMs, answerMs, mostWaiting, pulse, watch }: Options,
): QueryPool {
  const silenceMs = statementMs + GRACE_MS;
  const silence = () => Object.assign(new Error(`nothing was heard for ${silenceMs} ms`), { code: 'SILENCE' });
  const open = () =>
    connect(target, {
      role,
      name,
      timeZone,
      max: pulse === undefined ? max : max + 1, // the pulse finds a connection free
      statementTimeoutMs: statementMs,
      driver: { socket: openSocket },
    });
  const semaphore = makeSemaphore(max, { patienceMs: statementMs, mostWaiting });
  const onQuery = watch?.(semaphore);
  let pool = open();
  let beating: Promise<unknown> | undefined;
  let closed = false;

  /** One question for all statements that wait. */
  function beat(asked: Sql): Promise<unknown> {
    beating ??= Promise.resolve(asked.unsafe('select 1')).finally(() => {
      beating = undefined;
    });
    return beating;
  }

  async function attempt(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    await semaphore.acquire();
    const asked = pool;
    const began = performance.now();
    try {
      const answer = asked.unsafe(text, [...parameters] as never[], { prepare: true });
      const heard = pulse === undefined ? answer : whileAnswered(answer, () => beat(asked), pulse);
      const rows = await withTimeout(silenceMs, heard, silence);
      return rows.filter((row) => row !== undefined); // what a failed query left on its connection
    } catch (error) {
      if (isConnectionError(error) && asked === pool && !closed) {
        pool = open();
        if (isSilent(error)) semaphore.refuseWaiting(asUnavailable(error));
        end(asked).catch(() => undefined);
      }
      throw error;
    } finally {
      onQuery?.(nameOf(text), (performance.now() - began) / 1_000);
      semaphore.release();
    }
  }

  async function queryWithRetry(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    for (let n = 1; ; n++) {
      try {
        return await attempt(text, parameters);
      } catch (error) {
        if (!isTransient(error) || n === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  return {
    async query(text, parameters) {
      const late = () => new Unavailable(`no answer within ${answerMs} ms`);
      try {
        return await withTimeout(answerMs, queryWithRetry(text, parameters), late);
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    async close() {
      closed = true;
      await end(pool);
    },
  };
}

/** A statement is called by the first relation or function of ours in it. */
function nameOf(text: string): string {
  const [, schema, name] = /\b"?(api|logic|raw)"?\."?(\w+)/.exec(text) ?? [];
  return name === undefined ? 'other' : `${schema}.${name}`;
}

/** What is under way has a second to end. */
const end = (pool: Sql) => pool.end({ timeout: 1 });

/** Like the driver's own, but a server that accepts and hangs up is an error: the driver would dial again at once, without end. */
function openSocket({ host, port, path }: Place): Socket {
  const turn = Math.floor(Math.random() * host.length);
  const socket = path ? dial(path) : dial(port[turn] ?? 5432, host[turn]);
  const hungUp = Object.assign(new Error('the server hung up'), { code: 'CONNECTION_CLOSED' });
  socket.once('end', () => socket.destroy(hungUp));
  return Object.assign(socket, { host: host[turn] }); // the name that TLS verifies
}

/** Whatever a statement can be sent to: a pool with deadlines, or a connection of a job or a command, which may take as long as it needs. */
export type Queryable = QueryPool | Sql;

/** The rows of a statement. Rejects with Unavailable where `db` is a pool and the database is. */
export async function query(db: Queryable, text: string, parameters: readonly unknown[]): Promise<unknown[]> {
  return 'query' in db
    ? await db.query(text, parameters)
    : await db.unsafe(text, [...parameters] as never[], { prepare: true });
}
