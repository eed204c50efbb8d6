/**
 * Queries the database for the gauges that are collected at scrape time, and reuses the answers for some seconds. Collectors are
 * independent: if a query fails, its metrics are absent rather than old, and the failure is a metric itself.
 */
import type { Gauge } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { ApiDb } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';
import { singleFlight } from '../database/timeouts.ts';
import type { Log } from '../log.ts';
import { queryFreshness } from './adminApp.ts';
import { setUnknown } from './databaseGauges.ts';
import type { Metrics } from './definitions.ts';
import { beginAtZero } from './recorders.ts';

const queryProviders = (db: ApiDb, at: Date) =>
  db.selectFrom(apiRows('provider_state', { at }).as('p')).selectAll().execute();
const queryNewestBuckets = (db: ApiDb, at: Date) =>
  db.selectFrom(apiRows('newest_bucket', { at }).as('b')).selectAll().execute();
const queryLastAudit = (db: ApiDb) => db.selectFrom('api.last_audit').selectAll().executeTakeFirst();
const queryQuarantineLines = (db: ApiDb) => db.selectFrom('api.quarantine_lines').selectAll().execute();
const queryStorage = (db: ApiDb) => db.selectFrom('api.storage').selectAll().execute();

const KEEP_MS = 12_000;
/** Answers that cost the database more, and change slowly, are kept longer. */
const KEEP_LONG_MS = 300_000;

type Collector = {
  name: string;
  /** How long its answer is reused. */
  keepMs: number;
  /** Removes the values of its gauges. */
  clear(): void;
  /** Replaces the values of its gauges; rejects when the query fails. */
  collect(): Promise<void>;
};

/** From now on each scrape collects the database's gauges from `db`, unless one did within the last 12 seconds or, for some, 5 minutes. */
export function registerCollectors(metrics: Metrics, db: ApiDb, { clock, log }: { clock: Clock; log: Log }): void {
  const collectors = makeCollectors(metrics, db, clock);
  const failing = new Set<string>();
  const collectedAt = new Map<Collector, number>(); // without those that failed
  let askedAt = Number.NEGATIVE_INFINITY; // each gauge of a scrape asks

  const run = async (collector: Collector) => {
    const { name } = collector;
    try {
      await collector.collect();
      collectedAt.set(collector, performance.now());
      if (failing.delete(name)) log.info({ collector: name }, 'metrics are collected from the database again');
    } catch (error) {
      collector.clear();
      if (!failing.has(name)) {
        log.warn(
          { collector: name, error: (error as Error).message },
          'metrics could not be collected from the database; they are absent until they can be',
        );
      }
      failing.add(name);
    }
    metrics.collectorSuccess.set({ collector: name }, failing.has(name) ? 0 : 1);
  };
  const collectAll = singleFlight(async () => {
    const now = performance.now();
    await Promise.all(collectors.filter((each) => now - (collectedAt.get(each) ?? -Infinity) >= each.keepMs).map(run));
    askedAt = performance.now();
  });
  metrics.sources.collectDatabase = async () => {
    if (performance.now() - askedAt >= KEEP_MS) await collectAll();
  };
}

/** What a collector sets. A gauge without labels can't be emptied. */
type Gauges = {
  labelled?: readonly Pick<Gauge, 'reset'>[];
  unlabelled?: readonly Gauge[];
};

/** Clears the gauges only after the answer has come: another scrape may be reading them meanwhile. */
function makeCollector<Answer>(
  name: string,
  { labelled = [], unlabelled = [] }: Gauges,
  query: () => Promise<Answer>,
  set: (answer: Answer) => void,
  keepMs = KEEP_MS,
): Collector {
  const clear = () => {
    for (const gauge of labelled) gauge.reset();
    for (const gauge of unlabelled) setUnknown(gauge);
  };
  const collect = async () => {
    const answer = await query();
    clear();
    set(answer);
  };
  return { name, keepMs, clear, collect };
}

function makeCollectors(metrics: Metrics, db: ApiDb, clock: Clock): Collector[] {
  const seconds = (time: string) => Date.parse(time) / 1_000;
  const { newestReading, stations, newestBucket, quarantineLines, databaseSize } = metrics;
  const { refreshLastSuccess, digestTimestamp, auditDifferingBuckets, auditLastSuccess } = metrics;
  return [
    makeCollector(
      'providers',
      { labelled: [newestReading, stations] },
      () => queryProviders(db, clock()),
      (providers) => {
        for (const { provider, measurement_time: newest, online, offline } of providers) {
          beginAtZero(metrics, provider);
          if (newest !== null) newestReading.set({ provider }, seconds(newest));
          stations.set({ provider, status: 'online' }, online);
          stations.set({ provider, status: 'offline' }, offline);
        }
      },
    ),
    makeCollector(
      'newest_buckets',
      { labelled: [newestBucket] },
      () => queryNewestBuckets(db, clock()),
      (buckets) => {
        for (const { subject, resolution, timestamp } of buckets) {
          if (timestamp !== null) newestBucket.set({ subject, resolution }, seconds(timestamp));
        }
      },
    ),
    makeCollector(
      'quarantine',
      { labelled: [quarantineLines] },
      () => queryQuarantineLines(db),
      (waiting) => {
        for (const { reason, lines } of waiting) quarantineLines.set({ reason }, lines);
      },
      KEEP_LONG_MS,
    ),
    makeCollector(
      'storage',
      { labelled: [databaseSize] },
      () => queryStorage(db),
      (schemas) => {
        for (const { schema, bytes } of schemas) databaseSize.set({ schema }, bytes);
      },
      KEEP_LONG_MS,
    ),
    makeCollector(
      'refresh',
      { unlabelled: [refreshLastSuccess, digestTimestamp] },
      () => queryFreshness(db),
      ({ refreshed_at, digest_at }) => {
        if (refreshed_at !== null) refreshLastSuccess.set(seconds(refreshed_at));
        if (digest_at !== null) digestTimestamp.set(seconds(digest_at));
      },
    ),
    makeCollector(
      'audit',
      { unlabelled: [auditDifferingBuckets, auditLastSuccess] },
      () => queryLastAudit(db),
      (audit) => {
        if (audit === undefined) return;
        auditDifferingBuckets.set(audit.differing);
        auditLastSuccess.set(seconds(audit.made_at));
      },
    ),
  ];
}
