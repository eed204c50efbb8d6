/**
 * Serves an app on a port: with limits on clients, errors that name the remedy, and a shutdown that loses no request. Closing at once
 * would cut off clients that are just sending on a kept connection, so for a moment every response asks its client to close first.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Log } from '../log.ts';
import { makeRequestQueue, type RequestQueue } from './requestQueue.ts';
import { ANY_ORIGIN, Problem, sendProblem, sendRefusal } from './send.ts';

const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000, // longer than proxies keep theirs (usually 60 s), so they close first and lose no request
  requireHostHeader: false, // refusalOf requires it; Node's own 400 has no body
};

/** A reserve for what else may be open: connections to the database, of other listeners' clients, and files. */
const OTHER_DESCRIPTORS = 150;

/** The system closes connections beyond it without a word to anybody. */
const MAX_DESCRIPTORS = maxDescriptors();

/** Above this share of the limit connections are no longer kept alive, or idle ones would shut out new clients. */
const KEEP_ALIVE_LOAD_LIMIT = 0.75;
const SWEEP_MS = 50;

export type Listening = {
  port: number;
  /** From now on every response carries `Connection: close`; requests are served as before. */
  drain(): void;
  /** Drains for `drainMs`, then accepts no connection, and destroys those that are left after `deadlineMs`. */
  close(patience?: { drainMs?: number; deadlineMs?: number }): Promise<void>;
};

type Address = {
  /** 0: any free port. */
  port: number;
  /** The environment variable of the port, for error messages. That of the host ends in HOST instead of PORT. */
  variable: string;
  /** An address of this machine; all of them if left out. */
  host?: string;
};

type Limits = {
  /** How long a client may take to send a request, body included. */
  requestMs?: number;
  /** How long a response may wait for its client to read it. */
  sendMs?: number;
  /** Further connections are closed at once. */
  connections?: number;
  /** Connections that are cut off or refused are logged here. */
  log?: Log;
};

/** Resolves when the port is open. Rejects with an Error that names the variable and the remedy. */
export async function listen(
  app: RequestListener,
  { port, variable, host, requestMs = LIMITS.requestTimeout, sendMs, connections = 1_500, log }: Address & Limits,
): Promise<Listening> {
  let closing = false;
  let open = 0;
  const most = Math.max(1, Math.min(connections, MAX_DESCRIPTORS - OTHER_DESCRIPTORS));
  const drain = () => {
    closing = true;
    for (const res of queue.underWay) if (!res.headersSent) res.setHeader('Connection', 'close');
  };
  const queue = makeRequestQueue(
    (req, res) => {
      // Node discards what follows a request to upgrade the protocol
      const isLast = closing || open > KEEP_ALIVE_LOAD_LIMIT * most || req.headers.upgrade !== undefined;
      if (isLast) res.setHeader('Connection', 'close');
      const problem = refusalOf(req);
      if (problem !== undefined) return sendRefusal(req, res, problem);
      if (isExpecting(req)) res.writeContinue();
      app(req, res);
    },
    { sendMs, onDisconnect: (why) => log?.warn({ variable, why }, 'cut off a connection') },
  );
  const server = createServer({ ...LIMITS, requestTimeout: requestMs }, queue.enqueue);
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  // a client that has closed its sending side still gets its answers; the published types lack this property
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = most;
  server.on('drop', () => log?.warn({ variable, connections: most }, 'refused a connection: too many are open'));
  if (most < connections) {
    const about = { variable, connections: most, open_files: MAX_DESCRIPTORS };
    log?.warn(
      about,
      `only ${most} connections can be open: raise the limit of open files (ulimit -n, LimitNOFILE in systemd)`,
    );
  }
  answerForNode(server, queue);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(openingError(error, { port, variable, host: host ?? '' })),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain,
    async close({ drainMs = 500, deadlineMs = 10_000 } = {}) {
      drain();
      await new Promise((resolve) => setTimeout(resolve, drainMs));
      await closed(server, queue, deadlineMs);
    },
  };
}

