/**
 * A network connection between app and database that can be cut silently, as by a firewall, and
 * restored, or led elsewhere.
 */
import {
  type AddressInfo,
  createServer,
  connect as dial,
  type Server,
  type Socket,
} from 'node:net';
import type { DatabaseAddress } from '../../src/database/address.ts';

export type Wire = {
  target: DatabaseAddress;
  /** Nothing passes on open connections from now on; with `andNew`, nothing on new ones either. */
  cut(andNew: boolean): void;
  join(): void;
  /** Ends open connections; new ones lead to another server. */
  leadTo(other: { host: string; port: number }): void;
  close(): Promise<void>;
};

export async function openWire(target: Exclude<DatabaseAddress, string>, at = 0): Promise<Wire> {
  const pairs = new Set<[Socket, Socket]>();
  let dead = false;
  let there: { host: string; port: number } = target;
  const server = createServer((near) => {
    const far = there.host.startsWith('/')
      ? dial(`${there.host}/.s.PGSQL.${there.port}`)
      : dial(there.port, there.host);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => pair.map((end) => end.destroy()));
    }
    if (dead) near.pause();
    else near.pipe(far).pipe(near);
  });
  const port = await listening(server, at);
  return {
    target: { ...target, host: '127.0.0.1', port },
    cut(andNew) {
      dead = andNew;
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    join() {
      dead = false;
    },
    leadTo(other) {
      there = other;
      for (const socket of [...pairs].flat()) socket.destroy();
    },
    async close() {
      for (const socket of [...pairs].flat()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server that accepts connections and passes them to a handler; resolves to its address. */
export async function openMute(
  answer: (socket: Socket) => void,
): Promise<{ target: DatabaseAddress; connections: () => number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    answer(socket);
  });
  const port = await listening(server);
  return {
    target: { host: '127.0.0.1', port, user: 'nobody', database: 'nothing' },
    connections: () => sockets.size,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function listening(server: Server, at = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
