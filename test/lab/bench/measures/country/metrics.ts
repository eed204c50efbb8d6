/**
 * S6: how long Prometheus waits: for a first scrape, when everything is collected, and for one as
 * often as usual.
 */
import type { Context, Measure, Row } from '../../run/measure.ts';
import { startService } from '../../run/service.ts';
import { countryRow } from './row.ts';

/** Longer than most answers of the database are reused for metrics, and shorter than the others. */
const SCRAPE_INTERVAL_MS = 15_000;

/** Seconds. Rejects where a collector failed: its metrics would be missing. */
async function scrape(port: number): Promise<number> {
  const begun = performance.now();
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const took = (performance.now() - begun) / 1_000;
  const failed = [
    ...text.matchAll(/^airseries_database_collector_success\{collector="(\w+)"\} 0$/gm),
  ];
  if (failed.length > 0)
    throw new Error(`not collected: ${failed.map(([, name]) => name).join(', ')}`);
  return took;
}

async function run(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const took: Record<'first' | 'usual', number[]> = { first: [], usual: [] };
  for (let round = 0; round < (context.quick ? 1 : 3); round++) {
    const service = await startService(database);
    try {
      took.first.push(await scrape(service.adminPort));
      await new Promise((resolve) => setTimeout(resolve, SCRAPE_INTERVAL_MS));
      took.usual.push(await scrape(service.adminPort));
    } finally {
      await service.close();
    }
  }
  const row = { id: 'S6', unit: 's' } as const;
  return [
    countryRow(stations, {
      ...row,
      title: '/metrics, everything collected',
      values: took.first,
      bounds: { 10000: { must: 0.2, goal: 0.1 } },
    }),
    countryRow(stations, { ...row, title: '/metrics, 15 s later', values: took.usual }),
  ];
}

export const metrics: Measure = { ids: ['S6'], title: 'metrics', run };
