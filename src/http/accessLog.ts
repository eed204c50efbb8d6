/** One line for each request at debug level, after its answer or the client has gone; what a client says of itself fits on it. */
import type { RequestHandler } from 'express';
import type { Log } from '../log.ts';

const LONGEST = 200;

export function accessLog(log: Log): RequestHandler {
  return (req, res, next) => {
    const began = performance.now();
    res.once('close', () => {
      const ms = Math.round(performance.now() - began);
      const agent = req.get('User-Agent')?.slice(0, LONGEST);
      const path = req.path.slice(0, LONGEST);
      log.debug({ method: req.method, path, status: res.statusCode, ms, agent }, 'request');
    });
    next();
  };
}
