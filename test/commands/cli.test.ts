/**
 * Only a process of the command shows its streams, its exit code, and how it ends on a signal. The
 * work of each command is tested beside this file, and in test/whole/mistakes/commands.test.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onConnection } from '../../src/database/client.ts';
import { wordsOf } from '../support/command.ts';
import { isComplete, whereComplete } from '../support/complete.ts';
import { emptyDatabase } from '../support/database.ts';
import { freePort } from '../support/freePort.ts';
import { type Installation, install } from '../support/installation.ts';
import { addressVariables, makeHome, runAirseries } from '../support/program.ts';
import { NETWORK, READINGS } from './support.ts';

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

it('a command prints its result to stdout as JSON, and everything else to stderr', async () => {
  const { code, stdout, stderr } = await run('import readings -', withDatabase, READINGS);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { received: 5, accepted: 2 }]);
  expect(stderr).toContain('there is no sensor 12');
});

it('--table prints the result of a command as a table, without most zeros', async () => {
  const readings = 'sensor_id,time,pm25\n1,2026-11-19T08:00:00Z,12.5\n';
  const { stdout } = await run('import readings - --table', withDatabase, readings);
  expect(stdout).toBe(
    [
      'received   1\naccepted   0\nunchanged  1',
      'oldest     2026-11-19T08:00:00Z\nnewest     2026-11-19T08:00:00Z',
      'formats    airseries\n',
    ].join('\n'),
  );
});

it('a command exits with 1 where it could do nothing, and prints its result all the same', async () => {
  const readings = 'sensor_id,time,pm25\n77,2026-11-19T08:00:00Z,1\n';
  const { code, stdout, stderr } = await run('import readings -', withDatabase, readings);
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { failed: true }]);
  expect(stderr).toMatch(/none of the 1 readings could be used.*quarantine list/);
});

it('a command reads a time without an offset in the zone of the network', async () => {
  const line = 'delete readings --sensor 1 --from 2026-11-19T13:00 --to 2026-11-20';
  const { stdout } = await run(line, withDatabase);
  expect(JSON.parse(stdout)).toEqual({ deleted: 1 });
});

it('a command reads a network from standard input, and refuses a setting that does not fit it', async () => {
  const read = await run('import network -', withDatabase, JSON.stringify(NETWORK));
  expect([read.code, JSON.parse(read.stdout)]).toMatchObject([0, { stations: { unchanged: 1 } }]);
  const refused = await run('migrate', { ...withDatabase, TIME_ZONE: 'UTC' });
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/TIME_ZONE is UTC.*made for Asia\/Yerevan/);
});

it.each([
  ['', /^Usage: airseries [\s\S]*\n\nerror: no command given\n$/],
  ['retention --apply', /^error: --apply needs RAW_RETENTION.*\n$/],
])('the bad usage "%s" exits with 2, and opens no database', async (line, said) => {
  const { code, stdout, stderr } = await run(line, home.environment);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(said);
  expect(existsSync(join(home.folder, 'data'))).toBe(false);
});

it('bad usage that only the database can reveal exits with 2, too', async () => {
  const { code, stdout, stderr } = await run('screen --from 2100-01-01', withDatabase);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('error: --from must not be in the future');
});

it('bad usage is repeated without the control characters that a terminal would obey', async () => {
  const { stderr } = await run('fly\x1b[2J', {});
  expect(stderr).toContain(String.raw`unknown command fly\u001b[2J`);
  expect(stderr).not.toContain('\x1b');
});

it('help and the version are printed to stdout, even with an invalid configuration', async () => {
  const environment = { ...home.environment, PORT: 'http' };
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  expect(await run('--version', environment)).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
  const help = await run('start --help', environment);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const text of ['Usage: airseries start', 'INGEST_RATE', '(default: 600)'])
    expect(help.stdout).toContain(text);
  expect(existsSync(join(home.folder, 'data'))).toBe(false);
});

it.each([
  ['stdout', ['--help'], 0],
  ['stderr', ['fly'], 2],
] as const)(
  'a command whose %s is no longer read ends as usual, and prints nothing',
  async (stream, words, code) => {
    const file = new URL('../../dist/cli.js', import.meta.url).pathname;
    const child = spawn(process.execPath, [file, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    child[stream].destroy(); // before it writes: a pipe without a reader
    const other = stream === 'stdout' ? child.stderr : child.stdout;
    let said = '';
    other.on('data', (chunk) => {
      said += chunk;
    });
    expect(await once(child, 'close')).toEqual([code, null]);
    expect(said).toBe('');
  },
);

it('an import that is interrupted while it reads has stored nothing, and the same command does it', async () => {
  const file = new URL('../../dist/cli.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [file, 'import', 'readings', '-'], {
    env: { PATH: process.env.PATH ?? '', ...withDatabase },
  });
  child.stdin.on('error', () => undefined); // EPIPE: it ended before it had read all
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const rows = Array.from(
    { length: 10_004 },
    (_, minute) => `1,${new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString()},5\n`,
  );
  const whole = `sensor_id,time,pm25\n${rows.join('')}`;
  const owner = here.database.as();
  try {
    child.stdin.write(whole); // it stays open
    const stages = () => owner`select from pg_class where relname = 'staged_reading'`;
    await expect.poll(stages, { timeout: 20_000 }).toHaveLength(1);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
    expect(said).toMatch(/^interrupted/m);
  } finally {
    child.kill('SIGKILL');
  }
  expect(await owner`select from raw.readings where pm25 = 5`).toEqual([]);
  const { stdout } = await run('import readings -', withDatabase, whole);
  expect(JSON.parse(stdout)).toMatchObject({ received: 10_004, accepted: 10_004 });
});

it(
  'the demo is refused before it changes a database that is not embedded',
  whereComplete,
  async () => {
    const { target, drop } = await emptyDatabase('plain');
    try {
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
    } finally {
      await drop();
    }
  },
);

const GROUND = [
  [
    'MAP_GROUND',
    home.folder,
    `MAP_GROUND=${home.folder}: is a folder. Name a GeoJSON file, or unset MAP_GROUND.`,
  ],
];

it.each([
  ...(isComplete ? GROUND : []),
  [
    'INGEST_HOST',
    'all',
    'all (INGEST_HOST) is not an address of this machine. Set INGEST_HOST to one that is: 127.0.0.1 is reachable from this machine only, 0.0.0.0 means all addresses.',
  ],
])(
  'an unusable %s ends the start with its name and the remedy in a line, and no stack',
  async (name, value, said) => {
    const ports = { PORT: await freePort(), ADMIN_PORT: await freePort() };
    const environment = { ...home.environment, ...ports, [name]: value };
    expect(await run('start', environment)).toMatchObject({ code: 1, stderr: `error: ${said}\n` });
  },
);

it('a start without a token is refused where another program has the ingestion port', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    const ports = { PORT: await freePort(), ADMIN_PORT: await freePort(), INGEST_PORT: `${port}` };
    const { code, stderr } = await run('start', { ...home.environment, ...ports });
    expect([code, stderr]).toEqual([
      1,
      `error: Port ${port} is in use by another program. Stop it, or set INGEST_PORT to a free port.\n`,
    ]);
  } finally {
    other.close();
  }
});

it('a command prints lines to stderr, of which none is JSON', async () => {
  const { stderr } = await run('import readings -', withDatabase, 'nonsense\n\n');
  expect(stderr).toMatch(/^error: /m);
  expect(stderr).not.toMatch(/^\{/m);
});
