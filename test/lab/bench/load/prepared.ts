/** Starts a server that others would make of a kept document, in a process of its own. */
import { fork } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { get, type Response } from './get.ts';

export type Kind = 'bare' | 'express';
type Prepared = { port: number; pid: number; close(): void };

/** Checks that it answers the same, byte by byte; the bare one with the same headers in order. */
export async function startPrepared(kind: Kind, response: Response): Promise<Prepared> {
  const child = fork(new URL('preparedProcess.mjs', import.meta.url), { execArgv: [] });
  const listening = new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error(`the server ${kind} ended`)));
  });
  child.send({ kind, ...response, body: [...response.body] });
  const port = await listening;
  const { status, headers, body } = await get(port, '/');
  const isSame = status === response.status && body.equals(response.body);
  if (!isSame || (kind === 'bare' && !isDeepStrictEqual(headers, response.headers)))
    throw new Error(`${kind} does not send the same bytes and headers`);
  return { port, pid: child.pid ?? 0, close: () => child.disconnect() };
}
