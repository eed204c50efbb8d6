/** The demo network in a running service: loaded into a fresh database, then fed every minute as if its sensors were alive. */
import { asOwner, type DatabaseAddress, type Sql } from '../database/client.ts';
import type { Log } from '../log.ts';
import { importNetwork } from '../network/importNetwork.ts';
import { feedDemo, loadDemoReadings } from './feed.ts';
import { DEMO_PROVIDER, DEMO_PROVIDERS, demoNetwork } from './network.ts';

export const DEMO_SEED = 20_261_120;
const SESSION = { name: 'airseries demo' };

type Options = { timeZone: string; now: Date; log: Log; terminal: boolean };

/** Whether the demo network should be put into this database: it was never in here, and nothing else is. */
export async function wantsDemo(target: DatabaseAddress): Promise<boolean> {
  return await asOwner(target, SESSION, async (sql) => {
    const [installation] = await sql`select demo from raw.installation`;
    return installation?.demo == null && (await isEmpty(sql));
  });
}

/** Loads network and history, or brings them up to now if they are there. Idempotent; an interrupted load is finished by the next. */
export async function loadDemo(target: DatabaseAddress, { timeZone, now, log, terminal }: Options): Promise<void> {
  await asOwner(target, SESSION, async (sql) => {
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
export async function takeDemoOut(target: DatabaseAddress): Promise<boolean> {
  return await asOwner(target, SESSION, async (sql) => {
    await lockDemo(sql);
    if (!(await isDemo(sql))) return false;
    await removeDemo(sql);
    return true;
  });
}

export async function holdsDemo(target: DatabaseAddress): Promise<boolean> {
  return await asOwner(target, SESSION, isDemo);
}

/** The minutes since it was fed last. Does nothing in a database without the demo. */
export async function feedDemoNetwork(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, SESSION, async (sql) => void (await feedDemo(sql, { now, seed: DEMO_SEED })));
}

/** Loading and taking out exclude each other; the lock goes with the connection. */
async function lockDemo(sql: Sql): Promise<void> {
  await sql`call raw.acquire_lock('airseries.demo')`;
}

/** Whether a database holds the demo, nothing, or somebody's real network; and how the demo leaves it. */

export async function isDemo(sql: Sql): Promise<boolean> {
  const [row] = await sql`select exists (select from raw.provider where id = ${DEMO_PROVIDER}) as demo`;
  return row?.demo === true;
}

/** No network and no readings. */
export async function isEmpty(sql: Sql): Promise<boolean> {
  const [row] = await sql`
    select not exists (select from raw.provider) and not exists (select from raw.region) and not exists (select from raw.station)
      and not exists (select from raw.sensor) and not exists (select from raw.readings) as empty`;
  return row?.empty === true;
}

export class NotTheDemo extends Error {}

/** As the owner, in one transaction: all or nothing. The next refresh empties the aggregates. */
export async function removeDemo(sql: Sql): Promise<void> {
  await refuseOthers(sql);
  await sql.unsafe(REMOVE).simple(); // sent as one, so it is one transaction
}

/** Readings first: the lock makes a feed in flight wait, and then it finds no provider (feed.ts). */
const REMOVE = `
  update raw.installation set demo = 'removed';
  truncate raw.readings;
  delete from raw.quarantine;
  delete from rollup.digest;
  delete from raw.membership;
  delete from raw.placement;
  delete from raw.station_region;
  delete from raw.hidden_period;
  delete from raw.flag_period;
  delete from raw.screened_period;
  delete from raw.correction;
  delete from raw.sensor_station;
  delete from raw.suspicious_period;
  delete from raw.sensor;
  delete from raw.station;
  delete from raw.region where kind = 'district';
  delete from raw.region;
  delete from raw.token;
  delete from raw.pull;
  delete from raw.provider;`;

async function refuseOthers(sql: Sql): Promise<void> {
  const others = await sql<
    { id: string }[]
  >`select id from raw.provider where id not in ${sql(DEMO_PROVIDERS)} order by id`;
  if (others.length > 0) {
    const names = others.map(({ id }) => id).join(', ');
    throw new NotTheDemo(`This database holds more than the demo (providers: ${names}), and nothing was removed.`);
  }
}

export async function demoTimeZone(sql: Sql): Promise<string> {
  const [row] = await sql<{ zone: string }[]>`select time_zone as zone from raw.installation`;
  if (row === undefined) throw new Error('the database has no time zone recorded');
  return row.zone;
}

export async function newestReading(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<{ newest: string | null }[]>`select max(measured_at) as newest from raw.readings`;
  return row?.newest == null ? undefined : new Date(row.newest);
}
