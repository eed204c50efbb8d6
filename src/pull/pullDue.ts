/**
 * Every minute: ask the providers whose turn it is for their readings, one after the other. How it went is in raw.pull, so another
 * process carries on where this one ends.
 */
import type { Clock } from '../clock.ts';
import { type DatabaseAddress, onConnection, type Sql } from '../database/client.ts';
import { openWrites } from '../database/pools.ts';
import type { Accepted, WriteStats } from '../ingest/accept.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { recordIngest, recordWrite } from '../metrics/recorders.ts';
import { isAllowed, type Limits, shownAddress } from './fetchDocument.ts';
import { type Pull, type Pulled, pullProvider } from './pullProvider.ts';

type Options = {
  /** PULL_HOSTS: `host` or `host:port`. */
  hosts: readonly string[];
  log: Log;
  /** Absent: nothing is counted. */
  metrics?: Metrics;
  timeZone?: string;
  /** Smaller ones for tests. */
  limits?: Limits;
  /** Rejects where this process may not write any more. */
  confirm?: (() => Promise<void>) | undefined;
};

/** Of a row of failures the first is told, and then every tenth. */
const TELL_EACH = 10;

export function makePull(
  target: DatabaseAddress,
  clock: Clock,
  { hosts, log, metrics, timeZone = 'UTC', limits, confirm }: Options,
): () => Promise<void> {
  const toldOf = new Set<string>();
  const mayAsk = ({ provider, url }: Pull) => {
    if (isAllowed(url, hosts)) return true;
    const which = `${provider} ${url}`;
    if (!toldOf.has(which)) {
      log.warn(
        { provider, url: shownAddress(url) },
        'provider not polled: its host is not in PULL_HOSTS. Add it there and restart, or remove "pull" from the network file',
      );
    }
    toldOf.add(which);
    return false;
  };
  const work = async (owner: Sql) => {
    const minute = wholeMinute(clock());
    const due = (await whoIsDue(owner, minute)).filter(mayAsk);
    if (due.length === 0) return;
    const pool = openWrites(target, { timeZone, max: 1 });
    try {
      for (const pull of due) {
        await noteStart(owner, pull, minute);
        try {
          tell(
            log,
            pull,
            await pullProvider(pool, pull, { clock, hosts, limits, confirm, ...counting(metrics, pull) }),
          );
          await noteSuccess(owner, pull, clock());
        } catch (error) {
          const { message } = error as Error;
          const failures = await noteFailure(owner, pull, message);
          if (failures === 1 || failures % TELL_EACH === 0) {
            log.warn({ provider: pull.provider, failures, error: message }, NOT_PULLED);
          }
        }
      }
    } finally {
      await pool.close();
    }
  };
  return () => onConnection(target, { role: 'airseries_owner', name: 'airseries pull' }, work);
}

function counting(metrics: Metrics | undefined, { provider }: Pull) {
  if (metrics === undefined) return {};
  return {
    onBatch: (outcome: Accepted) => recordIngest(metrics, provider, outcome),
    onWrite: (written: WriteStats) => recordWrite(metrics, written),
  };
}

const NOT_PULLED = 'polling failed; retrying at the next interval';

/** The scheduler is some milliseconds early or late: counted exactly, every five minutes would become every six. */
function wholeMinute(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000);
}

/** Those that began in the future too, by a clock that was wrong then. */
async function whoIsDue(owner: Sql, now: Date): Promise<Pull[]> {
  return await owner<Pull[]>`
    select p.id as provider, p.pull ->> 'kind' as kind, p.pull ->> 'url' as url
    from raw.provider p
    left join raw.pull last on last.provider_id = p.id
    where p.pull ->> 'url' is not null
      and (last.started_at is null or last.started_at > ${now} or last.started_at + (p.pull ->> 'every')::interval <= ${now})
    order by p.id`;
}

async function noteStart(owner: Sql, { provider }: Pull, at: Date): Promise<void> {
  await owner`
    insert into raw.pull (provider_id, started_at) values (${provider}, ${at})
    on conflict (provider_id) do update set started_at = excluded.started_at`;
}

async function noteSuccess(owner: Sql, { provider }: Pull, at: Date): Promise<void> {
  await owner`update raw.pull set succeeded_at = ${at}, failures = 0, error = null where provider_id = ${provider}`;
}

/** Returns how many it are in a row. */
async function noteFailure(owner: Sql, { provider }: Pull, message: string): Promise<number> {
  const [row] = await owner<{ failures: number }[]>`
    update raw.pull set failures = failures + 1, error = ${message.replaceAll('\0', '\ufffd')}
    where provider_id = ${provider} returning failures`;
  return row?.failures ?? 1;
}

function tell(log: Log, { provider }: Pull, pulled: Pulled): void {
  if (pulled.accepted > 0) log.info({ provider, ...pulled }, 'readings pulled');
  else log.debug({ provider, ...pulled }, 'provider polled, nothing new');
}
