/** The statements that a pool sends again, and how often. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { withRetry } from '../../src/database/retry.ts';

const failing = (code: string) => {
  let attempts = 0;
  const attempt = () => {
    attempts += 1;
    return Promise.reject(Object.assign(new Error(code), { code }));
  };
  return { attempt, count: () => attempts };
};

it.each([
  ['57P01', 4],
  ['CONNECTION_CLOSED', 4],
  ['RESPONSE_TIMEOUT', 4],
  ['40P01', 4],
  ['26000', 4],
  ['UNREACHABLE', 1],
  ['08006', 1],
  ['53300', 1],
  ['57014', 1],
  ['28P01', 1],
  ['23505', 1],
  ['XX000', 1],
])('a statement that fails with %s is sent %d times in all', async (code, times) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { attempt, count } = failing(code);
  const ended = expect(withRetry(attempt)).rejects.toThrow(code);
  await vi.advanceTimersByTimeAsync(1_000);
  await ended;
  expect(count()).toBe(times);
});
