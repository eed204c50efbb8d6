/** A minute of mixed load, and the heap afterwards. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NOW } from '../../../support/clock.ts';
import { beginRequest, httpGet } from '../../../support/http.ts';
import { until } from '../../../support/patience.ts';
import { BASE, type Busy, FIVE, HISTORIES, startBusy } from './busy.ts';

const WARM_MS = 15_000;
const LOAD_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'airseries-heap-'));
const HEAP = join(folder, 'heap');
const REPORT = new URL('./reportHeap.mjs', import.meta.url).href;

let busy: Busy;
beforeAll(async () => {
  busy = await startBusy({ HEAP, NODE_OPTIONS: `--import=${REPORT}`, INGEST_RATE: '1000000' });
});
afterAll(async () => {
  await busy.close();
  rmSync(folder, { recursive: true });
});

async function heapMegabytes(): Promise<number> {
  rmSync(HEAP, { force: true });
  busy.service.kill('SIGUSR2');
  const read = () => {
    try {
      return Number(readFileSync(HEAP, 'utf8'));
    } catch {
      return 0;
    }
  };
  await until(() => read() > 0, 'the heap is reported');
  return read() / 2 ** 20;
}

type Tally = Map<string, number>;

async function load(ms: number, tally: Tally): Promise<void> {
  const { port, token } = busy.service;
  const end = performance.now() + ms;
  const many = (n: number, what: string, once: (turn: number) => Promise<number | string>) =>
    Array.from({ length: n }, async () => {
      for (let turn = 0; performance.now() < end; turn++) {
        const key = `${what} ${await once(turn)}`;
        tally.set(key, (tally.get(key) ?? 0) + 1);
      }
    });
  const paths = [...FIVE, ...HISTORIES];
  const push = async (turn: number) => {
    const body = JSON.stringify([
      { sensor_id: 1 + (turn % HISTORIES.length), time: NOW.toISOString(), pm25: turn % 50 },
    ]);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    return (
      await beginRequest(port.ingest, { method: 'POST', path: '/v1/readings', headers }).finish(
        body,
      )
    ).status;
  };
  const leave = async (turn: number) => {
    await sleep(100); // flood.test.ts sends more
    return await new Promise<string>((resolve) => {
      const socket = connect(port.public, '127.0.0.1', () => {
        socket.write(`GET ${paths[turn % paths.length]} HTTP/1.1\r\nHost: x\r\n\r\n`);
        setTimeout(() => socket.destroy(), turn % 20);
      });
      socket.on('error', () => undefined).on('close', () => resolve('left'));
    });
  };
  const get = async (turn: number) =>
    (await httpGet(port.public, paths[turn % paths.length] ?? '')).status;
  const scrape = async () => {
    await sleep(500);
    return (await httpGet(port.admin, '/metrics')).status;
  };
  const lose = async (turn: number) =>
    (await httpGet(port.public, `${BASE}/station/${turn}x.json`)).status;
  await Promise.all([
    ...many(4, 'GET', get),
    ...many(1, 'unknown', lose),
    ...many(2, 'push', push),
    ...many(2, 'client', leave),
    ...many(1, 'scrape', scrape),
  ]);
}

it('the heap grows by less than 4 MB in a minute of reads, pushes, scrapes, unknown paths and disconnects', async ({
  annotate,
}) => {
  await load(WARM_MS, new Map());
  const before = await heapMegabytes();
  const tally: Tally = new Map();
  await load(LOAD_MS, tally);
  await sleep(2_000); // let disconnected requests end
  const after = await heapMegabytes();
  const counts = [...tally].sort().map(([what, n]) => `${what}: ${n}`);
  await annotate(
    `held: ${LOAD_MS / 1000} s of mixed load (${counts.join(', ')}): heap ${before.toFixed(1)} → ${after.toFixed(1)} MB`,
  );
  expect(after - before).toBeLessThan(4);
  expect([...tally.keys()].sort()).toEqual(
    ['GET 200', 'client left', 'push 200', 'scrape 200', 'unknown 404'].sort(),
  );
});
