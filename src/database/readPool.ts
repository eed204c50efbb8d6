/**
 * A pool for questions that must be answered soon or not at all: none outlives ANSWER_MS, whatever the network does.
 * A connection that was cut silently never says so, and the driver would wait for it for ever; but the server stops every statement
 * at STATEMENT_MS, so silence beyond that means that nobody is there. After that, and after every other break, the whole pool is
 * replaced and the question asked once more: the other connections are as likely cut, and one that broke in mid-query hands the
 * error to the next question it is given. Idle connections are otherwise left alone.
 */
import { connect as dial, type Socket } from 'node:net';
import { connect, type Place, type Sql, type Target } from './connect.ts';
import { makeSlots } from './slots.ts';
import { asUnavailable, isBroken, isPassing, Unavailable } from './unavailable.ts';
import { within } from './within.ts';

const ANSWER_MS = 2_800;
const STATEMENT_MS = 2_000;
const SILENCE_MS = 2_200;
const SLOT_MS = 2_000;
const PAUSE_MS = 100;

export type ReadPool = {
  ask(text: string, parameters: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
};

export function openReadPool(target: Target, { timeZone, max }: { timeZone: string; max: number }): ReadPool {
  const open = () =>
    connect(target, {
      role: 'airseries_reader',
      name: 'airseries read',
      timeZone,
      max,
      statementTimeoutMs: STATEMENT_MS,
      driver: { socket: openSocket },
    });
  const slots = makeSlots(max, SLOT_MS);
  let pool = open();
  let closed = false;

  async function once(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    await slots.take();
    const asked = pool;
    try {
      const rows = await within(SILENCE_MS, asked.unsafe(text, [...parameters] as never[], { prepare: true }), silence);
      return rows.filter((row) => row !== undefined); // what a failed query left on its connection
    } catch (error) {
      if (isBroken(error) && asked === pool && !closed) {
        pool = open();
        end(asked).catch(() => undefined);
      }
      throw error;
    } finally {
      slots.give();
    }
  }

  async function twice(text: string, parameters: readonly unknown[]): Promise<unknown[]> {
    try {
      return await once(text, parameters);
    } catch (error) {
      if (!isPassing(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return await once(text, parameters);
    }
  }

  return {
    async ask(text, parameters) {
      const late = () => new Unavailable(`no answer within ${ANSWER_MS} ms`);
      try {
        return await within(ANSWER_MS, twice(text, parameters), late);
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

/** What is under way has a second to end. */
const end = (pool: Sql) => pool.end({ timeout: 1 });

const silence = () => Object.assign(new Error(`nothing was heard for ${SILENCE_MS} ms`), { code: 'SILENCE' });

/** Like the driver's own, but a server that accepts and hangs up is an error: the driver would dial again at once, without end. */
function openSocket({ host, port, path }: Place): Socket {
  const turn = Math.floor(Math.random() * host.length);
  const socket = path ? dial(path) : dial(port[turn] ?? 5432, host[turn]);
  const hungUp = Object.assign(new Error('the server hung up'), { code: 'CONNECTION_CLOSED' });
  socket.once('end', () => socket.destroy(hungUp));
  return Object.assign(socket, { host: host[turn] }); // the name that TLS verifies
}
