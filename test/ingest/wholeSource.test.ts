/**
 * Rows of one source with the same sensor and time are put together, however far apart they stand:
 * an empty cell withdraws what was stored before the source came, and never what another row of it
 * gives (S3).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { differences } from '../aggregate/differences.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { READING_FORMATS } from '../support/formats.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { needs } from '../support/tools.ts';
import { file, reading } from './support.ts';

const T = '2026-11-01T00:00:00.000Z';
/** More rows than are stored together, and more than are compared with each other. */
const FILLER = Array.from(
  { length: 60_000 },
  (_, n) => `2,${new Date(Date.parse(T) + n * 10_000).toISOString()},1,1,1`,
).join('\n');

onEveryEngineInAll('a source', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    ingest = db.as('airseries_ingest');
    await bringIn(owner, smallNetwork());
  });
  beforeEach(() => owner`truncate raw.readings, raw.quarantine`);
  afterAll(() => db.drop());

  const stored = async () => [
    ...(await owner`select pm25, pm10, temperature from raw.readings where sensor_id = 1 order by measured_at`),
  ];
  const bring = (...texts: string[]) =>
    importReadings(
      ingest,
      texts.map((text, index) => file(`${index}.csv`, text)),
      { formats: READING_FORMATS, now: NOW, log: keepingLog(), terminal: false },
    );
  const hold = (values: object) =>
    acceptReadings(ingest, [reading(1, T, { ...values })], { now: NOW, source: 'before' });
  const wide = (...rows: string[]) =>
    `sensor_id,time,pm25,pm10,temperature\n${rows.map((row) => row.replace('1,T', `1,${T}`)).join('\n')}\n`;

  describe.each([
    ['next to each other', [], {}],
    // rows of other batches; the tests without `options` run always, the others in test:all
    ['60,000 rows apart', [FILLER], needs('all')],
  ] as const)('rows %s', (apart, between, options) => {
    test(`rows ${apart} complete each other, and withdraw what all of them leave empty`, async () => {
      const sparse = wide('1,T,5,,', ...between, '1,T,,8,');
      await hold({ pm25: 1, pm10: 2, temperature: 3 });
      const summary = await bring(sparse);
      expect(await stored()).toEqual([{ pm25: 5, pm10: 8, temperature: null }]);
      expect(summary).toMatchObject({ unchanged: 0, hints: [] });
      expect(summary.accepted).toBe(summary.received);
      const hour = '2026-11-01T00:00:00Z';
      expect(summary.replaced).toEqual({ values: 3, oldest: hour, newest: hour });
      const again = await bring(sparse);
      expect(again).toMatchObject({ accepted: 0, unchanged: summary.received, replaced: null });
      expect(await stored()).toEqual([{ pm25: 5, pm10: 8, temperature: null }]);
      expect(await differences(db)).toEqual([]);
    });

    test(`rows ${apart} complete each other in any order`, options, async () => {
      await hold({ pm25: 1, pm10: 2, temperature: 3 });
      await acceptReadings(ingest, [reading(1, '2026-11-02T00:00:00Z', { pm25: 9, pm10: 9 })], {
        now: NOW,
        source: 'before',
      });
      await bring(
        wide(
          '1,2026-11-02T00:00:00Z,,4,',
          '1,T,,8,',
          ...between,
          '1,2026-11-02T00:00:00Z,,,3',
          '1,T,5,,',
        ),
      );
      expect(await stored()).toEqual([
        { pm25: 5, pm10: 8, temperature: null },
        { pm25: null, pm10: 4, temperature: 3 },
      ]);
    });

    test(`rows ${apart} keep their values where the last one has none`, options, async () => {
      await hold({ pm25: 1, pm10: 2 });
      const summary = await bring(wide('1,T,5,,', ...between, '1,T,,,'));
      expect(await stored()).toEqual([{ pm25: 5, pm10: null, temperature: null }]);
      const { accepted, unchanged, received, quarantined } = summary;
      const rejected = Object.values(quarantined).reduce((sum, n) => sum + n, 0);
      expect(accepted + unchanged + rejected).toBe(received);
    });

    test(`rows ${apart} withdraw nothing of a parameter whose value is out of bounds in one (S2)`, async () => {
      const times = [1, 2, 3].map((day) => `2026-11-0${day}T00:00:00.000Z`);
      for (const time of times) {
        const before = reading(1, time, { pm25: 1, pm10: 2, temperature: 3 });
        await acceptReadings(ingest, [before], { now: NOW, source: 'before' });
      }
      const rows = (...cells: string[]) => times.map((time, at) => `1,${time},${cells[at]}`);
      const [first, last] = [rows('9999,8,', ',8,', '9999,,'), rows(',,4', '9999,,4', ',8,4')];
      await bring(wide(...first, ...between, ...last));
      expect(await stored()).toEqual(times.map(() => ({ pm25: 1, pm10: 8, temperature: 4 })));
    });

    test(
      `rows ${apart} store all their values where nothing was stored before`,
      options,
      async () => {
        await bring(wide('1,T,5,,', ...between, '1,T,,8,', '1,T,,,20'));
        expect(await stored()).toEqual([{ pm25: 5, pm10: 8, temperature: 20 }]);
      },
    );
  });

  test('a source contradicts itself only where a parameter has two values, and the last counts (S3, S7)', async () => {
    const summary = await bring(
      wide('1,T,5,7,', '1,T,6,7.0,', '1,T,,,9', '2,2026-11-01T01:00:00Z,1,1,1'),
    );
    expect(await stored()).toEqual([{ pm25: 6, pm10: 7, temperature: 9 }]);
    expect(summary.hints).toEqual([
      expect.stringContaining('1 row gives a parameter another value than an earlier row'),
    ]);
    expect(summary.hints[0]).toContain(`lines 2 and 3, both 1 at ${T}: pm25 5 and 6)`);
  });

  test('a source may hold tables one after another, each with parameters of its own', async () => {
    await hold({ temperature: 3 });
    const rows = (name: string, value: number) =>
      `sensor_id,time,${name}\n${[0, 1, 2].map((n) => `1,${new Date(Date.parse(T) + n * 3_600_000).toISOString()},${value + n}\n`).join('')}`;
    const summary = await bring(rows('pm25', 5) + rows('PM10', 8));
    expect(summary).toMatchObject({ received: 6, accepted: 6, hints: [] });
    expect(await stored()).toEqual([
      { pm25: 5, pm10: 8, temperature: 3 },
      { pm25: 6, pm10: 9, temperature: null },
      { pm25: 7, pm10: 10, temperature: null },
    ]);
  });

  test('a row that only withdraws counts as accepted, not as unchanged (S3)', async () => {
    await hold({ pm25: 5, temperature: 3 });
    expect(await bring(wide('1,T,5,,'))).toMatchObject({ received: 1, accepted: 1, unchanged: 0 });
    expect(await stored()).toEqual([{ pm25: 5, pm10: null, temperature: null }]);
  });

  test('a source ends with its file: an empty cell of the next file withdraws what this one gave', async () => {
    await bring(wide('1,T,5,6,7'), wide('1,T,,8,'));
    expect(await stored()).toEqual([{ pm25: null, pm10: 8, temperature: null }]);
  });
});
