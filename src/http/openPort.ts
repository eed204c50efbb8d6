/**
 * Opens a port, or says what to do where it can't be had; and how many connections the limit of
 * open files allows.
 */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Log } from '../base/log.ts';

export type Address = {
  /** 0: any free port. */
  port: number;
  /**
   * The environment variable of the port, for error messages. The host's ends in HOST instead
   * of PORT.
   */
  variable: string;
  /** An address of this machine; all of them if left out. */
  host?: string;
};

/** Descriptors left for connections to the database, clients of other listeners, and files. */
const OTHER_DESCRIPTORS = 150;

/**
 * The process's limit of open files. The system drops connections beyond it, without any notice.
 */
const MAX_DESCRIPTORS = maxDescriptors();

/** The connections that can be open, at least one; fewer than wanted are logged. */
export function mostConnections({
  variable,
  wanted,
  log,
}: {
  variable: string;
  wanted: number;
  log: Log | undefined;
}): number {
  const most = Math.max(1, Math.min(wanted, MAX_DESCRIPTORS - OTHER_DESCRIPTORS));
  if (most < wanted) {
    const about = { variable, connections: most, open_files: MAX_DESCRIPTORS };
    log?.warn(
      about,
      `only ${most} connections can be open: raise the limit of open files (ulimit -n, LimitNOFILE in systemd)`,
    );
  }
  return most;
}

function maxDescriptors(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const most = Number(userLimits?.open_files.soft);
  return Number.isNaN(most) ? Number.POSITIVE_INFINITY : most;
}

/** Resolves to the port. Rejects with an Error that names the variable and the remedy. */
export async function openPort(server: Server, address: Address): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(openingError(error, address)));
    server.listen(address.port, address.host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Rejects as openPort does where the port could not be opened now; leaves it closed. */
export async function checkPort(address: Address): Promise<void> {
  const server = createServer();
  await openPort(server, address);
  await new Promise((resolve) => server.close(resolve));
}

function openingError(error: NodeJS.ErrnoException, { port, variable, host = '' }: Address): Error {
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

/** `http://127.0.0.1:8081`, `http://[::1]:8081`. */
export function httpAddress(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
