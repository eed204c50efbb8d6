import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptReadings } from '../../src/ingest/accept.ts';
import { deleteReadings } from '../../src/ingest/deleteReadings.ts';
import { maintain } from '../../src/rollups/refresh.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, differences, NOW, reading, smallNetwork } from './support.ts';

onEveryEngine('delete readings', (engine) => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase(engine);
    await bringIn(db.as(), smallNetwork());
  });
  afterAll(() => db.drop());

  test('deletes a half-open period of one sensor, compressed or not, and the aggregates follow', async () => {
    const start = Date.UTC(2026, 0, 1);
    const readings = [1, 3].flatMap((sensor) =>
      Array.from({ length: 1_000 }, (_, n) =>
        reading(sensor, new Date(start + n * 3_600_000).toISOString(), { pm25: n % 90 }),
      ),
    );
    await acceptReadings(db.as('airseries_ingest'), readings, { now: NOW, source: 'test' });
    expect(await differences(db)).toEqual([]);
    await maintain(db.target, NOW);
    const owner = db.as();
    const period = { from: new Date(start + 10 * 3_600_000), to: new Date(start + 900 * 3_600_000) };
    expect(await deleteReadings(owner, { sensor: 1, ...period })).toBe(890);
    expect(await deleteReadings(owner, { sensor: 1, ...period })).toBe(0);
    const [left] = await owner`select count(*)::int as n from raw.readings where sensor_id = 1`;
    expect(left?.n).toBe(110);
    expect(await differences(db)).toEqual([]);
  });

  test('refuses an unknown sensor, and a period that ends before it begins', async () => {
    const period = { from: new Date('2026-01-01'), to: new Date('2026-02-01') };
    await expect(deleteReadings(db.as(), { sensor: 99, ...period })).rejects.toThrow(
      'sensor 99: no sensor of the network',
    );
    await expect(deleteReadings(db.as(), { sensor: 1, from: period.to, to: period.from })).rejects.toThrow(
      'ends before it begins',
    );
  });
});
