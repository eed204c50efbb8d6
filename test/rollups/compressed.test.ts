/**
 * A compressed month can still be imported again, corrected as a whole, and completed late. It has more readings than TimescaleDB
 * decompresses for one statement by default (100,000).
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { maintain } from '../../src/rollups/refresh.ts';
import { bringIn, differences, file, keepingLog, NOW, smallNetwork } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

const HOURS = 31 * 24;
const START = Date.parse('2026-07-01T00:00:00+04:00');

onEveryEngine('a compressed month of hourly readings', (engine) => {
  const SENSORS = engine === 'timescale' ? 140 : 20; // 140: 104,160 readings; plain PostgreSQL has no such limit
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
    const sensors = Array.from({ length: SENSORS }, (_, index) => ({ id: 100 + index }));
    await bringIn(database.as(), smallNetwork({ one: { sensors } }));
  });
  afterAll(() => database.drop());

  it('begins with one import', async () => {
    expect(await importFile(hourly())).toMatchObject({ received: SENSORS * HOURS, accepted: SENSORS * HOURS });
    expect(await differences(database)).toEqual([]);
    await maintain(database.target, NOW);
  });

  /** A reading of every sensor in every hour. */
  function hourly({ minute = 0, pm25 = 1 } = {}): string {
    const lines = Array.from({ length: HOURS }, (_, hour) => {
      const time = new Date(START + hour * 3_600_000 + minute * 60_000).toISOString();
      return sensors.map((sensor) => `${sensor},${time},${(hour % 50) + pm25}`).join('\n');
    });
    return `sensor_id,time,pm25\n${lines.join('\n')}\n`;
  }
  const sensors = Array.from({ length: SENSORS }, (_, index) => 100 + index);
  const importFile = (csv: string) =>
    importReadings(database.as('airseries_ingest'), [file('month.csv', csv)], {
      now: NOW,
      log: keepingLog(),
      terminal: false,
    });

  it('is unchanged by importing the same file again', async () => {
    expect(await importFile(hourly())).toMatchObject({ accepted: 0, unchanged: SENSORS * HOURS, failed: false });
  });

  it('accepts a correction of one reading of each sensor', async () => {
    const at = new Date(START + 100 * 3_600_000).toISOString();
    const csv = `sensor_id,time,pm25\n${sensors.map((sensor) => `${sensor},${at},77`).join('\n')}\n`;
    expect(await importFile(csv)).toMatchObject({ accepted: SENSORS, failed: false });
    expect(await differences(database)).toEqual([]);
  });

  it('accepts a correction of every reading', async () => {
    await maintain(database.target, NOW);
    expect(await importFile(hourly({ pm25: 2 }))).toMatchObject({ accepted: SENSORS * HOURS, failed: false });
    expect(await differences(database)).toEqual([]);
  });

  it('accepts readings between the compressed ones', async () => {
    await maintain(database.target, NOW);
    expect(await importFile(hourly({ minute: 30 }))).toMatchObject({ accepted: SENSORS * HOURS, failed: false });
    expect(await differences(database)).toEqual([]);
  });
});
