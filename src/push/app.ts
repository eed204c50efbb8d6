/** Where devices and feeds push readings, as an Express app: who is it, how often, and only then what it sends. */

import type { RequestListener } from 'node:http';
import type { Express, Request } from 'express';
import type { Clock } from '../clock.ts';
import type { QueryPool } from '../database/queryPool.ts';
import { makeErrorHandlers, refuseMalformedPath } from '../http/errors.ts';
import { type Listening, listen } from '../http/listen.ts';
import { accessLog, addPostPath, bareApp } from '../http/middleware.ts';
import { notFound, quoted } from '../http/send.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { measure } from '../metrics/recorders.ts';
import { makeAirrohrRoute } from './airrohr.ts';
import { atMost, makeAuthenticate, perMinute, senderOf } from './authenticate.ts';
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

/** The ingest port opens with the first token and not before: a service that nobody may send to listens to nobody. */

type Options = {
  app: RequestListener;
  host: string;
  port: number;
  /** Whether there is a token that was not revoked. */
  hasTokens: () => Promise<boolean>;
  log: Log;
};

export type IngestListener = Pick<Listening, 'drain'> & { close(): Promise<void> };

const LOOK_EVERY_MS = 10_000;
/** Headers, the token looked up, and ten seconds for the body (which the app sees to, and answers). */
const REQUEST_MS = 20_000;
/** Of each, a piece of a body may lie in memory. */
const CONNECTIONS = 500;

/** Looks now and every ten seconds; rejects if there are tokens and the port cannot be had. An open door stays open. */
export async function openListener({ app, host, port, hasTokens, log }: Options): Promise<IngestListener> {
  let listening: Listening | undefined;
  const look = async () => {
    if (listening !== undefined || !(await hasTokens())) return;
    listening = await listen(app, {
      host,
      port,
      variable: 'INGEST_PORT',
      requestMs: REQUEST_MS,
      connections: CONNECTIONS,
      log,
    });
    log.info(`HTTP ingestion is open at http://${host}:${listening.port}/v1/readings`);
  };
  await look();
  if (listening === undefined) log.info('HTTP ingestion is closed: there is no token yet');
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(look)
      .catch((error: Error) => log.error({ err: error }, 'the ingestion port could not be opened; retrying'));
  }, LOOK_EVERY_MS);
  return {
    drain: () => listening?.drain(),
    async close() {
      clearInterval(timer);
      await looking;
      await listening?.close();
    },
  };
}
