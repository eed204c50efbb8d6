/** What each of the operator's commands does: from what was asked to what is said on stdout. */
import { readFile } from 'node:fs/promises';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Role, Sql } from './database/connect.ts';
import type { Installation } from './database/migrate.ts';
import type { Database } from './database/open.ts';
import { audit, rebuild, refresh } from './database/refresh.ts';
import { deleteReadings } from './ingest/deleteReadings.ts';
import { importReadings } from './ingest/importReadings.ts';
import { importNetwork } from './ingest/network/importNetwork.ts';
import { holdsDemo, loadDemo, takeDemoOut } from './jobs/demoNetwork.ts';
import { makeDigest } from './jobs/makeDigests.ts';
import type { Log } from './log.ts';

/** What was typed makes no sense; nothing was done. */
export class UsageError extends Error {}

export type Context = {
  config: Config;
  clock: Clock;
  log: Log;
  terminal: boolean;
  database: Database;
  installation: Installation;
  /** Works in a role on a connection that is closed afterwards. */
  as<T>(role: Role, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** An instant as the operator wrote it. */
  instant(option: string, text: string | undefined): Promise<Date | undefined>;
};

/** What a command found to say on stdout, and whether all is well. */
export type Outcome = { result: unknown; ok: boolean };
export type Command = (context: Context) => Promise<Outcome>;

export type Options = {
  from?: string | undefined;
  to?: string | undefined;
  sensor?: string | undefined;
  repair?: boolean | undefined;
};

/** A period must not end before it begins. */
function inOrder(from: Date | undefined, to: Date | undefined): [Date | undefined, Date | undefined] {
  if (from !== undefined && to !== undefined && from >= to) throw new UsageError('--from must be before --to');
  return [from, to];
}

export async function refreshCommand({ database, clock, instant }: Context, { from, to }: Options): Promise<Outcome> {
  const [since, until] = inOrder(await instant('from', from), await instant('to', to));
  if (since === undefined && until === undefined) await refresh(database.target, clock());
  else await rebuild(database.target, clock(), { from: since, to: until });
  return { result: { refreshed: true }, ok: true };
}

export async function digestCommand({ database, clock }: Context): Promise<Outcome> {
  const madeAt = await makeDigest(database.target, clock());
  return { result: { made_at: madeAt.toISOString() }, ok: true };
}

const AUDITED_DAYS = 35;

export async function auditCommand(
  { database, clock, instant, installation, log }: Context,
  options: Options,
): Promise<Outcome> {
  const now = clock();
  const start = (await instant('from', options.from)) ?? new Date(now.getTime() - AUDITED_DAYS * 86_400_000);
  const [from = start, to] = inOrder(start, await instant('to', options.to));
  const repair = options.repair === true;
  const { found, left } = await audit(database.target, { now, from, to, repair, timeZone: installation.timeZone });
  const told = repair ? `${found.length} buckets differed, ${left.length} still do` : `${found.length} buckets differ`;
  log.info(`${told} (aggregates of the months from ${from.toISOString()} on)`);
  return { result: repair ? { found, left } : found, ok: left.length === 0 };
}

export async function networkCommand({ database, as, clock, log }: Context, file: string): Promise<Outcome> {
  const text = await readFile(file, 'utf8');
  if (await holdsDemo(database.target)) {
    throw new Error('This database holds the demo network. Take it out first: npm run -s cli -- demo --remove');
  }
  const result = await as('airseries_owner', (sql) => importNetwork(sql, text, { now: clock(), log }));
  await refresh(database.target, clock());
  return { result, ok: true };
}

export async function readingsCommand(
  { database, as, clock, log, terminal }: Context,
  files: string[],
): Promise<Outcome> {
  const summary = await as('airseries_ingest', (sql) => importReadings(sql, files, { now: clock(), log, terminal }));
  await refresh(database.target, clock());
  return { result: summary, ok: !summary.failed };
}

export async function deleteCommand(
  { database, as, clock, instant }: Context,
  { sensor, from, to }: Options,
): Promise<Outcome> {
  const [since, until] = inOrder(await instant('from', from), await instant('to', to));
  if (since === undefined || until === undefined || !/^[1-9]\d{0,8}$/.test(sensor ?? '')) {
    throw new UsageError('delete readings needs --sensor (a number), --from and --to');
  }
  const deleted = await as('airseries_owner', (sql) =>
    deleteReadings(sql, { sensor: Number(sensor), from: since, to: until }),
  );
  await refresh(database.target, clock());
  return { result: { deleted }, ok: true };
}

export async function demoCommand(
  { database, config, installation, clock, log, terminal }: Context,
  remove: boolean,
): Promise<Outcome> {
  if (remove) {
    const removed = await takeDemoOut(database.target);
    await refresh(database.target, clock());
    return { result: { removed }, ok: true };
  }
  if (!database.embedded && config.demo !== 'on') {
    throw new Error('This is not the embedded server. If the demo network shall go into this database, set DEMO=on.');
  }
  await loadDemo(database.target, { timeZone: installation.timeZone, now: clock(), log, terminal });
  await refresh(database.target, clock());
  await makeDigest(database.target, clock());
  return { result: { loaded: true }, ok: true };
}
