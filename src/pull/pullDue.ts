/**
 * The job that polls the providers that are due, one after the other. Starts and outcomes are stored in raw.pull, so another process
 * continues where this one stops.
 */
import type { Clock } from '../clock.ts';
import { type DatabaseAddress, onConnection, type Sql } from '../database/client.ts';
import { openIngestPool } from '../database/pools.ts';
import type { Accepted, WriteStats } from '../ingest/accept.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { recordIngest, recordWrite } from '../metrics/recorders.ts';
import { type FetchLimits, isAllowed, shownAddress } from './fetchDocument.ts';
import { type Pull, type Pulled, pullProvider } from './pullProvider.ts';

type Options = {
  /** PULL_HOSTS: `host` or `host:port`. */
  hosts: readonly string[];
  log: Log;
  /** Absent: nothing is counted. */
  metrics?: Metrics;
  timeZone?: string;
  /** Smaller ones for tests. */
  limits?: FetchLimits;
  /** Rejects if this process may no longer write. */
  confirm?: (() => Promise<void>) | undefined;
};

/** Of failures in a row, the first is logged and then every tenth. */
const LOG_EVERY = 10;

/** Returns the job; it rejects only if the database cannot be reached. Run it every minute, and not twice at once. */
export function makePull(
  target: DatabaseAddress,
  clock: Clock,
  { hosts, log, metrics, timeZone = 'UTC', limits, confirm }: Options,
): () => Promise<void> {
  const logged = new Set<string>();
  const isPermitted = ({ provider, url }: Pull) => {
    if (isAllowed(url, hosts)) return true;
    const feed = `${provider} ${url}`;
    if (!logged.has(feed)) {
      log.warn(
        { provider, url: shownAddress(url) },
        'provider not polled: its host is not in PULL_HOSTS. Add it there and restart, or remove "pull" from the network file',
      );
    }
    logged.add(feed);
    return false;
  };
  const pullAll = async (owner: Sql) => {
    const minute = wholeMinute(clock());
    const due = (await findDue(owner, minute)).filter(isPermitted);
    if (due.length === 0) return;
    const pool = openIngestPool(target, { timeZone, max: 1 });
    try {
      for (const pull of due) {
        await recordStart(owner, pull, minute);
        try {
          const options = { clock, hosts, limits, confirm, ...observers(metrics, pull) };
          logPulled(log, pull, await pullProvider(pool, pull, options));
          await recordSuccess(owner, pull, clock());
          metrics?.pulls.inc({ provider: pull.provider, outcome: 'success' });
        } catch (error) {
          const { message } = error as Error;
          const failures = await recordFailure(owner, pull, message);
          metrics?.pulls.inc({ provider: pull.provider, outcome: 'failure' });
          if (failures === 1 || failures % LOG_EVERY === 0) {
            const fields = { provider: pull.provider, failures, error: message };
            log.warn(fields, 'polling failed; retrying at the next interval');
          }
        }
      }
    } finally {
      await pool.close();
    }
  };
  return () => onConnection(target, { role: 'airseries_owner', name: 'airseries pull' }, pullAll);
}

function observers(metrics: Metrics | undefined, { provider }: Pull) {
  if (metrics === undefined) return {};
  return {
    onBatch: (outcome: Accepted) => recordIngest(metrics, provider, outcome),
    onWrite: (written: WriteStats) => recordWrite(metrics, written),
  };
}

/** The scheduler runs some milliseconds early or late: compared exactly, an interval of five minutes would become six. */
function wholeMinute(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000);
}

/** Providers to poll now, by id. A start in the future was recorded by a clock that was wrong, and makes a provider due. */
async function findDue(owner: Sql, now: Date): Promise<Pull[]> {
  return await owner<Pull[]>`
    select p.id as provider, p.pull ->> 'kind' as kind, p.pull ->> 'url' as url
    from raw.provider p
    left join raw.pull last on last.provider_id = p.id
    where p.pull ->> 'url' is not null
      and (last.started_at is null or last.started_at > ${now} or last.started_at + (p.pull ->> 'every')::interval <= ${now})
    order by p.id`;
}

async function recordStart(owner: Sql, { provider }: Pull, at: Date): Promise<void> {
  await owner`
    insert into raw.pull (provider_id, started_at) values (${provider}, ${at})
    on conflict (provider_id) do update set started_at = excluded.started_at`;
}

async function recordSuccess(owner: Sql, { provider }: Pull, at: Date): Promise<void> {
  await owner`update raw.pull set succeeded_at = ${at}, failures = 0, error = null where provider_id = ${provider}`;
}

/** Returns how many failures in a row there were. */
async function recordFailure(owner: Sql, { provider }: Pull, message: string): Promise<number> {
  const [row] = await owner<{ failures: number }[]>`
    update raw.pull set failures = failures + 1, error = ${message.replaceAll('\0', '\ufffd')}
    where provider_id = ${provider} returning failures`;
  return row?.failures ?? 1;
}

function logPulled(log: Log, { provider }: Pull, pulled: Pulled): void {
  if (pulled.accepted > 0) log.info({ provider, ...pulled }, 'readings pulled');
  else log.debug({ provider, ...pulled }, 'provider polled, nothing new');
}
