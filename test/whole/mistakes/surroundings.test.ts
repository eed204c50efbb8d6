/**
 * The program in surroundings that do not fit it: a database that cannot be reached, two ports that
 * are one. What the bundled database is refused for is in test/extras/embedded.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { onConnection } from '../../../src/database/client.ts';
import { explainConnection } from '../../../src/database/remedies.ts';
import { freePort } from '../../support/freePort.ts';
import { needs } from '../../support/tools.ts';
import { errorOf, expectSaid, type Mistake, type Said, SECRET, type } from './mistake.ts';

it('the program says what is wrong with two ports that are one', needs('otherUser'), async () => {
  const { code, stdout, stderr } = await type('PORT=18080 ADMIN_PORT=18080 airseries start', '/');
  expectSaid(stderr, /^error: ADMIN_PORT and PORT are both 18080\. Set/);
  expect([code, stdout]).toEqual([1, '']);
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

async function expectRefused(port: string, said: Said, options = ''): Promise<void> {
  const address = addressOf(port) + options;
  const error = await errorOf(() => onConnection(address, {}, (sql) => sql`select`));
  const { message } = explainConnection(error, 'DATABASE_URL', address) as Error;
  expectSaid(message, said);
  expect(message).toContain(`DATABASE_URL (postgres://me@127.0.0.1:${port}/air): `);
}

it('a server that is full is asked again for ten seconds, and the error says so', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const port = await serve((socket) => {
    asked += 1;
    vi.advanceTimersByTime(asked === 1 ? 9_900 : 200);
    refuse('53300', 'sorry, too many clients already')(socket);
  });
  await expectRefused(port, /no connection left.*max_connections/);
  expect(asked).toBe(2);
});

describe.concurrent('a database that cannot be reached', () => {
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
      'a server without TLS',
      { reply: (socket) => socket.end('N'), options: '?sslmode=require' },
      /the server has no TLS.*leave sslmode out of the URL/,
    ],
    ['nothing there, with an unknown option', { options: `?sslmode=${SECRET}` }, 'nothing listens'],
    [
      'a server of something else',
      { reply: (socket) => socket.destroy() },
      /it does not answer .*Is it PostgreSQL, and running\?/,
    ],
  ])(
    'the error of a database that cannot be reached says what is wrong with %s',
    async (_, { reply, options = '' }, said) => {
      const port = reply === undefined ? await freePort() : await serve(reply);
      await expectRefused(port, said, options);
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
