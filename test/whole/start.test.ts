/** A service that starts before its database waits for it, and logs so. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { addressVariables, freePort, start } from '../support/program.ts';
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

it('a service that starts before its database serves as soon as that is reachable', async () => {
  const [PORT, ADMIN_PORT, PGPORT] = [await freePort(), await freePort(), await freePort()];
  const environment = { ...addressVariables(database.target), PGHOST: '127.0.0.1', PGPORT };
  const service = start(['start'], {
    ...environment,
    DATABASE_URL: 'postgres://',
    PORT,
    ADMIN_PORT,
    ROLE: 'api',
  });
  await until(
    () => service.log().includes('the database is not reachable yet'),
    'it logs that it waits',
  );
  expect(service.log()).toMatch(/"reason":"[^"]*ECONNREFUSED[^"]*","seconds_left":(60|5\d)/);
  const answer = await fetch(`http://127.0.0.1:${ADMIN_PORT}/readyz`);
  expect(answer.status).toBe(503);
  wire = await openWire(database.target, Number(PGPORT));
  await until(() => service.log().includes('ready: '), 'it serves');
  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
});
