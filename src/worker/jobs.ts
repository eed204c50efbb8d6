/** Everything that happens by the clock (UTC): one table. Each run works from what is stored, so a run that was missed is made up for by the next. */
import type { Clock } from '../clock.ts';
import { onConnection, type Target } from '../database/client.ts';
import { feedDemoNetwork } from '../demo/lifecycle.ts';
import { type Cap, trimQuarantine } from '../ingest/quarantine/trim.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { screen } from '../network/screening.ts';
import { makePull } from '../pull/pullDue.ts';
import { audit, deleteOldDigests, maintain, makeDigest, refresh } from '../rollups/refresh.ts';
import { deleteExpired } from '../rollups/retention.ts';
import type { Confirm } from './leader.ts';

export type Job = {
  readonly name: string;
  /** Cron expression. */
  readonly schedule: string;
  run(): Promise<void>;
};

export type JobContext = {
  target: Target;
  timeZone: string;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** How long readings are kept, such as `400 days`; undefined: for ever. */
  retention: string | undefined;
  /** Hosts that readings may be pulled from. */
  pullHosts: readonly string[];
  /** Rejects where this process is no longer the worker. */
  confirm?: Confirm;
};

/** Those of one minute start in this order. */
export function makeJobs(context: JobContext): Job[] {
  const { target, clock, log, metrics, timeZone, pullHosts: hosts, confirm } = context;
  return [
    { name: 'demo feed', schedule: '* * * * *', run: () => feedDemoNetwork(target, clock()) },
    { name: 'pull', schedule: '* * * * *', run: makePull(target, clock, { hosts, log, metrics, timeZone, confirm }) },
    { name: 'refresh', schedule: '* * * * *', run: () => refreshAggregates(context) },
    { name: 'digest', schedule: '*/5 * * * *', run: async () => void (await makeDigest(target, clock())) },
    { name: 'screen', schedule: '4-59/10 * * * *', run: () => screenStations(context) },
    { name: 'trim quarantine', schedule: '7-59/10 * * * *', run: () => trimQuarantines(context) },
    { name: 'maintain', schedule: '17 0 * * *', run: () => maintainStorage(context) },
    { name: 'audit', schedule: '41 1 * * *', run: () => auditAggregates(context) },
  ];
}

async function refreshAggregates({ target, clock, metrics }: JobContext): Promise<void> {
  const started = performance.now();
  await refresh(target, clock());
  metrics.refreshDuration.observe((performance.now() - started) / 1_000);
}

async function screenStations({ target, clock, log }: JobContext): Promise<void> {
  const screened = await screen(target, clock());
  if (screened.raised + screened.lifted > 0) log.info(screened, 'screening: stations were flagged, or flags lifted');
}

/** Keeps the quarantine within its bounds. */
export async function trimQuarantines(
  { target, clock, log }: Pick<JobContext, 'target' | 'clock' | 'log'>,
  cap?: Partial<Cap>,
): Promise<void> {
  const options = { role: 'airseries_owner', name: 'airseries quarantine' } as const;
  const { expired, surplus } = await onConnection(target, options, (sql) => trimQuarantine(sql, clock(), cap));
  if (Object.keys(expired).length > 0) log.debug({ lines: expired }, 'lines of the quarantine were 90 days old');
  if (Object.keys(surplus).length > 0) {
    log.warn(
      { lines: surplus },
      'a provider exceeded its quarantine limits; the oldest lines were deleted, or the newest not recorded',
    );
  }
}

/** What is older than it need be goes, and the storage is kept in order. */
export async function maintainStorage({
  target,
  clock,
  retention,
  timeZone,
  log,
  metrics,
}: Omit<JobContext, 'pullHosts'>): Promise<void> {
  if (retention !== undefined) {
    const { isRefused } = await deleteExpired(target, clock(), retention, { log, timeZone });
    if (isRefused) metrics.retentionRefusals.inc();
  }
  await deleteOldDigests(target, clock());
  await maintain(target, clock());
}

export const AUDITED_DAYS = 35;

/** What it finds is recorded, reported by a metric, and left as it is. */
async function auditAggregates({ target, clock, timeZone, log }: JobContext): Promise<void> {
  const now = clock();
  const from = new Date(now.getTime() - AUDITED_DAYS * 86_400_000);
  const { found } = await audit(target, { now, from, timeZone });
  if (found.length === 0) return;
  log.error(
    { buckets: found.length, first: found.slice(0, 3) },
    'aggregates differ from the readings: run audit --repair',
  );
}
