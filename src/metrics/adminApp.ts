/**
 * The admin port, for orchestrators and Prometheus: /healthz (alive), /readyz (ready for requests),
 * /metrics.
 */
import type { Express, Request } from 'express';
import type { Log } from '../base/log.ts';
import type { ApiDb } from '../database/apiDb.ts';
import { addPath, bareApp, makeErrorHandlers } from '../http/middleware.ts';
import { httpAddress } from '../http/openPort.ts';
import { notFound, quoted, sendBody } from '../http/send.ts';
import { queryRefreshState } from '../serve/refreshState.ts';
import type { Metrics } from './definitions.ts';

/** The body of /readyz: ready or not, and each check by name. */
export type Readiness = { ok: boolean; checks: Readonly<Record<string, unknown>> };

type AdminOptions = {
  ready: () => Promise<Readiness>;
  metrics: Metrics;
  log: Log;
  /** The folder with the data of an embedded server, as far as it is known by now. */
  dataDirectory?: () => string | undefined;
};

/** The body of /healthz: which process this is. `data_dir` is the folder of an embedded server. */
type Health = { ok: true; pid: number; data_dir?: string | undefined };

/** /readyz is 503 without checks where `ready` rejects, and the reason is logged. */
export function makeAdminApp({ ready, metrics, log, dataDirectory }: AdminOptions): Express {
  const app = bareApp();
  app.use((_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });
  addPath(app, /^\/healthz$/, (req, res) => {
    const health: Health = { ok: true, pid: process.pid, data_dir: dataDirectory?.() };
    sendBody(req, res, 200, Buffer.from(JSON.stringify(health)));
  });
  addPath(app, /^\/readyz$/, async (req, res) => {
    const readiness = await ready().catch((error: unknown): Readiness => {
      log.warn({ err: error }, 'readiness check failed');
      return { ok: false, checks: {} };
    });
    sendBody(req, res, readiness.ok ? 200 : 503, Buffer.from(JSON.stringify(readiness)));
  });
  addPath(app, /^\/metrics$/, async (req, res) => {
    const text = await metrics.scrape();
    res.setHeader('Content-Type', metrics.registry.contentType);
    res.end(req.method === 'HEAD' ? undefined : text);
  });
  app.use((req: Request) => {
    throw notFound(
      `There is nothing at ${quoted(req.path)}. Here are /healthz, /readyz and /metrics.`,
    );
  }, makeErrorHandlers(log).handle);
  return app;
}

/**
 * Which process of airseries has the admin port, in words; undefined: another program has it. Never
 * rejects.
 */
export async function whoListens(host: string, port: number): Promise<string | undefined> {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  try {
    const answer = await fetch(`${httpAddress(reachable, port)}/healthz`, {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    const { ok, pid, data_dir } = (await answer.json()) as Health;
    if (ok !== true || !Number.isInteger(pid)) return undefined;
    return `process ${pid}${data_dir === undefined ? '' : `, with its data in ${data_dir} (DATA_DIR)`}`;
  } catch {
    return undefined;
  }
}

const HEALTH_TIMEOUT_MS = 2_000;

/** How far this process has started. */
export type StartupState = {
  /** DATA_DIR of an embedded server; once it runs, the folder with its data. */
  dataDirectory?: string | undefined;
  /**
   * Set once the migrations are done: the database, and what tells which parts of its schema api
   * are gone since then, and what is wrong with the storage of readings.
   */
  opened:
    | { db: ApiDb; missing: () => Promise<string[]>; fault: () => Promise<string | undefined> }
    | undefined;
  serving: boolean;
};

const UNKNOWN = { database: null, schema: null, storage: null, first_build: null };
const NAMED_PARTS = 5;

/**
 * Ready means: the database is migrated and answers, still has what this version asks of it (a
 * migration to another one may have taken it), can store readings, the aggregates were built, and
 * the process serves. A check that couldn't be made is null. Never rejects.
 */
export async function readiness({ opened, serving }: StartupState): Promise<Readiness> {
  if (opened === undefined)
    return { ok: false, checks: { migrations: false, ...UNKNOWN, serving } };
  const [freshness, missing, fault] = await Promise.all([
    queryRefreshState(opened.db).catch(() => undefined), // it may be this that is missing
    opened.missing().catch(() => undefined),
    opened.fault().catch(() => null),
  ]);
  if (missing === undefined || (freshness === undefined && missing.length === 0)) {
    return { ok: false, checks: { migrations: true, ...UNKNOWN, database: false, serving } };
  }
  const refreshed_at = freshness?.refreshed_at;
  const schema = missing.length === 0;
  const storage = fault === null ? null : fault === undefined;
  const first_build = freshness === undefined ? null : refreshed_at !== null;
  const checks = {
    migrations: true,
    database: true,
    schema,
    missing: schema ? undefined : missing.slice(0, NAMED_PARTS),
    storage,
    fault: fault ?? undefined,
    first_build,
    serving,
    refreshed_at,
  };
  return { ok: schema && storage === true && first_build === true && serving, checks };
}
