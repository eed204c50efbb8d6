/**
 * B11, second half: how long the list of stations takes to be rendered from the database after a
 * digest.
 */
import { makeDigest } from '../../../../src/aggregate/digest.ts';
import type { TestDatabase } from '../../../support/makeDatabase.ts';
import { fetchRaw } from '../load/bare.ts';
import type { Context, Row } from '../run/measure.ts';
import { BASE, startService } from '../run/service.ts';
import { bootstrap, median } from '../run/statistics.ts';
import { NOW } from '../run/world.ts';

/**
 * Milliseconds of a request whose document is rendered for it; the digest before it leaves the
 * database's caches as it always does.
 */
export async function makeDigestsAndTime(context: Context, database: TestDatabase): Promise<Row> {
  const service = await startService(database, { RESPONSE_CACHE_MB: '0' });
  const took: number[] = [];
  const rounds = context.quick ? 5 : 20;
  try {
    for (let round = -2; round < rounds; round++) {
      await makeDigest(database.target, new Date(NOW.getTime() + round));
      const begun = performance.now();
      await fetchRaw(service.port, `${BASE}/stations.json`);
      if (round >= 0) took.push(performance.now() - begun);
    }
  } finally {
    await service.close();
  }
  return {
    id: 'B11',
    title: 'stations.json rendered after a digest, 500 stations',
    value: bootstrap(took),
    unit: 'ms',
    better: 'lower',
    must: 150,
    goal: 50,
    detail: `p50 ${median(took).toFixed(1)} ms, largest ${Math.max(...took).toFixed(1)} ms`,
  };
}
