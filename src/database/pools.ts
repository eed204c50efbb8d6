/**
 * The two pools of a process, with their limits: one reads schema api through Kysely, one stores
 * readings.
 */

import type { DatabaseAddress } from './address.ts';
import { type ApiDb, apiOver } from './apiDb.ts';
import { openQueryPool, type PoolObserver, type QueryPool } from './queryPool.ts';

/**
 * The most connections of each pool, besides the one that probes; src/database/README.md,
 * Connections, adds them up.
 */
export const POOL_SIZES = { read: 10, readAll: 5, readiness: 2, ingest: 4 } as const;

type Options = {
  /** The installation's zone: timestamps come out with its offset (Z2). */
  timeZone: string;
  /** The most connections; default: as POOL_SIZES says. */
  max?: number;
  observer?: PoolObserver | undefined;
};

/**
 * A client gets its answer, or 503, within three seconds. Statements wait up to two, in which ten
 * connections answer about 500.
 */
const READ_LIMITS = { statementTimeoutMs: 2_000, totalTimeoutMs: 2_800, maxWaiting: 500 };

/**
 * Without a waiting client: a batch with late rows of many months takes long in compressed chunks,
 * and so does a large network. A silent database is noticed after two seconds, a single silently
 * cut connection after twenty.
 */
const LONG_LIMITS = {
  statementTimeoutMs: 20_000,
  totalTimeoutMs: 25_000,
  maxWaiting: 200,
  probe: { intervalMs: 1_000, timeoutMs: 1_000 },
};

/**
 * Queries of schema api, as the role that sees nothing else. Each rejects with Unavailable if the
 * database is unreachable or too slow. `destroy()` closes the pool. There are no transactions and
 * no streams.
 */
export const openReaderPool = (target: DatabaseAddress, options: Options): ApiDb =>
  openReads(target, { max: POOL_SIZES.read, ...options }, 'airseries read', READ_LIMITS);

/**
 * The same for queries whose cost grows with the network, and that no request has to wait for. The
 * list of stations needs five connections.
 */
export const openWholeNetworkPool = (target: DatabaseAddress, options: Options): ApiDb =>
  openReads(target, { max: POOL_SIZES.readAll, ...options }, 'airseries read all', LONG_LIMITS);

function openReads(
  target: DatabaseAddress,
  options: Options & { max: number },
  name: string,
  limits: typeof READ_LIMITS,
): ApiDb {
  const pool = openQueryPool(target, { role: 'airseries_reader', name, ...options, ...limits });
  return apiOver(pool, () => pool.close());
}

/** Statements of ingestion, as its role. The caller closes the pool. */
export function openIngestPool(
  target: DatabaseAddress,
  { timeZone, max = POOL_SIZES.ingest, observer }: Options,
): QueryPool {
  const session = { role: 'airseries_ingest', name: 'airseries ingest', timeZone } as const;
  return openQueryPool(target, { ...session, max, observer, ...LONG_LIMITS });
}
