/** An hour of a station is the mean of its readings. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NOW } from '../support/clock.ts';
import { onEveryEngine } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';

onEveryEngine('hours', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town']));
  });
  afterAll(() => here.close());

  it('an hour has the mean of its readings (A1)', async () => {
    await here.accept([
      reading(1, '2026-11-20T10:05:00Z', { pm25: 10 }),
      reading(1, '2026-11-20T10:35:00Z', { pm25: 20 }),
    ]);
    await here.refresh(NOW);
    const history = await here.get('station/1-history.json', NOW);
    expect(history['24h']).toMatchObject([
      { timestamp: '2026-11-20T14:00:00+04:00', avg_pm25: 15 },
    ]);
  });
});
