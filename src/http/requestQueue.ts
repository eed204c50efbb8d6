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
const SEND_TIMEOUT_MS = 20_000;

type Entry = {
  req?: IncomingMessage;
  res?: ServerResponse;
  begin(): void;
};

export type RequestQueue = {
  /** Handles a request when its turn comes. */
  enqueue: RequestListener;
  /** Refuses what isn't a request, or stopped being one midway, when its turn comes; then the connection is closed. */
  refuse(socket: Socket, problem: Problem): void;
  /** The responses of requests that were begun and are not fully answered. */
  underWay: ReadonlySet<ServerResponse>;
};

type Options = { sendMs?: number | undefined; onDisconnect?: (why: string) => void };

/** `app` gets each request when its turn comes. `onDisconnect` is called with the reason when a client is disconnected. */
export function makeRequestQueue(
  app: RequestListener,
  { sendMs = SEND_TIMEOUT_MS, onDisconnect = () => undefined }: Options = {},
): RequestQueue {
  const queues = new WeakMap<Socket, Entry[]>(); // the first of a queue was begun
  const underWay = new Set<ServerResponse>();

  function queueOf(socket: Socket): Entry[] {
    const known = queues.get(socket);
    if (known !== undefined) return known;
    const queue: Entry[] = [];
    queues.set(socket, queue);
    // Node calls this after the last response, even if its request is still being sent
    socket.destroySoon = () => {
      if (queue[0]?.req?.complete === false) hangUp(socket);
      else Socket.prototype.destroySoon.call(socket);
    };
    return queue;
  }

  function disconnect(socket: Socket, why: string): void {
    onDisconnect(why);
    socket.destroy();
  }

  function append(socket: Socket, entry: Entry): void {
    if (!socket.writable) return; // cut off, or the last response is being sent
    const queue = queueOf(socket);
    if (queue.length === MOST_PIPELINED) disconnect(socket, 'the client sent too many requests ahead');
    else if (queue.push(entry) === 1) entry.begin();
  }

  function begin(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    let unread: NodeJS.Timeout | undefined;
    underWay.add(res);
    res.on('close', () => {
      clearTimeout(unread);
      underWay.delete(res);
      const queue = queueOf(socket);
      queue.shift();
      if (!socket.writable) return; // this response was the last: it failed, or the client asked for that
      queue[0]?.begin();
    });
    const limitReading = () => {
      unread = setTimeout(disconnect, sendMs, socket, 'the client did not read a response');
    };
    app(req, res);
    if (res.writableEnded) limitReading();
    else res.on('prefinish', limitReading);
  }

  return {
    underWay,
    enqueue(req, res) {
      append(req.socket, { req, res, begin: () => begin(req, res) });
    },
    refuse(socket, problem) {
      const queue = queueOf(socket);
      const last = queue.at(-1);
      if (last?.req === undefined || last.req.complete) {
        if (last === undefined || last.req !== undefined)
          append(socket, { begin: () => writeRefusal(socket, problem) });
        return; // otherwise it was refused already
      }
      // the error is in the body of the last request, so the refusal is its answer
      const { req, res } = last as Required<Entry>;
      if (queue.length > 1) last.begin = () => sendRefusal(req, res, problem);
      else if (!res.headersSent) sendRefusal(req, res, problem);
      else if (res.writableEnded) socket.destroySoon();
      else socket.destroy();
    },
  };
}
