/** Clients that send requests and never read take little memory, while others are served. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpGet } from '../../../support/http.ts';
import { type Busy, FIVE, HISTORIES, p99, startBusy } from './busy.ts';

const FLOOD_MS = 12_000;

let busy: Busy;
beforeAll(async () => {
  busy = await startBusy();
});
afterAll(() => busy.close());

const megabytes = () => {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${busy.service.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
};
const gets = (n: number) =>
  Array.from(
    { length: n },
    (_, i) => `GET ${HISTORIES[i % HISTORIES.length]} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ).join('');

/**
 * A client that never reads. `greedy`: sends as much as it can and reconnects when cut off;
 * otherwise stays within the limits on pipelining.
 */
function neverReads(sockets: Set<Socket>, greedy: boolean, isOver: () => boolean): void {
  const socket = connect(busy.service.port.public, '127.0.0.1', () =>
    socket.write(gets(greedy ? 2_000 : 7)),
  );
  sockets.add(socket);
  socket.on('error', () => undefined);
  const more = greedy ? undefined : setInterval(() => socket.write(gets(1)), 200);
  socket.on('close', () => {
    clearInterval(more);
    sockets.delete(socket);
    if (!isOver()) neverReads(sockets, greedy, isOver);
  });
}

it.for([40, 200])(
  'with %i connections that never read their histories, memory grows by less than 256 MB and others get 200',
  async (connections, { annotate }) => {
    for (let n = 0; n < 20; n++)
      for (const path of [...HISTORIES, ...FIVE]) await httpGet(busy.service.port.public, path);
    const idle = megabytes();
    let over = false;
    const sockets = new Set<Socket>();
    for (let n = 0; n < connections; n++) neverReads(sockets, n % 2 === 0, () => over);
    let peak = 0;
    const statuses = new Map<number, number>();
    const times: number[] = [];
    for (const end = performance.now() + FLOOD_MS; performance.now() < end; ) {
      const began = performance.now();
      const { status } = await httpGet(
        busy.service.port.public,
        FIVE[times.length % FIVE.length] ?? '',
      );
      times.push(performance.now() - began);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      peak = Math.max(peak, megabytes());
      await sleep(50);
    }
    over = true;
    const honest = [...statuses].map(([status, n]) => `${n} × ${status}`).join(', ');
    await annotate(
      `row 2: ${connections} connections that never read: ${Math.round(peak - idle)} MB above idle (${Math.round(idle)} MB); ` +
        `other GETs meanwhile ${honest}, p99 ${Math.round(p99(times))} ms`,
    );
    for (const socket of sockets) socket.destroy();
    expect(peak - idle).toBeLessThan(256);
    expect([...statuses.keys()]).toEqual([200]);
  },
);
