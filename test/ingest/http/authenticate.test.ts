/** Who is admitted and how often, also while the database is unreachable. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import { connect } from '../../../src/database/client.ts';
import type { QueryPool } from '../../../src/database/queryPool.ts';
import { makeErrorHandlers } from '../../../src/http/middleware.ts';
import { perMinute, presentedToken } from '../../../src/ingest/http/admit.ts';
import { revokeToken } from '../../../src/ingest/http/tokens.ts';
import { NOW } from '../../support/clock.ts';
import { onOneEngine } from '../../support/database.ts';
import { send, usePushing } from './pushing.ts';

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
  ])('the header %j carries the token %j', (header, token) =>
    expect(presentedToken(header)).toBe(token),
  );
});

/** Where the token is good: an empty list has no reading. */
const ADMITTED = 422;

onOneEngine('the ingestion endpoint', (engine) => {
  const here = usePushing(undefined, engine);

  const post = (authorization: string | undefined, app = here.app) => {
    const call = request(app).post('/v1/readings').set('Content-Type', 'application/json');
    return (authorization === undefined ? call : call.set('Authorization', authorization)).send(
      '[]',
    );
  };

  it('a push without a valid token is refused with 401, before its body is read', async () => {
    const [, id = '', secret = ''] = here.token.split('_');
    const almost = `airs_${id}_${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
    const stranger = `airs_${'0'.repeat(10)}_${secret}`;
    const revoked = await here.makeToken('revoked');
    expect((await post(`Bearer ${revoked}`)).status).toBe(ADMITTED);
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

  it('a token that sends too often is refused with 429, and other tokens are not', async () => {
    const app = here.another({ rate: 3 });
    const other = await here.makeToken('other');
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await post(`Bearer ${here.token}`, app)).status);
    expect(statuses).toEqual([ADMITTED, ADMITTED, ADMITTED, 429]);
    const res = await post(`Bearer ${here.token}`, app);
    expect(Number(res.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(res.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(res.body).toEqual({
      status: 429,
      title: 'Too Many Requests',
      detail: expect.stringMatching(/more than 3/),
    });
    expect((await post(`Bearer ${other}`, app)).status).toBe(ADMITTED);
  });

  it('13 new devices get in amid wrong tokens from their address, which cost at most 10 queries a second', async () => {
    const wrong = Array.from(
      { length: 60 },
      (_, n) =>
        [
          `airs_${String(n).padStart(10, '0')}_${'w'.repeat(43)}`,
          `${here.token.slice(0, -2)}ww`,
          'wrong',
        ][n % 3],
    );
    const devices = await Promise.all(
      Array.from({ length: 13 }, (_, n) => here.makeToken(`device ${n}`)),
    );
    let asked = 0;
    const writes: QueryPool = {
      ...here.writes,
      query: (text, parameters) => {
        if (/from raw\.token/.test(text)) asked += 1;
        return here.writes.query(text, parameters);
      },
    };
    const server = here.another({ writes }).listen(0);
    onTestFinished(() => void server.close());
    const statusOf = async (token?: string) => {
      const { port } = server.address() as AddressInfo;
      const answer = await fetch(`http://127.0.0.1:${port}/v1/readings`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: '[]',
      });
      await answer.text();
      return answer.status;
    };
    const began = performance.now();
    const [refused, accepted] = await Promise.all([
      Promise.all(wrong.map(statusOf)),
      Promise.all(devices.map(statusOf)),
    ]);
    const seconds = (performance.now() - began) / 1_000;
    expect(accepted).toEqual(devices.map(() => ADMITTED));
    expect(refused).toEqual(wrong.map(() => 401));
    expect(asked - devices.length).toBeLessThanOrEqual(10 * seconds + 1);
    expect(asked - devices.length).toBeGreaterThan(0);
  });

  it('a push is answered with 503 while the database is unreachable, and accepted once it is back', async () => {
    const target = here.database.target as Exclude<DatabaseAddress, string>;
    const administrator = connect({ ...target, database: 'postgres' }, {});
    await administrator.unsafe(`alter database ${target.database} allow_connections false`);
    await administrator`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${target.database}`;
    const res = await post(`Bearer ${here.token}`);
    expect(res.status).toBe(503);
    expect(res.headers['retry-after']).toBe('5');
    expect(res.body).toMatchObject({ status: 503, title: 'Service Unavailable' });
    await administrator.unsafe(`alter database ${target.database} allow_connections true`);
    const reading = '[{"sensor_id":1,"time":"2026-11-20T11:00:00Z","pm25":5}]';
    expect((await send(here.app, here.token, reading)).status).toBe(200);
    expect((await send(here.app, here.token, reading)).status, 'and says so once').toBe(200);
    expect(
      here.log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message),
    ).toEqual(['database unavailable; returning 503', 'the database answers again']);
    await administrator.end();
  });
});

describe('a limit per minute', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => vi.useRealTimers());

  it('a rate limit ends after a minute, and within seconds when the clock is set back an hour', async () => {
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
