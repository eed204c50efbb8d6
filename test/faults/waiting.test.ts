/** Statements that wait for a connection are bounded in number and in time, and nobody takes the place of one who has given up. */
import { expect, it } from 'vitest';
import { Unavailable } from '../../src/database/errors.ts';
import { makeSemaphore } from '../../src/database/semaphore.ts';

it('two may wait for one connection, a third is refused at once', async () => {
  const slots = makeSemaphore(1, { patienceMs: 10_000, mostWaiting: 2 });
  await slots.take();
  const waiting = [slots.take(), slots.take()];
  await expect(slots.take()).rejects.toThrow(Unavailable);
  expect([slots.inUse(), slots.waiting()]).toEqual([1, 2]);
  for (const one of waiting) {
    slots.give();
    await one;
  }
  slots.give();
  expect([slots.inUse(), slots.waiting()]).toEqual([0, 0]);
});

it('who waits too long leaves, and makes room for another', async () => {
  const slots = makeSemaphore(1, { patienceMs: 20, mostWaiting: 1 });
  await slots.take();
  await expect(slots.take()).rejects.toThrow('no database connection became free within 20 ms');
  expect(slots.waiting()).toBe(0);
  const next = slots.take();
  slots.give();
  await next;
  expect([slots.inUse(), slots.waiting()]).toEqual([1, 0]);
});
