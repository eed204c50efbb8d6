/** A collector whose query fails is reported and has no values; the others are not affected. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import type { Api, ApiDb } from '../../src/database/apiDb.ts';
import { registerCollectors } from '../../src/metrics/collectors.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { NOW } from '../support/clock.ts';
import { keepingLog } from '../support/keepingLog.ts';

const answers: Record<string, object | undefined> = {
  last_audit: { made_at: NOW.toISOString(), differing: 7 },
  storage: { schema: 'raw', bytes: 100 },
};

/** A database that returns one row or none, or fails for queries listed in `broken`. */
function fakeDatabase(
  broken: ReadonlySet<string>,
  queries: string[],
  isFree = async () => {},
): ApiDb {
  const executeQuery = async ({ sql }: { sql: string }) => {
    queries.push(sql);
    await isFree();
    const relation = /"api"\."(\w+)"/.exec(sql)?.[1] ?? '';
    if (broken.has(relation)) throw new Error('too slow');
    return { rows: [answers[relation]].filter((row) => row !== undefined) as never[] };
  };
  const driver = Object.assign(new DummyDriver(), {
    acquireConnection: async () => ({ executeQuery, streamQuery: () => expect.unreachable() }),
  });
  const kysely = new Kysely<Api>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return Object.assign(kysely, { query: () => expect.unreachable() });
}

afterEach(() => void vi.useRealTimers());

it('a metric has no value while its query fails, with a log line at the start and at the end', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const metrics = makeMetrics();
  const log = keepingLog();
  const broken = new Set<string>();
  const queries: string[] = [];
  const scrape = () => metrics.scrape();
  const before = await scrape();
  expect(before).toContain('airseries_audit_differing_buckets Nan'); // there is no database yet
  expect(before).not.toContain('airseries_database_collector_success{');
  registerCollectors(metrics, fakeDatabase(broken, queries), { clock: () => NOW, log });

  const answered = async () => {
    const text = await scrape();
    expect(text).toContain('airseries_audit_differing_buckets 7');
    expect(text).toContain('airseries_database_size_bytes{schema="raw"} 100');
    expect(text).toContain('airseries_database_collector_success{collector="audit"} 1');
  };
  await answered();
  broken.add('last_audit').add('storage');
  await Promise.all([answered(), answered()]); // cached: not queried again so soon
  expect(queries).toHaveLength(7);

  vi.advanceTimersByTime(15_000);
  broken.clear();
  await answered(); // without the costly queries: storage, quarantine and kept hours
  expect(queries).toHaveLength(11);
  broken.add('last_audit').add('storage');

  for (const _ of [1, 2]) {
    vi.advanceTimersByTime(301_000);
    const text = await scrape();
    expect(text).toContain('airseries_audit_differing_buckets Nan');
    expect(text).not.toContain('airseries_database_size_bytes{');
    expect(text).toContain('airseries_database_collector_success{collector="audit"} 0');
    expect(text).toContain('airseries_database_collector_success{collector="refresh"} 1');
    await scrape(); // a failed query is not repeated so soon either
  }
  expect(queries).toHaveLength(25);
  broken.clear();
  vi.advanceTimersByTime(301_000);
  await Promise.all([answered(), answered()]);
  expect(queries).toHaveLength(32); // once for both
  answers.storage = undefined;
  vi.advanceTimersByTime(301_000);
  // the schema is gone, and its series with it
  expect(await scrape()).not.toContain('airseries_database_size_bytes{');
  expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { collector: 'storage', error: 'too slow' }],
    ['warn', { collector: 'audit', error: 'too slow' }],
    ['info', { collector: 'storage' }],
    ['info', { collector: 'audit' }],
  ]);
});

it('a scrape does not wait for a slow query, and shows its previous answer', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  let isFree = Promise.resolve();
  const metrics = makeMetrics();
  registerCollectors(
    metrics,
    fakeDatabase(new Set(), [], () => isFree),
    { clock: () => NOW, log: keepingLog() },
  );
  answers.last_audit = { made_at: NOW.toISOString(), differing: 7 };
  await metrics.scrape();

  vi.advanceTimersByTime(15_000);
  answers.last_audit = { made_at: NOW.toISOString(), differing: 8 };
  let free = () => {};
  isFree = new Promise((resolve) => {
    free = resolve;
  });
  const slow = metrics.scrape();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await slow).toContain('airseries_audit_differing_buckets 7');
  free();
  expect(await metrics.scrape()).toContain('airseries_audit_differing_buckets 8');
});
