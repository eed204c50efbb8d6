/** The public port during start: 503 with Retry-After instead of a refused connection. */
import type { RequestListener } from 'node:http';
import { ANY_ORIGIN } from './middleware.ts';
import { Problem, sendProblem } from './send.ts';

const STARTING = new Problem(503, 'The service is starting. Try again in a few seconds.', {
  'Retry-After': '5',
  ...ANY_ORIGIN,
});

/** A listener that answers 503 until it is given the app. */
export function startingListener(): { listener: RequestListener; serve(app: RequestListener): void } {
  let app: RequestListener = (req, res) => sendProblem(req, res, STARTING);
  return {
    listener: (req, res) => app(req, res),
    serve: (ready) => {
      app = ready;
    },
  };
}
