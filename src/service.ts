/** The service: opens its parts in order, and closes them in reverse. */
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { claimsOn } from './aggregate/claims.ts';
import { type Job, makeJobs } from './aggregate/jobs.ts';
import { type Schedule, startJobs } from './aggregate/schedule.ts';
import { checkZoneRules } from './aggregate/zoneRules.ts';
import type { Clock } from './base/clock.ts';
import { boundedLog, type Log } from './base/log.ts';
import type { Config } from './config.ts';
import { LOCALES } from './contract/endpoints.ts';
import type { SiteTitles } from './contract/words/siteTitle.ts';
import type { Database, DatabaseAddress } from './database/address.ts';
import type { ApiDb } from './database/apiDb.ts';
import { errorCode } from './database/errors.ts';
import { openDatabase } from './database/open.ts';
import {
  openIngestPool,
  openReaderPool,
  openWholeNetworkPool,
  POOL_SIZES,
} from './database/pools.ts';
import { explainConnection } from './database/remedies.ts';
import { waitForDatabase } from './database/waitForDatabase.ts';
import {
  type BundledDatabase,
  bundledDatabase,
  dataFolder,
  type Extra,
  formatsOf,
  type Opened,
} from './extras/extra.ts';
import { EXTRAS } from './extras.ts';
import { type Listening, listen, startingListener } from './http/listen.ts';
import { checkPort } from './http/openPort.ts';
import { makeIngestApp, openListener } from './ingest/http/app.ts';
import { hasTokens } from './ingest/http/tokens.ts';
import { makeAdminApp, readiness, type StartupState, whoListens } from './metrics/adminApp.ts';
import { registerCollectors } from './metrics/collectors.ts';
import { type Metrics, makeMetrics } from './metrics/definitions.ts';
import {
  measure,
  observeIngest,
  observeJobs,
  observePool,
  observeZone,
} from './metrics/recorders.ts';
import { snapshotApiSurface } from './schema/apiSurface.ts';
import { checkInstalled } from './schema/installed.ts';
import { type Installation, migrate } from './schema/migrate.ts';
import { storageFault } from './schema/storage.ts';
import { makeApp } from './serve/app.ts';
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
type Parts = {
  closers: (() => Promise<unknown>)[];
  listeners: { drain(): void }[];
  state: StartupState;
};

type Context = Dependencies & {
  config: Config;
  /** For request handlers: limits repetitions. */
  requestLog: Log;
  metrics: Metrics;
  opened: Parts;
};

