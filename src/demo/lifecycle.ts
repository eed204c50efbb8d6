/** The demo network in a running service: loaded into a fresh database, fed every minute as if its sensors were real, and removed. */
import type { Clock } from '../clock.ts';
import { asOwner, type DatabaseAddress, type Sql } from '../database/client.ts';
import type { Log } from '../log.ts';
import { importNetwork } from '../network/importNetwork.ts';
import { refresh } from '../rollups/refresh.ts';
import { feedDemo, loadHistory, loadRecentReadings } from './feed.ts';
import { demoNetwork } from './network.ts';
import { deleteDemo, isDemo, isEmpty } from './state.ts';

const DEMO_SEED = 20_261_120;
const SESSION = { name: 'airseries demo' };

type Options = { timeZone: string; now: Date; log: Log; terminal: boolean };

type StartOptions = Omit<Options, 'now'> & {
  clock: Clock;
  /** Whether a new database gets the demo network. */
  demo: boolean;
};

/**
 * Loads the demo where it is wanted and due, or brings it up to date. Resolves to what loads its history behind the service and returns how to
 * stop that; undefined where there is no demo.
 */
export async function startDemo(
  target: DatabaseAddress,
  options: StartOptions,
): Promise<(() => () => Promise<void>) | undefined> {
  const { demo, timeZone, clock, log, terminal } = options;
  const isNeeded = (demo && (await shouldLoadDemo(target))) || (await hasDemo(target));
  if (!isNeeded) return undefined;
  await loadDemo(target, { timeZone, now: clock(), log, terminal });
  return () => {
    const stopping = new AbortController();
    const history = loadHistoryBehind(target, options, stopping.signal);
    return async () => {
      stopping.abort();
      await history;
    };
  };
}

/** Never rejects: without its history the demo is still of use, and the next start tries again. */
async function loadHistoryBehind(
  target: DatabaseAddress,
  { clock, log, terminal }: StartOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    const loading = loadDemoHistory(target, { now: clock(), log, terminal, signal });
    await refreshWhile(loading, () => refresh(target, clock())); // the windows fill while it loads
    if ((await loading) > 0 && !signal.aborted) await refresh(target, clock());
  } catch (error) {
    log.error({ err: error }, 'the history of the demo could not be loaded; the next start continues');
  }
}

const PAUSE_MS = 1_000;

/** Repeats the refresh until the loading is done; rejects as either does. */
async function refreshWhile(loading: Promise<unknown>, refreshOnce: () => Promise<void>): Promise<void> {
  const loaded = loading.then(() => true);
  const pause = () => new Promise<false>((resolve) => setTimeout(resolve, PAUSE_MS, false));
  while (!(await Promise.race([loaded, pause()]))) await refreshOnce();
}

/** Whether the demo should be loaded into this database: it is empty, and the demo was never in it. */
async function shouldLoadDemo(target: DatabaseAddress): Promise<boolean> {
  return await asOwner(target, SESSION, async (sql) => {
    const [installation] = await sql`select demo from raw.installation`;
    return installation?.demo == null && (await isEmpty(sql));
  });
}

/** Whether the database contains the demo network. */
export async function hasDemo(target: DatabaseAddress): Promise<boolean> {
  return await asOwner(target, SESSION, isDemo);
}

/**
 * Loads the network and the readings of its last 31 days, or brings them up to `now` if they are there. Idempotent: the next call completes an
 * interrupted load. Rejects if the database contains another network.
 */
export async function loadDemo(target: DatabaseAddress, { timeZone, now, log, terminal }: Options): Promise<void> {
  await asOwner(target, SESSION, async (sql) => {
    await lockDemo(sql);
    if (await isDemo(sql)) {
      const added = await feedDemo(sql, { now, seed: DEMO_SEED });
      if (added > 0) log.info({ readings: added }, 'demo network caught up');
      return;
    }
    if (!(await isEmpty(sql))) {
      throw new Error('The demo network needs an empty database, and this one contains a network or readings.');
    }
    log.info('loading the demo network: an invented country and two years of invented readings (DEMO=off skips this)');
    await importNetwork(sql, JSON.stringify(demoNetwork(timeZone)), { log });
    await sql`update raw.installation set demo = 'loaded'`;
    await loadRecentReadings(sql, { now, seed: DEMO_SEED, log, terminal });
  });
}

/** Loads what is missing of the two years before, and returns how many readings. The next call continues where an interrupted one ended. */
export async function loadDemoHistory(
  target: DatabaseAddress,
  { now, log, terminal, signal }: Omit<Options, 'timeZone'> & { signal?: AbortSignal },
): Promise<number> {
  return await asOwner(target, SESSION, async (sql) => {
    await lockDemo(sql);
    return (await isDemo(sql)) ? await loadHistory(sql, { now, seed: DEMO_SEED, log, terminal, signal }) : 0;
  });
}

/** Adds the readings since the last call, up to `now`. Does nothing in a database without the demo. */
export async function feedDemoNetwork(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, SESSION, async (sql) => void (await feedDemo(sql, { now, seed: DEMO_SEED })));
}

/**
 * Removes the demo for good: it is not loaded again at the next start. The aggregates follow with the next refresh. False if it was not
 * there. Rejects with DemoRemovalRefused if the database has other providers.
 */
export async function removeDemo(target: DatabaseAddress): Promise<boolean> {
  return await asOwner(target, SESSION, async (sql) => {
    await lockDemo(sql);
    if (!(await isDemo(sql))) return false;
    await deleteDemo(sql);
    return true;
  });
}

/** Loading and removing exclude each other; the lock ends with the connection. */
async function lockDemo(sql: Sql): Promise<void> {
  await sql`call raw.acquire_lock('airseries.demo')`;
}
