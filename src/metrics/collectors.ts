/**
 * Gauges collected from the database at scrape time, so every process reports the same of the network. Not queried again within some
 * seconds. Each collector stands for itself: what could not be queried is absent rather than old, and reported to be.
 */

import type { Clock } from '../clock.ts';
import { type ApiDb, apiRows } from '../database/apiSchema.ts';
import type { Log } from '../log.ts';
import { askFreshness } from './adminApp.ts';
import type { MetricName } from './definitions.ts';
import type { Metrics } from './registry.ts';

export const askProviders = (db: ApiDb, at: Date) =>
  db.selectFrom(apiRows('provider_state', { at }).as('p')).selectAll().execute();
export const askNewestBuckets = (db: ApiDb, at: Date) =>
  db.selectFrom(apiRows('newest_bucket', { at }).as('b')).selectAll().execute();
export const askLastAudit = (db: ApiDb) => db.selectFrom('api.last_audit').selectAll().execute();
export const askQuarantineLines = (db: ApiDb) => db.selectFrom('api.quarantine_lines').selectAll().execute();
export const askStorage = (db: ApiDb) => db.selectFrom('api.storage').selectAll().execute();

const KEEP_MS = 12_000;

type Question = {
  name: string;
  /** What its answer is told by. */
  metrics: readonly MetricName[];
  /** Asks, and gives what tells the answer. */
  ask(): Promise<() => void>;
};

/** Metrics without a label are told as 0 where nothing was said: of these, not a number says that. */
const UNLABELLED: readonly MetricName[] = [
  'airseries_refresh_last_success_timestamp_seconds',
  'airseries_audit_differing_buckets',
  'airseries_audit_last_success_timestamp_seconds',
];

export function registerCollectors(metrics: Metrics, db: ApiDb, { clock, log }: { clock: Clock; log: Log }): void {
  const questions = questionsOf(metrics, db, clock);
  const failing = new Set<string>();
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<unknown> | undefined;

  const answer = async ({ name, metrics: told, ask }: Question) => {
    try {
      const tell = await ask();
      forget(metrics, told);
      tell();
      if (failing.delete(name)) log.info({ question: name }, 'metrics from the database are told again');
    } catch (error) {
      forget(metrics, told);
      if (!failing.has(name)) {
        log.warn({ question: name, error: (error as Error).message }, 'metrics from the database cannot be told');
      }
      failing.add(name);
    }
    metrics.set('airseries_untold', { question: name }, failing.has(name) ? 1 : 0);
  };
  for (const { metrics: told } of questions) forget(metrics, told);
  metrics.onScrape(async () => {
    if (performance.now() - asked < KEEP_MS) return;
    asking ??= Promise.all(questions.map(answer)).finally(() => {
      asked = performance.now();
      asking = undefined;
    });
    await asking;
  });
}

function forget(metrics: Metrics, told: readonly MetricName[]): void {
  for (const name of told) {
    metrics.reset(name);
    if (UNLABELLED.includes(name)) metrics.set(name, {}, Number.NaN);
  }
}

function questionsOf(metrics: Metrics, db: ApiDb, clock: Clock): Question[] {
  const seconds = (time: string) => Date.parse(time) / 1_000;
  const age = (time: string) => clock().getTime() / 1_000 - seconds(time);
  return [
    {
      name: 'providers',
      metrics: ['airseries_newest_reading_age_seconds', 'airseries_stations'],
      async ask() {
        const providers = await askProviders(db, clock());
        return () => {
          for (const { provider, measurement_time: newest, online, offline } of providers) {
            if (newest !== null) metrics.set('airseries_newest_reading_age_seconds', { provider }, age(newest));
            metrics.set('airseries_stations', { provider, status: 'online' }, online);
            metrics.set('airseries_stations', { provider, status: 'offline' }, offline);
          }
        };
      },
    },
    {
      name: 'newest buckets',
      metrics: ['airseries_newest_bucket_age_seconds'],
      async ask() {
        const buckets = await askNewestBuckets(db, clock());
        return () => {
          for (const { place, grain, timestamp } of buckets) {
            if (timestamp !== null)
              metrics.set('airseries_newest_bucket_age_seconds', { place, grain }, age(timestamp));
          }
        };
      },
    },
    {
      name: 'quarantine',
      metrics: ['airseries_quarantine_lines'],
      async ask() {
        const waiting = await askQuarantineLines(db);
        return () => {
          for (const { reason, lines } of waiting) metrics.set('airseries_quarantine_lines', { reason }, lines);
        };
      },
    },
    {
      name: 'storage',
      metrics: ['airseries_database_size_bytes'],
      async ask() {
        const storage = await askStorage(db);
        return () => {
          for (const { schema, bytes } of storage) metrics.set('airseries_database_size_bytes', { schema }, bytes);
        };
      },
    },
    {
      name: 'refresh',
      metrics: ['airseries_refresh_last_success_timestamp_seconds'],
      async ask() {
        const refreshedAt = await askFreshness(db);
        return () => {
          if (refreshedAt !== null) {
            metrics.set('airseries_refresh_last_success_timestamp_seconds', {}, seconds(refreshedAt));
          }
        };
      },
    },
    {
      name: 'audit',
      metrics: ['airseries_audit_differing_buckets', 'airseries_audit_last_success_timestamp_seconds'],
      async ask() {
        const [audit] = await askLastAudit(db);
        return () => {
          if (audit === undefined) return;
          metrics.set('airseries_audit_differing_buckets', {}, audit.differing);
          metrics.set('airseries_audit_last_success_timestamp_seconds', {}, seconds(audit.made_at));
        };
      },
    },
  ];
}
