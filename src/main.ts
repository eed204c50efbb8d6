/** The service: composes the parts, opens them in order and closes them in the opposite one. Only here are signals handled. */
import { createRequire } from 'node:module';
import { makeApp } from './api/app.ts';
import { type Clock, makeClock } from './clock.ts';
import { type Config, readConfig } from './config.ts';
import type { DatabaseAddress } from './database/client.ts';
import { waitForDatabase } from './database/errors.ts';
import { checkInstalled } from './database/installed.ts';
import { type Installation, migrate } from './database/migrate.ts';
import { type Database, openDatabase } from './database/open.ts';
import { type Api, openReads, openWrites } from './database/pools.ts';
import { listen } from './http/listen.ts';
import { boundedLog } from './http/middleware.ts';
import { startingListener } from './http/starting.ts';
import { type Log, makeLog } from './log.ts';
import { makeAdminApp, readiness, type StartupState } from './metrics/adminApp.ts';
import { registerCollectors } from './metrics/collectors.ts';
import { type Metrics, makeMetrics } from './metrics/definitions.ts';
import { observePool } from './metrics/recorders.ts';
import { makeIngestApp, openListener } from './push/app.ts';
import { hasTokens } from './push/tokens.ts';
import { becomeLeader, type Candidate } from './worker/leader.ts';
import { startJobs } from './worker/schedule.ts';

type Closer = () => Promise<unknown>;

/** Few look there, and their connections must not take what the public needs. */
const ADMIN_CONNECTIONS = 100;

const { version: VERSION } = createRequire(import.meta.url)('../package.json') as { version: string };

/** What is open: how to close it, and how to have its clients leave before. */
type Opened = { closers: Closer[]; listeners: { drain(): void }[]; state: StartupState };

/** Resolves when the service answers. Whatever was opened by then, or by the time it fails, is in `opened`. */
async function start(config: Config, log: Log, { closers: opened, listeners, state }: Opened): Promise<void> {
  const clock = makeClock(config.fixedNow);
  const metrics = makeMetrics();
  const requestLog = boundedLog(log);
  const admin = makeAdminApp({ ready: () => readiness(state), metrics, log: requestLog });
  const { adminPort, adminHost } = config;
  const adminServer = await listen(admin, {
    port: adminPort,
    host: adminHost,
    variable: 'ADMIN_PORT',
    connections: ADMIN_CONNECTIONS,
    log: requestLog,
  });
  opened.push(() => adminServer.close({ drainMs: 0 }));
  const starting = startingListener();
  const publicServer =
    config.role === 'worker'
      ? undefined
      : await listen(starting.listener, { port: config.port, variable: 'PORT', log: requestLog });

  const { database, target, installation } = await openInstallation(config, { clock, log, opened });
  const { timeZone, engine } = installation;
  metrics.buildInfo.set({ version: VERSION, node: process.version, engine }, 1);
  const reads = openReads<Api>(target, { timeZone, observer: observePool(metrics, 'read') });
  opened.push(() => reads.destroy());
  registerCollectors(metrics, reads, { clock, log });
  state.db = reads;
  if (database !== undefined && config.role !== 'api')
    await startWork({ config, database, timeZone, clock, log, metrics, opened, listeners });

  state.serving = true;
  if (publicServer === undefined) return;
  opened.push(() => publicServer.close());
  listeners.push(publicServer);
  starting.serve(makeApp({ db: reads, clock, siteBaseUrl: config.siteBaseUrl, log: requestLog, metrics }));
  log.info(`ready: try http://localhost:${publicServer.port}/en/air-quality-app/v1/stations.json`);
}

/** The database as the process may have it, and where it reads; without the former it can do nothing else. */
type Place = { database: Database | undefined; target: DatabaseAddress; installation: Installation };

async function openInstallation(
  config: Config,
  { clock, log, opened }: { clock: Clock; log: Log; opened: Closer[] },
): Promise<Place> {
  const { databaseUrl, readerDatabaseUrl: reader, timeZone, epoch } = config;
  if (databaseUrl === undefined && reader !== undefined) {
    const installation = await waitForDatabase(() => checkInstalled(reader, { timeZone, epoch }), log);
    return { database: undefined, target: reader, installation };
  }
  const database = await openDatabase(config, log);
  opened.push(() => database.close());
  const installation = await waitForDatabase(
    () => migrate(database.target, { timeZone, epoch, now: clock(), log }),
    log,
  );
  if (reader !== undefined) await waitForDatabase(() => checkInstalled(reader, { timeZone, epoch }), log);
  return { database, target: reader ?? database.target, installation };
}

type Working = {
  config: Config;
  database: Database;
  timeZone: string;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  opened: Closer[];
  listeners: Opened['listeners'];
};

/** Every working process takes readings in; of all of them one does what is done by the clock. */
async function startWork({
  config,
  database,
  timeZone,
  clock,
  log,
  metrics,
  opened,
  listeners,
}: Working): Promise<void> {
  const { target, embedded } = database;
  const demo = embedded ? config.demo !== 'off' : config.demo === 'on';
  const terminal = process.stderr.isTTY === true;
  const { rawRetention: retention, pullHosts } = config;
  const writes = openWrites(target, { timeZone, observer: observePool(metrics, 'write') });
  opened.push(() => writes.close());
  const requestLog = boundedLog(log);
  const door = await openListener({
    app: makeIngestApp({ writes, clock, log: requestLog, rate: config.ingestRate, metrics }),
    host: config.ingestHost,
    port: config.ingestPort,
    hasTokens: () => hasTokens(writes),
    log: requestLog,
  });
  listeners.push(door);
  let worker: Candidate | undefined;
  // at once: a job under way may take its time, and requests under way must not wait for it
  opened.push(() => Promise.all([door.close(), worker?.stop()]));
  const work = { target, timeZone, demo, clock, log, metrics, terminal, retention, pullHosts };
  const onLeadership = (works: boolean) => metrics.worker.set(works ? 1 : 0);
  worker = await becomeLeader(target, log, (confirm) => startJobs({ ...work, confirm }), { onLeadership });
}

/** A refresh under way may take minutes; it can be cut at any point, and the next one finishes it. */
const PATIENCE_MS = 15_000;

async function closeAll(opened: Closer[], log: Log): Promise<void> {
  for (const close of opened.reverse()) await close().catch((error: Error) => log.error({ err: error }, error.message));
}

async function main(): Promise<number> {
  const config = readConfig(process.env);
  const log = makeLog(config.logLevel);
  // what Node itself warns of is a line of this log too
  process.removeAllListeners('warning').on('warning', (warning) => log.warn({ err: warning }, 'a warning of Node'));
  const opened: Opened = { closers: [], listeners: [], state: { db: undefined, serving: false } };
  const signalled = new Promise<string>((resolve) => {
    let asked = false;
    const onSignal = (signal: string) => {
      if (asked) process.exit(1); // asked twice: at once
      asked = true;
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  });
  let code = 0;
  try {
    const failed = start(config, log, opened).then(() => new Promise<never>(() => undefined));
    const signal = await Promise.race([failed, signalled]);
    log.info({ signal, drain_seconds: config.drainSeconds }, 'stopping');
    opened.state.serving = false; // readiness says so at once; whoever balances requests sends them elsewhere from then on
    for (const listener of opened.listeners) listener.drain();
    await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1_000));
  } catch (error) {
    log.error({ err: error }, (error as Error).message);
    code = 1;
  }
  await Promise.race([closeAll(opened.closers, log), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  return code;
}

process.exit(
  await main().catch((error: Error) => {
    process.stderr.write(`error: ${error.message}\n`);
    return 1;
  }),
);
