/**
 * The mistakes of the first minutes, made as a newcomer makes them: each ends with what is wrong
 * and what to do, and with no riddle.
 */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/freePort.ts';
import { citiesOfOneStation } from '../support/installation.ts';
import { makeHome, ready, runAirseries, runProgram } from '../support/program.ts';
import { needs } from '../support/tools.ts';
import { isRoot, unprivilegedUser } from '../support/users.ts';

const home = makeHome();
afterAll(() => home.remove());
const at = (...names: string[]) => join(home.folder, ...names);
const CLI = new URL('../../dist/cli.js', import.meta.url).pathname;

/** Runs a command as an ordinary user, because root may do everything. */
function run(words: string, environment: Record<string, string> = {}) {
  const { uid, gid } = isRoot() ? unprivilegedUser() : { uid: 0, gid: 0 };
  const user = isRoot() ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
  const command = [...user, process.execPath, CLI, ...words.split(' ')];
  return runProgram(command, {
    environment: { ...home.environment, ...environment },
    folder: home.folder,
  }).finished;
}

/** A folder whose owner, another user or this one, has locked this one out. */
function locked(name: string, mode: number): string {
  const folder = at(name);
  mkdirSync(folder);
  if (isRoot() && mode === 0o555) chownSync(folder, unprivilegedUser().uid, unprivilegedUser().gid);
  chmodSync(folder, mode);
  return folder;
}

const NETWORK = { time_zone: 'Asia/Yerevan', providers: [], regions: [], stations: [] };

beforeAll(() => {
  if (isRoot()) chmodSync(home.folder, 0o777);
  writeFileSync(at('file'), '');
  writeFileSync(at('network.json'), JSON.stringify(NETWORK, null, 2));
  locked('private', 0o000);
  locked('readOnly', 0o555);
});
afterAll(() => {
  for (const name of ['private', 'readOnly']) chmodSync(at(name), 0o700);
});

type Mistake = [
  name: string,
  words: string,
  environment: Record<string, string>,
  code: number,
  said: RegExp,
];

