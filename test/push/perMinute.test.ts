/** A limit for each minute, whatever the clock does. */
import express from 'express';
import request from 'supertest';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeErrorHandlers } from '../../src/http/errors.ts';
import { makeLog } from '../../src/log.ts';
import { perMinute } from '../../src/push/authenticate.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
});
afterEach(() => vi.useRealTimers());

it('is over after a minute, and at once when the clock was set back an hour', async () => {
  const app = express();
  app.use(perMinute({ limit: 1, keyOf: () => 'one', detail: 'too many' }), (_req, res) => void res.end());
  app.use(makeErrorHandlers(makeLog('silent')).handle);
  const knock = async () => (await request(app).get('/')).status;
  expect([await knock(), await knock()]).toEqual([200, 429]);
  vi.advanceTimersByTime(61_000);
  expect([await knock(), await knock()]).toEqual([200, 429]);
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(6_000);
  expect([await knock(), await knock()]).toEqual([200, 429]);
});
