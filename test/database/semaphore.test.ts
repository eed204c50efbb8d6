/** Statements that wait for a connection. */
import { expect, it } from 'vitest';
import { Unavailable } from '../../src/base/unavailable.ts';
import { makeSemaphore } from '../../src/database/semaphore.ts';

it('two statements may wait for a connection, and a third is refused at once', async () => {
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

it('a statement that no longer wants to wait leaves its place to another', async () => {
  const slots = makeSemaphore(1, { acquireTimeoutMs: 10_000, maxWaiting: 1 });
  await slots.acquire();
  const leaving = new AbortController();
  const left = slots.acquire(leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await expect(slots.acquire(leaving.signal)).rejects.toThrow('left');
  const next = slots.acquire();
  slots.release();
  await next;
  expect([slots.inUse(), slots.waiting()]).toEqual([1, 0]);
});

it('a statement that waits too long is refused, and leaves its place to another', async () => {
  const slots = makeSemaphore(1, { acquireTimeoutMs: 20, maxWaiting: 1 });
  await slots.acquire();
  await expect(slots.acquire()).rejects.toThrow('no database connection became free within 20 ms');
  expect(slots.waiting()).toBe(0);
  const next = slots.acquire();
  slots.release();
  await next;
  expect([slots.inUse(), slots.waiting()]).toEqual([1, 0]);
});
