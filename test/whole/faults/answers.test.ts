/**
 * A listener answers any input with our JSON or closes the connection: never with a page of
 * Express, and never with headers without a body. The listeners share what refuses (http/listen.ts),
 * so the public one gets every input, and each of the others a few.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen, startingListener } from '../../../src/http/listen.ts';
import { createToken } from '../../../src/ingest/http/tokens.ts';
import { answersIn, exchange } from '../../http/raw.ts';
import { NOW } from '../../support/clock.ts';
import { engines } from '../../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../../support/installation.ts';
import { type Launched, launchForSuite } from '../../support/launch.ts';

let here: Installation;
let service: Launched;
let token: string;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  const about = { name: 'feed', provider: 'us', stations: null, now: NOW };
  const { token: secret } = await createToken(here.database.as(), about);
  token = `Authorization: Bearer ${secret}\r\n`;
  service = await launchForSuite(here, { demo: 'off' });
});
afterAll(async () => {
  await service.stop();
  await here.close();
});

const BATCH = JSON.stringify([{ sensor_id: 1, time: NOW.toISOString(), pm25: 10 }]);
const push = (head: string, body: string) =>
  `POST /v1/readings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${head}\r\n${body}`;
const length = (body: string) => `Content-Length: ${body.length}\r\n`;

/** A request that each listener answers with 200. */
const GOOD = {
  public: () => 'GET /en/air-quality-app/v1/station/1.json HTTP/1.1\r\nHost: x\r\n\r\n',
  admin: () => 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  ingest: () => push(token + length(BATCH), BATCH),
};
type Name = keyof typeof GOOD;

const of = (line: string, headers = 'Host: x\r\n') => `${line}\r\n${headers}\r\n`;
const REFUSED: [string, string, number][] = [
  ['a URL whose host does not parse', of('GET http://[ HTTP/1.1'), 400],
  ['a URL whose port does not parse', of('GET http://x:99999999/ HTTP/1.1'), 400],
  ['a path that Express takes for a host', of('GET //a@[#/ HTTP/1.1'), 400],
  ['a fragment', of('GET /a#b HTTP/1.1'), 400],
  ['bytes beyond ASCII', of('GET /\u00a0 HTTP/1.1'), 400],
  ['a URL without a path', of('GET mailto:x HTTP/1.1'), 400],
  ['CONNECT', of('CONNECT x:443 HTTP/1.1'), 400],
  ['no Host', of('GET / HTTP/1.1', ''), 400],
  ['two Hosts', of('GET / HTTP/1.1', 'Host: x\r\nHost: y\r\n'), 400],
  ['the same Host twice', of('GET / HTTP/1.0', 'Host: x\r\nhost: x\r\n'), 400],
  ['an unknown Expect header', of('GET / HTTP/1.1', 'Host: x\r\nExpect: miracles\r\n'), 417],
  ['an unknown method', of('BREW / HTTP/1.1'), 400],
  ['headers of 20 KB', of('GET / HTTP/1.1', `Host: x\r\nX: ${'x'.repeat(20_000)}\r\n`), 431],
  ['a header without a name', of('GET / HTTP/1.1', 'Host: x\r\n: y\r\n'), 400],
  [
    'two lengths',
    of('POST / HTTP/1.1', 'Host: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n'),
    400,
  ],
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001', 400],
];
const SAMPLES = ['a fragment', 'CONNECT', 'an unknown Expect header', 'no HTTP'];
const AT_EACH = [
  ...REFUSED.map((row) => ['public' as Name, ...row] as const),
  ...(['admin', 'ingest'] as const).flatMap((name) =>
    REFUSED.filter(([what]) => SAMPLES.includes(what)).map(
      (row) => [name as Name, ...row] as const,
    ),
  ),
];

