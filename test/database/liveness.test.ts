/** Probes while work is under way. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { withLivenessProbe } from '../../src/database/liveness.ts';
import { patient } from '../support/patience.ts';

const TIMING = { intervalMs: 5, timeoutMs: 5 };
/** Keeps the event loop, as a computation does. */
function holdFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
const never = () => new Promise<never>(() => undefined);
const failure = (code: string) => Object.assign(new Error(code), { code });

/** Work that resolves at the third probe. */
function workOfThreeProbes() {
  let finish: (result: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  let probes = 0;
  const probe = () => {
    probes += 1;
    if (probes === 3) finish('done');
  };
  return { work, probe };
}

it('work is waited for as long as every probe is answered', async () => {
  const { work, probe } = workOfThreeProbes();
  expect(await withLivenessProbe(work, async () => probe(), TIMING)).toBe('done');
});

it('work is waited for while the server answers probes with an error', async () => {
  const { work, probe } = workOfThreeProbes();
  const refusing = async () => {
    probe();
    throw failure('53300');
  };
  expect(await withLivenessProbe(work, refusing, TIMING)).toBe('done');
});

it('work is given up when a probe gets no answer, or no server is there', async () => {
  await expect(withLivenessProbe(never(), never, TIMING)).rejects.toMatchObject({
    code: 'UNREACHABLE',
  });
  const refused = () => Promise.reject(failure('ECONNREFUSED'));
  await expect(withLivenessProbe(never(), refused, TIMING)).rejects.toMatchObject({
    code: 'UNREACHABLE',
  });
});

it('an answer that arrived while this process was held is read before the database is called silent', async () => {
  const server = createServer((socket) => socket.on('data', () => socket.write('answer')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const { work, probe } = workOfThreeProbes();
  let isOpen = false;
  const asking = async () => {
    probe();
    // the first probe opens its connection, which takes a turn more than there is
    for (const _ of isOpen ? ['?'] : ['open', '?']) {
      isOpen = true;
      socket.write('?');
      await once(socket, 'data');
    }
  };
  const hold = setInterval(() => holdFor(40), 1); // eight times as long as a probe may take
  expect(await withLivenessProbe(work, asking, TIMING)).toBe('done');
  clearInterval(hold);
  socket.destroy();
  server.close();
});

it('a connection that took too long to open is tried again within the time of a probe', async () => {
  const { work, probe } = workOfThreeProbes();
  let attempts = 0;
  const opening = async () => {
    attempts += 1;
    if (attempts % 2 === 1) throw failure('CONNECT_TIMEOUT');
    probe();
  };
  const timing = { intervalMs: 5, timeoutMs: patient(5_000) };
  expect(await withLivenessProbe(work, opening, timing)).toBe('done');
  const nowhere = () => Promise.reject(failure('CONNECT_TIMEOUT'));
  await expect(withLivenessProbe(never(), nowhere, TIMING)).rejects.toMatchObject({
    code: 'UNREACHABLE',
  });
});

it('work that ends in time gets no probe, and its own result or error', async () => {
  let probes = 0;
  const probe = async () => {
    probes += 1;
  };
  expect(await withLivenessProbe(Promise.resolve(1), probe, TIMING)).toBe(1);
  await expect(
    withLivenessProbe(Promise.reject(new Error('broken')), probe, TIMING),
  ).rejects.toThrow('broken');
  expect(probes).toBe(0);
});
