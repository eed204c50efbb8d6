/** Loads the demo network into a fresh database, feeds it every minute as if its sensors were real, and removes it. */
import { setTimeout } from 'node:timers/promises';
import type { Job } from '../../aggregate/jobs.ts';
import { refresh } from '../../aggregate/refresh.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { makeProgress } from '../../base/progress.ts';
import { AIRSERIES } from '../../base/shell.ts';
import { asOwner, type DatabaseAddress, type Sql } from '../../database/client.ts';
import { remedyFor } from '../../database/errors.ts';
import { importNetwork } from '../../network/importNetwork.ts';
import { feedDemo, loadHistory } from './feed.ts';
import { DEMO_PROVIDER, DEMO_PROVIDERS, demoNetwork } from './network.ts';

const SESSION = { name: 'airseries demo' };
const REFRESH_PAUSE_MS = 1_000;

/** DEMO, with `on` as the default of an embedded server. */
export type DemoSetting = 'on' | 'off' | undefined;

type Options = { timeZone: string; clock: Clock; log: Log; terminal: boolean };

/** Loads the demo if configured, or brings it up to date; returns whether its history is still to be loaded. `demo`: DEMO. */
export async function startDemo(
  target: DatabaseAddress,
  options: Options & { demo: DemoSetting },
): Promise<boolean> {
  const isNeeded = await asOwner(
    target,
    SESSION,
    async (sql) => (await isDemo(sql)) || (options.demo === 'on' && (await isNew(sql))),
  );
  if (isNeeded) await loadDemo(target, options);
  if (!isNeeded || options.demo !== 'off') return isNeeded;
  options.log.warn(
    `DEMO=off, but the database has the demo network; this removes it: ${AIRSERIES} demo --remove`,
  );
  return false;
}

/** Loads the history of the demo while the service runs. Returns a function that stops this. */
export function startDemoHistory(target: DatabaseAddress, options: Options): () => Promise<void> {
  const stopping = new AbortController();
  const history = loadHistoryBehind(target, options, stopping.signal);
  return async () => {
    stopping.abort();
    await history;
  };
}

/** Never rejects: without its history the demo is still of use, and the next start tries again. */
async function loadHistoryBehind(
  target: DatabaseAddress,
  options: Options,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = options;
  try {
    const loading = loadDemoHistory(target, options, signal).then(() => true);
    for (let isLoaded = false; !isLoaded; ) {
      isLoaded = await Promise.race([loading, setTimeout(REFRESH_PAUSE_MS, false)]);
      if (!signal.aborted) await refresh(target, clock()); // the windows fill while it loads
    }
  } catch (error) {
    const known = remedyFor(error);
    const why =
      known.remedy === undefined ? { err: error } : { reason: (error as Error).message, ...known };
    log.error(why, 'the history of the demo could not be loaded; the next start continues');
  }
}

/** True if the database contains the demo network. */
export async function hasDemo(target: DatabaseAddress): Promise<boolean> {
  return await asOwner(target, SESSION, isDemo);
}

/**
 * Loads the network and the readings of its last 31 days, or brings them up to `now` if they are there. Idempotent: the next call completes an
 * interrupted load. Rejects if the database contains another network.
 */
export async function loadDemo(
  target: DatabaseAddress,
  { timeZone, clock, log, terminal }: Options,
): Promise<void> {
  await asOwner(target, SESSION, async (sql) => {
    await lockDemo(sql);
    const isThere = await isDemo(sql);
    if (!isThere) {
      if (!(await isEmpty(sql))) {
        throw new Error(
          'The demo network needs an empty database, and this one contains a network or readings.',
        );
      }
      log.info(
        'loading the demo network: an invented country and two years of invented readings (DEMO=off skips this)',
      );
      await importNetwork(sql, JSON.stringify(demoNetwork(timeZone)), { log });
      await sql`update raw.installation set demo = 'loaded'`;
    }
    const progress = makeProgress('loading the demo readings', log, terminal);
    const readings = await feedDemo(sql, clock(), progress.show);
    progress.hide();
    if (readings > 0) {
      log.info(
        { readings },
        isThere ? 'demo network caught up' : 'the last 31 days of the demo are loaded',
      );
    }
  });
}

