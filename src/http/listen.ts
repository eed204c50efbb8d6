/**
 * Serves an app on a port: with limits on clients, errors that name the remedy, and a shutdown that
 * loses no request. Closing at once would cut off clients that are just sending on a kept
 * connection, so for a moment every response asks its client to close first.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { Log } from '../base/log.ts';
import { ANY_ORIGIN, Problem, sendProblem, sendRefusal, writeRefusal } from './send.ts';

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

/** Descriptors left for connections to the database, clients of other listeners, and files. */
const OTHER_DESCRIPTORS = 150;

/**
 * The process's limit of open files. The system drops connections beyond it, without any notice.
 */
const MAX_DESCRIPTORS = maxDescriptors();

/**
 * Above this share of the limit connections are no longer kept alive, or idle ones would shut out
 * new clients.
 */
const KEEP_ALIVE_LOAD_LIMIT = 0.75;
const SWEEP_MS = 50;

export type Listening = {
  port: number;
  /** From now on every response carries `Connection: close`; requests are served as before. */
  drain(): void;
  /**
   * Drains for `drainMs`, then accepts no connection, and destroys those that are left after
   * `deadlineMs`.
   */
  close(patience?: { drainMs?: number; deadlineMs?: number }): Promise<void>;
};

type Address = {
  /** 0: any free port. */
  port: number;
  /**
   * The environment variable of the port, for error messages. That of the host ends in HOST instead
   * of PORT.
   */
  variable: string;
  /** An address of this machine; all of them if left out. */
  host?: string;
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

/** The responses of each open connection that are not completely sent, in order. */
type Connections = Map<Socket, ServerResponse[]>;

/** Resolves when the port is open. Rejects with an Error that names the variable and the remedy. */
export async function listen(
  app: RequestListener,
  {
    port,
    variable,
    host,
    requestMs = LIMITS.requestTimeout,
    sendMs = SEND_TIMEOUT_MS,
    connections: wanted = 1_500,
    log,
  }: Address & Limits,
): Promise<Listening> {
  let closing = false;
  const connections: Connections = new Map();
  const most = Math.max(1, Math.min(wanted, MAX_DESCRIPTORS - OTHER_DESCRIPTORS));
  const cut = (socket: Socket, why: string) => {
    log?.warn({ variable, why }, 'cut off a connection');
    socket.destroy();
  };
  const handle: RequestListener = (req, res) => {
    // Node discards what follows a request to upgrade the protocol
    const isLast =
      closing ||
      connections.size > KEEP_ALIVE_LOAD_LIMIT * most ||
      req.headers.upgrade !== undefined;
    if (isLast) res.setHeader('Connection', 'close');
    const problem = refusalOf(req);
    if (problem === undefined) app(req, res);
    else sendRefusal(req, res, problem);
  };
  /** One function for all responses: no response has a closure of its own. */
  function forget(this: ServerResponse): void {
    const unanswered = connections.get(this.req.socket);
    unanswered?.splice(unanswered.indexOf(this), 1);
  }
  const server = createServer({ ...LIMITS, requestTimeout: requestMs }, (req, res) => {
    const { socket } = req;
    const unanswered = connections.get(socket);
    // cut off, or the last response is being sent
    if (unanswered === undefined || !socket.writable) return;
    if (unanswered.push(res) > MOST_UNANSWERED)
      return cut(socket, 'the client sent too many requests ahead');
    res.on('close', forget);
    if (unanswered.length === 1) handle(req, res);
    // all that it sent ahead is counted first
    else process.nextTick(() => socket.destroyed || handle(req, res));
  });
  server.on('connection', (socket) => {
    const unanswered: ServerResponse[] = [];
    connections.set(socket, unanswered);
    socket.once('close', () => {
      connections.delete(socket);
      // Node tells only the response whose turn it is
      for (const res of [...unanswered]) if (res.socket === null) res.emit('close');
    });
  });
  server.timeout = sendMs;
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0) cut(socket, 'the client did not read a response');
    else if (connections.get(socket)?.length === 0) socket.destroy(); // idle for keepAliveTimeout
  });
  // a client that has closed its sending side still gets its answers; the published types lack this
  // property
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxConnections = most;
  server.on('drop', () =>
    log?.warn({ variable, connections: most }, 'refused a connection: too many are open'),
  );
  if (most < wanted) {
    const about = { variable, connections: most, open_files: MAX_DESCRIPTORS };
    log?.warn(
      about,
      `only ${most} connections can be open: raise the limit of open files (ulimit -n, LimitNOFILE in systemd)`,
    );
  }
  answerForNode(server, connections);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(openingError(error, { port, variable, host: host ?? '' })),
    );
    server.listen(port, host, resolve);
  });
  const drain = () => {
    closing = true;
    for (const unanswered of connections.values()) {
      const last = unanswered.at(-1);
      if (last?.headersSent === false) last.setHeader('Connection', 'close');
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    drain,
    async close({ drainMs = 500, deadlineMs = 10_000 } = {}) {
      drain();
      await new Promise((resolve) => setTimeout(resolve, drainMs));
      await closed(server, connections, deadlineMs);
    },
  };
}

