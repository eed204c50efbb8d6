/**
 * Only a process of the command shows its streams, its exit code, and how it ends on a signal. The
 * work of each command is tested beside this file, and in test/whole/mistakes/commands.test.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { onConnection } from '../../src/database/client.ts';
import { wordsOf } from '../support/command.ts';
import { whereComplete } from '../support/complete.ts';
import { emptyDatabase } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { addressVariables, makeHome, runAirseries } from '../support/program.ts';
import { NETWORK } from './support.ts';

/** Without a database. */
const home = makeHome();
afterAll(() => home.remove());

/** A database that the commands find by PGHOST and others. */
let here: Installation;
let withDatabase: Record<string, string>;
beforeAll(async () => {
  here = await install('plain', NETWORK);
  withDatabase = { ...addressVariables(here.database.target), DATABASE_URL: 'postgres://' };
  return () => here.close();
});

const run = (line: string, environment: Record<string, string>, input = '') =>
  runAirseries(wordsOf(line), environment, input).finished;

/** A process of the command, and what it has written to stderr. */
function begin(args: string[], environment: Record<string, string> = {}) {
  const file = new URL('../../dist/cli.js', import.meta.url).pathname;
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const child = spawn(process.execPath, [file, ...args], { env });
  let text = '';
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  return { child, said: () => text };
}

it('a command that could do nothing exits with 1, and --table prints its result as a table', async () => {
  const readings = 'sensor_id,time,pm25\n77,2026-11-19T08:00:00Z,1\n';
  const { code, stdout, stderr } = await run('import readings - --table', withDatabase, readings);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^received +1\naccepted +0\n/)]);
  expect(stderr).toMatch(/none of the 1 readings could be used.*quarantine list/);
  expect(stderr).not.toMatch(/^\{/m); // lines, and no JSON
});

it('a command reads a network from standard input, and prints its result to stdout as JSON', async () => {
  const { code, stdout } = await run('import network -', withDatabase, JSON.stringify(NETWORK));
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { stations: { unchanged: 1 } }]);
});

it('bad usage exits with 2, opens no database, and shows no control character of it', async () => {
  const { code, stdout, stderr } = await run('fly\x1b[2J', home.environment);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^error: unknown command fly\\u001b\[2J\P{Cc}*\n$/u);
  expect(existsSync(join(home.folder, 'data'))).toBe(false);
});

it('help is printed to stdout, even with an invalid configuration', async () => {
  const environment = { ...home.environment, PORT: 'http' };
  const help = await run('start --help', environment);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const text of ['Usage: airseries start', 'INGEST_RATE', '(default: 600)'])
    expect(help.stdout).toContain(text);
  expect(existsSync(join(home.folder, 'data'))).toBe(false);
});

it('a command whose stdout is no longer read ends as usual, and prints nothing', async () => {
  const { child, said } = begin(['--help']);
  child.stdout.destroy(); // before it writes: a pipe without a reader
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(said()).toBe('');
});

it('an import that is interrupted while it reads has stored nothing', async () => {
  const { child, said } = begin(['import', 'readings', '-'], withDatabase);
  child.stdin.on('error', () => undefined); // EPIPE: it ended before it had read all
  const rows = Array.from(
    { length: 10_004 },
    (_, minute) => `1,${new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString()},5\n`,
  );
  const owner = here.database.as();
  try {
    child.stdin.write(`sensor_id,time,pm25\n${rows.join('')}`); // it stays open
    const stages = () => owner`select from pg_class where relname = 'staged_reading'`;
    await expect.poll(stages, { timeout: 20_000 }).toHaveLength(1);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
    expect(said()).toMatch(/^interrupted/m);
  } finally {
    child.kill('SIGKILL');
  }
  expect(await owner`select from raw.readings where pm25 = 5`).toEqual([]);
});

it(
  'the demo is refused before it changes a database that is not embedded',
  whereComplete,
  async () => {
    const { target, drop } = await emptyDatabase('plain');
    onTestFinished(drop);
    const environment = { ...addressVariables(target), DATABASE_URL: 'postgres://' };
    const refused = await run('demo', environment);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe(
      'error: This is not the embedded server. To load the demo network into this database, set DEMO=on.\n',
    );
    const schemas = await onConnection(
      target,
      {},
      (sql) => sql`select nspname from pg_namespace where nspname in ('raw', 'api')`,
    );
    expect([...schemas]).toEqual([]);
  },
);
