/**
 * Every worker schedules every job, and each run is claimed by one statement: the worker that
 * writes the minute runs the job, and the others find it written. A worker that dies costs at most
 * the run it was in; no worker is elected, and none has to notice.
 */

import type { DatabaseAddress } from '../database/address.ts';
import { asOwner } from '../database/client.ts';

/**
 * Resolves to the minute that this process has claimed, by the server's clock; undefined where
 * another process has it.
 */
export type Claim = (job: string) => Promise<Date | undefined>;

/**
 * The minute is named by the clock of the database, since that is the only one that all workers
 * share: with their own, a worker whose clock is two minutes ahead and one whose clock is right
 * would both run, and poll a feed twice. It is rounded, because a worker whose clock is some
 * seconds off, or whose timer is late, means the same minute. Another minute than the last may be
 * claimed, a later one or an earlier one: the clock of a server may be set back.
 */
export const claimsOn =
  (target: DatabaseAddress): Claim =>
  (job) =>
    asOwner(target, { name: 'airseries claim' }, async (sql) => {
      const [row] = await sql<{ minute: string }[]>`
        insert into raw.job_run as last (job, minute)
        values (${job}, date_trunc('minute', clock_timestamp() + interval '30 seconds'))
        on conflict (job) do update set minute = excluded.minute where last.minute <> excluded.minute
        returning minute`;
      return row === undefined ? undefined : new Date(row.minute);
    });