describe('a mistake is named, with its remedy', needs('otherUser'), () => {
  it.each<Mistake>([
    [
      'two ports that are one',
      'start',
      { PORT: '18080', ADMIN_PORT: '18080' },
      1,
      /ADMIN_PORT and PORT are both 18080\. Set/,
    ],
    [
      'a DATA_DIR that is a file',
      'status',
      { DATA_DIR: 'file' },
      1,
      /DATA_DIR \(.*file\) is a file.*Choose a folder/,
    ],
    [
      'and one to be made',
      'migrate',
      { DATA_DIR: 'file' },
      1,
      /DATA_DIR \(.*file\) is a file.*or set DATABASE_URL/,
    ],
    [
      'below a file',
      'migrate',
      { DATA_DIR: 'file/data' },
      1,
      /DATA_DIR \(.*data\) is a file, or below one/,
    ],
    [
      "another user's DATA_DIR",
      'status',
      { DATA_DIR: 'private' },
      1,
      /There may be a database in .*private.*it belongs to user \w+, and this is user \w+.*Run the command as the user who/,
    ],
    [
      'a DATA_DIR without rights',
      'migrate',
      { DATA_DIR: 'private' },
      1,
      /There may be a database in .*private.*, or choose another DATA_DIR/,
    ],
    [
      'a DATA_DIR that is read-only',
      'migrate',
      { DATA_DIR: 'readOnly' },
      1,
      /readOnly\) is not open to this user \(EACCES\)/,
    ],
    [
      'a DATA_DIR below it',
      'start',
      { DATA_DIR: 'readOnly/new' },
      1,
      /DATA_DIR \(.*new\) is not open to this user/,
    ],
    [
      'an export onto a file',
      'export file',
      {},
      1,
      /^error: export: file is a file.*Name a folder that you may write to\.$/,
    ],
    [
      'an export without rights',
      'export private',
      {},
      1,
      /export: private is not open to this user.*Name a folder/,
    ],
    [
      'a read-only folder',
      'export readOnly/new',
      {},
      1,
      /export: readOnly\/new is not open to this user/,
    ],
    [
      'a network that is not there',
      'import network nothing.json',
      {},
      1,
      /^error: nothing\.json: there is no such file\. Check its name and permissions\.$/,
    ],
    [
      'a network that is a folder',
      'import network private',
      {},
      1,
      /^error: private: this (user may not read it|is a folder)\. Check/,
    ],
    [
      'a variable of another name',
      'status',
      { DATABASE_HOST: 'here', DATA_DIR: 'file' },
      1,
      /unknown settings: DATABASE_HOST;.*is a file/s,
    ],
    [
      'the same at start',
      'start',
      { LOG_FORMAT: 'text', DATA_DIR: 'file' },
      1,
      /unknown settings: LOG_FORMAT;.*is a file/s,
    ],
    [
      'variables that are nearly a setting',
      'start',
      { DATABASE_URI: 'postgres://me:secret@here/air', PROT: '80', HOST: '127.0.0.1' },
      1,
      /^error: .*not usable:\n {2}DATABASE_URI: there is no such setting\. DATABASE_URL is meant\?.*\n {2}PROT=80: .*PORT is.*\n {2}HOST=127\.0\.0\.1: .*PORT listens on all addresses.*$/,
    ],
    [
      'readings where no database is, as in another folder',
      'import readings file',
      {},
      1,
      /There is no database in .*data \(DATA_DIR\), and this command makes none.*run the command in the same folder/,
    ],
    [
      'a host that is unknown',
      'status',
      { DATABASE_URL: 'postgres://me:secret@no.invalid/air' },
      1,
      /its host is unknown/,
    ],
  ])('%s: %s', async (_, words, environment, code, said) => {
    const found = await run(words, environment);
    expect(found.stderr.trimEnd()).toMatch(said);
    expect(found).toMatchObject({ code, stdout: '' });
    expect(found.stderr).not.toContain('secret');
    expect(existsSync(at('data'))).toBe(false); // nothing was made
  });

  it.each<Mistake>([
    ['an export into /proc', 'export /proc/new', {}, 1, /export: \/proc\/new is .*Name a folder/],
    [
      'data in /proc',
      'migrate',
      { DATA_DIR: '/proc/new' },
      1,
      /DATA_DIR \(\/proc\/new\) is .*Choose a folder/,
    ],
  ])(
    '%s, where making folders never ends',
    needs('linux'),
    async (_, words, environment, code, said) => {
      const found = await run(words, environment);
      expect(found.stderr.trimEnd()).toMatch(said);
      expect(found.code).toBe(code);
    },
  );
});

describe('beside a running server', () => {
  const own = makeHome();
  const within = (...names: string[]) => join(own.folder, ...names);
  afterAll(() => own.remove());
  const service = (environment: Record<string, string>) =>
    runAirseries(['start'], { ...own.environment, DEMO: 'off', ...environment });
  const command = (...words: string[]) => runAirseries(words, own.environment).finished;
  const rows = (sensor: number, from: number, n: number) =>
    Array.from(
      { length: n },
      (_, i) => `${sensor},${new Date(1.7e12 + (from + i) * 60_000).toISOString()},5\n`,
    ).join('');

  it('a wrong file, an unknown sensor, Ctrl-C and a deleted folder are told as what they are', async () => {
    const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
    const running = service({ PORT, ADMIN_PORT, INGEST_PORT });
    await ready(ADMIN_PORT, running);
    writeFileSync(within('network.json'), JSON.stringify(citiesOfOneStation(['town']), null, 2));
    const asReadings = await command('import', 'readings', within('network.json'));
    expect(asReadings).toMatchObject({ code: 1, stdout: expect.stringContaining('"received": 0') });
    expect(asReadings.stderr).toContain(
      'network.json: this is a network file: it describes stations and has no readings. Import it with: node src/airseries.js import network FILE.',
    );
    writeFileSync(within('header.csv'), 'sensor_id,time,pm25\n');
    expect(await command('import', 'readings', within('header.csv'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no line follows the header'),
    });
    expect(await command('quarantine', 'list', '--reason', 'foo')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: --reason: there is no reason foo\. The reasons are unr/,
      ),
    });
    const piped = runAirseries(
      ['import', 'network', '-'],
      own.environment,
      readFileSync(within('network.json'), 'utf8'),
    );
    expect(await piped.finished).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"added": 1'),
    });
    expect(
      await command(
        'delete',
        'readings',
        '--sensor',
        '99',
        '--from',
        '2026-01-01',
        '--to',
        '2026-01-02',
      ),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'no sensor of the network has this number. node src/airseries.js status --all lists those',
      ),
    });

    // Ctrl-C, once a first batch is stored: the unknown sensor in it is logged
    const pipe = within('pipe');
    execFileSync('mkfifo', [pipe]);
    const importing = runAirseries(['import', 'readings', pipe], own.environment);
    const input = createWriteStream(pipe);
    input.write(`sensor_id,time,pm25\n${rows(99, 0, 1)}${rows(1, 0, 9_999)}${rows(1, 9_999, 5)}`);
    await expect.poll(() => importing.log()).toContain('there is no sensor 99');
    importing.kill('SIGINT');
    const interrupted = await importing.finished;
    input.destroy();
    expect(interrupted).toMatchObject({ code: null, stdout: '' });
    expect(interrupted.stderr).toMatch(
      /\ninterrupted after importing 10,000 rows\. What is stored stays.*same command again/,
    );
    writeFileSync(within('all.csv'), `sensor_id,time,pm25\n${rows(1, 0, 10_004)}`);
    const again = JSON.parse((await command('import', 'readings', within('all.csv'))).stdout);
    expect(again).toMatchObject({ received: 10_004, accepted: 5, unchanged: 9_999 });

    // the folder with the data is deleted under the service, which has nothing kept to answer with
    const status = async (path: string) =>
      (await fetch(`http://localhost:${PORT}/en/air-quality-app/v1/${path}.json`)).status;
    rmSync(within('data'), { recursive: true });
    const paths = [
      'station/1',
      'station/1-history',
      'region/town',
      'region/town-history',
      'stations',
    ];
    expect(await Promise.all(paths.map(status))).toEqual(paths.map(() => 503));
    await expect.poll(() => running.log()).toMatch(/is gone: it was deleted while the server ran/);
    expect(await Promise.all(paths.map(status))).toEqual(paths.map(() => 503));
    running.kill('SIGTERM');
    expect((await running.finished).code).toBe(0);
  });
});

