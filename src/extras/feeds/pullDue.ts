/**
 * The job that polls the providers that are due, those that last answered first. After failures a
 * feed is polled less and less often, and not before it says. Starts and outcomes are stored in
 * raw.pull, so another process continues where this one stops.
 */
import type { Job } from '../../aggregate/jobs.ts';
import type { Clock } from '../../base/clock.ts';
import { InputError } from '../../base/inputError.ts';
import type { Log } from '../../base/log.ts';
import type { DatabaseAddress } from '../../database/address.ts';
import { onConnection, type Sql } from '../../database/client.ts';
import { openIngestPool } from '../../database/pools.ts';
import type { QueryPool } from '../../database/queryPool.ts';
import { FailedResponse, isAllowed, shownAddress } from './fetchDocument.ts';
import type { PullCounter } from './pullCounter.ts';
import { type Pull, type PullOptions, pullProvider } from './pullProvider.ts';
import { WithoutReadings } from './withoutReadings.ts';

type Options = Omit<PullOptions, 'clock'> & {
  log: Log;
  timeZone?: string;
  /** Absent: polls are not counted. */
  pulls?: PullCounter | undefined;
};

/** The first of several failures in a row is logged, and then every tenth. */
const LOG_EVERY = 10;
/** Documents are large, and a feed that hangs must not hold up the others. */
const FEEDS_AT_ONCE = 4;
const LONGEST_RETRY_AFTER_MS = 1_800_000;

const NOT_ALLOWED =
  'its host is not in PULL_HOSTS. Add it there and restart, or remove "pull" from the network file';

/**
 * A feed may have nothing new for this many intervals, and for as long as its stations count as
 * current: beyond that, its numbers are gone from the API, and somebody must look.
 */
const QUIET_INTERVALS = 12;

/** A feed that is to be polled, and how old its newest reading may be. */
type Due = Pull & { quietMs: number };

/** Says that a feed answers well, and has had nothing new for long; undefined: it has. */
const describeQuiet = (
  newest: Date | undefined,
  now: Date,
  { quietMs }: Due,
): string | undefined => {
  if (newest === undefined)
    return 'it answers, but none of its readings could be stored yet: "quarantine list" says why';
  if (now.getTime() - newest.getTime() <= quietMs) return undefined;
  const since = newest.toISOString().replace(/\.\d+/, '');
  return `it answers, but has had nothing new since ${since}. Open the address yourself, and ask the provider`;
};

/**
 * The job of the feeds. It rejects, once all were polled, for a fault of the database or of ours,
 * which does not count against the provider.
 */
export const pullJob = (target: DatabaseAddress, clock: Clock, options: Options): Job => ({
  name: 'pull',
  schedule: '* * * * *',
  run: makePull(target, clock, options),
});

/**
 * Returns the run of a minute, by the clock of the database: the machine's runs some milliseconds
 * early or late, and an interval of five minutes would become six. Run it every minute, and not
 * twice at once.
 */
