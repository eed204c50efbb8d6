/**
 * Serves the requests of a connection one after the other: the next begins when the previous response has left this process. Node would
 * begin every pipelined request at once and keep the responses of a client that doesn't read in memory. A client may send a few requests
 * ahead. Node's parser can't be stopped inside a chunk, and one of 64 KiB holds two thousand requests, so a client that sends more than
 * that is disconnected: it must be prepared to repeat what wasn't answered (RFC 9112, 9.3.2).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { hangUp, type Problem, sendRefusal, writeRefusal } from './send.ts';

/** How many requests of a connection may wait for their response, the one being answered included. No browser or proxy sends ahead at all. */
const MOST_PIPELINED = 32;

/** How long the last byte of a response may wait for its client. Most responses fit into the kernel's buffer. */
const UNREAD_MS = 20_000;

type Turn = {
  req?: IncomingMessage;
  res?: ServerResponse;
  begin(): void;
};

export type Turns = {
  /** Handles a request when its turn comes. */
  take: RequestListener;
  /** Refuses what isn't a request, or stopped being one midway, when its turn comes; then the connection is closed. */
  refuse(socket: Socket, problem: Problem): void;
  /** How many requests were begun and are not fully answered. */
  underWay(): number;
};

type Options = { unreadMs?: number | undefined; onCut?: (why: string) => void };

/** `app` gets each request when its turn comes. `onCut` is called with the reason when a client is disconnected. */
export function makeTurns(
  app: RequestListener,
  { unreadMs = UNREAD_MS, onCut = () => undefined }: Options = {},
): Turns {
  const lines = new WeakMap<Socket, Turn[]>(); // the first of a line was begun
  let underWay = 0;

  function lineOf(socket: Socket): Turn[] {
    const known = lines.get(socket);
    if (known !== undefined) return known;
    const line: Turn[] = [];
    lines.set(socket, line);
    // Node calls this after the last response, even if its request is still being sent
    socket.destroySoon = () => {
      if (line[0]?.req?.complete === false) hangUp(socket);
      else Socket.prototype.destroySoon.call(socket);
    };
    return line;
  }

  function cut(socket: Socket, why: string): void {
    onCut(why);
    socket.destroy();
  }

  function join(socket: Socket, turn: Turn): void {
    if (!socket.writable) return; // cut off, or the last response is being sent
    const line = lineOf(socket);
    if (line.length === MOST_PIPELINED) cut(socket, 'the client sent too many requests ahead');
    else if (line.push(turn) === 1) turn.begin();
  }

  function begin(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    let unread: NodeJS.Timeout | undefined;
    underWay += 1;
    res.on('close', () => {
      clearTimeout(unread);
      underWay -= 1;
      const line = lineOf(socket);
      line.shift();
      if (!socket.writable) return; // this response was the last: it failed, or the client asked for that
      line[0]?.begin();
    });
    const limitReading = () => {
      if (socket.writableLength === 0) return; // the kernel has all of it
      unread = setTimeout(cut, unreadMs, socket, 'the client did not read a response');
    };
    app(req, res);
    if (res.writableEnded) limitReading();
    else res.on('prefinish', limitReading);
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
