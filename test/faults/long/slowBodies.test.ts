/** Sixteen slow bodies with one token: others are served meanwhile, and the slow ones are cut off after ten seconds. */
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { openPushing } from '../../push/pushing.ts';
import { begin, post, serve, statusOf } from '../requests.ts';

const READING = JSON.stringify([{ sensor_id: 1, time: '2026-11-20T11:00:00Z', pm25: 1 }]);

it('16 slow bodies of one token', async ({ annotate }) => {
  const pushing = await openPushing('plain');
  onTestFinished(() => pushing.close());
  const other = await pushing.makeToken('other');
  const here = await serve(pushing.app);
  onTestFinished(() => here.close());

  const began = performance.now();
  const slow = Array.from({ length: 16 }, () => begin(here.port, pushing.token, { body: '[', length: 1_000 }));
  const trickling = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write(' ');
  }, 200);
  onTestFinished(() => clearInterval(trickling));
  const over = slow.map(async (socket) => {
    const closed = once(socket, 'close');
    const status = await statusOf(socket);
    socket.destroySoon();
    await closed;
    return status;
  });
  await Promise.race(over); // one is refused: all slots of the token are taken
  let longest = 0;
  for (let n = 0; n < 200; n++) {
    const sent = performance.now();
    expect((await post(here.port, other, READING)).status).toBe(200);
    longest = Math.max(longest, performance.now() - sent);
  }
  const statuses = await Promise.all(over);
  const seconds = (performance.now() - began) / 1_000;
  expect(statuses.sort()).toEqual([...Array(4).fill(408), ...Array(12).fill(429)]);
  expect(seconds).toBeGreaterThan(9.9);
  expect(seconds).toBeLessThan(12);
  expect((await post(here.port, pushing.token, READING)).status).toBe(200);
  await annotate(
    `row 13: beside 16 slow bodies of one token, another token was answered 200 times, in ${longest.toFixed(0)} ms at most; they were cut after ${seconds.toFixed(1)} s`,
  );
});
