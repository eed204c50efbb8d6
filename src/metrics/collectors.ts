/**
 * Queries the database for the gauges that are collected at scrape time, and reuses the answers for
 * some seconds. Collectors are independent: if a query fails, its metrics are absent rather than
 * old, and the failure is a metric itself. No scrape waits for a query that takes long: the answer
 * before it stands meanwhile.
 */
import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ApiDb } from '../database/apiDb.ts';
import { singleFlight } from '../database/singleFlight.ts';

const KEEP_MS = 12_000;
/** How long a scrape waits; Prometheus gives up after ten seconds. */
const SCRAPE_DEADLINE_MS = 3_000;
/** Answers that cost the database more, and change slowly, are kept longer. */
export const KEEP_LONG_MS = 300_000;

const scrapeDeadline = () =>
  new Promise<void>((resolve) => setTimeout(resolve, SCRAPE_DEADLINE_MS).unref());

export type Collector = {
  name: string;
  /** How long its answer is reused. */
  keepMs: number;
  /** Removes the values of its gauges. */
  clear(): void;
  /** Replaces the values of its gauges; rejects when the query fails. */
  collect(db: ApiDb, at: Date): Promise<void>;
};

type CollectedGauge<Label extends string, Row> = {
  help: string;
  labels?: readonly Label[];
  /** Sets the values that a row has; null: none. */
  fill(set: (labels: Record<Label, string>, value: number | null) => void, row: Row): void;
};

/** A collector without gauges yet: its `gauge` makes them. */
export function makeCollector<Row>(
  name: string,
  registers: Registry[],
  query: (db: ApiDb, at: Date) => Promise<Row[]>,
  keepMs = KEEP_MS,
) {
  const clears: (() => void)[] = [];
  const fills: ((row: Row) => void)[] = [];
  const clear = () => {
    for (const each of clears) each();
  };
  return {
    name,
    keepMs,
    clear,
    async collect(db: ApiDb, at: Date) {
      const rows = await query(db, at);
      clear(); // only now: another scrape may be reading them meanwhile
      for (const row of rows) for (const fill of fills) fill(row);
    },
    forEachRow(fill: (row: Row) => void) {
      fills.push(fill);
    },
    gauge<Label extends string>(
      name: string,
      { help, labels = [], fill }: CollectedGauge<Label, Row>,
    ) {
      const gauge = new Gauge({ name, help, labelNames: labels, registers });
      // one without labels can't be emptied: NaN means unknown, and no alert fires on it
      const empty = () => (labels.length === 0 ? gauge.set(Number.NaN) : gauge.reset());
      empty();
      clears.push(empty);
      fills.push((row) =>
        fill((labels, value) => {
          if (value !== null) gauge.set(labels, value);
        }, row),
      );
      return gauge;
    },
  };
}

type Collected = {
  collectors: readonly Collector[];
  collectorSuccess: Gauge<'collector'>;
  beforeScrape: (() => void | Promise<void>)[];
};

/**
 * From now on each scrape collects the database's gauges from `db`, unless one did within the last
 * 12 seconds or, for some, 5 minutes.
 */
export function registerCollectors(
  metrics: Collected,
  db: ApiDb,
  { clock, log }: { clock: Clock; log: Log },
): void {
  for (const collector of metrics.collectors) {
    const { name } = collector;
    let isFailing = false;
    let dueAt = Number.NEGATIVE_INFINITY;
    const collect = singleFlight(async () => {
      try {
        await collector.collect(db, clock());
        dueAt = performance.now() + collector.keepMs;
        if (isFailing)
          log.info({ collector: name }, 'metrics are collected from the database again');
        isFailing = false;
      } catch (error) {
        collector.clear();
        dueAt = performance.now() + KEEP_MS;
        if (!isFailing) {
          log.warn(
            { collector: name, error: (error as Error).message },
            'metrics could not be collected from the database; they are absent until they can be',
          );
        }
        isFailing = true;
      }
      metrics.collectorSuccess.set({ collector: name }, isFailing ? 0 : 1);
    });
    metrics.beforeScrape.push(async () => {
      if (performance.now() >= dueAt) await Promise.race([collect(), scrapeDeadline()]);
    });
  }
}
