/** A database that is not there when the service starts: it is waited for, for a minute, and said so. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitForDatabase } from '../../src/database/errors.ts';
import { keepingLog } from '../ingest/support.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { freePort, placeOf, start } from '../support/program.ts';
import { until } from '../support/service.ts';
import { openWire, type Wire } from '../support/silence.ts';

let database: TestDatabase;
let wire: Wire | undefined;
beforeAll(async () => {
  database = await testDatabase('plain');
});
afterAll(async () => {
  await wire?.close();
  await database.drop();
});

it('the service starts before its database, and serves as soon as that is there', async () => {
  const [PORT, ADMIN_PORT, PGPORT] = [await freePort(), await freePort(), await freePort()];
  const place = { ...placeOf(database.target), PGHOST: '127.0.0.1', PGPORT };
  const service = start('main', [], { ...place, DATABASE_URL: 'postgres://', PORT, ADMIN_PORT, ROLE: 'api' });
  await until(() => service.log().includes('the database is not reachable yet'), 'the log says that it waits');
  expect(service.log()).toMatch(/"reason":"[^"]*ECONNREFUSED[^"]*","seconds_left":(60|5\d)/);
  const answer = await fetch(`http://127.0.0.1:${ADMIN_PORT}/readyz`);
  expect(answer.status).toBe(503);
  wire = await openWire(database.target as Exclude<typeof database.target, string>, Number(PGPORT));
  await until(() => service.log().includes('ready: '), 'it serves');
  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
});

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`failed with ${code}`), { code }));

it('after a minute it is given up, with the remedy; the log had a line each ten seconds', async () => {
  const log = keepingLog();
  const given = waitForDatabase(failing('ECONNREFUSED'), log, { forMs: 100, everyMs: 3 });
  await expect(given).rejects.toThrow(/No database for 0.1 seconds: failed with ECONNREFUSED.*DATABASE_URL/);
  expect(log.lines.length).toBeGreaterThan(1);
  expect(log.lines.length).toBeLessThanOrEqual(4);
});

it.each(['28P01', '28000', '3D000', '42501', ''])('what no waiting mends is thrown at once: %j', async (code) => {
  const log = keepingLog();
  await expect(waitForDatabase(failing(code), log)).rejects.toThrow(`failed with ${code}`);
  expect(log.lines).toEqual([]);
});
