/**
 * Starts the bare server that our responses are compared with: `node:http` in a process of its own,
 * sending the same bytes and headers.
 */
import { fork } from 'node:child_process';
import { get, type IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';

export type Response = { status: number; headers: string[]; body: Buffer };

/** Each request has its own; Node adds them. */
const OWN = new Set(['date', 'connection', 'keep-alive']);

/** Name and value in turn, as they are sent. */
export async function fetchRaw(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, path, headers, host: '127.0.0.1', agent: false }, resolve).once('error', reject);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const raw = message.rawHeaders;
  const kept = raw.flatMap((name, index) =>
    index % 2 === 1 || OWN.has(name.toLowerCase()) ? [] : [name, raw[index + 1] as string],
  );
  return { status: message.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks) };
}

type Bare = { port: number; pid: number; close(): void };

/** Starts it and checks that it answers the same, byte by byte. */
export async function startBare(response: Response): Promise<Bare> {
  const child = fork(new URL('bareProcess.mjs', import.meta.url), { execArgv: [] });
  const { status, headers, body } = response;
  const listening = new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error('the bare server ended')));
  });
  child.send({ status, headers, body: [...body] });
  const port = await listening;
  if (!isDeepStrictEqual(await fetchRaw(port, '/'), response))
    throw new Error('the bare server does not send the same bytes and headers');
  return { port, pid: child.pid ?? 0, close: () => child.disconnect() };
}