function maxDescriptors(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { soft: number | 'unlimited' } } };
  const most = Number(userLimits?.open_files.soft);
  return Number.isNaN(most) ? Number.POSITIVE_INFINITY : most;
}

/** Why a request can't be passed to an app; undefined if it can. `req.url` is then a path that Express can parse. */
function refusalOf(req: IncomingMessage): Problem | undefined {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    return new Problem(400, 'The request has no Host header.');
  }
  if (isExpecting(req) && !/^100-continue$/i.test(req.headers.expect ?? '')) {
    return new Problem(417, 'The only supported Expect is 100-continue.');
  }
  const path = pathOfTarget(req.url ?? '');
  if (path === undefined) return new Problem(400, 'The request target is not a valid URL.');
  req.url = path;
  return undefined;
}

/** Whether the client waits for `100 Continue` before it sends the body. */
function isExpecting({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.expect !== undefined;
}

/** The path of a request target, which may be absolute, as sent to proxies. Express would answer what it can't parse itself, as HTML. */
function pathOfTarget(target: string): string | undefined {
  if (!/^[!"$-~]+$/.test(target)) return undefined; // no spaces, no fragment, nothing beyond ASCII
  if (target.startsWith('/') || target === '*') return target;
  if (!URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : undefined;
}

/** Handles what Node would otherwise answer without a body, or hang up on. */
function answerForNode(server: Server, queue: RequestQueue): void {
  server.on('checkContinue', (req, res) => queue.enqueue(req, res));
  server.on('checkExpectation', (req, res) => queue.enqueue(req, res));
  server.on('connect', (_req, socket: Socket) => {
    // Node has detached the socket: without these it would neither be read nor report its errors
    socket.on('error', () => socket.destroy()).resume();
    queue.refuse(socket, new Problem(400, 'This is not a proxy: CONNECT is not supported.'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else queue.refuse(socket, unreadable(error));
  });
}

/** The problem behind an error of Node's HTTP parser: not HTTP, too large, or too slow. */
function unreadable({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem(431, 'The request line and headers are too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem(408, 'The request did not arrive in time.');
  return new Problem(400, 'This is not a readable HTTP request.');
}

async function closed(server: Server, queue: RequestQueue, deadlineMs: number): Promise<void> {
  // Node takes a connection for idle as soon as its response is written, even if half of it is unsent, and http's own close() starts by
  // destroying idle ones: so net's is called
  const sweep = setInterval(() => queue.underWay.size === 0 && server.closeIdleConnections(), SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(sweep);
  clearTimeout(deadline);
}

function openingError(error: NodeJS.ErrnoException, { port, variable, host }: Required<Address>): Error {
  const hostVariable = variable.replace(/PORT$/, 'HOST');
  const noHost =
    `${host} (${hostVariable}) is not an address of this machine. ` +
    `Set ${hostVariable} to one that is: 127.0.0.1 is reachable from this machine only, 0.0.0.0 means all addresses.`;
  const remedy: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use by another program. Stop it, or set ${variable} to a free port.`,
    EACCES: `This user may not open port ${port}. Set ${variable} to a port above 1023.`,
    EADDRNOTAVAIL: noHost,
    ENOTFOUND: noHost,
    EAI_AGAIN: noHost,
  };
  return new Error(remedy[error.code ?? ''] ?? `Port ${port} (${variable}) could not be opened: ${error.message}`, {
    cause: error,
  });
}

const STARTING = new Problem(503, 'The service is starting. Try again in a few seconds.', {
  'Retry-After': '5',
  ...ANY_ORIGIN,
});

/** A listener for the public port during start: it answers 503, rather than refuse connections, until it is given the app. */
export function startingListener(): { listener: RequestListener; serve(app: RequestListener): void } {
  let app: RequestListener = (req, res) => sendProblem(req, res, STARTING);
  return {
    listener: (req, res) => app(req, res),
    serve: (ready) => {
      app = ready;
    },
  };
}
