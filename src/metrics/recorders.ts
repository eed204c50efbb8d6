/**
 * Records in the metrics: requests, what became of readings, and how busy the database connections
 * are.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JobObserver } from '../aggregate/schedule.ts';
import type { ZoneObserver } from '../aggregate/zoneRules.ts';
import type { PoolObserver } from '../database/queryPool.ts';
import { type RequestObserver, routeOf, sentOf } from '../http/observed.ts';
import type { IngestObserver } from '../ingest/observer.ts';
import type { Accepted, WriteStats } from '../ingest/store/accept.ts';
import type { Metrics } from './definitions.ts';
import type { Series } from './seriesHistogram.ts';

/**
 * Counts one batch of a provider: its readings by outcome, stored values that it replaced, readings
 * in quarantine by reason, and lines that found no room there.
 */
function recordIngest(
  metrics: Metrics,
  provider: string,
  { accepted, unchanged, replaced, quarantined, overflowed }: Accepted,
): void {
  const outcomes = { accepted, unchanged, quarantined: quarantined.length };
  for (const [outcome, n] of Object.entries(outcomes)) {
    if (n > 0) metrics.readings.inc({ provider, outcome }, n);
  }
  if (replaced.values > 0) metrics.replacedValues.inc({ provider }, replaced.values);
  for (const { reason } of quarantined) metrics.quarantinedReadings.inc({ reason });
  if (overflowed > 0) metrics.quarantineLeftOut.inc({ provider }, overflowed);
}

/**
 * Records one write: the closed hours it touched, and for each new reading the seconds since it was
 * measured.
 */
function recordWrite(metrics: Metrics, { lateHours, delays }: WriteStats): void {
  if (lateHours > 0) metrics.lateBuckets.inc(lateHours);
  for (const seconds of delays) metrics.readingDelay.observe(seconds);
}

/** Counts what becomes of the readings of devices and feeds. */
export function observeIngest(metrics: Metrics): IngestObserver {
  return {
    onBatch: (provider, outcome) => recordIngest(metrics, provider, outcome),
    onWrite: (written) => recordWrite(metrics, written),
  };
}

/** Shows whether a change of the server's rules of the time zone is refused. */
export const observeZone =
  ({ zoneConflict }: Metrics): ZoneObserver =>
  (isRefused) =>
    zoneConflict.set({ with: 'record' }, isRefused ? 1 : 0);

/** Counts and times the runs of jobs, and remembers when each last succeeded and last failed. */
export function observeJobs(metrics: Metrics): JobObserver {
  return {
    onScheduled(task) {
      // Prometheus sees an increase only between two values, so the first is 0
      metrics.jobRuns.inc({ task }, 0);
      metrics.jobFailures.inc({ task }, 0);
    },
    onStarted: (task) => metrics.jobRuns.inc({ task }),
    onSucceeded(task, at, seconds) {
      metrics.jobDuration.observe({ task }, seconds);
      metrics.jobLastSuccess.set({ task }, at.getTime() / 1_000);
      if (task === 'refresh') metrics.refreshDuration.observe(seconds);
    },
    onFailed(task, at) {
      metrics.jobFailures.inc({ task });
      metrics.jobLastFailure.set({ task }, at.getTime() / 1_000);
    },
  };
}

/**
 * For the pool of this name: its counts are read at scrape time, the seconds of each wait and query
 * as it ends.
 */
export function observePool(metrics: Metrics, pool: string): PoolObserver {
  return ({ size, inUse, waiting }) => {
    metrics.poolSize.set({ pool }, size);
    metrics.beforeScrape.push(() => {
      metrics.poolInUse.set({ pool }, inUse());
      metrics.poolWaiting.set({ pool }, waiting());
    });
    return {
      onAcquired: (seconds) => metrics.poolWaitDuration.observe({ pool }, seconds),
      onQuery: (query, seconds) => metrics.queryDuration.observe({ query }, seconds),
    };
  };
}

/** Every other method counts as `other`: a label must not grow with what clients send. */
const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST']);

/**
 * Requests with the same labels since the last scrape. Their durations are counted by class of the
 * status, as every combination is ten series; undefined until the first that is timed.
 */
type Tally = {
  labels: { route: string; method: string; status: string };
  durations: Series | undefined;
  requests: number;
  bytes: number;
};

/**
 * Middleware that counts and times requests; it comes before all others. `setRoute` names the
 * route; otherwise it is `unknown`. Counts are kept in plain numbers until they are scraped,
 * because every update of a metric sorts and joins its labels.
 */
export function measure(metrics: Metrics, server: 'public' | 'ingest'): RequestObserver {
  // by route, method and status: to join them into one key took 0.6 µs
  const tallies = new Map<string, Map<string, Map<string, Tally>>>();
  const all: Tally[] = [];
  const validators = { none: 0, same: 0, other: 0 };
  let inFlight = 0;

  function tallyOf(route: string, method: string, status: string): Tally {
    const known = tallies.get(route)?.get(method)?.get(status);
    if (known !== undefined) return known;
    const labels = { route, method, status };
    const tally: Tally = { labels, durations: undefined, requests: 0, bytes: 0 };
    const methods = tallies.get(route) ?? new Map<string, Map<string, Tally>>();
    const statuses = methods.get(method) ?? new Map<string, Tally>();
    tallies.set(route, methods.set(method, statuses.set(status, tally)));
    all.push(tally);
    return tally;
  }

  function durationsOf({ labels: { route, method, status } }: Tally): Series {
    const status_class = status === 'aborted' ? status : `${status[0]}xx`;
    return metrics.httpRequestDuration.series({ route, method, status_class });
  }

  metrics.beforeScrape.push(() => {
    metrics.httpRequestsInFlight.set({ server }, inFlight);
    for (const tally of all) {
      metrics.httpRequests.inc(tally.labels, tally.requests);
      metrics.httpResponseBytes.inc({ route: tally.labels.route }, tally.bytes);
      Object.assign(tally, { requests: 0, bytes: 0 });
    }
    // by 0 as well, so that every outcome begins at 0
    for (const [outcome, requests] of Object.entries(validators))
      metrics.conditionalRequests.inc({ outcome }, requests);
    Object.assign(validators, { none: 0, same: 0, other: 0 });
  });

  return (req, res, next) => {
    const began = performance.now();
    inFlight += 1;
    res.on('close', () => {
      inFlight -= 1;
      const route = routeOf(res) ?? 'unknown';
      const method = METHODS.has(req.method ?? '') ? (req.method ?? '') : 'other';
      const status = res.writableFinished ? String(res.statusCode) : 'aborted';
      const tally = tallyOf(route, method, status);
      tally.requests += 1;
      if (isServed(req, res)) {
        tally.durations ??= durationsOf(tally);
        tally.durations.observe((performance.now() - began) / 1_000);
      }
      const { bytes, hasValidator } = sentOf(res);
      if (method !== 'HEAD' && res.statusCode !== 304 && res.writableFinished) tally.bytes += bytes;
      if (hasValidator) validators[validatorOf(req, res)] += 1;
    });
    next();
  };
}

/** True if path and method exist: only requests to them are timed. */
function isServed(req: IncomingMessage, res: ServerResponse): boolean {
  return routeOf(res) !== undefined && res.statusCode !== 405 && req.method !== 'OPTIONS';
}

/** Says what the client's validator was: none, the same as ours, or another. */
function validatorOf(req: IncomingMessage, res: ServerResponse): 'none' | 'same' | 'other' {
  if (res.statusCode === 304) return 'same';
  return req.headers['if-none-match'] === undefined ? 'none' : 'other';
}
