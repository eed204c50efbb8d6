/** A thousand clients with open connections, all of which send a request at the same moment. */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpGet } from '../../support/service.ts';
import { type Busy, FIVE, HISTORIES, p99, startBusy } from './busy.ts';

const CLIENTS = 1_000;

let busy: Busy;
const clients: Socket[] = [];
beforeAll(async () => {
  busy = await startBusy();
  await httpGet(busy.service.port.public, FIVE[0] ?? ''); // warm up
  for (let n = 0; n < CLIENTS; n++) {
    const socket = connect(busy.service.port.public, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    clients.push(socket);
  }
  // a connection without a request would be closed after five seconds
  await Promise.all(clients.map((socket) => get(socket, '/')));
});
afterAll(async () => {
  for (const socket of clients) socket.destroy();
  await busy.close();
});

/** Resolves to the status once the whole answer has arrived. */
function get(socket: Socket, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let [bytes, end, status] = [0, Number.POSITIVE_INFINITY, 0];
    const onData = (chunk: Buffer) => {
      if (bytes === 0) {
        const head = chunk.toString('latin1');
        status = Number(head.slice(9, 12));
        end = head.indexOf('\r\n\r\n') + 4 + Number(/^Content-Length: (\d+)/im.exec(head)?.[1] ?? 0);
      }
      bytes += chunk.length;
      if (bytes < end) return;
      socket.off('data', onData);
      resolve(status);
    };
    socket.on('data', onData).once('close', () => reject(new Error('hung up')));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  });
}

it.for<[string, string[]]>([
  ['the same history', [HISTORIES[0] ?? '']],
  ['the five endpoints', FIVE],
  ['ten histories', HISTORIES],
])('1,000 clients at once: %s', async ([what, paths], { annotate }) => {
  const rounds: number[] = [];
  while (rounds.length < 3) {
    const times: number[] = [];
    const statuses = await Promise.all(
      clients.map(async (socket, n) => {
        const began = performance.now();
        const status = await get(socket, paths[n % paths.length] ?? '');
        times.push(performance.now() - began);
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(CLIENTS);
    rounds.push(Math.round(p99(times)));
  }
  await annotate(`row 11: ${CLIENTS} clients at once, ${what}: all 200, p99 ${rounds.join(', ')} ms in three rounds`);
  // other load on the machine makes it slower
  expect(Math.min(...rounds)).toBeLessThan(1_000);
});
