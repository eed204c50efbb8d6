/**
 * No secret is shown: every setting that holds a secret holds a recognisable one here, everything
 * that can fail fails, and no log, answer or metric has any of them. The messages of commands are in
 * test/whole/mistakes, whose rows have such secrets, too.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NOW } from '../support/clock.ts';
import { engines } from '../support/database.ts';
import { beginRequest, httpGet } from '../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { until } from '../support/patience.ts';
import { type Service, startService } from '../support/service.ts';
import { openWire, type Wire } from '../support/wire.ts';

/** Every secret here contains this, whether it is encoded for a URL or not. */
const MARK = 's3kr1t';

let here: Installation;
let wire: Wire;
let service: Service;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  wire = await openWire(here.database.target);
  service = await startService(here, {
    LOG_LEVEL: 'debug',
    DATABASE_URL: urlOf(wire.target, `${MARK}/of:the@owner`),
    READER_DATABASE_URL: urlOf(wire.target, `${MARK} of the reader`),
    PGPASSWORD: `${MARK}-of-the-environment`,
    DRAIN_SECONDS: '0',
  });
});
afterAll(async () => {
  service.kill('SIGKILL');
  await service.finished;
  await wire.close();
  await here.close();
});

function urlOf(target: Wire['target'], password: string): string {
  const { user, host, port, database } = target as Exclude<Wire['target'], string>;
  return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}

it('no token is shown, however it is sent, valid or not', async () => {
  const secret = service.token.slice(-43);
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const answers: string[] = [];
  const push = async (authorization: string, body: string, path = '/v1/readings') => {
    const headers = {
      Authorization: authorization,
      'Content-Type': 'application/json',
      'User-Agent': 'pushing',
    };
    const answer = await beginRequest(service.port.ingest, {
      method: 'POST',
      path,
      headers,
    }).finish(body);
    answers.push(JSON.stringify(answer.headers) + answer.body);
    return answer.status;
  };
  const reading = JSON.stringify([{ sensor_id: 1, time: NOW.toISOString(), pm25: 5 }]);
  const bearer = `Bearer ${service.token}`;
  for (const [authorization, body, status, path] of [
    [bearer, reading, 200],
    [bearer, '[{"sensor_id": 1}]', 422],
    [bearer, '{broken', 400],
    [bearer, '[]', 404, `/v1/readings/?token=${service.token}`],
    [basic(`device:${service.token}`), reading, 200],
    [`${bearer}!`, '[]', 401],
    [`${bearer.slice(0, -1)}!`, '[]', 401],
    [basic(`${service.token}x:`), '[]', 401],
    [service.token, '[]', 401],
  ] as [string, string, number, string?][])
    expect(await push(authorization, body, path)).toBe(status);
  await until(
    () => service.log().split('"agent":"pushing"').length > answers.length,
    'every request is logged',
  );
  const { body: metrics } = await httpGet(service.port.admin, '/metrics');
  const shown = `${service.log()} ${metrics} ${answers.join()}`;
  for (const text of [
    secret,
    secret.slice(0, -1),
    Buffer.from(secret).toString('base64').slice(2, -4),
  ])
    expect(shown).not.toContain(text);
});

it('no password of a database is shown while the database is away', async () => {
  await wire.close();
  const answers = await Promise.all(
    [
      httpGet(service.port.public, '/hy/air-quality-app/v1/station/1.json'),
      httpGet(service.port.admin, '/readyz'),
      httpGet(service.port.admin, '/metrics'),
      beginRequest(service.port.ingest, {
        method: 'POST',
        path: '/v1/readings',
        headers: { Authorization: `Bearer ${service.token}` },
      }).finish('[]'),
    ].map((asked) => asked.then(({ status, body }) => ({ status, body }))),
  );
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 200, 503]);
  await service.logged('database unavailable');
  service.kill('SIGTERM');
  const { stdout, stderr } = await service.finished;
  expect(stdout + stderr + JSON.stringify(answers)).not.toContain(MARK);
});
