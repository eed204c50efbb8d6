/** Who is admitted and how often, also while the database is unreachable. */
import express from 'express';
import request from 'supertest';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { connect, type DatabaseAddress } from '../../../src/database/client.ts';
import { openIngestPool } from '../../../src/database/pools.ts';
import { makeErrorHandlers } from '../../../src/http/middleware.ts';
import { makeIngestApp } from '../../../src/ingest/http/app.ts';
import { presentedToken } from '../../../src/ingest/http/authenticate.ts';
import { perMinute } from '../../../src/ingest/http/limits.ts';
import { revokeToken } from '../../../src/ingest/http/tokens.ts';
import { onOneEngine } from '../../support/database.ts';
import { keepingLog, NOW } from '../support.ts';
import { openPushing, type Pushing, send } from './pushing.ts';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('the token in a header', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Bearer airs_x', 'airs_x'],
    ['bearer  airs_x ', 'airs_x'],
    ['Bearer a b', undefined],
    ['Digest x', undefined],
    [basic('any one:airs_x'), 'airs_x'],
    [basic(':airs_x'), 'airs_x'],
    [basic('airs_x:'), 'airs_x'],
    [basic('airs_x'), 'airs_x'],
    [basic(':'), undefined],
    [basic('user:a:b'), 'a:b'],
  ])('%s', (header, token) => expect(presentedToken(header)).toBe(token));
});

onOneEngine('the ingestion endpoint', (engine) => {
  let here: Pushing;
  beforeAll(async () => {
    here = await openPushing(engine);
  });
  afterAll(() => here.close());

  const post = (authorization: string | undefined, app = here.app) => {
    const call = request(app).post('/v1/readings').set('Content-Type', 'application/json');
    return (authorization === undefined ? call : call.set('Authorization', authorization)).send(
      '[]',
    );
  };

  it('refuses requests without a valid token before it reads the body', async () => {
    const [, id = '', secret = ''] = here.token.split('_');
    const almost = `airs_${id}_${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
    const stranger = `airs_${'0'.repeat(10)}_${secret}`;
    const revoked = await here.makeToken('revoked');
    expect((await post(`Bearer ${revoked}`)).status).toBe(200);
    await revokeToken(here.owner, 'revoked', NOW);
    for (const token of [undefined, 'x', almost, stranger, `${here.token}x`, revoked]) {
      const res = await post(token && `Bearer ${token}`);
      expect(res.status, token).toBe(401);
      expect(res.headers['www-authenticate']).toBe(
        'Bearer realm="airseries", Basic realm="airseries"',
      );
      expect(res.body).toMatchObject({
        status: 401,
        title: 'Unauthorized',
        detail: expect.stringMatching(/token/),
      });
    }
    const large = await send(here.app, 'x', Buffer.alloc(9_000_000, ' '), {
      'Content-Type': 'image/png',
    });
    expect(large.status).toBe(401);
  });

  it('limits the rate of one token, and of no other', async () => {
    const app = here.another({ rate: 3 });
    const other = await here.makeToken('other');
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await post(`Bearer ${here.token}`, app)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const res = await post(`Bearer ${here.token}`, app);
    expect(Number(res.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(res.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(res.body).toEqual({
      status: 429,
      title: 'Too Many Requests',
      detail: expect.stringMatching(/more than 3/),
    });
    expect((await post(`Bearer ${other}`, app)).status).toBe(200);
  });

  it('limits wrong tokens by address, but not tokens that were valid before', async () => {
    const app = here.another({ failures: 3 });
    const guess = (address: string, token = 'wrong') =>
      post(`Bearer ${token}`, app).set('X-Forwarded-For', address);
    expect((await guess('198.51.100.1', here.token)).status).toBe(200);
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await guess('198.51.100.1')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const unseen = await here.makeToken('unseen');
    const res = await guess('198.51.100.1', unseen);
    expect(res.status).toBe(429);
    expect(res.headers['retry-after']).toMatch(/^\d+$/);
    expect((await guess('198.51.100.1', here.token)).status).toBe(200);
    expect((await guess('198.51.100.2', unseen)).status).toBe(200);
  });

  it('answers 503 while the database is unreachable, and accepts readings again as soon as it is back', async () => {
    const target = here.database.target as Exclude<DatabaseAddress, string>;
    const administrator = connect({ ...target, database: 'postgres' }, {});
    await administrator.unsafe(`alter database ${target.database} allow_connections false`);
    await administrator`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${target.database}`;
    const res = await post(`Bearer ${here.token}`);
    expect(res.status).toBe(503);
    expect(res.headers['retry-after']).toBe('5');
    expect(res.body).toMatchObject({ status: 503, title: 'Service Unavailable' });
    await administrator.unsafe(`alter database ${target.database} allow_connections true`);
    expect((await post(`Bearer ${here.token}`)).status).toBe(200);
    expect((await post(`Bearer ${here.token}`)).status, 'and says so once').toBe(200);
    expect(
      here.log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message),
    ).toEqual(['database unavailable; returning 503', 'the database answers again']);
    await administrator.end();
  });
});

it('answers 503 if the database was never reachable', async () => {
  const writes = openIngestPool('postgres://x@127.0.0.1:1/x', { timeZone: 'UTC' });
  const app = makeIngestApp({ writes, clock: () => NOW, log: keepingLog(), rate: 10 });
  const token = `airs_${'a'.repeat(10)}_${'b'.repeat(43)}`;
  expect((await send(app, token, '[]')).status).toBe(503);
  await writes.close();
});

describe('a limit per minute', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => vi.useRealTimers());

  it('ends after a minute, and at once when the clock is set back an hour', async () => {
    const app = express();
    app.use(
      perMinute({ limit: 1, keyGenerator: () => 'one', detail: 'too many' }),
      (_req, res) => void res.end(),
    );
    app.use(makeErrorHandlers(makeLog('silent')).handle);
    const statusOf = async () => (await request(app).get('/')).status;
    expect([await statusOf(), await statusOf()]).toEqual([200, 429]);
    vi.advanceTimersByTime(61_000);
    expect([await statusOf(), await statusOf()]).toEqual([200, 429]);
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(6_000);
    expect([await statusOf(), await statusOf()]).toEqual([200, 429]);
  });
});
