/** The admin port: liveness, readiness and metrics. */
import request from 'supertest';
import { expect, it } from 'vitest';
import { listen } from '../../src/http/listen.ts';
import { makeAdminApp, whoListens } from '../../src/metrics/adminApp.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { keepingLog } from '../support/keepingLog.ts';

const app = (ok: boolean) =>
  makeAdminApp({
    ready: async () => ({ ok, checks: { database: ok } }),
    metrics: makeMetrics(),
    log: keepingLog(),
  });

it('a process is alive at /healthz even if it is not ready', async () => {
  const res = await request(app(false)).get('/healthz');
  expect([res.status, res.body, res.headers['cache-control']]).toEqual([
    200,
    { ok: true, pid: process.pid },
    'no-store',
  ]);
});

it.each([
  [true, 200],
  [false, 503],
])('readiness (%s) is answered at /readyz with %i and the checks', async (ok, status) => {
  const res = await request(app(ok)).get('/readyz');
  expect([res.status, res.body]).toEqual([status, { ok, checks: { database: ok } }]);
  expect(res.headers['content-type']).toBe('application/json; charset=utf-8');
});

it('a process is not ready if its check fails, and the answer does not reveal why', async () => {
  const failing = makeAdminApp({
    ready: () => Promise.reject(new Error('secret')),
    metrics: makeMetrics(),
    log: keepingLog(),
  });
  const res = await request(failing).get('/readyz');
  expect(res.status).toBe(503);
  expect(res.text).not.toContain('secret');
});

it('metrics have the Content-Type without which Prometheus refuses them', async () => {
  const { headers, text } = await request(app(true)).get('/metrics');
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toContain('# TYPE airseries_worker gauge');
});

it('the admin port answers an unknown path with the known ones, and refuses other methods', async () => {
  expect((await request(app(true)).get('/nowhere')).body).toMatchObject({
    status: 404,
    detail: expect.stringContaining('/readyz'),
  });
  expect((await request(app(true)).post('/readyz')).status).toBe(405);
});

it('no page of another origin may read the admin port', async () => {
  const preflight = await request(app(true))
    .options('/readyz')
    .set('Origin', 'https://elsewhere.example');
  expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
    204,
    undefined,
  ]);
  const answer = await request(app(true)).get('/readyz').set('Origin', 'https://elsewhere.example');
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});

it.each(['127.0.0.1', '::1'])('the admin port at %s tells which process has it', async (host) => {
  const served = await listen(app(true), { port: 0, host, variable: 'ADMIN_PORT' });
  expect(await whoListens(host, served.port)).toBe(`process ${process.pid}`);
  await served.close({ drainMs: 0 });
});
