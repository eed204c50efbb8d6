/** Clients that send a byte now and then are cut off in time, and others are hardly affected. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpGet } from '../../../support/http.ts';
import { type Busy, FIVE, p99, startBusy } from './busy.ts';

let busy: Busy;
beforeAll(async () => {
  busy = await startBusy();
});
afterAll(() => busy.close());

/**
 * Sends the start of a head and then a byte every half second; resolves to how long the connection
 * lasted.
 */
function dawdle(port: number, head: string): Promise<number> {
  return new Promise((resolve) => {
    const began = performance.now();
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    const drip = setInterval(() => socket.write('x'), 500);
    socket.on('error', () => undefined).resume();
    socket.on('close', () => {
      clearInterval(drip);
      resolve(performance.now() - began);
    });
  });
}

it('200 heads and 50 bodies that never end are cut within 15 seconds, and other requests get 200', async ({
  annotate,
}) => {
  const { port } = busy.service;
  const slow = Promise.all([
    ...Array.from({ length: 200 }, () => dawdle(port.public, 'GET / HTTP/1.1\r\nHost: x\r\nX: ')),
    ...Array.from({ length: 50 }, () =>
      dawdle(port.public, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n'),
    ),
  ]);
  let over = false;
  const ended = slow.then(() => {
    over = true;
  });
  const times: number[] = [];
  const statuses = new Set<number>();
  while (!over) {
    const began = performance.now();
    statuses.add((await httpGet(port.public, FIVE[times.length % FIVE.length] ?? '')).status);
    times.push(performance.now() - began);
    await sleep(50);
  }
  await ended;
  const longest = Math.max(...(await slow)) / 1000;
  await annotate(
    `held: 250 slow senders, all cut within ${longest.toFixed(1)} s; ${times.length} other GETs meanwhile, p99 ${Math.round(p99(times))} ms`,
  );
  expect(statuses).toEqual(new Set([200]));
  expect(longest).toBeLessThan(15);
});
