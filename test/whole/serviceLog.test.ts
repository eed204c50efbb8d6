/**
 * The log of a running service: one JSON object a line, nothing on stdout, and no internals in
 * answers. Secrets: test/whole/secrets.test.ts.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { httpGet, type Service, startService } from '../support/service.ts';

/** Not in the response cache. */
const UNREQUESTED = '/hy/air-quality-app/v1/station/1.json';
const STATION = '/en/air-quality-app/v1/station/1.json';
const LEVELS = ['debug', 'info', 'warn', 'error'];
type Line = { level: string; time: string; msg: string } & Record<string, unknown>;

let here: Installation;
let service: Service;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  service = await startService(here, { LOG_LEVEL: 'debug', DEMO: 'off' });
});
afterAll(async () => {
  service.kill('SIGKILL');
  await service.finished;
  await here.close();
});

const lines = () =>
  service
    .log()
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));
const saying = (text: string) => lines().filter(({ msg }) => msg.includes(text));

it('logs its URL once it is ready, after everything else has started', async () => {
  const messages = lines().map(({ msg }) => msg);
  expect(messages).toContain(
    `HTTP ingestion is open at http://127.0.0.1:${service.port.ingest}/v1/readings`,
  );
  expect(messages.filter((msg) => msg.startsWith('ready'))).toEqual([
    `ready: try http://localhost:${service.port.public}/`,
  ]);
  const opened = (text: string) => messages.findIndex((msg) => msg.includes(text));
  expect(opened('readings are taken in')).toBeLessThan(opened('ready: '));
  expect(opened('aggregates are up to date')).toBeLessThan(opened('ready: '));
});

it('has a counter at zero for every job of the core, so that one that never runs can be seen', async () => {
  const { body } = await httpGet(service.port.admin, '/metrics');
  const tasks = [...body.matchAll(/^airseries_job_runs_total\{task="([^"]+)"\} \d+$/gm)].map(
    ([, task]) => task,
  );
  expect(tasks).toEqual(
    expect.arrayContaining([
      ...['refresh', 'digest', 'screen', 'trim_quarantine', 'zone_rules', 'maintain', 'audit'],
    ]),
  );
});

it('logs a request on one line, without its query string', async () => {
  await httpGet(service.port.public, `${STATION}?password=of-a-client`, {
    'User-Agent': 'my-widget/1.0',
  });
  await service.logged('my-widget');
  const about = {
    level: 'debug',
    msg: 'request',
    method: 'GET',
    path: STATION,
    status: 200,
    agent: 'my-widget/1.0',
  };
  expect(lines().filter(({ agent }) => agent === 'my-widget/1.0')).toMatchObject([about]);
  expect(service.log()).not.toContain('of-a-client');
});

it('reveals no internals of an error to clients, and logs it with its stack and SQLSTATE', async () => {
  const sql = here.database.superuser();
  const [aqi] = await sql`select pg_get_functiondef('rollup.aqi'::regproc) as definition`;
  // neither an outage nor a fault of another version
  await sql`create or replace function rollup.aqi(pm25 float8, pm10 float8) returns int language sql immutable return 1 / 0`;
  const answer = await httpGet(service.port.public, UNREQUESTED);
  await sql.unsafe(aqi?.definition);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    500,
    {
      status: 500,
      title: 'Internal Server Error',
      detail: 'Something went wrong on our side, and it has been logged. Try again later.',
    },
  ]);
  await service.logged('a request failed');
  const [line, ...more] = saying('a request failed');
  expect(more).toEqual([]);
  expect(line).toMatchObject({
    level: 'error',
    path: UNREQUESTED,
    err: { stack: expect.stringContaining('at '), code: '22012' },
  });
  expect((await httpGet(service.port.public, UNREQUESTED)).status).toBe(200);
});

it('logs only JSON up to its last line, and writes nothing to stdout', async () => {
  service.kill('SIGTERM');
  const { code, stdout } = await service.finished;
  expect([code, stdout]).toEqual([0, '']);
  for (const line of lines()) {
    expect(LEVELS).toContain(line.level);
    expect(new Date(line.time).toISOString()).toBe(line.time);
    expect(line.msg).not.toBe('');
  }
  expect(saying('stopping')).toMatchObject([{ level: 'info', signal: 'SIGTERM' }]);
  expect(lines().filter(({ level }) => level === 'warn' || level === 'error')).toHaveLength(1); // the failure above
});
