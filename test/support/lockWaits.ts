/** The sessions of a database that wait for a lock. */
import type { Sql } from '../../src/database/client.ts';
import { until } from './patience.ts';

type Waiting = {
  pid: number;
  /** When its statement began, as text, and how long ago. */
  began: string;
  seconds: number;
};

/**
 * The waiting sessions of an application whose statement matches a regular expression; by default
 * all. `watcher` is a superuser's connection to the database.
 */
export function lockWaits(
  watcher: Sql,
  { of, at = '' }: { of?: string; at?: string },
): Promise<Waiting[]> {
  return watcher<Waiting[]>`
    select pid, query_start::text as began,
      extract(epoch from clock_timestamp() - query_start)::float8 as seconds
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and application_name = coalesce(${of ?? null}::text, application_name) and query ~ ${at}`;
}

/** Resolves once so many sessions wait, of an application or of any. */
export const untilWaiting = (watcher: Sql, { of, many = 1 }: { of?: string; many?: number } = {}) =>
  until(
    async () => (await lockWaits(watcher, of === undefined ? {} : { of })).length === many,
    `${many} wait for a lock`,
  );
