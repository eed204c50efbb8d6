/**
 * The requests of a connection in turn: the next begins once the answer before it has left this process. Node begins whatever a client
 * has sent ahead, so a client that asks and never reads could have every answer kept in memory for it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { sendRefusal, writeRefusal } from './errors.ts';
import type { Problem } from './send.ts';

/** How long the last byte of an answer may wait for its client to read. The kernel takes most answers at once. */
const UNREAD_MS = 20_000;

type Turn = {
  req?: IncomingMessage;
  res?: ServerResponse;
  begin(): void;
};

export type Turns = {
  /** From its beginning, before anything is read from it. */
  connect(socket: Socket): void;
  /** The request in its turn. */
  take: RequestListener;
  /** What is no request, or turned out to be none in its midst, in its turn; the connection ends with it. */
  refuse(socket: Socket, problem: Problem): void;
  /** How many requests are under way: begun, and their answer not sent to its end. */
  underWay(): number;
};

type Options = { unreadMs?: number | undefined; onCut?: (why: string) => void };

export function makeTurns(
  app: RequestListener,
  { unreadMs = UNREAD_MS, onCut = () => undefined }: Options = {},
): Turns {
  const connections = new WeakMap<Socket, { line: Turn[]; more: () => void }>();
  let underWay = 0;

  const lineOf = (socket: Socket) => connections.get(socket)?.line ?? [];

  function join(socket: Socket, turn: Turn): void {
    if (!socket.writable) return; // its last answer is on its way
    if (lineOf(socket).push(turn) === 1) turn.begin();
  }

  function begin(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    let unread: NodeJS.Timeout | undefined;
    underWay += 1;
    res.once('prefinish', () => {
      unread = setTimeout(() => {
        onCut('an answer was not read');
        socket.destroy();
      }, unreadMs);
    });
    res.once('close', () => {
      clearTimeout(unread);
      underWay -= 1;
      const line = lineOf(socket);
      line.shift();
      if (!socket.writable) return; // the answer was the connection's last: it failed, or its client had asked for that
      line[0]?.begin();
      connections.get(socket)?.more();
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
        return first.req.complete || second !== undefined ? 'hold' : 'pass'; // its body is to come
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
        return; // else it was refused already, and this is more of the same
      }
      // the rest of a request that has come in part: it is the one that is answered with the refusal
      const { req, res } = last as Required<Turn>;
      if (line.length > 1) last.begin = () => sendRefusal(req, res, problem);
      else if (!res.headersSent) sendRefusal(req, res, problem);
      else if (res.writableEnded) socket.destroySoon();
      else socket.destroy();
    },
  };
}

/**
 * Gives Node's HTTP parser what a client sends in small pieces, and only when it is time: the parser cannot be stopped within a piece, and
 * one of 64 KiB, which is how Node reads, holds two thousand requests. What is held back stays in the kernel, and in the end at the client.
 */

/** Of the smallest requests, two dozen. */
const PIECE = 512;

/** `pass` the next piece on, `hold` it, or `drop` it since nobody will read it; the end of the stream is then still passed on. */
export type Gate = () => 'pass' | 'hold' | 'drop';

/** The function it returns is to be called when the gate may have opened. */
export function holdBack(socket: Socket, gate: Gate): () => void {
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
    return held.length === 0; // false: the socket is not read on until it is asked for more
  };
  socket._read = (size) => {
    if (held.length === 0) read(size);
    else process.nextTick(pump); // what is pushed from within _read is buffered, and the gate could not tell what it was
  };
  socket.on('resume', pump); // a body is read on; a stream that was asked for more before asks nobody then
  // Node's parser would otherwise read from the operating system by itself, past all of this
  socket.on('data', () => undefined);
  return pump;
}
