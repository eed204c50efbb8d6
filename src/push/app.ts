/** Where devices and feeds push readings, as an Express app: who is it, how often, and only then what it sends. */
import type { Express, Request } from 'express';
import type { Clock } from '../clock.ts';
import type { QueryPool } from '../database/queryPool.ts';
import { makeErrorHandlers, refuseMalformedPath } from '../http/errors.ts';
import { addPostPath, bareApp } from '../http/methods.ts';
import { notFound, quoted } from '../http/problem.ts';
import { accessLog } from '../http/requestLog.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { measure } from '../metrics/http.ts';
import { makeAirrohrRoute } from './airrohr.ts';
import { makeAuthenticate, senderOf } from './authenticate.ts';
import { atMost, perMinute } from './limits.ts';
import { makeReadingsRoute } from './readings.ts';

export type IngestOptions = {
  /** In the role airseries_ingest. */
  writes: QueryPool;
  clock: Clock;
  log: Log;
  /** Requests a minute that one token may send. */
  rate: number;
  /** Wrong tokens a minute that one address may try. */
  failures?: number;
  /** How long a body may take to arrive, once the token was looked up. */
  bodyMs?: number;
  /** Absent: nothing is counted. */
  metrics?: Metrics;
};

const READINGS_PATH = '/v1/readings';
const AIRROHR_PATH = '/v1/push/airrohr';

/** Eight MiB each, and what becomes of them: some hundreds of MiB at worst. */
const BATCHES_AT_ONCE = { all: 16, each: 4 };
/** Devices send 64 KiB at most, as a rule many with one token, and what feeds send does not keep them out. */
const PUSHES_AT_ONCE = { all: 64, each: 16 };

export function makeIngestApp({
  writes,
  clock,
  log,
  rate,
  failures = 60,
  bodyMs = 10_000,
  metrics,
}: IngestOptions): Express {
  const app = bareApp();
  const errors = makeErrorHandlers(log);
  // behind a proxy of the same machine every request comes from that proxy, which says whose it is
  app.set('trust proxy', 'loopback');
  if (metrics !== undefined) app.use(measure(metrics, 'ingest'));
  app.use(accessLog(log), errors.watch, refuseMalformedPath);
  const authenticate = makeAuthenticate({ writes, clock, failures });
  const limiter = perMinute({
    limit: rate,
    keyOf: (_req, res) => senderOf(res).id,
    detail: `This token has sent more than ${rate} requests in a minute. Send more readings in each, or wait.`,
  });
  const door = (atOnce: { all: number; each: number }) => [
    authenticate,
    atMost({ ...atOnce, senderOf: (res) => senderOf(res).id }),
    limiter,
  ];
  const batches = makeReadingsRoute({ writes, clock, metrics, bodyMs });
  const pushes = makeAirrohrRoute({ writes, clock, metrics, bodyMs });
  addPostPath(app, /^\/v1\/readings$/, ...door(BATCHES_AT_ONCE), ...batches);
  addPostPath(app, /^\/v1\/push\/airrohr$/, ...door(PUSHES_AT_ONCE), ...pushes);
  app.use((req: Request) => {
    throw notFound(`There is nothing at ${quoted(req.path)}. Readings go to ${READINGS_PATH} or ${AIRROHR_PATH}.`);
  }, errors.handle);
  return app;
}
