/**
 * Serving on a port: messages when it cannot be used, the limit of open files, and an end at which
 * no request is lost.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  Agent,
  request as httpRequest,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/http/listen.ts';
import { patient, until } from '../support/patience.ts';
import { exchange, send } from './raw.ts';

const ok: RequestListener = (_req, res) => {
  setTimeout(() => res.end('{}'), 5);
};

const serve = (app: RequestListener = ok) => listen(app, { port: 0, variable: 'PORT' });

/** Resolves to true if the answer asked to close the connection. */
function get(port: number, agent: Agent): Promise<boolean> {
  return new Promise((resolve, reject) => {
    httpRequest({ port, agent }, (res) => {
      res.resume().on('end', () => resolve(res.headers.connection === 'close'));
    })
      .on('error', reject)
      .end();
  });
}

it('the error for a port in use names the port and the variable', async () => {
  const first = await serve();
  await expect(listen(ok, { port: first.port, variable: 'ADMIN_PORT' })).rejects.toThrow(
    `Port ${first.port} is in use by another program. Stop it, or set ADMIN_PORT to a free port.`,
  );
  await first.close({ drainMs: 0 });
});

it.each(['192.0.2.1', 'nowhere.invalid'])(
  'the error for %s, which is not an address of this machine, has a remedy',
  async (host) => {
    await expect(listen(ok, { port: 0, variable: 'INGEST_PORT', host })).rejects.toThrow(
      `${host} (INGEST_HOST) is not an address of this machine. Set INGEST_HOST to one that is`,
    );
  },
);

it('no request is lost when a closing server asks its clients to take the next one', async () => {
  const [old, next] = await Promise.all([serve(), serve()]);
  const agent = new Agent({ keepAlive: true });
  let closing: Promise<void> | undefined;
  let answered = 0;
  const client = async () => {
    let port = old.port;
    for (let more = 40; more > 0; more -= port === next.port ? 1 : 0) {
      if (await get(port, agent)) port = next.port;
      answered += 1;
      if (answered === 200) closing = old.close({ drainMs: 300 });
    }
  };
  await Promise.all(Array.from({ length: 20 }, client));
  await closing;
  agent.destroy();
  await next.close({ drainMs: 0 });
  expect(answered).toBeGreaterThanOrEqual(1_000);
});

it('too few open files for the connections are logged at the start, and each refused connection', async () => {
  const code = `
    import { listen } from './src/http/listen.ts';
    import { makeLog } from './src/base/log.ts';
    const { port } = await listen((_req, res) => res.end(), { port: 0, variable: 'PORT', log: makeLog('info', false) });
    console.log(port);`;
  const node = `exec '${process.execPath}' --import tsx --input-type=module --eval "$0"`;
  const child = spawn('sh', ['-c', `ulimit -n 200; ${node}`, code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  const [port] = await once(child.stdout, 'data');
  const lines = createInterface(child.stderr)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  expect(await next()).toMatchObject({
    variable: 'PORT',
    connections: 50,
    open_files: 200,
    msg: 'only 50 connections can be open: raise the limit of open files (ulimit -n, LimitNOFILE in systemd)',
  });
  const sockets = Array.from({ length: 51 }, () => send(Number(port), ''));
  expect(await next()).toMatchObject({
    connections: 50,
    msg: 'refused a connection: too many are open',
  });
  for (const socket of sockets) socket.destroy();
});

it('a closing server asks clients to leave, and answers the requests under way', async () => {
  const waiting: ServerResponse[] = [];
  const served = await serve((_req, res) => {
    waiting.push(res);
  });
  const answer = exchange(served.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => waiting.length === 1, 'the first request has come');
  const closing = served.close({ drainMs: patient(300) });
  const during = exchange(served.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => waiting.length === 2, 'the second request has come');
  for (const res of waiting) res.end('late');
  expect(await answer).toMatch(/late$/);
  expect(await during).toMatch(/^HTTP\/1\.1 200 OK.*Connection: close.*late$/is);
  await closing;
});

it('a request that does not end before the deadline is cut off', async () => {
  let hasCome = false;
  const served = await serve(() => {
    hasCome = true;
  });
  const answer = exchange(served.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => hasCome, 'the request has come');
  await served.close({ drainMs: 0, deadlineMs: 200 });
  expect(await answer).toBe('');
});

it('a closing server does not wait for idle connections', async () => {
  const served = await serve();
  const agent = new Agent({ keepAlive: true });
  await get(served.port, agent);
  const began = performance.now();
  await served.close({ drainMs: 0 });
  expect(performance.now() - began).toBeLessThan(patient(20_000)); // Node keeps them for 75 s
});
