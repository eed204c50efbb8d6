/** The service: opens its parts in order, and closes them in reverse. */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { claimsOn } from './aggregate/claims.ts';
import { type Job, makeJobs } from './aggregate/jobs.ts';
import { type Schedule, startJobs } from './aggregate/schedule.ts';
import { checkZoneRules } from './aggregate/zoneRules.ts';
import type { Clock } from './base/clock.ts';
import { boundedLog, type Log } from './base/log.ts';
import type { Config } from './config.ts';
import type { Database, DatabaseAddress } from './database/client.ts';
import { errorCode, explainConnection, waitForDatabase } from './database/errors.ts';
import {
  openIngestPool,
  openReaderPool,
  openWholeNetworkPool,
  POOL_SIZES,
} from './database/pools.ts';
import { openDemo } from './extras/demo/demo.ts';
import { openDatabase } from './extras/embedded/server.ts';
import { pullJob } from './extras/feeds/pullDue.ts';
import { makeGround, readGround } from './extras/pages/ground.ts';
import { addPages } from './extras/pages/pages.ts';
import { listen, startingListener } from './http/listen.ts';
import { makeIngestApp, openListener } from './ingest/http/app.ts';
import { hasTokens } from './ingest/http/tokens.ts';
import { makeAdminApp, readiness, type StartupState, whoListens } from './metrics/adminApp.ts';
import { registerCollectors } from './metrics/collectors.ts';
import { type Metrics, makeMetrics } from './metrics/definitions.ts';
import {
  measure,
  observeDisk,
  observeIngest,
  observeJobs,
  observePool,
  observeZone,
} from './metrics/recorders.ts';
import { snapshotApiSurface } from './schema/apiSurface.ts';
import { checkInstalled } from './schema/installed.ts';
import { type Installation, migrate } from './schema/migrate.ts';
import { storageFault } from './schema/storage.ts';
import { type AppOptions, makeApp } from './serve/app.ts';
import { type HistoryChange, watchDataVersion } from './serve/dataVersion.ts';

const { version: VERSION } = createRequire(import.meta.url)('../package.json') as {
  version: string;
};

/** Few clients use it, and their connections must not take what the public API needs. */
const ADMIN_CONNECTIONS = 100;

/**
 * A running refresh may take minutes; it can be cut off anywhere, and the next one completes it.
 */
export const SHUTDOWN_TIMEOUT_MS = 15_000;

/**
 * `schedule` starts the jobs; default: cron. `pollMs`: interval at which the data version is
 * polled; default: a second.
 */
type Dependencies = {
  clock: Clock;
  log: Log;
  schedule?: Schedule | undefined;
  pollMs?: number | undefined;
};

export type Service = {
  /** Resolves when the service answers requests; rejects if it cannot. */
  ready: Promise<void>;
  /**
   * Reports not ready, serves for `drainSeconds` more, then closes everything. May be called at any
   * time, and repeatedly.
   */
  stop(drainSeconds: number): Promise<void>;
};

/**
 * Everything that is open: how to close it, which listeners to drain first, and the checks for
 * readiness.
 */
type Opened = {
  closers: (() => Promise<unknown>)[];
  listeners: { drain(): void }[];
  state: StartupState;
};

type Context = Dependencies & {
  config: Config;
  /** For request handlers: limits repetitions. */
  requestLog: Log;
  metrics: Metrics;
  opened: Opened;
};

/** Starts all parts that the configuration asks for. */
export function start(config: Config, dependencies: Dependencies): Service {
  const { log } = dependencies;
  const opened: Opened = {
    closers: [],
    listeners: [],
    state: { opened: undefined, serving: false },
  };
  const ready = open({
    ...dependencies,
    config,
    requestLog: boundedLog(log),
    metrics: makeMetrics(),
    opened,
  });
  const stopAfter = async (drainSeconds: number) => {
    // readiness is 503 from now on, so a load balancer sends requests elsewhere
    opened.state.serving = false;
    for (const listener of opened.listeners) listener.drain();
    await seconds(drainSeconds);
    await Promise.race([closeAll(opened, log), seconds(SHUTDOWN_TIMEOUT_MS / 1_000)]);
  };
  let stopped: Promise<void> | undefined;
  return { ready, stop: (drainSeconds) => (stopped ??= stopAfter(drainSeconds)) };
}

