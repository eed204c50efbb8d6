/** The connections of a server, each in a state, and its end once nothing is being sent. */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const SWEEP_MS = 50;

/**
 * `idle`: every response was read. `answering`: the app has a request to answer. `sending`: a
 * response has ended, and its client has not read it all.
 */
type State = 'idle' | 'answering' | 'sending' | 'closed';
type Connections = ReturnType<typeof watchConnections>;

/** The open connections of a server, each by its responses that are not completely sent, in order. */
export function watchConnections(server: Server) {
  const open = new Map<Socket, ServerResponse[]>();
  server.on('connection', (socket) => {
    const unanswered: ServerResponse[] = [];
    open.set(socket, unanswered);
    socket.once('close', () => {
      open.delete(socket);
      // Node tells only the response whose turn it is
      for (const res of [...unanswered]) if (res.socket === null) res.emit('close');
    });
  });
  /** Shared by all responses, to save a closure each. */
  function forget(this: ServerResponse): void {
    const unanswered = open.get(this.req.socket);
    unanswered?.splice(unanswered.indexOf(this), 1);
  }
  const stateOf = (socket: Socket): State => {
    const unanswered = open.get(socket);
    if (unanswered === undefined) return 'closed';
    if (unanswered.length === 0) return 'idle';
    return unanswered.some((res) => res.writableEnded) ? 'sending' : 'answering';
  };
  return {
    stateOf,
    count: () => open.size,
    isSending: () => [...open.keys()].some((socket) => stateOf(socket) === 'sending'),
    /** Returns how many responses its connection waits for. */
    add: (res: ServerResponse) => open.get(res.on('close', forget).req.socket)?.push(res) ?? 0,
    /** The newest response that its connection waits for. */
    newest: (socket: Socket) => open.get(socket)?.at(-1),
    newestOfEach: () => [...open.values()].flatMap((unanswered) => unanswered.at(-1) ?? []),
  };
}

/**
 * Node takes a connection for idle as soon as its response has ended, even if half of it is unsent,
 * and closing a server destroys idle connections. So it is closed only while no ended response is
 * unsent; again and again, for connections that become idle later.
 */
export async function closeWhenSent(
  server: Server,
  connections: Connections,
  deadlineMs: number,
): Promise<void> {
  const sweep = setInterval(() => connections.isSending() || server.close(), SWEEP_MS);
  const deadline = setTimeout(() => {
    server.close();
    server.closeAllConnections();
  }, deadlineMs);
  await once(server, 'close');
  clearInterval(sweep);
  clearTimeout(deadline);
}
