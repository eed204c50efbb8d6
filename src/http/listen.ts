/**
 * Serves an app on a port: with limits on clients, errors that say what to do, and an end at which no request is lost. Closing at once
 * would cut clients that were just sending on a kept connection; so for a moment every answer asks to close it first.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Log } from '../log.ts';
import { isExpecting, refusalOf, sendRefusal, unreadable } from './errors.ts';
import { Problem } from './send.ts';
import { makeTurns, type Turns } from './turns.ts';

const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000, // longer than proxies keep theirs (60 s as a rule), so that it is never we who close first
  requireHostHeader: false, // we require it: Node's answer is empty
};

/** With so many open of those that may be, connections are no longer kept: idle ones must not shut out new clients. */
const CROWDED = 0.75;
const SWEEP_MS = 50;

export type Listening = {
  port: number;
  /** From now on every answer asks its client to leave; requests are served as before. */
  drain(): void;
  /** Takes requests for `drainMs` more, asking every client to leave, then no new ones; cuts what is left at `deadlineMs`. */
  close(patience?: { drainMs?: number; deadlineMs?: number }): Promise<void>;
};

type Place = {
  /** 0: any free one. */
  port: number;
  /** The environment variable that sets the port, for the message when it cannot be had. One that sets the host ends in HOST instead. */
  variable: string;
  /** An address of this machine; left out: all of them. */
  host?: string;
};

type Limits = {
  /** How long a client may take to send a request, body included. */
  requestMs?: number;
  /** How long an answer may wait for its client to read it. */
  unreadMs?: number;
  /** A client that comes when so many connections are open is hung up on. */
  connections?: number;
  /** Told of connections that were cut or not taken. */
  log?: Log;
};

export async function listen(
  app: RequestListener,
  { port, variable, host, requestMs = LIMITS.requestTimeout, unreadMs, connections = 1_500, log }: Place & Limits,
): Promise<Listening> {
  let closing = false;
  let open = 0;
  const turns = makeTurns(
    (req, res) => {
      // what was sent behind a wish for another protocol, Node throws away unread
      const isLast = closing || open > CROWDED * connections || req.headers.upgrade !== undefined;
      if (isLast) res.setHeader('Connection', 'close');
      const problem = refusalOf(req);
      if (problem !== undefined) return sendRefusal(req, res, problem);
      if (isExpecting(req)) res.writeContinue();
      app(req, res);
    },
    { unreadMs, onCut: (why) => log?.warn({ variable, why }, 'a connection was cut') },
  );
  const server = createServer({ ...LIMITS, requestTimeout: requestMs }, turns.take);
  server.on('connection', (socket) => {
    open += 1;
    turns.connect(socket);
    socket.once('close', () => {
      open -= 1;
    });
  });
  server.maxConnections = connections;
  server.on('drop', () => log?.warn({ variable, connections }, 'a connection was not taken: too many are open'));
  answerForNode(server, turns);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(explained(error, { port, variable, host: host ?? '' })),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain() {
      closing = true;
    },
    async close({ drainMs = 500, deadlineMs = 10_000 } = {}) {
      closing = true;
      await new Promise((resolve) => setTimeout(resolve, drainMs));
      await closed(server, turns, deadlineMs);
    },
  };
}

/** Takes what Node would otherwise answer itself, with nothing in it, or hang up on. */
function answerForNode(server: Server, turns: Turns): void {
  server.on('checkContinue', (req, res) => turns.take(req, res));
  server.on('checkExpectation', (req, res) => turns.take(req, res));
  server.on('connect', (_req, socket: Socket) => {
    // Node has let go of the socket: nobody else reads what comes on it, or hears that it broke
    socket.on('error', () => socket.destroy()).resume();
    turns.refuse(socket, new Problem(400, 'This is no proxy: CONNECT is not possible here.'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else turns.refuse(socket, unreadable(error));
  });
}

async function closed(server: Server, turns: Turns, deadlineMs: number): Promise<void> {
  // to Node a connection is idle as soon as its answer is written, though half of it may still wait to be sent; and its own close()
  // begins with cutting idle ones
  const sweep = setInterval(() => turns.underWay() === 0 && server.closeIdleConnections(), SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(sweep);
  clearTimeout(deadline);
}

function explained(error: NodeJS.ErrnoException, { port, variable, host }: Required<Place>): Error {
  const hostVariable = variable.replace(/PORT$/, 'HOST');
  const noHost =
    `${host} (${hostVariable}) is no address of this machine. ` +
    `Set ${hostVariable} to one that is: 127.0.0.1 is reached from this machine alone, 0.0.0.0 is all of them.`;
  const remedy: Record<string, string> = {
    EADDRINUSE: `Port ${port} is taken by another program. Stop that one, or set ${variable} to a free port.`,
    EACCES: `This user may not open port ${port}. Set ${variable} to a port above 1023.`,
    EADDRNOTAVAIL: noHost,
    ENOTFOUND: noHost,
    EAI_AGAIN: noHost,
  };
  return new Error(remedy[error.code ?? ''] ?? `Port ${port} (${variable}) could not be opened: ${error.message}`, {
    cause: error,
  });
}
