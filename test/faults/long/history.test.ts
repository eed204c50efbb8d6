/** Compressing two years does not slow a history down. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type History, makeWindows, queryRegionHistory, queryStationHistory } from '../../../src/api/history.ts';
import { type Api, type ApiDb, openReaderPool } from '../../../src/database/pools.ts';
import { maintain, refresh } from '../../../src/rollups/refresh.ts';
import { bringIn } from '../../ingest/support.ts';
import { engines, type TestDatabase, testDatabase } from '../../support/database.ts';
import { citiesOfOneStation } from '../../support/installation.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const STATIONS = 25;
const ROUNDS = 100;

const town = citiesOfOneStation(['town']);
const ids = Array.from({ length: STATIONS }, (_, n) => n + 1);
const network = { ...town, stations: ids.map((id) => ({ ...town.stations[0], id, sensors: [{ id }] })) };

describe.runIf(engines.includes('timescale'))(`two years of ${STATIONS} stations`, () => {
  let database: TestDatabase;
  let db: ApiDb;
  let windowsAt: ReturnType<typeof makeWindows>;
  beforeAll(async () => {
    database = await testDatabase('timescale');
    const owner = database.as();
    await bringIn(owner, network);
    await owner`insert into raw.readings (measured_at, sensor_id, pm25, pm10, temperature, humidity)
      select at, s, 10, 20, 15, 50
      from generate_series(timestamptz '2024-11-20', '2026-11-20 11:30', '1 hour') at, generate_series(1, ${STATIONS}::int) s`;
    await refresh(database.target, NOW);
    db = openReaderPool<Api>(database.target, { timeZone: database.timeZone, max: 1 });
    windowsAt = makeWindows(db);
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  /** The median in milliseconds. */
  async function time(query: (n: number) => Promise<History | undefined>): Promise<number> {
    const times = [];
    for (let n = 0; n < ROUNDS; n++) {
      const began = performance.now();
      expect(JSON.parse((await query(n))?.['7d'] ?? '').length).toBeGreaterThan(160);
      times.push(performance.now() - began);
    }
    return times.sort((a, b) => a - b)[ROUNDS / 2] as number;
  }
  const station = () => time(async (n) => queryStationHistory(db, await windowsAt(NOW), (n % STATIONS) + 1));
  const region = () => time(async () => queryRegionHistory(db, await windowsAt(NOW), 'town'));

  it('a history takes as long after compression as before', async ({ annotate }) => {
    await station(); // the first query reads from disk
    const before = [await station(), await region()];
    await maintain(database.target, NOW);
    await station();
    const after = [await station(), await region()];
    const said = ['station', 'region'].map((name, n) => {
      const [was, is] = [before[n] ?? Number.NaN, after[n] ?? Number.NaN];
      expect(is / was, name).toBeLessThan(2); // about 1.2 is normal; a busy machine needs more
      return `of a ${name} ${is.toFixed(1)} ms, ${(is / was).toFixed(2)} × as before`;
    });
    await annotate(`row 9: a history after compression: ${said.join('; ')}; before: 6.7 ×`);
  });
});
