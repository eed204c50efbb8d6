/**
 * The program in surroundings that do not fit it: a folder of somebody else, a database that cannot
 * be reached, data that are deleted while the service runs. The tests run side by side, because
 * some only wait: the driver tries a server that is full for ten seconds.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { onConnection } from '../../../src/database/client.ts';
import { explainConnection } from '../../../src/database/remedies.ts';
import { openEmbeddedServer } from '../../../src/extras/embedded/server.ts';
import { freePort } from '../../support/freePort.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { until } from '../../support/patience.ts';
import { makeHome, ready, runAirseries, runProgram } from '../../support/program.ts';
import { needs } from '../../support/tools.ts';
import { isRoot, unprivilegedUser } from '../../support/users.ts';
import { errorOf, expectSaid, type Mistake, SECRET } from './mistake.ts';

const log = makeLog('silent');

/**
 * Runs a line as typed in a shell, variables first, in a folder and as an ordinary user: root may
 * do everything.
 */
function type(line: string, folder: string) {
  const [variables = '', words = ''] = line.split(/ ?airseries ?/);
  const environment = Object.fromEntries(
    variables.split(' ').flatMap((one) => (one === '' ? [] : [one.split(/=(.*)/s, 2)])),
  );
  const program = new URL('../../../dist/cli.js', import.meta.url).pathname;
  return runProgram([process.execPath, program, ...words.split(' ')], {
    ...{ environment, folder },
    ...(isRoot() ? { user: unprivilegedUser() } : {}),
  }).finished;
}

describe.concurrent('as an ordinary user', needs('otherUser'), () => {
  const { folder, remove } = makeHome();
  beforeAll(() => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'private'), { mode: 0o000 });
    mkdirSync(join(folder, 'readOnly'));
    if (isRoot()) {
      const { uid, gid } = unprivilegedUser();
      chownSync(join(folder, 'readOnly'), uid, gid);
      chmodSync(folder, 0o777);
    }
    chmodSync(join(folder, 'readOnly'), 0o555);
    return () => {
      for (const name of ['private', 'readOnly']) chmodSync(join(folder, name), 0o700);
      remove();
    };
  });

  it.each<Mistake<string>>([
    [
      'two ports that are one',
      'PORT=18080 ADMIN_PORT=18080 airseries start',
      /^error: ADMIN_PORT and PORT are both 18080\. Set/,
    ],
    [
      'a DATA_DIR that is a file, beside an unknown setting',
      'DATABASE_HOST=here DATA_DIR=file airseries status',
      [
        /unknown settings: DATABASE_HOST;/,
        /\nerror: DATA_DIR \(.*file\) is a file.*Choose a folder/,
      ],
    ],
    [
      "a DATA_DIR below another user's, beside an unknown setting",
      'LOG_FORMAT=text DATA_DIR=readOnly/new airseries start',
      [/unknown settings: LOG_FORMAT;/, /DATA_DIR \(.*new\) is not open to this user/],
    ],
    [
      "another user's DATA_DIR",
      'DATA_DIR=private airseries migrate',
      /There may be a database in .*private.*it belongs to user \w+, and this is user \w+.*Run the command as the user who.*, or choose another DATA_DIR/,
    ],
    [
      'a DATA_DIR that is read-only',
      'DATA_DIR=readOnly airseries migrate',
      /readOnly\) is not open to this user \(EACCES\)/,
    ],
    [
      "an export to another user's folder",
      'airseries export private',
      /export: private is not open to this user.*Name a folder/,
    ],
    [
      'an export to a folder that is read-only',
      'airseries export readOnly/new',
      /export: readOnly\/new is not open to this user/,
    ],
    [
      'readings where no database is, as in another folder',
      'airseries import readings file',
      [
        /There is no database in .*airseries \(DATA_DIR\), and this command makes none/,
        'run the command in the same folder, or with the same DATA_DIR or DATABASE_URL',
      ],
    ],
  ])('the program says what is wrong with %s', async (_, line, said, code = 1) => {
    const found = await type(line, folder);
    expectSaid(found.stderr, said);
    expect(found).toMatchObject({ code, stdout: '' });
    for (const made of ['.airseries', 'readOnly/new'])
      expect(existsSync(join(folder, made))).toBe(false);
  });
});

describe.concurrent('a folder for data', () => {
  it.each<Mistake<string>>([
    ['a file', 'package.json', /DATA_DIR \(.*package\.json\) is a file.*or set DATABASE_URL/],
    ['a folder below a file', 'package.json/data', /DATA_DIR \(.*data\) is a file, or below one/],
  ])('the error of DATA_DIR says what is wrong with %s', async (_, path, said) => {
    const { message } = await errorOf(() =>
      openEmbeddedServer({ dataDirectory: resolve(path), log }),
    );
    expectSaid(message, said);
  });

  it(
    'the error of DATA_DIR says what is wrong with /proc, where making folders never ends',
    needs('linux'),
    async () => {
      const { message } = await errorOf(() =>
        openEmbeddedServer({ dataDirectory: '/proc/new', log }),
      );
      expect(message).toMatch(/DATA_DIR \(\/proc\/new\) is .*Choose a folder/);
    },
  );
});

/** Answers the first bytes of a client. */
type Reply = (socket: Socket) => void;

