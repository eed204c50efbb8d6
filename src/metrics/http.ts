/** Counts and times requests by the pattern of their path: nothing that a client makes up becomes a label. */
import type { Request, RequestHandler, Response } from 'express';
import type { Metrics } from './registry.ts';

const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST']);

/** `door`: public or ingest. A route that nothing was told of is `unknown`. */
export function measure(metrics: Metrics, door: string): RequestHandler {
  return (req, res, next) => {
    const began = performance.now();
    metrics.add('airseries_http_requests_in_flight', { door });
    res.once('close', () => {
      metrics.add('airseries_http_requests_in_flight', { door }, -1);
      const route = String(res.locals.route ?? 'unknown');
      const method = METHODS.has(req.method) ? req.method : 'other';
      const status = res.writableFinished ? String(res.statusCode) : 'aborted';
      metrics.add('airseries_http_requests_total', { route, method, status });
      if (isForIt(req, res)) {
        // by its class: every combination is ten series
        const labels = { route, method, status: status.replace(/^(\d)\d\d$/, '$1xx') };
        metrics.observe('airseries_http_request_duration_seconds', labels, (performance.now() - began) / 1_000);
      }
      metrics.add('airseries_http_response_bytes_total', { route }, bytesOf(req, res));
      const outcome = cacheOutcome(req, res);
      if (outcome !== undefined) metrics.add('airseries_http_cache_total', { outcome });
    });
    next();
  };
}

/** A path that exists, asked as it wants to be asked. */
function isForIt(req: Request, res: Response): boolean {
  return res.locals.route !== undefined && res.statusCode !== 405 && req.method !== 'OPTIONS';
}

function bytesOf(req: Request, res: Response): number {
  if (req.method === 'HEAD' || res.statusCode === 304 || !res.writableFinished) return 0;
  return Number(res.getHeader('Content-Length') ?? 0);
}

/** Of an answer that carries a validator. */
function cacheOutcome(req: Request, res: Response): string | undefined {
  if (res.getHeader('ETag') === undefined) return undefined;
  if (res.statusCode === 304) return 'same';
  return req.get('If-None-Match') === undefined ? 'none' : 'other';
}
