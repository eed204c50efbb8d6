/**
 * Serves the requests of a connection one after the other: the next begins when the previous response has left this process. Node would
 * begin every pipelined request at once and keep the responses of a client that doesn't read in memory. Its parser can't be stopped inside
 * a chunk either, and a chunk of 64 KiB holds two thousand requests, so it is fed small pieces, and only when they may be handled.
 * The rest stays in the kernel, and finally at the client.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, sendRefusal, writeRefusal } from './send.ts';

/** How long the last byte of a response may wait for its client. Most responses fit into the kernel's buffer. */
const UNREAD_MS = 20_000;

type Turn = {
  req?: IncomingMessage;
  res?: ServerResponse;
  begin(): void;
};

/** The turns of a socket, the first of which was begun, and what to call when that has ended. */
type Connection = { line: Turn[]; more: () => void };

export type Turns = {
  /** Call this for a new socket, before anything is read from it. */
  connect(socket: Socket): void;
  /** Handles a request when its turn comes. */
  take: RequestListener;
  /** Refuses what isn't a request, or stopped being one midway, when its turn comes; then the connection is closed. */
  refuse(socket: Socket, problem: Problem): void;
  /** How many requests were begun and are not fully answered. */
  underWay(): number;
};

type Options = { unreadMs?: number | undefined; onCut?: (why: string) => void };

/** `app` gets each request when its turn comes. `onCut` is called when a client that doesn't read is disconnected. */
export function makeTurns(
  app: RequestListener,
  { unreadMs = UNREAD_MS, onCut = () => undefined }: Options = {},
): Turns {
  const connections = new WeakMap<Socket, Connection>();
  let underWay = 0;

  const lineOf = (socket: Socket) => connections.get(socket)?.line ?? [];

  function join(socket: Socket, turn: Turn): void {
    if (!socket.writable) return; // the last response is being sent
    if (lineOf(socket).push(turn) === 1) turn.begin();
  }

  function begin(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const connection = connections.get(socket);
    let unread: NodeJS.Timeout | undefined;
    underWay += 1;
    res.on('prefinish', () => {
      if (socket.writableLength === 0) return; // the kernel has all of it
      unread = setTimeout(() => {
        onCut('the client did not read a response');
        socket.destroy();
      }, unreadMs);
    });
    res.on('close', () => {
      clearTimeout(unread);
      underWay -= 1;
      connection?.line.shift();
      if (!socket.writable) return; // this response was the last: it failed, or the client asked for that
      connection?.line[0]?.begin();
      connection?.more();
    });
    app(req, res);
  }

  return {
    underWay: () => underWay,
    connect(socket) {
      const line: Turn[] = [];
      const more = holdBack(socket, () => {
        const [first, second] = line;
        if (first === undefined) return 'pass';
        if (first.req === undefined) return 'drop';
        return first.req.complete || second !== undefined ? 'hold' : 'pass'; // its body follows
      });
      connections.set(socket, { line, more });
    },
    take(req, res) {
      join(req.socket, { req, res, begin: () => begin(req, res) });
    },
    refuse(socket, problem) {
      const line = lineOf(socket);
      const last = line.at(-1);
      if (last?.req === undefined || last.req.complete) {
        if (last === undefined || last.req !== undefined) join(socket, { begin: () => writeRefusal(socket, problem) });
        return; // otherwise it was refused already
      }
      // the error is in the body of the last request, so the refusal is its answer
      const { req, res } = last as Required<Turn>;
      if (line.length > 1) last.begin = () => sendRefusal(req, res, problem);
      else if (!res.headersSent) sendRefusal(req, res, problem);
      else if (res.writableEnded) socket.destroySoon();
      else socket.destroy();
    },
  };
}

/** Holds two dozen of the smallest requests. */
const PIECE = 512;

/** `pass` the next piece on, `hold` it, or `drop` it because nothing will read it; the end of the stream always passes. */
type Gate = () => 'pass' | 'hold' | 'drop';

/** Puts `gate` before the parser of a socket. Call the returned function when the gate may have opened. */
function holdBack(socket: Socket, gate: Gate): () => void {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  const held: (Buffer | null)[] = [];

  function pump(): void {
    while (held.length > 0 && !socket.destroyed && socket.readableFlowing !== false) {
      const [next = null] = held;
      const state = gate();
      if (state === 'hold') return;
      if (next === null || next.length <= PIECE || state === 'drop') held.shift();
      else held[0] = next.subarray(PIECE);
      if (next === null) push(null);
      else if (state === 'pass') push(next.subarray(0, PIECE));
    }
    if (held.length === 0) read(0);
  }

  socket.push = (chunk: Buffer | null) => {
    held.push(chunk);
    pump();
    return held.length === 0; // false stops reading until more is requested
  };
  socket._read = (size) => {
    if (held.length === 0) read(size);
    else process.nextTick(pump); // pushed from within _read it would be buffered, past the gate
  };
  socket.on('resume', pump); // the reader of a body goes on; a stream that was asked for more before isn't asked again
  // without a listener Node's parser reads from the operating system directly, past all of this
  socket.on('data', () => undefined);
  return pump;
}
