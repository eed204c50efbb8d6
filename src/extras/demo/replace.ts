/**
 * Takes the demo out of a database for good: all our schemas are dropped, so that nothing invented
 * is left, and the migrations begin again.
 */
import type { Sql, TransactionSql } from '../../database/client.ts';
import { findDependents } from '../../schema/dependents.ts';
import { isDemo } from './demo.ts';
import { DEMO_PROVIDERS } from './network.ts';

/** Ours, and those that a rebuild which was interrupted may have left. */
const SCHEMAS = [
  'api',
  'logic',
  'rollup',
  'raw',
  'api_old',
  'logic_old',
  'rollup_old',
  'rollup_next',
];

/**
 * Drops everything in one transaction: the network and its readings, aggregates and recorded hours,
 * tokens, the quarantine, what retention has set, zone and epoch. Does nothing where there is no
 * demo. Rejects, with a remedy, where a service runs on the database, where it has more than the
 * demo, or where something of an operator depends on it; and as `zone` does. `sql` is a connection
 * of the user who migrates, with the lock of migrations: a service that starts meanwhile waits for
 * it.
 */
export async function clearDemo(sql: Sql, zone?: () => Promise<string>): Promise<void> {
  if (!(await isDemo(sql))) return;
  await zone?.();
  await sql.begin(async (transaction) => {
    await transaction`set local role airseries_owner`;
    await refuseMore(transaction as unknown as Sql);
    await refuseService(transaction as unknown as Sql);
    await refuseDependents(transaction as unknown as TransactionSql);
    await transaction.unsafe(`drop schema if exists ${SCHEMAS.join(', ')} cascade`);
  });
}

async function refuseMore(sql: Sql): Promise<void> {
  const providers = await sql<{ id: string }[]>`select id from raw.provider order by id`;
  const others = providers.map(({ id }) => id).filter((id) => !DEMO_PROVIDERS.includes(id));
  if (others.length === 0) return;
  throw new Error(
    `This database contains more than the demo (providers: ${others.join(', ')}), so nothing was removed.`,
  );
}

/**
 * A process keeps the zone that it has read at its start. A service always has a session: it asks
 * for the data version every second.
 */
async function refuseService(sql: Sql): Promise<void> {
  const sessions = await sql<{ pid: number; name: string }[]>`
    select pid, application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name like 'airseries%' and application_name <> 'airseries probe'`;
  const [first] = sessions;
  if (first === undefined) return;
  throw new Error(
    `A service or another command of airseries uses this database (${sessions.length} sessions, such as "${first.name}"), ` +
      'and would go on with what it has read of the demo. Stop it, then run this command again; nothing was changed.',
  );
}

/** A trigger counts as an operator's, whatever its table. */
const OUR_TRIGGER = /^trigger note_\w+ on table raw\.readings$/;

/** Views, functions and privileges would be dropped with our schemas. */
async function refuseDependents(sql: TransactionSql): Promise<void> {
  const { objects, grants } = await findDependents(sql, SCHEMAS);
  const others = objects.filter(({ what }) => !OUR_TRIGGER.test(what));
  const dropped = [...others.map(({ what, owner }) => `${what} (owner ${owner})`), ...grants];
  if (dropped.length === 0) return;
  throw new Error(
    `This depends on the database's schemas, and would be dropped with the demo:\n${dropped.join('\n')}\n` +
      'Nothing was changed. Keep the definition of each (psql: \\d+, \\sf), drop or revoke it, run this command again, and create it ' +
      'once more.',
  );
}
