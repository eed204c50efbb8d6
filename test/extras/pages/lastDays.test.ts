/** The last 24 hours of many places at once equal the API’s documents of each. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queryLastDays } from '../../../src/extras/pages/lastDays.ts';
import { NOW } from '../../serve/network.ts';
import { type Served, serve } from '../../serve/serve.ts';
import { onOneEngine } from '../../support/database.ts';
import { request } from '../../support/request.ts';

const HOUR = 3_600_000;
// biome-ignore lint/suspicious/noExplicitAny: documents are checked by their values
type Body = any;

onOneEngine('the lists of pages', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(engine);
  });
  afterAll(() => served.close());

  it('the last days of many places equal their histories, with the trend of each', async () => {
    const places = { stations: [1, 2, 3, 5, 999], regions: ['alpha', 'beta', 'zeta'] };
    const { rows, ...days } = await queryLastDays(served.db, NOW, places);
    expect(rows).toMatchObject([{ data_version: expect.any(Number) }]);
    for (const [subject, found] of [
      ...places.stations.map((id) => [`station/${id}`, days.stations[id]] as const),
      ...places.regions.map((slug) => [`region/${slug}`, days.regions[slug]] as const),
    ]) {
      const history = await request(served.app).get(
        `/en/air-quality-app/v1/${subject}-history.json`,
      );
      const hours = new Map<number, number | null>(
        (history.body['24h'] ?? []).map((one: Body) => [Date.parse(one.timestamp), one.avg_pm25]),
      );
      const first = Date.parse('2026-11-19T09:00:00Z');
      const means = Array.from({ length: 24 }, (_, n) => hours.get(first + n * HOUR) ?? null);
      expect(found?.['pm2.5'], subject).toEqual(means);
      if (history.status === 200)
        expect(found?.trend, subject).toBe(
          (await request(served.app).get(`/en/explore/v1/${subject}/now.json`)).body.trend,
        );
    }
  });
});
