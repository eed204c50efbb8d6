/** Keeps on a response what metrics ask about it: a WeakMap would cost several times as much. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const ROUTE = Symbol('route');
const SENT = Symbol('sent');

/** Middleware for Express and for plain `node:http`: it looks at a request and its response. */
export type RequestObserver = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** The bytes of the body, and whether the response has a validator. */
type Sent = { bytes: number; hasValidator: boolean };

type Observed = ServerResponse & { [ROUTE]?: string; [SENT]?: Sent };

/** Sets the route under which metrics count a request: the pattern of its path. */
export function setRoute(res: ServerResponse, route: string): void {
  (res as Observed)[ROUTE] = route;
}

/** Undefined for a path that doesn't exist. */
export function routeOf(res: ServerResponse): string | undefined {
  return (res as Observed)[ROUTE];
}

/** Needed where headers are written at once, and can't be read afterwards. */
export function setSent(res: ServerResponse, sent: Sent): void {
  (res as Observed)[SENT] = sent;
}

/** As `setSent` has it, else from the headers. */
export function sentOf(res: ServerResponse): Sent {
  return (
    (res as Observed)[SENT] ?? {
      bytes: Number(res.getHeader('Content-Length') ?? 0),
      hasValidator: res.getHeader('ETag') !== undefined,
    }
  );
}