const seconds = (n: number) => new Promise<void>((resolve) => setTimeout(resolve, n * 1_000));

async function closeAll({ closers }: Opened, log: Log): Promise<void> {
  for (const close of closers.reverse())
    await close().catch((error: Error) => log.error({ err: error }, error.message));
}

/** Everything that it opens is in `opened`, even if it fails. */
async function open(context: Context): Promise<void> {
  const { config, clock, log, requestLog, metrics, pollMs } = context;
  const { closers, listeners, state } = context.opened;
  const { adminHost, adminPort } = config;
  const ground = config.mapGround === undefined ? undefined : readGround(config.mapGround);
  if (ground !== undefined && ground.leftOut > 0)
    log.info(`MAP_GROUND: ${ground.leftOut} points are not drawn, only lines and areas`);
  if ((config.databaseUrl ?? config.readerDatabaseUrl) === undefined)
    state.dataDirectory = resolve(config.dataDirectory);
  const dataDirectory = () => state.dataDirectory;
  const admin = await listen(
    makeAdminApp({ ready: () => readiness(state), metrics, log: requestLog, dataDirectory }),
    {
      port: adminPort,
      host: adminHost,
      variable: 'ADMIN_PORT',
      connections: ADMIN_CONNECTIONS,
      log: requestLog,
    },
  ).catch(async (error: Error) => {
    const other =
      errorCode(error.cause) === 'EADDRINUSE' ? await whoListens(adminHost, adminPort) : undefined;
    throw other === undefined ? error : alreadyRunning(other, adminPort);
  });
  closers.push(() => admin.close({ drainMs: 0 }));
  const starting = startingListener();
  const publicServer =
    config.role === 'worker'
      ? undefined
      : await listen(starting.listener, { port: config.port, variable: 'PORT', log: requestLog });

  const { database, readFrom, installation } = await openInstallation(context);
  const { timeZone, engine } = installation;
  if (database?.dataDirectory) observeDisk(metrics, database.dataDirectory);
  metrics.buildInfo.set({ version: VERSION, node: process.version, engine }, 1);
  const max = publicServer === undefined ? POOL_SIZES.readiness : POOL_SIZES.read;
  const reads = openReaderPool(readFrom, {
    timeZone,
    max,
    observer: observePool(metrics, 'read'),
  });
  const wholeNetwork = openWholeNetworkPool(readFrom, {
    timeZone,
    observer: observePool(metrics, 'read_all'),
  });
  closers.push(() => Promise.all([reads.destroy(), wholeNetwork.destroy()]));
  registerCollectors(metrics, wholeNetwork, { clock, log });
  state.opened = {
    db: reads,
    missing: await waitForDatabase(() => snapshotApiSurface(reads), log),
    fault: () => storageFault(reads, engine),
  };
  let demoGround: object | undefined;
  if (database !== undefined && config.role !== 'api') {
    demoGround = await startWork(context, database, timeZone).catch(
      explaining('DATABASE_URL', config.databaseUrl),
    );
  }

  state.serving = true;
  if (publicServer === undefined) return;
  const onHistoryChange = (change: HistoryChange) => metrics.historyChanges.inc({ change });
  const versions = watchDataVersion({ db: reads, clock, log, pollMs, onHistoryChange });
  closers.push(async () => versions.close());
  closers.push(() => publicServer.close());
  listeners.push(publicServer);
  const cache = { maxBytes: config.responseCacheMb * 1_048_576, versions };
  const {
    siteBaseUrl,
    siteTitle: title,
    siteContact: contact,
    siteLicense: license,
    mapTiles: tiles,
    pageUrl: url,
  } = config;
  const isBare = tiles === undefined && ground === undefined && demoGround !== undefined;
  const site = {
    ...{ url, title, contact, license, zone: timeZone, tiles },
    ground: isBare ? makeGround(demoGround) : ground,
  };
  const addPagesOf: AppOptions['addPages'] = (app, parts) => addPages(app, site, parts);
  starting.serve(
    makeApp({
      db: reads,
      wholeNetwork,
      clock,
      siteBaseUrl,
      log: requestLog,
      cache,
      site,
      measure: measure(metrics, 'public'),
      addPages: config.page === 'on' ? addPagesOf : undefined,
    }),
  );
  const path = config.page === 'on' ? '/' : '/en/air-quality-app/v1/stations.json';
  log.info(`ready: try http://localhost:${publicServer.port}${path}`);
}