/**
 * What PostgreSQL sends to refuse a client: an ErrorResponse with severity, SQLSTATE and message.
 */
const refuse =
  (code: string, message: string): Reply =>
  (socket) => {
    const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeInt32BE(fields.length + 4, 1);
    socket.end(Buffer.concat([head, fields]));
  };
const WRONG_PASSWORD = refuse('28P01', 'password authentication failed for user "me"');

describe.concurrent('a database that cannot be reached', () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });
  /** The port of a server that replies so. */
  const serve = async (reply: Reply) => {
    const port = await freePort();
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => reply(socket));
    });
    servers.push(server);
    await new Promise<void>((done) => server.listen(Number(port), '127.0.0.1', done));
    return port;
  };
  const addressOf = (port: string) => `postgres://me:se%2F${SECRET}@127.0.0.1:${port}/air`;

  it(
    'a command names the variable of a database that it cannot reach, without the password',
    needs('otherUser'),
    async () => {
      const port = await serve(WRONG_PASSWORD);
      const { code, stdout, stderr } = await type(
        `DATABASE_URL=${addressOf(port)} airseries status`,
        '/',
      );
      const said = `error: DATABASE_URL (postgres://me@127.0.0.1:${port}/air): user or password is wrong`;
      expectSaid(stderr, said);
      expect([code, stdout]).toEqual([1, '']);
    },
  );

  it.each<Mistake<{ reply?: Reply; options?: string }>>([
    [
      'nothing there',
      {},
      /nothing listens there \(connect ECONNREFUSED.*Is the server running, and are host and port/,
    ],
    ['a wrong password', { reply: WRONG_PASSWORD }, 'user or password is wrong (pass'],
    [
      'a user who may not',
      { reply: refuse('28000', 'no pg_hba.conf entry') },
      /does not let this user in \(no pg_hba.*Correct/,
    ],
    [
      'no such database',
      { reply: refuse('3D000', 'database "air" does not exist') },
      /there is no such database.*createdb/,
    ],
    [
      'a server that is full',
      { reply: refuse('53300', 'sorry, too many clients already') },
      /no connection left.*max_connections/,
    ],
    [
      'a server without TLS',
      { reply: (socket) => socket.end('N'), options: '?sslmode=require' },
      /the server has no TLS.*leave sslmode out of the URL/,
    ],
    [
      'a server of something else',
      { reply: (socket) => socket.destroy() },
      /it does not answer .*Is it PostgreSQL, and running\?/,
    ],
  ])(
    'the error of a database that cannot be reached says what is wrong with %s',
    async (_, { reply, options = '' }, said) => {
      const port = reply === undefined ? await freePort() : await serve(reply);
      const address = addressOf(port) + options;
      const error = await errorOf(() => onConnection(address, {}, (sql) => sql`select`));
      const { message } = explainConnection(error, 'DATABASE_URL', address) as Error;
      expectSaid(message, said);
      expect(message).toContain(`DATABASE_URL (postgres://me@127.0.0.1:${port}/air): `);
    },
  );

  it('the error of a database that cannot be reached says that its host is unknown', async () => {
    const address = `postgres://me:${SECRET}@no.invalid/air`;
    const error = await errorOf(() => onConnection(address, {}, (sql) => sql`select`));
    expectSaid(
      (explainConnection(error, 'DATABASE_URL', address) as Error).message,
      'its host is unknown',
    );
  });
});

describe.concurrent('a folder of data that is deleted while the service runs', () => {
  const home = makeHome();
  afterAll(() => home.remove());
  const command = (line: string, input = '') =>
    runAirseries(line.split(' '), home.environment, input).finished;

  it('a service whose data are deleted says so, and answers 503 on every path', async () => {
    const made = await command('migrate');
    expect([made.code, JSON.parse(made.stdout)]).toMatchObject([
      0,
      { time_zone: 'Asia/Yerevan', engine: 'plain' },
    ]);
    const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
    const ports = { PORT, ADMIN_PORT, INGEST_PORT };
    const service = runAirseries(['start'], { ...home.environment, ...ports, DEMO: 'off' });
    await ready(ADMIN_PORT, service);
    const imported = await command(
      'import network -',
      JSON.stringify(citiesOfOneStation(['town'])),
    );
    expect([imported.code, JSON.parse(imported.stdout)]).toMatchObject([
      0,
      { stations: { added: 1 } },
    ]);
    expect(imported.stderr).not.toContain('embedded PostgreSQL'); // the service's own runs already

    // the service has nothing kept to answer with
    rmSync(join(home.folder, 'data'), { recursive: true });
    const paths = [
      'station/1',
      'station/1-history',
      'region/town',
      'region/town-history',
      'stations',
    ];
    const statuses = () =>
      Promise.all(
        paths.map(async (path) => {
          const url = `http://localhost:${PORT}/en/air-quality-app/v1/${path}.json`;
          return (await fetch(url)).status;
        }),
      );
    expect(await statuses()).toEqual(paths.map(() => 503));
    const isTold = () => /is gone: it was deleted while the server ran/.test(service.log());
    await until(isTold, 'the log says that the folder was deleted');
    expect(await statuses()).toEqual(paths.map(() => 503));
    service.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);
  });
});
