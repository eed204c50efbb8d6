/**
 * Slow senders do not block others: a token has a share of the slots, and a body has a time limit.
 */

import { once } from 'node:events';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { isComplete } from '../../support/complete.ts';
import { begin, type Here, post, serve, statusOf } from '../../whole/faults/requests.ts';
import { openPushing, type Pushing } from './pushing.ts';

const READING = JSON.stringify([{ sensor_id: 1, time: '2026-11-20T11:00:00Z', pm25: 1 }]);

let pushing: Pushing;
let tokens: string[];
let here: Here;
beforeAll(async () => {
  pushing = await openPushing('plain');
  tokens = [pushing.token];
  for (const name of ['b', 'c', 'd', 'e']) tokens.push(await pushing.makeToken(name));
  return () => pushing.close();
});
afterEach(() => here.close());

/**
 * Sends requests without their bodies: one more with each token than it has slots. Resolves to
 * counts by status once those are refused.
 */
async function hold(
  senders: string[],
  each: number,
  path: string,
): Promise<Record<number, number>> {
  const sockets = senders.flatMap((token) =>
    Array.from({ length: each + 1 }, () => begin(here.port, token, { length: 100, path })),
  );
  const counts: Record<number, number> = {};
  // one of each token is refused, no matter which
  let missing = senders.length;
  await new Promise<void>((resolve) => {
    for (const socket of sockets) {
      void statusOf(socket).then((status) => {
        counts[status] = (counts[status] ?? 0) + 1;
        missing -= 1;
        if (missing === 0) resolve();
      });
    }
  });
  return counts;
}

it.each([
  ['/v1/readings', 4, 4] as const,
  ...(isComplete ? [['/v1/push/airrohr', 16, 4] as const] : []),
])(
  'on %s a token has %i slots, and %i such tokens take all of them',
  async (path, each, senders) => {
    here = await serve(pushing.another({}));
    expect(await hold(tokens.slice(0, senders - 1), each, path)).toEqual({ 429: senders - 1 });
    const other = tokens.at(-1) as string;
    const body = path === '/v1/readings' ? READING : '{"sensordatavalues":[]}';
    expect(await statusOf(begin(here.port, other, { body, path }))).toBe(200);
    expect(await hold(tokens.slice(senders - 1, senders), each, path)).toEqual({ 429: 1 });
    expect(await statusOf(begin(here.port, other, { body, path }))).toBe(503);
    // slots are counted separately for each path
    expect((await post(here.port, other, READING)).status).toBe(
      path === '/v1/readings' ? 503 : 200,
    );
  },
);

it('a body that does not arrive in time is answered with 408, and frees its connection and slot', async () => {
  here = await serve(pushing.another({ bodyMs: 100 }));
  for (let n = 0; n < 3; n++) {
    const sockets = Array.from({ length: 4 }, () =>
      begin(here.port, pushing.token, { body: READING, length: 500 }),
    );
    const closed = sockets.map((socket) => once(socket, 'close'));
    expect(await Promise.all(sockets.map(statusOf))).toEqual([408, 408, 408, 408]);
    await Promise.all(closed);
  }
  expect(await post(here.port, pushing.token, READING)).toMatchObject({ status: 200 });
});
