/**
 * The job that polls the providers that are due, one after the other. Starts and outcomes are stored in raw.pull, so another process
 * continues where this one stops.
 */
import type { Clock } from '../clock.ts';
import { type DatabaseAddress, onConnection, type Sql } from '../database/client.ts';
import { openIngestPool, POOL_SIZES } from '../database/pools.ts';
import type { QueryPool } from '../database/queryPool.ts';
import type { Log } from '../log.ts';
import { isAllowed, shownAddress } from './fetchDocument.ts';
import { type Pull, type PullOptions, pullProvider } from './pullProvider.ts';

type Options = Omit<PullOptions, 'clock'> & { log: Log; timeZone?: string };

/** Of failures in a row, the first is logged and then every tenth. */
const LOG_EVERY = 10;

/** Returns the job; it rejects only if the database cannot be reached. Run it every minute, and not twice at once. */
export function makePull(
  target: DatabaseAddress,
  clock: Clock,
  { log, timeZone = 'UTC', ...options }: Options,
): () => Promise<void> {
  const { hosts, metrics } = options;
  const refused = new Set<string>();
  const isPermitted = ({ provider, url }: Pull) => {
    if (isAllowed(url, hosts)) return true;
    const feed = `${provider} ${url}`;
    if (!refused.has(feed)) {
      log.warn(
        { provider, url: shownAddress(url) },
        'provider not polled: its host is not in PULL_HOSTS. Add it there and restart, or remove "pull" from the network file',
      );
    }
    refused.add(feed);
    return false;
  };
  const pullOne = async (owner: Sql, pool: QueryPool, pull: Pull) => {
    const { provider } = pull;
    try {
      const pulled = await pullProvider(pool, pull, { ...options, clock });
      if (pulled.accepted > 0) log.info({ provider, ...pulled }, 'readings pulled');
      else log.debug({ provider, ...pulled }, 'provider polled, nothing new');
      await owner`update raw.pull set succeeded_at = ${clock()}, failures = 0, error = null where provider_id = ${provider}`;
      metrics?.pulls.inc({ provider, outcome: 'success' });
    } catch (error) {
      const { message } = error as Error;
      const [row] = await owner<{ failures: number }[]>`
        update raw.pull set failures = failures + 1, error = ${message.replaceAll('\0', '\ufffd')}
        where provider_id = ${provider} returning failures`;
      metrics?.pulls.inc({ provider, outcome: 'failure' });
      const failures = row?.failures ?? 1;
      if (failures === 1 || failures % LOG_EVERY === 0) {
        log.warn({ provider, failures, error: message }, 'polling failed; retrying at the next interval');
      }
    }
  };
  const pullAll = async (owner: Sql) => {
    const minute = wholeMinute(clock());
    const due = (await findDue(owner, minute)).filter(isPermitted);
    if (due.length === 0) return;
    const pool = openIngestPool(target, { timeZone, max: POOL_SIZES.pull });
    try {
      for (const pull of due) {
        await owner`
          insert into raw.pull (provider_id, started_at) values (${pull.provider}, ${minute})
          on conflict (provider_id) do update set started_at = excluded.started_at`;
        await pullOne(owner, pool, pull);
      }
    } finally {
      await pool.close();
    }
  };
  return () => onConnection(target, { role: 'airseries_owner', name: 'airseries pull' }, pullAll);
}

/** The scheduler runs some milliseconds early or late: compared exactly, an interval of five minutes would become six. */
function wholeMinute(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000);
}

/** Providers to poll now, by id. A start in the future was recorded by a clock that was wrong, and makes a provider due. */
async function findDue(owner: Sql, now: Date): Promise<Pull[]> {
  return await owner<Pull[]>`
    select p.id as provider, p.pull ->> 'kind' as kind, p.pull ->> 'url' as url,
      (p.pull ->> 'sensor')::int as sensor
    from raw.provider p
    left join raw.pull last on last.provider_id = p.id
    where p.pull ->> 'url' is not null
      and (last.started_at is null or last.started_at > ${now} or last.started_at + (p.pull ->> 'every')::interval <= ${now})
    order by p.id`;
}
