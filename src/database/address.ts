/** Where a database is, whether a pooler is in front of it, and the socket to it. */
import { connect as connectSocket, type Socket } from 'node:net';

/**
 * Where the database is: a URL from the operator, or the socket directory of the embedded server.
 */
export type DatabaseAddress =
  | string
  | { host: string; port: number; user: string; database: string };

/** This process's database: the operator's, or an embedded server. */
export type Database = {
  target: DatabaseAddress;
  /** True: the server is private to this data directory. */
  embedded: boolean;
  /**
   * Where the data of an embedded server are, which is not below DATA_DIR if its user cannot enter
   * that.
   */
  dataDirectory?: string;
  /**
   * Stops using an embedded server; if this process has started it, resolves once it is down. Does
   * nothing for the operator's database.
   */
  close(): Promise<void>;
};

/** Where the driver would connect to: a list of one host with its port, or the path of a socket. */
export type SocketAddress = { host: string[]; port: number[]; path?: string | false };

const POOLER = 'pooler';

/**
 * True if connections come from a pooler such as PgBouncer, which keeps nothing of a session from
 * one transaction to the next: the URL says so with `?pooler=transaction`. Then nothing is
 * prepared, and the login brings its settings (sql/reader.sql).
 */
export function hasPooler(target: DatabaseAddress): boolean {
  return (
    typeof target === 'string' &&
    URL.canParse(target) &&
    new URL(target).searchParams.has(POOLER, 'transaction')
  );
}

/** The driver would send it to the server. */
export function withoutPooler(target: string): string {
  if (!hasPooler(target)) return target;
  const url = new URL(target);
  url.searchParams.delete(POOLER);
  return url.href;
}

/**
 * As the driver's own, except that a server which accepts and hangs up is an error: the driver
 * would reconnect at once, endlessly.
 */
export function openSocket({ host, port, path }: SocketAddress): Socket {
  const address = { host: host[0], port: port[0] ?? 5432 };
  const socket = path ? connectSocket(path) : connectSocket(address.port, address.host);
  const hungUp = Object.assign(new Error('the server hung up'), { code: 'CONNECTION_CLOSED' });
  socket.once('end', () => socket.destroy(hungUp));
  // TLS verifies the name, and the driver's errors contain host and port
  return Object.assign(socket, address);
}
