/** What a database contains of the demo, and deleting it. Runs in schema raw, as the owner. */
import type { Sql } from '../database/client.ts';
import { DEMO_PROVIDER, DEMO_PROVIDERS } from './network.ts';

/** Whether the demo's provider is there. */
export async function isDemo(sql: Sql): Promise<boolean> {
  const [row] = await sql`select exists (select from raw.provider where id = ${DEMO_PROVIDER}) as demo`;
  return row?.demo === true;
}

/** Whether there is neither a network nor a reading. */
export async function isEmpty(sql: Sql): Promise<boolean> {
  const [row] = await sql`
    select not exists (select from raw.provider) and not exists (select from raw.region) and not exists (select from raw.station)
      and not exists (select from raw.sensor) and not exists (select from raw.readings) as empty`;
  return row?.empty === true;
}

/** The network's time zone. */
export async function demoTimeZone(sql: Sql): Promise<string> {
  const [row] = await sql<{ zone: string }[]>`select time_zone as zone from raw.installation`;
  if (row === undefined) throw new Error('the database has no time zone recorded');
  return row.zone;
}

/** When the newest stored reading was measured; undefined without any. */
export async function newestReading(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<{ newest: string | null }[]>`select max(measured_at) as newest from raw.readings`;
  return row?.newest == null ? undefined : new Date(row.newest);
}

/** The database has other providers beside those of the demo. */
export class DemoRemovalRefused extends Error {}

/**
 * Deletes the demo in one transaction; the next refresh empties the aggregates. Rejects with DemoRemovalRefused if there are other
 * providers, and deletes nothing then.
 */
export async function deleteDemo(sql: Sql): Promise<void> {
  await refuseOtherProviders(sql);
  await sql.unsafe(DELETE).simple(); // sent as one, so it is one transaction
}

/** Readings first: the lock makes a feed in progress wait, which then finds no provider (feed.ts). */
const DELETE = `
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
  delete from raw.provider;
  select logic.raise_data_version();`;

async function refuseOtherProviders(sql: Sql): Promise<void> {
  const others = await sql<
    { id: string }[]
  >`select id from raw.provider where id not in ${sql(DEMO_PROVIDERS)} order by id`;
  if (others.length > 0) {
    const names = others.map(({ id }) => id).join(', ');
    throw new DemoRemovalRefused(
      `This database contains more than the demo (providers: ${names}), so nothing was removed.`,
    );
  }
}
