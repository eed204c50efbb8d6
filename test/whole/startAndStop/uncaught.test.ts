/** An error that nothing catches ends a process at once, with exit code 1, and says which it was. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { engines } from '../../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../../support/installation.ts';
import { untilWaiting } from '../../support/lockWaits.ts';
import { openTransaction } from '../../support/openTransaction.ts';
import { addressVariables, runAirseries, runProgram } from '../../support/program.ts';
import { startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** Makes a process throw an error, an expression, at a signal. */
const throwing = (signal: string, error: string) =>
  `--import data:text/javascript,${encodeURIComponent(
    `process.on('${signal}', () => setImmediate(() => { throw ${error}; }))`,
  )}`;
const NODE_OPTIONS = throwing('SIGUSR2', "new TypeError('of a fault in a library')");

let here: Installation;
let superuser: Sql;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  superuser = here.database.superuser();
  return () => here.close();
});

it('an uncaught error ends the service, and the log has it', async () => {
  const service = await startService(here, { DEMO: 'off', NODE_OPTIONS });
  onTestFinished(() => service.kill('SIGKILL'));
  service.kill('SIGUSR2');
  expect((await service.finished).code).toBe(1);
  expect(service.log()).toMatch(
    /"level":"error","time":"\d{4}-[^"]+Z".*"msg":"of a fault in a library"/,
  );
});

it('an uncaught error of the driver while a service stops changes nothing, for the stop ends its connections', async () => {
  const stack = 'at file:///air/node_modules/postgres/src/connection.js';
  const error = `Object.assign(new Error('of a fault in the driver'), { stack: '${stack}' })`;
  const service = await startService(here, {
    DEMO: 'off',
    DRAIN_SECONDS: '0',
    NODE_OPTIONS: throwing('SIGTERM', error),
  });
  service.kill('SIGTERM');
  expect((await service.finished).code).toBe(0);
  expect(service.log()).not.toContain('of a fault in the driver');
});

it('an uncaught error ends a command, with its message', async () => {
  const file = join(temporaryFolder('uncaught'), 'network.json');
  writeFileSync(file, JSON.stringify(citiesOfOneStation(['town'])));
  const end = await openTransaction(superuser, 'lock table raw.station in access exclusive mode');
  const environment = {
    ...addressVariables(here.database.target),
    DATABASE_URL: 'postgres://',
    NODE_OPTIONS,
  };
  const command = runAirseries(['import', 'network', file], environment);
  onTestFinished(() => command.kill('SIGKILL'));
  await untilWaiting(superuser); // the command
  command.kill('SIGUSR2');
  const { code, stderr } = await command.finished;
  await end('rollback');
  expect([code, stderr]).toEqual([1, 'error: of a fault in a library\n']);
});

it('an uncaught error of the driver is explained when a connection is lost within a transaction', async () => {
  const program = `
    import { connect } from './dist/database/client.js';
    import { describeUncaughtError } from './dist/database/remedies.js';
    process.on('uncaughtException', (error) => process.exit(console.log(describeUncaughtError(error)) ?? 3));
    const sql = connect('postgres://', { timeZone: 'UTC', max: 2 });
    await sql.begin(async (transaction) => {
      const [{ pid }] = await transaction\`select pg_backend_pid() as pid\`;
      await sql\`select pg_terminate_backend(\${pid}, 5000)\`;
      for (;;) {
        transaction\`select\`.catch(() => undefined);
        await new Promise(setImmediate);
      }
    });`;
  const running = runProgram([process.execPath, '--input-type=module', '--eval', program], {
    environment: addressVariables(here.database.target),
    folder: process.cwd(),
  });
  onTestFinished(() => running.kill('SIGKILL'));
  const { code, stdout } = await running.finished;
  expect(stdout).toMatch(
    /^the connection to the database was lost within a transaction, which is rolled back \(/,
  );
  expect(code).toBe(3);
});
