/**
 * Limits of connections: how many requests are sent ahead, the time to read an answer, and their
 * number.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/http/listen.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { patient, until } from '../support/patience.ts';
import { answersIn, closed, exchange, send } from './raw.ts';

let served: Listening | undefined;
afterEach(async () => {
  await served?.close({ drainMs: 0, deadlineMs: 0 });
  served = undefined;
});

type Limits = { sendMs?: number; connections?: number };

async function serve(app: RequestListener, limits: Limits = {}) {
  const log = keepingLog();
  served = await listen(app, { port: 0, variable: 'PORT', host: '127.0.0.1', log, ...limits });
  return {
    served,
    port: served.port,
    log,
    reasons: () => log.lines.map(({ fields }) => (fields as { why: string }).why),
  };
}

/** A connection that sends nothing. */
async function connected(port: number) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
/** An answer larger than the socket buffers of both sides. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

it('eight requests may be sent ahead, are answered in order, and more may follow once they are answered', async () => {
  let begun = 0;
  const { port } = await serve((_req, res) => {
    begun += 1;
    const text = `<${begun}>`;
    setTimeout(
      () => res.setHeader('Content-Length', text.length).end(text),
      begun % 2 === 0 ? 0 : 20,
    );
  });
  const socket = send(port, GET.repeat(8));
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.endsWith('<8>')) socket.write(GET.repeat(7) + LAST);
  }
  expect(answersIn(text).map(({ body }) => body)).toEqual(
    Array.from({ length: 16 }, (_, n) => `<${n + 1}>`),
  );
});

it('a client that sends nine requests ahead is disconnected, and every response is closed', async () => {
  let [begun, ended] = [0, 0];
  const { port, reasons } = await serve((_req, res) => {
    begun += 1;
    res.once('close', () => {
      ended += 1;
    });
  });
  const waiting = send(port, GET.repeat(8));
  await until(() => begun === 8, 'all are begun');
  expect(await exchange(port, GET.repeat(9))).toBe('');
  expect(reasons()).toEqual(['the client sent too many requests ahead']);
  expect(waiting.destroyed).toBe(false);
  waiting.resetAndDestroy();
  await until(() => ended === 9, 'every response is closed');
  expect(begun).toBe(9);
});

it('a client that sends 100,000 requests ahead is disconnected: the first is handled, and one chunk of 64 KiB is parsed', async () => {
  let begun = 0;
  let parsed = 0;
  const count = () => {
    parsed += 1;
  };
  subscribe('http.server.request.start', count);
  const { port, reasons } = await serve(() => {
    begun += 1;
  });
  expect(await exchange(port, GET.repeat(100_000))).toBe('');
  unsubscribe('http.server.request.start', count);
  expect(begun).toBe(1);
  expect(parsed).toBeLessThanOrEqual(65_536 / GET.length);
  expect(reasons()).toEqual(['the client sent too many requests ahead']);
});

it('a body of 8 MB between other requests is read to its end', async () => {
  const { port } = await serve(async (req, res) => {
    let bytes = 0;
    for await (const chunk of req) bytes += (chunk as Buffer).length;
    const text = String(bytes);
    res.setHeader('Content-Length', text.length).end(text);
  });
  const post = (bytes: number) =>
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`;
  const sizes = [1, 8_388_608, 0, 100_000];
  const text = await exchange(port, sizes.map(post).join('') + LAST);
  expect(answersIn(text).map(({ body }) => Number(body))).toEqual([...sizes, 0]);
});

it('a request whose body does not arrive in time is 408', async () => {
  const { port } = await serve(({ socket }) => {
    // as Node does after ten seconds
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    (socket as Socket & { server: Server }).server.emit('clientError', late, socket);
  });
  const half = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx';
  const [answer] = answersIn(await exchange(port, half));
  expect(answer?.status).toBe(408);
  expect(answer?.body).toContain('The request did not arrive in time.');
});

it('a connection whose client does not read its answer is closed at the time limit', async () => {
  const { port, reasons } = await serve((_req, res) => res.end(LARGE), { sendMs: 300 });
  const socket = send(port, GET.repeat(2));
  await until(() => reasons().length > 0, 'the connection is closed');
  expect(reasons()).toEqual(['the client did not read a response']);
  expect((await closed(socket)).length).toBeLessThan(LARGE.length);
});

it('a client that expects 100 Continue before it sends its body gets it', async () => {
  const { port } = await serve((req, res) => req.resume().on('end', () => res.end('{}')));
  const socket = send(
    port,
    'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
  );
  socket.once('data', (chunk) =>
    socket.write(/^HTTP\/1\.1 100 /.test(String(chunk)) ? '[]' : '!!'),
  );
  expect(await closed(socket)).toMatch(/^HTTP\/1\.1 100 .*HTTP\/1\.1 200 .*\{\}$/s);
});

it('a client is disconnected while all connections are in use, and served once another has left', async () => {
  const { port, log } = await serve((_req, res) => res.end('{}'), { connections: 2 });
  const kept = [await connected(port), await connected(port)];
  await until(async () => (await exchange(port, LAST)) === '', 'the third is disconnected');
  expect(log.lines.at(-1)).toMatchObject({
    level: 'warn',
    fields: { variable: 'PORT', connections: 2 },
  });
  kept[0]?.destroy();
  await until(async () => /\{\}$/.test(await exchange(port, LAST)), 'the next is served');
  kept[1]?.destroy();
});

it('connections are kept alive while there is room, and closed when it becomes scarce', async () => {
  const { port } = await serve((_req, res) => res.end('{}'), { connections: 4 });
  const others = [await connected(port), await connected(port)];
  const answered = (socket: ReturnType<typeof send>) =>
    new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
  const third = send(port, GET);
  expect(await answered(third)).toMatch(/Connection: keep-alive/);
  expect(await exchange(port, GET)).toMatch(/Connection: close/); // the fourth
  for (const socket of others) socket.destroy();
  const isKept = async () => {
    const socket = send(port, GET);
    const answer = await answered(socket);
    socket.destroy();
    return /Connection: keep-alive/.test(answer);
  };
  await until(isKept, 'there is room again');
  third.destroy();
});

it('an answer that is still being read when the service closes is sent completely', async () => {
  const { served, port } = await serve((_req, res) => res.end(LARGE));
  const socket = send(port, GET);
  await once(socket, 'readable');
  let closing: Promise<void> | undefined;
  let bytes = 0;
  for await (const chunk of socket) {
    closing ??= served.close({ drainMs: 0, deadlineMs: patient(8_000) });
    // slow at first
    if (bytes < 10 * 65_536) await new Promise((resolve) => setTimeout(resolve, 30));
    bytes += (chunk as Buffer).length;
    if (bytes >= LARGE.length) socket.end();
  }
  await closing;
  expect(bytes).toBeGreaterThan(LARGE.length);
});

it('the time limit counts neither before an answer is sent nor once it is read', async () => {
  const { port, reasons } = await serve((_req, res) => setTimeout(() => res.end('{}'), 150), {
    sendMs: 50,
  });
  const socket = send(port, GET);
  await once(socket, 'data');
  await new Promise((resolve) => setTimeout(resolve, 150));
  socket.write(LAST);
  expect(await closed(socket)).toMatch(/\{\}$/);
  expect(reasons()).toEqual([]);
});

it('an answer that fails halfway closes its connection', async () => {
  const { port } = await serve((_req, res) => {
    res.write('half');
    setImmediate(() => res.destroy());
  });
  expect(await exchange(port, GET + GET)).toMatch(/^HTTP\/1\.1 200 OK/);
});