export function makePull(
  target: DatabaseAddress,
  clock: Clock,
  { log, timeZone = 'UTC', pulls, ...options }: Options,
): (minute: Date) => Promise<void> {
  const { hosts } = options;
  const refused = new Set<string>();
  const hinted = new Set<string>();
  const quiet = new Set<string>();
  /**
   * Logged and recorded once; the feed stays due, so that it is polled as soon as the host is
   * added.
   */
  const refuse = async (owner: Sql, { provider, url }: Pull) => {
    const feed = `${provider} ${url}`;
    if (refused.has(feed)) return;
    refused.add(feed);
    log.warn({ provider, url: shownAddress(url) }, `provider not polled: ${NOT_ALLOWED}`);
    await owner`
      insert into raw.pull (provider_id, started_at, failures, error) values (${provider}, '-infinity', 1, ${NOT_ALLOWED})
      on conflict (provider_id) do update set failures = greatest(pull.failures, 1), error = excluded.error, retry_at = null`;
  };
  const pullOne = async (owner: Sql, pool: QueryPool, pull: Due) => {
    const { provider } = pull;
    try {
      const { hints, newest, ...pulled } = await pullProvider(pool, pull, { ...options, clock });
      if (hints.length > 0 && !hinted.has(provider)) {
        hinted.add(provider); // every document of a feed has the same
        log.warn({ provider, hints }, 'readings pulled, perhaps not as they are meant');
      }
      if (pulled.accepted > 0) log.info({ provider, ...pulled }, 'readings pulled');
      else log.debug({ provider, ...pulled }, 'provider polled, nothing new');
      const error = describeQuiet(newest, clock(), pull) ?? null;
      if (error !== null && !quiet.has(provider))
        log.warn({ provider, error }, 'feed has nothing new');
      if (error === null) quiet.delete(provider);
      else quiet.add(provider);
      await owner`
        update raw.pull set succeeded_at = ${clock()}, failures = 0, error = ${error}, retry_at = null where provider_id = ${provider}`;
      pulls?.inc({ provider, outcome: error === null ? 'success' : 'quiet' });
    } catch (error) {
      if (!(error instanceof InputError)) throw error; // the provider has answered well
      const { message } = error;
      const asked =
        error instanceof FailedResponse ? retryInstant(error.retryAfter, clock()) : null;
      const [row] = await owner<{ failures: number; retry_at: string }[]>`
        update raw.pull set failures = failures + 1, error = ${message.replaceAll('\0', '\ufffd')},
          retry_at = case when not ${error instanceof WithoutReadings}::boolean then
            greatest(started_at + least(every * 2 ^ least(failures, 9), greatest(every, '15 minutes')), ${asked}::timestamptz) end
        from (select (pull ->> 'every')::interval as every from raw.provider where id = ${provider}) feed
        where provider_id = ${provider} returning failures, retry_at`;
      pulls?.inc({ provider, outcome: 'failure' });
      const { failures = 1, retry_at } = row ?? {};
      if (failures === 1 || failures % LOG_EVERY === 0) {
        log.warn(
          { provider, failures, retry_at, error: message },
          'polling failed; it will be retried',
        );
      }
    }
  };
  const pullAll = async (owner: Sql, minute: Date) => {
    const all = await findDue(owner, minute);
    const due = all.filter(({ url }) => isAllowed(url, hosts));
    for (const pull of all) if (!due.includes(pull)) await refuse(owner, pull);
    if (due.length === 0) return;
    const pool = openIngestPool(target, { timeZone, max: 1 });
    const waiting = due.values();
    const faults: unknown[] = [];
    const pullWaiting = async () => {
      for (const pull of waiting) {
        await owner`
          insert into raw.pull (provider_id, started_at) values (${pull.provider}, ${minute})
          on conflict (provider_id) do update set started_at = excluded.started_at`;
        await pullOne(owner, pool, pull).catch((error) => faults.push(error));
      }
    };
    try {
      await Promise.all(Array.from({ length: FEEDS_AT_ONCE }, pullWaiting));
      if (faults.length > 0) throw faults[0];
    } finally {
      await pool.close();
    }
  };
  return (minute) =>
    onConnection(target, { role: 'airseries_owner', name: 'airseries pull' }, (owner) =>
      pullAll(owner, minute),
    );
}

/**
 * When a header Retry-After, of seconds or a date, allows the next request; at most half an hour
 * from now. Null: it says nothing.
 */
function retryInstant(header: string | null, now: Date): Date | null {
  const asked = /^\d+$/.test(header ?? '')
    ? now.getTime() + Number(header) * 1_000
    : Date.parse(header ?? '');
  return Number.isNaN(asked)
    ? null
    : new Date(Math.min(asked, now.getTime() + LONGEST_RETRY_AFTER_MS));
}

/**
 * Providers to poll now, in the order to start them. A start in the future was recorded by a clock
 * that was wrong, and makes a provider due.
 */
async function findDue(owner: Sql, now: Date): Promise<Due[]> {
  return await owner<Due[]>`
    select p.id as provider, p.pull ->> 'url' as url, p.pull as declared,
      extract(epoch from greatest((p.pull ->> 'every')::interval * ${QUIET_INTERVALS}::int, p.stale_after))::float8 * 1e3 as "quietMs"
    from raw.provider p
    left join raw.pull last on last.provider_id = p.id
    where p.pull ->> 'url' is not null
      and (last.started_at is null or last.started_at > ${now}
        or greatest(last.started_at + (p.pull ->> 'every')::interval, last.retry_at) <= ${now})
    order by coalesce(last.failures, 0), p.id`;
}
