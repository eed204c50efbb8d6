/** One line for each request at debug level, after its answer or the client has gone. */
import type { RequestHandler } from 'express';
import type { Log } from '../log.ts';

export function accessLog(log: Log): RequestHandler {
  return (req, res, next) => {
    const began = performance.now();
    res.once('close', () => {
      const ms = Math.round(performance.now() - began);
      const agent = req.get('User-Agent');
      log.debug({ method: req.method, path: req.path, status: res.statusCode, ms, agent }, 'request');
    });
    next();
  };
}
