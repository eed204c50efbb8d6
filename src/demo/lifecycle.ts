/** The demo network in a running service: loaded into a fresh database, then fed every minute as if its sensors were alive. */
import { onConnection, type Sql, type Target } from '../database/client.ts';
import type { Log } from '../log.ts';
import { importNetwork } from '../network/importNetwork.ts';
import { feedDemo } from './feed.ts';
import { loadDemoReadings } from './load.ts';
import { demoNetwork } from './network.ts';
import { isDemo, isEmpty, removeDemo } from './state.ts';

export const DEMO_SEED = 20_261_120;

type Options = { timeZone: string; now: Date; log: Log; terminal: boolean };

/** Whether the demo network should be put into this database: it was never in here, and nothing else is. */
export async function wantsDemo(target: Target): Promise<boolean> {
  return await asOwner(target, async (sql) => {
    const [installation] = await sql`select demo from raw.installation`;
    return installation?.demo == null && (await isEmpty(sql));
  });
}

/** Loads network and history, or brings them up to now if they are there. Idempotent; an interrupted load is finished by the next. */
export async function loadDemo(target: Target, { timeZone, now, log, terminal }: Options): Promise<void> {
  await asOwner(target, async (sql) => {
    await lockDemo(sql);
    if (await isDemo(sql)) {
      const added = await feedDemo(sql, { now, seed: DEMO_SEED });
      if (added > 0) log.info({ readings: added }, 'demo network caught up');
      return;
    }
    if (!(await isEmpty(sql))) {
      throw new Error('The demo network goes into an empty database only, and this one holds a network or readings.');
    }
    log.info('loading the demo network: invented places, two years of invented readings (DEMO=off leaves it out)');
    await importNetwork(sql, JSON.stringify(demoNetwork(timeZone)), { log });
    await sql`update raw.installation set demo = 'loaded'`;
    await loadDemoReadings(sql, { now, seed: DEMO_SEED, log, terminal });
  });
}

/** Takes it out again, for good: it does not come back at the next start. The aggregates follow with the next refresh. */
export async function takeDemoOut(target: Target): Promise<boolean> {
  return await asOwner(target, async (sql) => {
    await lockDemo(sql);
    if (!(await isDemo(sql))) return false;
    await removeDemo(sql);
    return true;
  });
}

export async function holdsDemo(target: Target): Promise<boolean> {
  return await asOwner(target, isDemo);
}

/** The minutes since it was fed last. Does nothing in a database without the demo. */
export async function feedDemoNetwork(target: Target, now: Date): Promise<void> {
  await asOwner(target, async (sql) => void (await feedDemo(sql, { now, seed: DEMO_SEED })));
}

/** Loading and taking out exclude each other; the lock goes with the connection. */
async function lockDemo(sql: Sql): Promise<void> {
  await sql`call raw.acquire_lock('airseries.demo')`;
}

function asOwner<T>(target: Target, work: (sql: Sql) => Promise<T>): Promise<T> {
  return onConnection(target, { role: 'airseries_owner', name: 'airseries demo' }, work);
}
