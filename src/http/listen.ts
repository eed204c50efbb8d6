/**
 * Serves an app on a port: with limits on slow clients, errors that say what to do, and an end at which no request is lost. Closing
 * at once would cut clients that were just sending on a kept connection; so for a moment every answer asks to close it first.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseUnreadable } from './unreadable.ts';

const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000, // longer than proxies keep theirs (60 s as a rule), so that it is never we who close first
};

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
  /** How long a client may take to send a request, body included. */
  requestMs?: number;
};

export async function listen(
  app: RequestListener,
  { port, variable, host, requestMs = LIMITS.requestTimeout }: Place,
): Promise<Listening> {
  let closing = false;
  const server = createServer({ ...LIMITS, requestTimeout: requestMs }, (req, res) => {
    if (closing) res.setHeader('Connection', 'close');
    app(req, res);
  });
  server.on('clientError', refuseUnreadable);
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
      await closed(server, deadlineMs);
    },
  };
}

async function closed(server: Server, deadlineMs: number): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(sweep);
  clearTimeout(deadline);
}

function explained(error: NodeJS.ErrnoException, { port, variable, host }: Required<Omit<Place, 'requestMs'>>): Error {
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
