/**
 * The jobs of the core. Each run works from what is stored, so the next run makes up for one that
 * was missed, and two runs at once in two processes do no harm.
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { asOwner } from '../database/client.ts';
import { type Cap, trimQuarantine } from '../ingest/quarantine/trim.ts';
import { screen } from '../network/screening.ts';
import { audit } from './audit.ts';
import { deleteOldDigests, makeDigest } from './digest.ts';
import { deleteOldChanges, deleteOldWarnings, maintain, refresh } from './refresh.ts';
import { deleteExpired, deleteOldUndo } from './retention.ts';
import { checkZoneRules, type ZoneObserver } from './zoneRules.ts';

export type Job = {
  /** The label `task` of its metrics. */
  readonly name: string;
  /** A cron expression, in UTC. */
  readonly schedule: string;
  /** Runs once. `minute`: the one that was claimed for this run, by the clock of the database. */
  run(minute: Date): Promise<void>;
};

type JobContext = {
  target: DatabaseAddress;
  /** The installation's zone. */
  timeZone: string;
  clock: Clock;
  log: Log;
  /** How long readings are kept, such as `400 days`; undefined: forever. */
  retention: string | undefined;
  /** For how many days an imported file can be undone. */
  undoDays: number;
  zoneObserver?: ZoneObserver | undefined;
};

/** Every job of the core. Those due in the same minute start in this order. */
export function makeJobs(context: JobContext): Job[] {
  const { target, clock } = context;
  return [
    { name: 'refresh', schedule: '* * * * *', run: () => refreshAggregates(context) },
    {
      name: 'digest',
      schedule: '*/5 * * * *',
      run: async () => void (await makeDigest(target, clock())),
    },
    { name: 'screen', schedule: '4-59/10 * * * *', run: () => screenStations(context) },
    { name: 'trim_quarantine', schedule: '7-59/10 * * * *', run: () => trimQuarantines(context) },
    { name: 'zone_rules', schedule: '9 0 * * *', run: () => checkZoneRules(context) },
    { name: 'maintain', schedule: '17 0 * * *', run: () => maintainStorage(context) },
    { name: 'audit', schedule: '41 1 * * *', run: () => auditAggregates(context) },
  ];
}

async function refreshAggregates({ target, clock, log }: JobContext): Promise<void> {
  await refresh(target, clock, { log, terminal: false }, { lazily: true });
}

async function screenStations({ target, clock, log }: JobContext): Promise<void> {
  const screened = await screen(target, clock());
  if (screened.raised + screened.lifted > 0)
    log.info(screened, 'screening: stations were flagged, or flags lifted');
}

/** Deletes quarantined lines that are too old or too many, and logs their number by provider. */
export async function trimQuarantines(
  { target, clock, log }: Pick<JobContext, 'target' | 'clock' | 'log'>,
  cap?: Partial<Cap>,
): Promise<void> {
  const session = { name: 'airseries quarantine' };
  const { expired, surplus } = await asOwner(target, session, (sql) =>
    trimQuarantine(sql, clock(), cap),
  );
  if (Object.keys(expired).length > 0)
    log.debug({ lines: expired }, 'quarantined lines expired after 90 days');
  if (Object.keys(surplus).length > 0) {
    log.warn(
      { lines: surplus },
      'a provider exceeded its quarantine limits; the oldest lines were deleted, or the newest not recorded',
    );
  }
}

/**
 * Deletes a month of expired readings, if there is a retention, what undoing old imports would need,
 * and old digests, changes and warnings; then compresses what is at rest.
 */
export async function maintainStorage(context: JobContext): Promise<void> {
  const { target, clock, retention, undoDays, timeZone, log } = context;
  if (retention !== undefined) await deleteExpired(target, clock, retention, { log, timeZone });
  await deleteOldUndo(target, clock(), undoDays);
  await deleteOldDigests(target, clock());
  await deleteOldChanges(target, clock());
  await deleteOldWarnings(target, clock());
  await maintain(target, clock(), { log, terminal: false });
}

/** How far back the nightly audit looks, and the default of the command. */
export const AUDITED_DAYS = 35;

/** Differences are recorded, exported as a metric and logged, but not repaired. */
async function auditAggregates({ target, clock, timeZone, log }: JobContext): Promise<void> {
  const from = new Date(clock().getTime() - AUDITED_DAYS * 86_400_000);
  const options = { clock, from, timeZone, watcher: { log, terminal: false } };
  const { found, foundCount } = await audit(target, options);
  if (foundCount === 0) return;
  log.error(
    { buckets: foundCount, first: found.slice(0, 3) },
    'aggregates differ from the readings: run audit --repair',
  );
}