/** `http://127.0.0.1:8081`, `http://[::1]:8081`. */
export function httpAddress(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function maxDescriptors(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const most = Number(userLimits?.open_files.soft);
  return Number.isNaN(most) ? Number.POSITIVE_INFINITY : most;
}

/**
 * Why a request can't be passed to an app; undefined if it can. `req.url` is then a path that
 * Express can parse.
 */
function refusalOf(req: IncomingMessage): Problem | undefined {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    return new Problem(400, 'The request has no Host header.');
  }
  // two may mean different sites to a proxy and to us (RFC 9112, 3.2); Node keeps the first
  if (req.headersDistinct.host !== undefined && req.headersDistinct.host.length > 1)
    return new Problem(400, 'The request has more than one Host header. Send one.');
  const path = pathOfTarget(req.url ?? '');
  if (path === undefined) return new Problem(400, 'The request target is not a valid URL.');
  req.url = path;
  return undefined;
}

/**
 * The path of a request target, which may be absolute, as sent to proxies. Express would answer
 * what it can't parse itself, as HTML.
 */
function pathOfTarget(target: string): string | undefined {
  if (!/^[!"$-~]+$/.test(target)) return undefined; // no spaces, no fragment, nothing beyond ASCII
  if (target.startsWith('/') || target === '*') return target;
  if (!URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : undefined;
}

/** Handles what Node would otherwise answer without a body, or hang up on. */
function answerForNode(server: Server, connections: Connections): void {
  /**
   * Refuses what isn't a request, or stopped being one midway, after the answers to those before
   * it.
   */
  const refuse = (socket: Socket, problem: Problem) => {
    const last = connections.get(socket)?.at(-1);
    if (last === undefined) writeRefusal(socket, problem);
    else if (last.req.complete || last.writableEnded)
      last.once('close', () => writeRefusal(socket, problem));
    else if (last.headersSent) socket.destroy();
    else sendRefusal(last.req, last, problem); // the error is in the body of that request
  };
  server.on('checkExpectation', (req, res) => {
    sendRefusal(req, res, new Problem(417, 'The only supported Expect is 100-continue.'));
  });
  server.on('connect', (_req, socket: Socket) => {
    // Node has detached the socket: without these it would neither be read nor report its errors
    socket.on('error', () => socket.destroy()).resume();
    refuse(socket, new Problem(400, 'This is not a proxy: CONNECT is not supported.'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, unreadable(error));
  });
}

/** The problem behind an error of Node's HTTP parser: not HTTP, too large, or too slow. */
function unreadable({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem(431, 'The request line and headers are too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem(408, 'The request did not arrive in time.');
  return new Problem(400, 'This is not a readable HTTP request.');
}

/**
 * Node takes a connection for idle as soon as its response has ended, even if half of it is unsent,
 * and closing a server destroys idle connections. So it is closed only while no ended response is
 * unsent; again and again, for connections that become idle later.
 */
async function closed(server: Server, connections: Connections, deadlineMs: number): Promise<void> {
  const isSending = () => [...connections.values()].flat().some((res) => res.writableEnded);
  const sweep = setInterval(() => isSending() || server.close(), SWEEP_MS);
  const deadline = setTimeout(() => {
    server.close();
    server.closeAllConnections();
  }, deadlineMs);
  await once(server, 'close');
  clearInterval(sweep);
  clearTimeout(deadline);
}

function openingError(
  error: NodeJS.ErrnoException,
  { port, variable, host }: Required<Address>,
): Error {
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
  return new Error(
    remedy[error.code ?? ''] ?? `Port ${port} (${variable}) could not be opened: ${error.message}`,
    {
      cause: error,
    },
  );
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
