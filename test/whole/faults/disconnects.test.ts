/**
 * 100 clients disconnect, 20 at each stage of a request: afterwards all sixteen slots are free.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import { openPushing, type Pushing } from '../../ingest/http/pushing.ts';
import { begin, type Here, post, serve } from './requests.ts';

const SLOTS = 16;
const EACH = 20;
const BODY = JSON.stringify([{ sensor_id: 1, time: '2026-11-20T11:00:00Z', pm25: 1 }]);

let pushing: Pushing;
let tokens: string[];
let here: Here;
/** The statement that is held back; undefined: every statement runs. */
let hold: { text: string; onHeld: (go: () => void) => void } | undefined;

/** The database's first result for the batch, which is always the same. */
let stored: unknown[] | undefined;

beforeAll(async () => {
  pushing = await openPushing('plain');
  tokens = [pushing.token];
  for (const name of ['b', 'c', 'd']) tokens.push(await pushing.makeToken(name));
  const writes: QueryPool = {
    ...pushing.writes,
    async query(text, parameters) {
      if (hold !== undefined && text.includes(hold.text)) {
        const { onHeld } = hold;
        await new Promise<void>((resolve) => onHeld(resolve));
      }
      if (!text.includes('logic.store_readings'))
        return await pushing.writes.query(text, parameters);
      stored ??= await pushing.writes.query(text, parameters);
      return stored;
    },
  };
  here = await serve(pushing.another({ writes }));
});
afterAll(async () => {
  here.close();
  await pushing.close();
});

const arrival = () => once(here.server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
const token = (n: number) => tokens[n % tokens.length] as string;

/** Disconnects; resolves when the server has noticed. */
async function leave(socket: Socket, res: ServerResponse): Promise<void> {
  const closed = res.closed ? undefined : once(res, 'close');
  socket.resetAndDestroy();
  await closed;
}

/** The client disconnects while its request waits for this statement, which is then run. */
async function leaveDuring(statement: string, n: number): Promise<void> {
  const held = new Promise<() => void>((resolve) => {
    hold = { text: statement, onHeld: resolve };
  });
  const arrived = arrival();
  const socket = begin(here.port, token(n), { body: BODY });
  const [, res] = await arrived;
  const go = await held;
  hold = undefined;
  await leave(socket, res);
  go();
}

const STAGES: Record<string, (n: number) => Promise<void>> = {
  async 'in the head'() {
    const connected = once(here.server, 'connection') as Promise<[Socket]>;
    const socket = connect(here.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/readings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${pushing.token}\r\nX-`,
    );
    const [accepted] = await connected;
    const closed = new Promise((resolve) => accepted.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
  },
  'while the token is looked up': (n) => leaveDuring('raw.token', n),
  async 'in the body'(n) {
    const arrived = arrival();
    const socket = begin(here.port, token(n), { body: BODY.slice(0, 5), length: BODY.length });
    const [req, res] = await arrived;
    // the body is being read, so the slot is taken
    if (!req.readableFlowing) await once(req, 'resume');
    await leave(socket, res);
  },
  'while the batch is stored': (n) => leaveDuring('logic.store_readings', n),
  async 'while the answer is written'(n) {
    const arrived = arrival();
    const socket = begin(here.port, token(n), { body: BODY });
    const [, res] = await arrived;
    const closed = once(res, 'close');
    const { end } = res;
    res.end = ((...all: Parameters<typeof end>) => {
      socket.resetAndDestroy();
      return end.apply(res, all);
    }) as typeof end;
    await closed;
  },
};

it.for(Object.keys(STAGES))('clients that disconnect %s leave every slot free', async (stage) => {
  for (let n = 0; n < EACH; n++) await STAGES[stage]?.(n);
  expect(await freeSlots()).toBe(SLOTS);
});

/** How many requests are processed at the same time. */
async function freeSlots(): Promise<number> {
  const going: (() => void)[] = [];
  let refused = 0;
  const answers: Promise<void>[] = [];
  const all = new Promise<void>((resolve) => {
    const look = () => going.length + refused === SLOTS && resolve();
    hold = {
      text: 'logic.store_readings',
      onHeld(go) {
        going.push(go);
        look();
      },
    };
    for (let n = 0; n < SLOTS; n++) {
      const answered = post(here.port, token(n), BODY).then(({ status }) => {
        if (status !== 200) refused += 1;
        look();
      });
      answers.push(answered);
    }
  });
  await all;
  hold = undefined;
  for (const go of going) go();
  await Promise.all(answers);
  return going.length;
}
