/** What the public port answers while the service is still getting ready: 503 instead of a refused connection. */
import type { RequestListener } from 'node:http';
import { JSON_TYPE, problemBody } from './send.ts';

/** A listener that answers 503 until it is given the app. */
export function startingListener(): { listener: RequestListener; serve(app: RequestListener): void } {
  let app: RequestListener = (req, res) => {
    const body = problemBody(503, 'The service is starting. Try again in a few seconds.');
    res.writeHead(503, {
      'Content-Type': JSON_TYPE,
      'Content-Length': body.length,
      'Retry-After': '5',
      'Cache-Control': 'no-store',
      'Access-Control-Allow-Origin': '*',
    });
    res.end(req.method === 'HEAD' ? undefined : body);
  };
  return {
    listener: (req, res) => app(req, res),
    serve: (ready) => {
      app = ready;
    },
  };
}