/** Loads what is missing of the two years before, and returns how many readings. The next call continues where an interrupted one ended. */
export async function loadDemoHistory(
  target: DatabaseAddress,
  { clock, log, terminal }: Options,
  signal?: AbortSignal,
): Promise<number> {
  return await asOwner(target, SESSION, async (sql) => {
    await lockDemo(sql);
    if (!(await isDemo(sql))) return 0;
    const progress = makeProgress('loading the history of the demo', log, terminal);
    const readings = await loadHistory(sql, clock(), { show: progress.show, signal });
    progress.hide();
    if (readings > 0 && signal?.aborted !== true)
      log.info({ readings }, 'the history of the demo is loaded');
    return readings;
  });
}

/** The job that feeds the demo. */
export const demoJob = (target: DatabaseAddress, clock: Clock): Job => ({
  name: 'demo_feed',
  schedule: '* * * * *',
  run: () => feedDemoNetwork(target, clock()),
});

/** Adds the readings since the last call, up to `now`. Does nothing in a database without the demo. */
export async function feedDemoNetwork(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, SESSION, async (sql) => void (await feedDemo(sql, now)));
}

/**
 * Removes the demo for good, in one transaction: it is not loaded again at the next start. The aggregates follow with the next refresh.
 * False if it was not there. Rejects if the database has other providers, and deletes nothing then.
 */
export async function removeDemo(target: DatabaseAddress): Promise<boolean> {
  return await asOwner(target, SESSION, async (sql) => {
    await lockDemo(sql);
    if (!(await isDemo(sql))) return false;
    const providers = await sql<{ id: string }[]>`select id from raw.provider order by id`;
    const others = providers.map(({ id }) => id).filter((id) => !DEMO_PROVIDERS.includes(id));
    if (others.length > 0) {
      throw new Error(
        `This database contains more than the demo (providers: ${others.join(', ')}), so nothing was removed.`,
      );
    }
    await sql.unsafe(DELETE).simple(); // sent as one, so it is one transaction
    return true;
  });
}

/**
 * The lock first: it waits for a feed in progress, and the next one finds no provider (feed.ts). Rows that refer to an element are deleted
 * with it.
 */
const DELETE = `
  select from raw.provider for update;
  update raw.installation set demo = 'removed';
  truncate raw.readings;
  delete from raw.quarantine;
  delete from raw.membership;
  delete from raw.placement;
  delete from raw.sensor;
  delete from raw.station;
  delete from raw.region where kind = 'district';
  delete from raw.region;
  delete from raw.provider;
  select logic.raise_data_version();`;

/** True if the demo's provider is there. */
export async function isDemo(sql: Sql): Promise<boolean> {
  const [row] =
    await sql`select exists (select from raw.provider where id = ${DEMO_PROVIDER}) as demo`;
  return row?.demo === true;
}

/** True if the database is empty, and the demo was never in it. */
async function isNew(sql: Sql): Promise<boolean> {
  const [installation] = await sql`select demo from raw.installation`;
  return installation?.demo == null && (await isEmpty(sql));
}

/** True if there is neither a network nor a reading. */
export async function isEmpty(sql: Sql): Promise<boolean> {
  const [row] = await sql`
    select not exists (select from raw.provider) and not exists (select from raw.region) and not exists (select from raw.station)
      and not exists (select from raw.sensor) and not exists (select from raw.readings) as empty`;
  return row?.empty === true;
}

/** Loading and removing exclude each other; the lock ends with the connection. */
async function lockDemo(sql: Sql): Promise<void> {
  await sql`call raw.acquire_lock('airseries.demo')`;
}