/**
 * What PostgreSQL sends to refuse a client: an ErrorResponse with severity, SQLSTATE and message.
 */
function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe(
  'a database that cannot be reached is named by its variable, without its password',
  needs('otherUser'),
  () => {
    const servers: Server[] = [];
    afterAll(() => {
      for (const server of servers) server.close();
    });
    const serve = async (answer: (socket: Socket, start: Buffer) => void) => {
      const port = Number(await freePort());
      const server = createServer((socket) => {
        socket.on('error', () => undefined).once('data', (start) => answer(socket, start));
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      return port;
    };
    const refuse = (code: string, message: string) => (socket: Socket) =>
      socket.end(refusal(code, message));

    it.each<[string, ((socket: Socket, start: Buffer) => void) | undefined, RegExp, string?]>([
      [
        'nothing there',
        undefined,
        /nothing listens there \(connect ECONNREFUSED.*Is the server running, and are host and port/,
      ],
      [
        'a wrong password',
        refuse('28P01', 'password authentication failed for user "me"'),
        /user or password is wrong \(pass/,
      ],
      [
        'a user who may not',
        refuse('28000', 'no pg_hba.conf entry'),
        /does not let this user in \(no pg_hba.*Correct/,
      ],
      [
        'no such database',
        refuse('3D000', 'database "air" does not exist'),
        /there is no such database.*createdb/,
      ],
      [
        'a server that is full',
        refuse('53300', 'sorry, too many clients already'),
        /no connection left.*max_connections/,
      ],
      [
        'no TLS',
        (socket) => socket.end('N'),
        /the server has no TLS.*leave sslmode out of the URL/,
        '?sslmode=require',
      ],
      [
        'something else',
        (socket) => socket.destroy(),
        /it does not answer .*Is it PostgreSQL, and running\?/,
      ],
    ])('%s', async (_, answer, said, query = '') => {
      const port = answer === undefined ? await freePort() : await serve(answer);
      const DATABASE_URL = `postgres://me:se%2Fcret@127.0.0.1:${port}/air${query}`;
      const { code, stdout, stderr } = await run('status', { DATABASE_URL });
      expect(stderr).toMatch(said);
      expect(stderr).toContain(`error: DATABASE_URL (postgres://me@127.0.0.1:${port}/air): `);
      expect(stderr).not.toMatch(/cret/);
      expect([code, stdout]).toEqual([1, '']);
    });
  },
);
