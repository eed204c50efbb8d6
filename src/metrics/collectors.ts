/**
 * Queries the database for the gauges that are collected at scrape time, and reuses the answers for some seconds. Collectors are
 * independent: if a query fails, its metrics are absent rather than old, and the failure is a metric itself.
 */
import type { Gauge } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { ApiDb } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';
import { singleFlight } from '../database/waiting.ts';
import type { Log } from '../log.ts';
import { queryFreshness } from './adminApp.ts';
import { type DatabaseGauges, setUnknown } from './databaseGauges.ts';
import type { Metrics } from './definitions.ts';

const queryProviders = (db: ApiDb, at: Date) =>
  db.selectFrom(apiRows('provider_state', { at }).as('p')).selectAll().execute();
const queryNewestBuckets = (db: ApiDb, at: Date) =>
  db.selectFrom(apiRows('newest_bucket', { at }).as('b')).selectAll().execute();
const queryLastAudit = (db: ApiDb) => db.selectFrom('api.last_audit').selectAll().executeTakeFirst();
const queryQuarantineLines = (db: ApiDb) => db.selectFrom('api.quarantine_lines').selectAll().execute();
const queryStorage = (db: ApiDb) => db.selectFrom('api.storage').selectAll().execute();

const KEEP_MS = 12_000;

type Collector = {
  name: string;
  /** Removes the values of its gauges. */
  clear(): void;
  /** Replaces the values of its gauges; rejects when the query fails. */
  collect(): Promise<void>;
};

/** From now on each scrape collects the database's gauges from `db`, unless one did within the last 12 seconds. */
export function registerCollectors(metrics: Metrics, db: ApiDb, { clock, log }: { clock: Clock; log: Log }): void {
  const collectors = makeCollectors(metrics, db, clock);
  const failing = new Set<string>();
  let collectedAt = Number.NEGATIVE_INFINITY;

  const run = async (collector: Collector) => {
    const { name } = collector;
    try {
      await collector.collect();
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
    await Promise.all(collectors.map(run));
    collectedAt = performance.now();
  });
  metrics.sources.collectDatabase = async () => {
    if (performance.now() - collectedAt >= KEEP_MS) await collectAll();
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
  return { name, clear, collect };
}

function makeCollectors(gauges: DatabaseGauges, db: ApiDb, clock: Clock): Collector[] {
  const seconds = (time: string) => Date.parse(time) / 1_000;
  const age = (time: string) => clock().getTime() / 1_000 - seconds(time);
  const { newestReadingAge, stations, newestBucketAge, quarantineLines, databaseSize } = gauges;
  const { refreshLastSuccess, auditDifferingBuckets, auditLastSuccess } = gauges;
  return [
    makeCollector(
      'providers',
      { labelled: [newestReadingAge, stations] },
      () => queryProviders(db, clock()),
      (providers) => {
        for (const { provider, measurement_time: newest, online, offline } of providers) {
          if (newest !== null) newestReadingAge.set({ provider }, age(newest));
          stations.set({ provider, status: 'online' }, online);
          stations.set({ provider, status: 'offline' }, offline);
        }
      },
    ),
    makeCollector(
      'newest buckets',
      { labelled: [newestBucketAge] },
      () => queryNewestBuckets(db, clock()),
      (buckets) => {
        for (const { subject, resolution, timestamp } of buckets) {
          if (timestamp !== null) newestBucketAge.set({ subject, resolution }, age(timestamp));
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
    ),
    makeCollector(
      'storage',
      { labelled: [databaseSize] },
      () => queryStorage(db),
      (schemas) => {
        for (const { schema, bytes } of schemas) databaseSize.set({ schema }, bytes);
      },
    ),
    makeCollector(
      'refresh',
      { unlabelled: [refreshLastSuccess] },
      () => queryFreshness(db),
      (refreshedAt) => {
        if (refreshedAt !== null) refreshLastSuccess.set(seconds(refreshedAt));
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