it.each(AT_EACH)(
  'the %s listener refuses a request with %s as a JSON problem, alone and after a good one',
  async (name, _, bytes, status) => {
    const answered = async (text: string) =>
      answersIn(await exchange(service.port[name], Buffer.from(text, 'latin1')));
    const [alone, ...others] = await answered(bytes);
    expect(others).toEqual([]);
    expectProblem(alone, status);
    expect(alone?.headers).toMatchObject({
      connection: 'close',
      'access-control-allow-origin': '*',
    });
    const [good, refused, ...more] = await answered(GOOD[name]() + bytes);
    expect([good?.status, more]).toEqual([200, []]);
    expectProblem(refused, status);
  },
);

it.each<[Name, string, string, string]>([
  ['public', 'an absolute URL', 'GET http://x/nowhere HTTP/1.1', ''],
  ['ingest', 'the target *', 'OPTIONS * HTTP/1.1', ''],
  [
    'public',
    'an Upgrade to WebSocket',
    'GET /nowhere HTTP/1.1',
    'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  ],
  ['admin', '100-continue', 'GET /nowhere HTTP/1.1', 'Expect: 100-continue\r\n'],
  [
    'public',
    'an Expect header of HTTP/1.0, which has none',
    'GET /nowhere HTTP/1.0',
    'Expect: miracles\r\n',
  ],
])(
  'the %s listener answers a request with %s for an unknown path with 404',
  async (name, _, line, headers) => {
    const pipelined =
      of(line, `Host: x\r\n${headers}`) +
      of('GET /nowhere HTTP/1.1', 'Host: x\r\nConnection: close\r\n');
    const answers = answersIn(await exchange(service.port[name], pipelined));
    expect(answers).not.toEqual([]);
    for (const answer of answers) expectProblem(answer, 404);
  },
);

it('a preface of HTTP/2 is refused, or its connection closed', async () => {
  const text = await exchange(service.port.public, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  if (text !== '') expectProblem(answersIn(text)[0], 400);
});

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const LARGE = 9 * 1024 * 1024;
it.each([
  ['no token', () => push(length(BATCH), BATCH), 401],
  [
    'a Content-Length that is too large',
    () => push(`${token}Content-Length: ${LARGE}\r\n`, 'x'.repeat(LARGE)),
    413,
  ],
  [
    'an unsupported media type',
    () => push(token + length(BATCH), BATCH).replace('application/json', 'text/html'),
    415,
  ],
  ['invalid JSON', () => push(token + length('[}'), '[}'), 400],
  ['an invalid chunk', () => push(token + CHUNKED, 'zz\r\n'), 400],
  ['an invalid chunk and no token', () => push(CHUNKED, 'zz\r\n'), 400],
  ['an invalid chunk after a good one', () => push(token + CHUNKED, '1\r\n[\r\nzz\r\n'), 400],
])('a refused push with %s does not disturb the answer before it', async (_, refused, status) => {
  // the first request may or may not have finished when the second is parsed
  const answers = answersIn(
    await exchange(service.port.ingest, GOOD.ingest() + refused() + of('BREW / HTTP/1.1')),
  );
  expect(answers[0]).toMatchObject({ status: 200, body: expect.stringMatching(/^\{"received":1/) });
  expectProblem(answers[1], status);
  expect(answers.length).toBeLessThanOrEqual(3);
});

it('an invalid chunk of the current request is answered at once', async () => {
  const [answer] = answersIn(
    await exchange(service.port.ingest, push(token + CHUNKED, '1\r\n[\r\nzz\r\n')),
  );
  expectProblem(answer, 400);
});

it('browsers may read Retry-After while the service starts', async () => {
  const served = await listen(startingListener().listener, { port: 0, variable: 'PORT' });
  const answer = await fetch(`http://127.0.0.1:${served.port}/`);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
  expect(await answer.json()).toMatchObject({ status: 503 });
  await served.close({ drainMs: 0 });
});

function expectProblem(
  answer: ReturnType<typeof answersIn>[number] | undefined,
  status: number,
): void {
  expect(answer).toMatchObject({
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  });
  const problem = JSON.parse(answer?.body ?? '');
  expect(problem).toEqual({ status, title: expect.any(String), detail: expect.any(String) });
}
