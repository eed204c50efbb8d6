/** Statements wait for a connection in bounded number and time, and one that gives up leaves the queue. */
import { expect, it } from 'vitest';
import { makeSemaphore } from '../../src/database/timeouts.ts';
import { Unavailable } from '../../src/unavailable.ts';

it('two may wait for one connection, a third is refused at once', async () => {
  const slots = makeSemaphore(1, { acquireTimeoutMs: 10_000, maxWaiting: 2 });
  await slots.acquire();
  const waiting = [slots.acquire(), slots.acquire()];
  await expect(slots.acquire()).rejects.toThrow(Unavailable);
  expect([slots.inUse(), slots.waiting()]).toEqual([1, 2]);
  for (const one of waiting) {
    slots.release();
    await one;
  }
  slots.release();
  expect([slots.inUse(), slots.waiting()]).toEqual([0, 0]);
});

it('one that waits too long gives up, and makes room for another', async () => {
  const slots = makeSemaphore(1, { acquireTimeoutMs: 20, maxWaiting: 1 });
  await slots.acquire();
  await expect(slots.acquire()).rejects.toThrow('no database connection became free within 20 ms');
  expect(slots.waiting()).toBe(0);
  const next = slots.acquire();
  slots.release();
  await next;
  expect([slots.inUse(), slots.waiting()]).toEqual([1, 0]);
});
