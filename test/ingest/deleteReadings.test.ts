/** What a deletion of readings refuses. That it deletes, and what follows, is in test/engines.test.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteReadings } from '../../src/ingest/deleteReadings.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, smallNetwork } from './support.ts';

onEveryEngine('delete readings', (engine) => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase(engine);
    await bringIn(db.as(), smallNetwork());
  });
  afterAll(() => db.drop());

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
