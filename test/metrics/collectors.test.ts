/** A collector whose query fails is reported and has no values; the others are not affected. */
import { afterEach, expect, it, vi } from 'vitest';
import type { ApiDb } from '../../src/database/apiDb.ts';
import { KEEP_LONG_MS, makeCollector, registerCollectors } from '../../src/metrics/collectors.ts';
import { makeMetrics } from '../../src/metrics/definitions.ts';
import { NOW } from '../support/clock.ts';
import { keepingLog } from '../support/keepingLog.ts';

/** Metrics with a collector of a number, and one of the sizes of tables, which is kept longer. */
function twoCollectors() {
  const metrics = makeMetrics();
  const log = keepingLog();
  const state = { number: 7, sizes: [['raw', 100]] as [string, number][], queries: 0 };
  const broken = new Set<string>();
  let isFree = Promise.resolve();
  const make = <Row>(name: string, rows: () => Row[], keepMs?: number) => {
    const query = async () => {
      state.queries += 1;
      await isFree;
      if (broken.has(name)) throw new Error('too slow');
      return rows();
    };
    return makeCollector(name, [metrics.registry], query, keepMs);
  };
  const often = make('often', () => [state.number]);
  often.gauge('a_number', { help: 'a number', fill: (set, row) => set({}, row) });
  const rarely = make('rarely', () => state.sizes, KEEP_LONG_MS);
  rarely.gauge('a_size', {
    help: 'a size',
    labels: ['table'],
    fill: (set, [table, size]) => set({ table }, size),
  });
  const register = () =>
    registerCollectors({ ...metrics, collectors: [often, rarely] }, {} as ApiDb, {
      clock: () => NOW,
      log,
    });
  const hang = () => {
    let free = () => {};
    isFree = new Promise((resolve) => {
      free = resolve;
    });
    return () => free();
  };
  return { state, broken, log, register, hang, scrape: () => metrics.scrape() };
}

afterEach(() => void vi.useRealTimers());

it('a metric has no value while its query fails, with a log line at the start and at the end', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { state, broken, log, register, scrape } = twoCollectors();
  const before = await scrape();
  expect(before).toContain('a_number Nan'); // there is no database yet
  expect(before).not.toContain('airseries_database_collector_success{');
  register();

  const success = (name: string) => `airseries_database_collector_success{collector="${name}"}`;
  const answered = async () => {
    const text = await scrape();
    for (const series of ['a_number 7', 'a_size{table="raw"} 100', `${success('often')} 1`])
      expect(text).toContain(series);
  };
  await answered();
  broken.add('often').add('rarely');
  await Promise.all([answered(), answered()]); // cached: not queried again so soon
  expect(state.queries).toBe(2);

  vi.advanceTimersByTime(15_000);
  broken.clear();
  await answered(); // without the one that is kept longer
  expect(state.queries).toBe(3);

  for (const failing of [['often', 'rarely'], ['often']]) {
    broken.clear();
    for (const name of failing) broken.add(name);
    vi.advanceTimersByTime(301_000);
    const text = await scrape();
    expect(text).toContain('a_number Nan');
    expect(text).toContain(`${success('often')} 0`);
    expect(text.includes('a_size{')).toBe(!broken.has('rarely'));
    await scrape(); // a failed query is not repeated so soon either
  }
  expect(state.queries).toBe(7);
  broken.clear();
  vi.advanceTimersByTime(301_000);
  await Promise.all([answered(), answered()]);
  expect(state.queries).toBe(9); // once for both
  state.sizes = [];
  vi.advanceTimersByTime(301_000);
  expect(await scrape()).not.toContain('a_size{'); // the table is gone, and its series with it
  expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { collector: 'often', error: 'too slow' }],
    ['warn', { collector: 'rarely', error: 'too slow' }],
    ['info', { collector: 'rarely' }],
    ['info', { collector: 'often' }],
  ]);
});

it('a scrape does not wait for a slow query, and shows its previous answer', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { state, register, scrape, hang } = twoCollectors();
  register();
  await scrape();
  vi.advanceTimersByTime(15_000);
  state.number = 8;
  const free = hang();
  const slow = scrape();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await slow).toContain('a_number 7');
  free();
  expect(await scrape()).toContain('a_number 8');
});