function alreadyRunning(other: string, adminPort: number): Error {
  return new Error(
    `airseries is running already: ${other}, has port ${adminPort}. Stop that process first; or, to run another one beside it, ` +
      'set ADMIN_PORT, PORT and INGEST_PORT to free ports.',
  );
}

/**
 * The database to write to, undefined where there is only a reader's login, and the address to read
 * from.
 */
type Databases = {
  database: Database | undefined;
  readFrom: DatabaseAddress;
  installation: Installation;
};

/**
 * Waits for the databases; migrates the one, and checks that the one for reading has the same
 * version.
 */
async function openInstallation({ config, clock, log, opened }: Context): Promise<Databases> {
  const { databaseUrl, readerDatabaseUrl, timeZone, epoch } = config;
  const checkReader = (url: string) => {
    const check = () =>
      checkInstalled(url, { timeZone, epoch }).catch(explaining('READER_DATABASE_URL', url));
    return waitForDatabase(check, log);
  };
  if (databaseUrl === undefined && readerDatabaseUrl !== undefined) {
    return {
      database: undefined,
      readFrom: readerDatabaseUrl,
      installation: await checkReader(readerDatabaseUrl),
    };
  }
  const database = await openDatabase(config, log);
  opened.state.dataDirectory = database.dataDirectory;
  opened.closers.push(() => database.close());
  const bringUp = () =>
    migrate(database.target, { timeZone, epoch, now: clock(), log }).catch(
      explaining('DATABASE_URL', databaseUrl),
    );
  const installation = await waitForDatabase(bringUp, log);
  if (readerDatabaseUrl !== undefined) await checkReader(readerDatabaseUrl);
  return { database, readFrom: readerDatabaseUrl ?? database.target, installation };
}

/** Returns a function that rejects with an explained error (see `explainConnection`). */
const explaining = (variable: string, url: string | undefined) => (error: unknown) =>
  Promise.reject(explainConnection(error, variable, url));

/** Ingests readings, and runs the scheduled jobs. Returns the ground of the demo's maps, if any. */
async function startWork(
  context: Context,
  { target, embedded }: Database,
  timeZone: string,
): Promise<object | undefined> {
  const { config, clock, log, requestLog, metrics, opened } = context;
  const writes = openIngestPool(target, { timeZone, observer: observePool(metrics, 'write') });
  opened.closers.push(() => writes.close());
  const ingest = await openListener({
    app: makeIngestApp({
      writes,
      clock,
      log: requestLog,
      rate: config.ingestRate,
      observer: observeIngest(metrics),
      measure: measure(metrics, 'ingest'),
    }),
    host: config.ingestHost,
    port: config.ingestPort,
    hasTokens: () => hasTokens(writes),
    log: requestLog,
  });
  opened.listeners.push(ingest);
  let stopJobs: (() => Promise<unknown>) | undefined;
  // side by side: a running job may take its time, and requests must not wait for it
  opened.closers.push(() => Promise.all([ingest.close(), stopJobs?.()]));
  const terminal = process.stderr.isTTY === true;
  const setting = config.demo ?? (embedded ? 'on' : undefined);
  const demo = await openDemo(target, setting, { timeZone, clock, log, terminal });
  const zoneObserver = observeZone(metrics);
  const jobs: Job[] = [
    ...demo.jobs,
    pullJob(target, clock, { hosts: config.pullHosts, log, metrics, timeZone }),
    ...makeJobs({ target, timeZone, clock, log, retention: config.rawRetention, zoneObserver }),
  ];
  const stopSchedule = await startJobs(jobs, {
    target,
    clock,
    log,
    terminal,
    observer: observeJobs(metrics),
    claim: claimsOn(target),
    schedule: context.schedule,
  });
  metrics.worker.set(1);
  demo.begin();
  stopJobs = () => Promise.all([stopSchedule(), demo.stop()]);
  await checkZoneRules({ target, timeZone, log, zoneObserver });
  return demo.ground;
}
