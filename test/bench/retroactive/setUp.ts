/** What is done before anything is measured: two years of readings, at rest as they would be after two years. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabaseAddress, onConnection, type Sql } from '../../../src/database/client.ts';
import { maintain } from '../../../src/rollups/refresh.ts';
import { makeHome } from '../../support/program.ts';
import { NOW } from './network.ts';
import { writeReadings } from './readings.ts';

/** A folder that is kept, or one that is removed at the end. */
export function openHome(kept: string | undefined): { folder: string; dataDirectory: string; remove(): void } {
  if (kept === undefined) {
    const { folder, environment, remove } = makeHome();
    return { folder, dataDirectory: environment.DATA_DIR as string, remove };
  }
  mkdirSync(kept, { recursive: true });
  chmodSync(kept, 0o755); // as root, the server runs as another user and must get in
  return { folder: kept, dataDirectory: join(kept, 'data'), remove: () => undefined };
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

export async function tell(what: string, work: () => Promise<unknown>): Promise<void> {
  console.log(`${what.padEnd(44)} ${(await seconds(work)).toFixed(1).padStart(7)} s`);
}

type Load = {
  target: DatabaseAddress;
  folder: string;
  extent: { stations: number; days: number };
  importNetwork(): Promise<unknown>;
  cli(...words: string[]): Promise<unknown>;
};

/** In a folder that was kept the readings are there already, and the network becomes again what it was before the changes. */
export async function load({ target, folder, extent, importNetwork, cli }: Load): Promise<void> {
  await tell('import network', importNetwork);
  const [has] = await onConnection(target, {}, (sql) => sql`select exists (select from raw.readings) as readings`);
  if (has?.readings !== true) {
    const file = join(folder, 'readings.csv.gz');
    const readings = await writeReadings(file, extent);
    await tell(`import ${readings.toLocaleString('en')} readings, refreshed`, () => cli('import', 'readings', file));
  }
  await tell('nightly compression', () => maintain(target, NOW));
  // what two years of autovacuum would have done
  await tell('vacuum and analyze', () => onConnection(target, {}, (sql) => sql`vacuum (analyze)`));
  await cli('digest');
}

/** Of every statement over a second, in the server's log. */
export async function askForPlans(sql: Sql): Promise<void> {
  await sql`alter system set session_preload_libraries = 'auto_explain'`;
  await sql`load 'auto_explain'`;
  await sql`alter system set auto_explain.log_min_duration = '1s'`;
  await sql`alter system set auto_explain.log_nested_statements = on`;
  await sql`select pg_reload_conf()`;
}
