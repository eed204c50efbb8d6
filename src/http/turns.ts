/**
 * The requests of a connection in turn: the next begins once the answer before it has left this process. Node parses whatever a client
 * has sent ahead and would begin all of it, so a client that asks and never reads could have every answer kept in memory for it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from './problem.ts';
import { sendRefusal, writeRefusal } from './refusal.ts';

/**
 * Requests a client may send ahead of their turn. Browsers and proxies send none, and a connection that sends more is cut: Node cannot
 * stop in the middle of what it has read, and 64 KiB hold two thousand requests.
 */
const MOST_AHEAD = 16;

/** How long the last byte of an answer may wait for its client to read. The kernel takes most answers at once. */
const UNREAD_MS = 20_000;

type Turn = {
  req?: IncomingMessage;
  res?: ServerResponse;
  begin(): void;
};

export type Turns = {
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
  const lines = new WeakMap<Socket, Turn[]>();
  let underWay = 0;

  function lineOf(socket: Socket): Turn[] {
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    return line;
  }

  function cut(socket: Socket, why: string): void {
    onCut(why);
    socket.destroy();
  }

  function join(socket: Socket, turn: Turn): void {
    if (!socket.writable) return; // it was cut, or its last answer is on its way
    const line = lineOf(socket);
    line.push(turn);
    if (line.length === 1) turn.begin();
    else if (line.length > 1 + MOST_AHEAD) cut(socket, 'too many requests were sent ahead');
  }

  function begin(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    let unread: NodeJS.Timeout | undefined;
    underWay += 1;
    res.once('prefinish', () => {
      unread = setTimeout(() => cut(socket, 'an answer was not read'), unreadMs);
    });
    res.once('close', () => {
      clearTimeout(unread);
      underWay -= 1;
      const line = lineOf(socket);
      line.shift();
      // the answer may have been the connection's last, because it failed or its client had asked for that
      if (socket.writable) line[0]?.begin();
    });
    app(req, res);
  }

  return {
    underWay: () => underWay,
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
