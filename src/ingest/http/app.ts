/** The ingestion endpoints as an Express app, and their port, which opens with the first token. */
import type { RequestListener } from 'node:http';
import { type Express, type NextFunction, type Request, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { pathPattern } from '../../contract/endpoints.ts';
import type { QueryPool } from '../../database/queryPool.ts';
import { type Listening, listen } from '../../http/listen.ts';
import {
  accessLog,
  addPostPath,
  bareApp,
  makeErrorHandlers,
  refuseMalformedPath,
} from '../../http/middleware.ts';
import type { RequestObserver } from '../../http/observed.ts';
import { type Address, httpAddress } from '../../http/openPort.ts';
import { notFound, quoted } from '../../http/send.ts';
import type { Transitions } from '../reading/zone.ts';
import { isFixedZone } from '../reading/zone.ts';
import { readTransitions } from '../store/transitions.ts';
import { type Concurrency, limitConcurrency, limitRate, makeAuthenticate } from './admit.ts';
import { makeDeviceRoute } from './devicePush.ts';
import type { IngestDeps } from './ingestRoute.ts';
import { makeQueryRoute, makeReadingsRoute } from './readings.ts';
import { makeSourceRoute } from './sources.ts';

type IngestOptions = Omit<IngestDeps, 'bodyMs' | 'transitionsOf'> & {
  log: Log;
  /** How many requests a minute one token may send. */
  rate: number;
  bodyMs?: number;
  /** Left out, requests are not counted. */
  measure?: RequestObserver;
};

const READINGS_PATH = '/v1/readings';
/**
 * Takes pushes in any layout: with a token behind it, it has 63 characters, and gateways of Ecowitt
 * have room for 64.
 */
const SHORT_PATH = '/v1';
/** The path of a layout. The token follows, if it stands in the address, and what senders append. */
const pushPath = (format: string) => `/v1/push/${format}`;

/** The name of a source. */
const SOURCE = '([a-z0-9-]{1,40})';

/** Bodies of up to 8 MiB each, with what is parsed from them: some hundreds of MiB at worst. */
const BATCHES_AT_ONCE: Concurrency = { all: 16, each: 4 };
/**
 * 64 KiB at most, as a rule from many devices with one token. Counted apart, so that feeds do not
 * keep devices out.
 */
const PUSHES_AT_ONCE: Concurrency = { all: 64, each: 16 };

/**
 * The transitions of a zone that is not the installation's take the server 40 to 100 ms. They are
 * asked for again after a minute, in which a refresh may have followed other rules.
 */
function cachedTransitions(writes: QueryPool, clock: Clock): IngestDeps['transitionsOf'] {
  const cache = new LRUCache<string, { transitions: Transitions }>({
    max: 100,
    ttl: 60_000,
    fetchMethod: async (zone) => ({ transitions: await readTransitions(writes, zone, clock()) }),
  });
  return async (zone) =>
    zone === undefined || isFixedZone(zone) ? undefined : (await cache.fetch(zone))?.transitions;
}

/** Every request is authenticated and limited before its body is read. */
export function makeIngestApp({
  log,
  rate,
  bodyMs = 10_000,
  measure,
  ...deps
}: IngestOptions): Express {
  const { writes, clock, formats } = deps;
  const { devicePushes, queryPushes } = formats;
  const transitionsOf = cachedTransitions(writes, clock);
  const app = bareApp();
  const errors = makeErrorHandlers(log);
  app.use(takeTokenFromPath);
  if (measure !== undefined) app.use(measure);
  app.use(accessLog(log), errors.watch, refuseMalformedPath);
  const authenticate = makeAuthenticate({ writes, clock });
  const limiter = limitRate(rate);
  const admit = (atOnce: Concurrency) => [authenticate, limitConcurrency(atOnce), limiter];
  const routeDeps = { ...deps, bodyMs, transitionsOf };
  const batches = makeReadingsRoute(routeDeps);
  addPostPath(app, pathPattern(READINGS_PATH), READINGS_PATH, [
    ...admit(BATCHES_AT_ONCE),
    ...batches,
  ]);
  const admitPush = admit(PUSHES_AT_ONCE);
  if (devicePushes !== undefined) {
    const path = pushPath(devicePushes.name);
    const pushes = makeDeviceRoute({ ...deps, bodyMs }, devicePushes);
    addPostPath(app, pathPattern(`${path}/?`), path, [...admitPush, ...pushes]);
  }
  addPostPath(
    app,
    pathPattern(`${SHORT_PATH}/?`),
    pushPath('any'), // in metrics it is a push
    [...admitPush, ...makeReadingsRoute(routeDeps, undefined, true)],
    queryPushes && [...admitPush, ...makeQueryRoute(routeDeps, queryPushes)],
  );
  for (const format of formats.names) {
    addPostPath(
      app,
      pathPattern(`${pushPath(format)}${formats.appended}`),
      pushPath(format),
      [...admitPush, ...makeReadingsRoute(routeDeps, format)],
      queryPushes?.names.includes(format)
        ? [...admitPush, ...makeQueryRoute(routeDeps, queryPushes, format)]
        : undefined,
    );
  }
  if (formats.sources !== undefined) {
    const { isQueryPush } = formats.sources;
    const path = pathPattern(`${pushPath(SOURCE)}${formats.appended}`);
    const [byPost, byGet] = [Router(), Router()];
    const post = [...admitPush, ...makeReadingsRoute(routeDeps, undefined, true)];
    const get = queryPushes && [...admitPush, ...makeQueryRoute(routeDeps, queryPushes)];
    addPostPath(byPost, path, pushPath('any'), post);
    addPostPath(byGet, path, pushPath('any'), post, get);
    app.use(makeSourceRoute(writes, path, (source) => (isQueryPush(source) ? byGet : byPost)));
  }
  const devices = devicePushes === undefined ? '' : ` or ${pushPath(devicePushes.name)}`;
  const paths = `${READINGS_PATH}${devices}, or to one of ${formats.names.map(pushPath).join(', ')}`;
  app.use((req: Request) => {
    throw notFound(`There is nothing at ${quoted(req.path)}. Readings go to ${paths}.`);
  }, errors.handle);
  return app;
}

/** A token, as a whole where a console appends its query to it without a mark. */
const TOKEN = /\/(airs_[0-9a-f]{10}_[\w-]{43}(?=[A-Za-z][\w.]*=)|airs_[\w-]+)/;

/** A query that a console appends to its path without a question mark: `/stationtype=…`, `&ID=…`. */
const BARE_QUERY = /^\/?&*(?=[A-Za-z][\w.%+-]*=)/;

/**
 * A token in the path, for devices that have a field for an address only, becomes a header before
 * anything else sees the request, so it is in no log and no message.
 */
function takeTokenFromPath(req: Request, _res: Response, next: NextFunction): void {
  const [path = ''] = req.url.split('?', 1);
  const found = TOKEN.exec(path);
  if (found !== null) {
    const [segment, token] = found;
    const behind = req.url.slice(found.index + segment.length);
    const rest = req.method === 'GET' ? behind.replace(BARE_QUERY, '?') : behind;
    // an app that shows a slash before its field adds one to the slash that was typed
    req.url = (path.slice(0, found.index) + rest).replace(/^\/+/, '/') || '/';
    req.originalUrl = req.url;
    req.headers.authorization ??= `Bearer ${token}`;
  }
  next();
}

type ListenerOptions = Required<Address> & {
  app: RequestListener;
  /** True if there is a token that was not revoked. */
  hasTokens: () => Promise<boolean>;
  log: Log;
};

const CHECK_EVERY_MS = 1_000;
/**
 * Time for the headers, the look-up of the token and the body, whose own limit of ten seconds the
 * app enforces.
 */
const REQUEST_MS = 20_000;
/** A piece of a body may be in memory for each. */
const CONNECTIONS = 500;

/**
 * Opens the port if there is a token, now or within a second of the first: a service without tokens
 * listens to no one. An open port stays open. Rejects if there is a token now and the port cannot
 * be opened, or with Unavailable where `hasTokens` does.
 */
export async function openListener({ app, hasTokens, log, ...address }: ListenerOptions) {
  let listening: Listening | undefined;
  const openIfNeeded = async () => {
    if (listening !== undefined || !(await hasTokens())) return;
    listening = await listen(app, {
      ...address,
      requestMs: REQUEST_MS,
      connections: CONNECTIONS,
      log,
    });
    const at = httpAddress(address.host, listening.port);
    log.info(`HTTP ingestion is open at ${at}${READINGS_PATH}`);
  };
  await openIfNeeded();
  if (listening === undefined) log.info('HTTP ingestion is closed: there is no token yet');
  let checking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    checking = checking
      .then(openIfNeeded)
      .catch((error: Error) =>
        log.error({ err: error }, 'the ingestion port could not be opened; retrying'),
      );
  }, CHECK_EVERY_MS);
  return {
    drain: () => listening?.drain(),
    async close() {
      clearInterval(timer);
      await checking;
      await listening?.close();
    },
  };
}
