/** TimescaleDB logs every written row, even one newer than all before, which a refresh under way could otherwise miss. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refresh } from '../../src/rollups/refresh.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

describe.runIf(engines.includes('timescale'))('the invalidation log of TimescaleDB', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase('timescale');
  });
  afterAll(() => database.drop());

  const write = (at: string) =>
    database.as('airseries_owner')`insert into raw.readings (measured_at, sensor_id, pm25) values (${at}, 1, 5)`;
  const pending = () => database.superuser()<{ since: string }[]>`select since from logic.pending order by since`;

  it('has the first row, the newest row and one years ahead, and is empty after the next refresh', async () => {
    await refresh(database.target, NOW);
    for (const at of ['2026-11-20T11:00:00+00:00', '2026-11-20T11:59:00+00:00', '2031-01-01T00:00:00+00:00']) {
      await write(at);
      expect((await pending()).map(({ since }) => since)).toEqual([at]);
      await refresh(database.target, NOW);
      expect(await pending()).toEqual([]);
    }
  });

  it('has a new row even if the aggregates were rebuilt, or if an older version left the threshold behind', async () => {
    await database.superuser()`update _timescaledb_catalog.continuous_aggs_invalidation_threshold set watermark = 0`;
    await refresh(database.target, NOW);
    await write('2032-01-01T00:00:00+00:00');
    expect((await pending()).map(({ since }) => since)).toEqual(['2032-01-01T00:00:00+00:00']);
  });
});