/** Starts all parts that the configuration asks for. */
export function start(config: Config, dependencies: Dependencies): Service {
  const { log } = dependencies;
  const opened: Parts = {
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

async function closeAll({ closers }: Parts, log: Log): Promise<void> {
  for (const close of closers.reverse())
    await close().catch((error: Error) => log.error({ err: error }, error.message));
}

/** Everything that it opens is in `opened`, even if it fails. */
async function open(context: Context): Promise<void> {
  const { config, metrics, log } = context;
  const { state } = context.opened;
  const extras = await openExtras(context);
  const bundled = bundledDatabase(extras, { settings: config, log, mustExist: false });
  await listenForAdministrators(context, bundled?.folder);
  const server = config.role === 'worker' ? undefined : await listenForPublic(context);
  // it may be opened only later, with the first token
  if (config.role !== 'api') await checkPort(ingestAddress(config));
  const databases = await openInstallation(context, bundled);
  const { database, installation } = databases;
  metrics.buildInfo.set(
    { version: VERSION, node: process.version, engine: installation.engine },
    1,
  );
  const pools = await openReaders(context, databases, server === undefined ? 'readiness' : 'read');
  if (database !== undefined && config.role !== 'api')
    await startWork(context, database, installation.timeZone, extras).catch(
      explaining('DATABASE_URL', config.databaseUrl),
    );
  state.serving = true;
  if (server === undefined) return;
  serve(context, server, pools, installation.timeZone, extras);
  log.info(`ready: try http://localhost:${server.listener.port}/`);
}

/** An extra of this process: what it is, its metrics, and what it does for the service. */
type RunningExtra = { extra: Extra; own: unknown; parts: Opened };

async function openExtras({ config, clock, log, metrics }: Context): Promise<RunningExtra[]> {
  const running: RunningExtra[] = [];
  const context = {
    settings: config,
    metrics,
    clock,
    log,
    formats: formatsOf(EXTRAS),
    dataFolder: dataFolder(EXTRAS, config),
  };
  for (const extra of EXTRAS) {
    const own = extra.metrics?.(metrics);
    const parts = (await extra.open?.({ ...context, own })) ?? {};
    running.push({ extra, own, parts });
  }
  return running;
}

/** `folder`: of the bundled database, which is used where none is named. */
async function listenForAdministrators(
  { config, requestLog, metrics, opened }: Context,
  folder: string | undefined,
): Promise<void> {
  const { adminHost, adminPort } = config;
  const { state } = opened;
  if ((config.databaseUrl ?? config.readerDatabaseUrl) === undefined) state.dataDirectory = folder;
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
  opened.closers.push(() => admin.close({ drainMs: 0 }));
}

/** It answers 503 until it is given the app. */
type PublicServer = { listener: Listening; starting: ReturnType<typeof startingListener> };

async function listenForPublic({ config, requestLog }: Context): Promise<PublicServer> {
  const starting = startingListener();
  const options = { port: config.port, variable: 'PORT', log: requestLog };
  return { starting, listener: await listen(starting.listener, options) };
}

type Readers = { reads: ApiDb; wholeNetwork: ApiDb };

/** `size`: a process that answers no requests needs few connections. */
async function openReaders(
  { clock, log, metrics, opened }: Context,
  { readFrom, installation: { timeZone, engine } }: Databases,
  size: 'read' | 'readiness',
): Promise<Readers> {
  const reads = openReaderPool(readFrom, {
    timeZone,
    max: POOL_SIZES[size],
    observer: observePool(metrics, 'read'),
  });
  const wholeNetwork = openWholeNetworkPool(readFrom, {
    timeZone,
    observer: observePool(metrics, 'read_all'),
  });
  opened.closers.push(() => Promise.all([reads.destroy(), wholeNetwork.destroy()]));
  registerCollectors(metrics, wholeNetwork, { clock, log });
  opened.state.opened = {
    db: reads,
    missing: await waitForDatabase(() => snapshotApiSurface(reads), log),
    fault: () => storageFault(reads, engine),
  };
  return { reads, wholeNetwork };
}

function serve(
  { config, clock, log, requestLog, metrics, opened, pollMs }: Context,
  { listener, starting }: PublicServer,
  { reads, wholeNetwork }: Readers,
  timeZone: string,
  extras: readonly RunningExtra[],
): void {
  const onHistoryChange = (change: HistoryChange) => metrics.historyChanges.inc({ change });
  const versions = watchDataVersion({ db: reads, clock, log, pollMs, onHistoryChange });
  opened.closers.push(async () => versions.close());
  opened.closers.push(() => listener.close());
  opened.listeners.push(listener);
  const { siteBaseUrl, siteTitle, siteContact: contact, siteLicense: license } = config;
  const titles = Object.fromEntries(
    LOCALES.map((locale) => [locale, config[`siteTitle_${locale}`] || siteTitle]),
  ) as SiteTitles;
  const app = makeApp({
    db: reads,
    wholeNetwork,
    clock,
    siteBaseUrl,
    log: requestLog,
    cache: { maxBytes: config.responseCacheMb * 1_048_576, versions },
    site: { titles, contact, license, zone: timeZone, index: config.index },
    measure: measure(metrics, 'public'),
    routes: extras.flatMap(({ parts: { routes } }) => routes ?? []),
    offers: Object.assign({}, ...extras.map(({ parts: { offers } }) => offers?.())),
  });
  // by a frozen clock too (Z4): pages take it for the present, and Node's is the machine's
  const dated: RequestListener = (req, res) => {
    res.setHeader('Date', clock().toUTCString());
    app(req, res);
  };
  starting.serve(config.fixedNow === undefined ? app : dated);
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
async function openInstallation(
  { config, clock, log, opened }: Context,
  bundled: BundledDatabase | undefined,
): Promise<Databases> {
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
  const database = await openDatabase(databaseUrl, bundled?.open);
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

const ingestAddress = ({ ingestHost, ingestPort }: Config) => ({
  host: ingestHost,
  port: ingestPort,
  variable: 'INGEST_PORT',
});

/** Ingests readings, and runs the scheduled jobs. */
async function startWork(
  context: Context,
  { target, embedded }: Database,
  timeZone: string,
  extras: readonly RunningExtra[],
): Promise<void> {
  const { config, clock, log, requestLog, metrics, opened } = context;
  const writes = openIngestPool(target, { timeZone, observer: observePool(metrics, 'write') });
  opened.closers.push(() => writes.close());
  const ingest = await openListener({
    app: makeIngestApp({
      writes,
      clock,
      formats: formatsOf(EXTRAS),
      timeZone,
      log: requestLog,
      rate: config.ingestRate,
      observer: observeIngest(metrics),
      measure: measure(metrics, 'ingest'),
    }),
    ...ingestAddress(config),
    hasTokens: () => hasTokens(writes),
    log: requestLog,
  });
  opened.listeners.push(ingest);
  let stopSchedule: (() => Promise<unknown>) | undefined;
  // side by side: a running job may take its time, and requests must not wait for it
  opened.closers.push(() =>
    Promise.all([
      ingest.close(),
      stopSchedule?.(),
      ...extras.map(({ parts: { close } }) => close?.()),
    ]),
  );
  const terminal = process.stderr.isTTY === true;
  const zoneObserver = observeZone(metrics);
  const jobs: Job[] = [];
  for (const { parts } of extras)
    jobs.push(...((await parts.jobs?.({ target, embedded, timeZone, terminal })) ?? []));
  const { rawRetention: retention, undoDays } = config;
  jobs.push(...makeJobs({ target, timeZone, clock, log, retention, undoDays, zoneObserver }));
  stopSchedule = await startJobs(jobs, {
    target,
    clock,
    log,
    terminal,
    observer: observeJobs(metrics),
    claim: claimsOn(target),
    schedule: context.schedule,
  });
  metrics.worker.set(1);
  for (const { parts } of extras) parts.begin?.();
  await checkZoneRules({ target, timeZone, log, zoneObserver });
}
