/** The real app on a real database, at a fixed instant. */
import { makeClock } from '../../src/base/clock.ts';
import type { ApiDb } from '../../src/database/apiDb.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import type { Engine } from '../../src/schema/aggregates.ts';
import { makeApp } from '../../src/serve/app.ts';
import type { DataVersions } from '../../src/serve/dataVersion.ts';
import { seededDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { insertNetwork, NOW } from './network.ts';

/** An address at which there is no database. */
export const NOWHERE = { host: '/nonexistent', port: 5432, user: 'nobody', database: 'nothing' };

/** A database with the network, which is installed once in a run. */
export const networkDatabase = (engine: Engine) =>
  seededDatabase(engine, { name: 'test/serve/network.ts', fill: insertNetwork });

/** Answers are rendered for each request, or come from the response cache. */
export const PATHS = ['rendered', 'kept'] as const;

type Options = { siteBaseUrl?: string; path?: (typeof PATHS)[number] };

export async function serve(
  engine: Engine,
  { siteBaseUrl = 'https://air.example', path = 'rendered' }: Options = {},
) {
  const database = await networkDatabase(engine);
  const db = openReaderPool(database.target, { timeZone: database.timeZone, max: 4 });
  const log = keepingLog();
  const cache = path === 'kept' ? { maxBytes: 1e7, versions: await versionsOf(db) } : undefined;
  return {
    app: makeApp({ db, clock: makeClock(NOW), siteBaseUrl, log, ...(cache && { cache }) }),
    db,
    database,
    log,
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}
export type Served = Awaited<ReturnType<typeof serve>>;

/** An observer of a pool, which notes the names of its statements. */
export const observerOf = (statements: string[]) => () => ({
  onAcquired: () => undefined,
  onQuery: (name: string) => void statements.push(name),
});

/** The current data version, for a database that no longer changes. */
export async function versionsOf(db: ApiDb): Promise<DataVersions> {
  const { data_version } = await db
    .selectFrom('api.freshness')
    .select('data_version')
    .executeTakeFirstOrThrow();
  const known = () => ({ version: data_version ?? 0, history: 1, confirmedAt: NOW });
  return { current: known, lastKnown: known, sawVersion: () => undefined };
}
