/** Records in the metrics: requests, what became of readings, and how busy the database connections are. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PoolObserver } from '../database/queryPool.ts';
import { routeOf } from '../http/middleware.ts';
import type { Accepted, WriteStats } from '../ingest/accept.ts';
import type { Metrics } from './definitions.ts';

/** Counts one batch of a provider: its readings by outcome, those in quarantine by reason, and those that found no room there. */
export function recordIngest(
  metrics: Metrics,
  provider: string,
  { accepted, unchanged, quarantined, leftOut }: Pick<Accepted, 'accepted' | 'unchanged' | 'quarantined' | 'leftOut'>,
): void {
  const outcomes = { accepted, unchanged, quarantined: quarantined.length };
  for (const [outcome, n] of Object.entries(outcomes)) {
    if (n > 0) metrics.readings.inc({ provider, outcome }, n);
  }
  for (const { reason } of quarantined) metrics.quarantinedReadings.inc({ reason });
  if (leftOut > 0) metrics.quarantineLeftOut.inc({ provider }, leftOut);
}

/** Records one write: the closed hours it touched, and for each new reading the seconds since it was measured. */
export function recordWrite(metrics: Metrics, { lateHours, delays }: WriteStats): void {
  if (lateHours > 0) metrics.lateBuckets.inc(lateHours);
  for (const seconds of delays) metrics.readingDelay.observe(seconds);
}

/** For the pool of this name: its counts are read at scrape time, the seconds of each query as it ends. */
export function observePool(metrics: Metrics, pool: string): PoolObserver {
  return (counts) => {
    metrics.sources.pools.set(pool, counts);
    return (query, seconds) => metrics.queryDuration.observe({ query }, seconds);
  };
}

/** Every other method counts as `other`: a label must not grow with what clients send. */
/** Middleware for Express and for plain `node:http`: it looks at a request and its response. */
type Observer = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST']);

/** Middleware that counts and times requests; it comes before all others. The route is the pattern in `res.locals.route`, or `unknown`. */
export function measure(metrics: Metrics, server: 'public' | 'ingest'): Observer {
  return (req, res, next) => {
    const began = performance.now();
    metrics.httpRequestsInFlight.inc({ server });
    res.once('close', () => {
      metrics.httpRequestsInFlight.dec({ server });
      const route = routeOf(res) ?? 'unknown';
      const method = METHODS.has(req.method ?? '') ? (req.method ?? '') : 'other';
      const status = res.writableFinished ? String(res.statusCode) : 'aborted';
      metrics.httpRequests.inc({ route, method, status });
      if (isServed(req, res)) {
        // by class: every combination is ten series
        const labels = { route, method, status: status.replace(/^(\d)\d\d$/, '$1xx') };
        metrics.httpRequestDuration.observe(labels, (performance.now() - began) / 1_000);
      }
      metrics.httpResponseBytes.inc({ route }, bytesOf(req, res));
      const outcome = cacheOutcome(req, res);
      if (outcome !== undefined) metrics.httpCache.inc({ outcome });
    });
    next();
  };
}

/** Whether path and method exist: only such requests are timed. */
function isServed(req: IncomingMessage, res: ServerResponse): boolean {
  return routeOf(res) !== undefined && res.statusCode !== 405 && req.method !== 'OPTIONS';
}

function bytesOf(req: IncomingMessage, res: ServerResponse): number {
  if (req.method === 'HEAD' || res.statusCode === 304 || !res.writableFinished) return 0;
  return Number(res.getHeader('Content-Length') ?? 0);
}

/** What the client's validator was: none, the same as ours, or another. Undefined for answers without one. */
function cacheOutcome(req: IncomingMessage, res: ServerResponse): string | undefined {
  if (res.getHeader('ETag') === undefined) return undefined;
  if (res.statusCode === 304) return 'same';
  return req.headers['if-none-match'] === undefined ? 'none' : 'other';
}
