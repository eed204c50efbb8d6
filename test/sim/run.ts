/** Plays steps against a database, and compares all buckets with the oracle after every refresh. */
import type { Sql } from '../../src/database/client.ts';
import { acceptReadings } from '../../src/ingest/accept.ts';
import { deleteReadings } from '../../src/ingest/deleteReadings.ts';
import { makeLog } from '../../src/log.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { maintain, refresh } from '../../src/rollups/refresh.ts';
import { LEVELS } from '../../src/schema/aggregates.ts';
import type { TestDatabase } from '../support/makeDatabase.ts';
import { FIRST, networkFile } from './network.ts';
import type { Step } from './steps.ts';

const NOW = new Date('2026-11-20T00:00:00Z');
const log = makeLog('silent');

export type Failure = { step: number; what: string };

/** The first step after which a bucket differs from the readings, or undefined. */
export async function playSteps(
  database: TestDatabase,
  steps: readonly Step[],
  onStep?: (step: number) => void,
): Promise<Failure | undefined> {
  const owner = database.as('airseries_owner', 'UTC');
  const ingest = database.as('airseries_ingest', 'UTC');
  const superuser = database.superuser();
  await importNetwork(owner, networkFile(FIRST, database.timeZone), { log });
  for (const [index, step] of steps.entries()) {
    onStep?.(index);
    const last = index === steps.length - 1;
    await play({ database, owner, ingest, superuser }, step, index, last);
    if (step.then === 'nothing' && !last) continue;
    const wrong =
      await owner`select level, bucket, subject, columns from logic.differences('-infinity', 'infinity') limit 3`;
    if (wrong.length > 0) return { step: index, what: wrong.map((row) => JSON.stringify(row)).join('\n') };
  }
  return undefined;
}

type Play = { database: TestDatabase; owner: Sql; ingest: Sql; superuser: Sql };

async function play(of: Play, step: Step, index: number, last: boolean): Promise<void> {
  const { target, timeZone } = of.database;
  const change = async () => {
    if (step.network) await importNetwork(of.owner, networkFile(step.network, timeZone), { log });
    for (const { sensor, from, to } of step.remove ?? []) {
      await deleteReadings(of.owner, { sensor, from: new Date(from), to: new Date(to) });
    }
    const rows = step.write?.map(({ sensor, at, values }) => ({ sensorId: sensor, measuredAt: at, values, text: '' }));
    if (rows) await acceptReadings(of.ingest, rows, { now: NOW, source: 'sim' });
  };
  if (step.then === 'race') await Promise.all([change(), refresh(target, NOW), refresh(target, NOW)]);
  else await change();
  if (step.then === 'kill') await killedRefresh(of, index);
  if (step.then !== 'nothing' || last) await refresh(target, NOW);
  if (step.compress) await maintain(target, NOW);
}

/** A refresh whose connection is terminated while it works; the next one must complete it, wherever it was. */
async function killedRefresh({ database, superuser }: Play, index: number): Promise<void> {
  let finished = false;
  const killed = refresh(database.target, NOW)
    .catch(() => undefined)
    .finally(() => {
      finished = true;
    });
  const working = () => superuser`select pid from pg_stat_activity
    where datname = current_database() and application_name = 'airseries refresh'`;
  while (!finished && (await working()).length === 0);
  for (let further = index % 40; !finished && further > 0; further--) await superuser`select 1`; // not always at the start
  await superuser`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'airseries refresh'`;
  await killed;
}

/** Every bucket of every level, to compare engines with each other. `sql` must be allowed to read them. */
export async function allBuckets(sql: Sql): Promise<Map<string, Record<string, unknown>>> {
  const buckets = new Map<string, Record<string, unknown>>();
  for (const { name } of LEVELS) {
    for (const row of await sql`select * from ${sql(`rollup.${name}`)}`) {
      buckets.set([name, row.bucket, row.sensor_id, row.station_id, row.region_slug].join(' '), row);
    }
  }
  return buckets;
}
