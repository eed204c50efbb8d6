/**
 * Ten thousand malformed requests to each listener: each is refused or disconnected, and no answer
 * reveals internals.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpGet } from '../../../support/http.ts';
import { type Random, seeded } from '../../../support/random.ts';
import { BASE, type Busy, startBusy } from './busy.ts';

const REQUESTS = 10_000;
const AT_ONCE = 50;
/** Headers must arrive in five seconds; Node checks once a second. */
const HANGS_MS = 8_000;
const INSIDE = /select |postgres|node_modules|\.ts\b|\n {4}at |<html|<!doctype/i;

let busy: Busy;
beforeAll(async () => {
  busy = await startBusy({ INGEST_RATE: '1000000' });
});
afterAll(() => busy.close());

const PATHS = [
  `${BASE}/station/1.json`,
  `${BASE}/region/city-a.json`,
  '/healthz',
  '/metrics',
  '/v1/readings',
  '/v1/push/airrohr',
];
const METHODS = ['GET', 'POST', 'OPTIONS', 'CONNECT', 'BREW', 'get', ''];
const ODD = [...'[#?\\<\t\u0000\u00ff ', '%', '%00', '%2e%2e', "' or 1=1--", '//', '..', '%ff'];
const BODIES = ['', '[', '[[[[', '[{"sensor_id":1}]', 'null', '1e999', '"', '\u0000\u0001'];
const HOSTS = ['Host: x', '', 'Host: x\r\nHost: y', ': x', 'Expect: x', 'Upgrade: x'];
const LENGTHS = [
  ...['', 'Content-Length: -1', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
  `X: ${'y'.repeat(20_000)}`,
];

/** `isWhole`: framed as valid HTTP, so that it must be answered; others may be cut off anywhere. */
function makeRequest(random: Random): { bytes: Buffer; isWhole: boolean } {
  const path = random.pick(PATHS) + (random.below(2) === 0 ? random.pick(ODD) : '');
  if (random.below(3) === 0) {
    const body = random.pick(BODIES);
    const head = [
      `${random.pick(['GET', 'POST', 'PUT'])} ${encodeURI(path)} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${random.below(2) === 0 ? busy.service.token : random.pick(ODD)}`.replace(
        /[^ -~]/g,
        '',
      ),
      `Content-Type: ${random.pick(['application/json', 'application/x-ndjson', 'text/html', ';'])}`,
      ...(random.below(4) === 0 ? [`Content-Encoding: ${random.pick(['gzip', 'br', 'x'])}`] : []),
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    return { bytes: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`), isWhole: true };
  }
  const bytes = Buffer.from(
    [
      `${random.pick(METHODS)} ${path} HTTP/${random.pick(['1.1', '1.0', '2.0', '9', ''])}`,
      random.pick(HOSTS),
      random.pick(LENGTHS),
      '',
      random.pick(BODIES),
    ].join(random.pick(['\r\n', '\r\n', '\n', '\r'])),
    'latin1',
  );
  for (let n = random.below(4); n > 0; n--) bytes[random.below(bytes.length)] = random.below(256);
  return {
    bytes: bytes.subarray(0, random.below(5) === 0 ? random.below(bytes.length) : undefined),
    isWhole: false,
  };
}

/** Resolves to the answer; `hung`: the connection was still open at the deadline. */
function exchange(port: number, { bytes, isWhole }: { bytes: Buffer; isWhole: boolean }) {
  return new Promise<{ text: string; hung: boolean }>((resolve) => {
    let text = '';
    let hung = false;
    const socket = connect(port, '127.0.0.1', () =>
      isWhole ? socket.write(bytes) : socket.end(bytes),
    );
    const timer = setTimeout(() => {
      hung = true;
      socket.destroy();
    }, HANGS_MS);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ text, hung });
    });
  });
}

it.for(['public', 'admin', 'ingest'] as const)(
  'ten thousand malformed requests to the %s listener are refused or cut, and none hangs or is a 5xx',
  async (name, { annotate }) => {
    const random = seeded(9);
    const statuses = new Map<string, number>();
    const wrong: string[] = [];
    let hangs = 0;
    let left = REQUESTS;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left > 0) {
          left -= 1;
          const made = makeRequest(random);
          const { text, hung } = await exchange(busy.service.port[name], made);
          if (hung) hangs += 1;
          const status = /^HTTP\/1\.1 (?!100)(\d{3})/m.exec(text)?.[1] ?? 'hung up';
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          const isMetrics = name === 'admin' && status === '200';
          if (
            status.startsWith('5') ||
            hung ||
            (!isMetrics && INSIDE.test(text)) ||
            (made.isWhole && text === '')
          ) {
            wrong.push(
              `${JSON.stringify(made.bytes.toString('latin1').slice(0, 300))} → ${JSON.stringify(text)}`,
            );
          }
        }
      }),
    );
    const seconds = Math.round((performance.now() - began) / 1000);
    const counts = [...statuses].sort().map(([status, n]) => `${n} × ${status}`);
    await annotate(
      `held: 10,000 malformed requests, ${name}: ${counts.join(', ')}; ${hangs} hangs, ${wrong.length} wrong, ${seconds} s`,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect((await httpGet(busy.service.port.admin, '/readyz')).status).toBe(200);
  },
);
