/**
 * Serves an app on a port: with limits on clients, errors that name the remedy, and a shutdown that
 * loses no request. Closing at once would cut off clients that are just sending on a kept
 * connection, so for a moment every response asks its client to close first.
 */

import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../base/log.ts';
import { ANY_ORIGIN } from '../contract/endpoints.ts';
import { closeWhenSent, watchConnections } from './connections.ts';
import { type Address, mostConnections, openPort } from './openPort.ts';
import { answerForNode, refusalOf } from './refusals.ts';
import { Problem, sendProblem, sendRefusal } from './send.ts';

const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  // longer than proxies keep theirs (usually 60 s), so they close first and lose no request
  keepAliveTimeout: 75_000,
  requireHostHeader: false, // refusalOf requires it; Node's own 400 has no body
};

/**
 * Unanswered requests of one connection. No browser or proxy sends the next request before the
 * response, and a client that does must be prepared to repeat what was not answered (RFC 9112,
 * 9.3.2). Node begins every request that it reads, and keeps the responses.
 */
const MOST_UNANSWERED = 8;

/**
 * How long a client may read nothing of a response. Most responses fit into the kernel's buffer.
 */
const SEND_TIMEOUT_MS = 20_000;

/**
 * Above this share of the limit connections are no longer kept alive, or idle ones would shut out
 * new clients.
 */
const KEEP_ALIVE_LOAD_LIMIT = 0.75;

export type Listening = {
  port: number;
  /** From now on every response carries `Connection: close`; requests are served as before. */
  drain(): void;
  /**
   * Drains for `drainMs` if a client is connected, then accepts no connection, and destroys those
   * that are left after `deadlineMs`.
   */
  close(patience?: { drainMs?: number; deadlineMs?: number }): Promise<void>;
};

type Limits = {
  /** How long a client may take to send a request, body included. */
  requestMs?: number;
  /** How long a client may read nothing of a response. */
  sendMs?: number;
  /** Further connections are closed at once. */
  connections?: number;
  /** Connections that are cut off or refused are logged here. */
  log?: Log;
};

/** Resolves when the port is open. Rejects with an Error that names the variable and the remedy. */
export async function listen(
  app: RequestListener,
  {
    requestMs = LIMITS.requestTimeout,
    sendMs = SEND_TIMEOUT_MS,
    connections: wanted = 1_500,
    log,
    ...address
  }: Address & Limits,
): Promise<Listening> {
  const { variable } = address;
  let isDraining = false;
  const most = mostConnections({ variable, wanted, log });
  const server = createServer({ ...LIMITS, requestTimeout: requestMs });
  const connections = watchConnections(server);
  const cut = (socket: Socket, why: string) => {
    log?.warn({ variable, why }, 'cut off a connection');
    socket.destroy();
  };
  const handle: RequestListener = (req, res) => {
    // Node discards what follows a request to upgrade the protocol
    const isLast =
      isDraining ||
      connections.count() > KEEP_ALIVE_LOAD_LIMIT * most ||
      req.headers.upgrade !== undefined;
    if (isLast) res.setHeader('Connection', 'close');
    const problem = refusalOf(req);
    if (problem === undefined) app(req, res);
    else sendRefusal(req, res, problem);
  };
  server.on('request', (req, res) => {
    const { socket } = req;
    // cut off, or the last response is being sent
    if (connections.stateOf(socket) === 'closed' || !socket.writable) return;
    const unanswered = connections.add(res);
    if (unanswered > MOST_UNANSWERED) cut(socket, 'the client sent too many requests ahead');
    else if (unanswered === 1) handle(req, res);
    // all that it sent ahead is counted first
    else process.nextTick(() => socket.destroyed || handle(req, res));
  });
  server.timeout = sendMs;
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0) cut(socket, 'the client did not read a response');
    else if (connections.stateOf(socket) === 'idle') socket.destroy(); // for keepAliveTimeout
  });
  // a client that has closed its sending side still gets its answers; the published types lack this
  // property
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = most;
  server.on('drop', () =>
    log?.warn({ variable, connections: most }, 'refused a connection: too many are open'),
  );
  answerForNode(server, connections.newest);
  const port = await openPort(server, address);
  const drain = () => {
    isDraining = true;
    for (const res of connections.newestOfEach())
      if (!res.headersSent) res.setHeader('Connection', 'close');
  };
  return {
    port,
    drain,
    async close({ drainMs = 500, deadlineMs = 10_000 } = {}) {
      drain();
      if (connections.count() > 0) await new Promise((resolve) => setTimeout(resolve, drainMs));
      await closeWhenSent(server, connections, deadlineMs);
    },
  };
}

const STARTING = new Problem(503, 'The service is starting. Try again in a few seconds.', {
  'Retry-After': '5',
  ...ANY_ORIGIN,
});

/**
 * A listener for the public port during start: it answers 503, rather than refuse connections,
 * until it is given the app.
 */
export function startingListener(): {
  listener: RequestListener;
  serve(app: RequestListener): void;
} {
  let app: RequestListener = (req, res) => sendProblem(req, res, STARTING);
  return {
    listener: (req, res) => app(req, res),
    serve: (ready) => {
      app = ready;
    },
  };
}
