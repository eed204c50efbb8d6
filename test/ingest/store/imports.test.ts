/** Imported files are numbered, listed and undone (S11). */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';

import { importReadings } from '../../../src/ingest/importReadings.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { listImports, undoImport } from '../../../src/ingest/store/imports.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../../support/database.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { file, reading, stored } from '../support.ts';

onEveryEngine('imports', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    ingest = db.as('airseries_ingest');
    await bringIn(owner, smallNetwork());
  });
  beforeEach(
    () => owner`truncate raw.readings, raw.quarantine, raw.import restart identity cascade`,
  );
  afterAll(() => db.drop());

  const at = (hour: number) => `2026-11-20T0${hour}:00:00Z`;
  const push = (hour: number, values: object) =>
    acceptReadings(ingest, [reading(1, at(hour), { ...values })], { now: NOW, source: 'device' });
  const bring = (name: string, ...lines: string[]) =>
    importReadings(ingest, [file(name, `${lines.join('\n')}\n`)], {
      now: NOW,
      log: keepingLog(),
      terminal: false,
      formats: READING_FORMATS,
    });

  it('an undone file takes its values away and puts back what it replaced or withdrew, exactly', async () => {
    await push(1, { pm25: 5, no2: 7, rain: 1.5 });
    await push(2, { pm25: 6 });
    const before = await stored(owner);
    await bring(
      'wrong.csv',
      'sensor_id,time,pm25,no2,temperature,rain',
      `1,${at(1)},50,,20,0.1`,
      `1,${at(2)},6,,,`,
      `1,${at(3)},70,8,21,`,
      `2,${at(3)},71,8,21,`,
    );
    expect(await listImports(owner, 5)).toMatchObject([
      {
        ...{ number: 1, accepted: 3, replaced: 2, withdrawn: 1, state: 'stored' },
        declared: { format: 'airseries' },
      },
    ]);
    const undone = await undoImport(ingest, 1, NOW);
    expect(undone).toMatchObject({ readings: 3, put_back: 2, kept: [] });
    expect(await stored(owner)).toEqual(before);
    expect(await differences(db)).toEqual([]);
    expect(await listImports(owner, 5)).toMatchObject([{ number: 1, state: 'undone' }]);
    // undone twice is undone once
    await push(3, { pm25: 70 });
    expect(await undoImport(ingest, 1, NOW)).toMatchObject({ readings: 0, put_back: 0 });
    expect(await owner`select from raw.readings`).toHaveLength(3);
  });

  it('what a later source has changed since stays, and is counted and named', async () => {
    await push(1, { pm25: 5, pm10: 9 });
    await bring('a.csv', 'sensor_id,time,pm25,pm10', `1,${at(1)},50,90`, `1,${at(2)},51,91`);
    await bring('b.csv', 'sensor_id,time,pm25', `1,${at(1)},60`, `1,${at(2)},51`);
    await push(2, { temperature: 3 });
    expect(await undoImport(ingest, 1, NOW)).toMatchObject({
      put_back: 1,
      withdrawn: 2,
      kept: [{ sensor_id: 1, values: 1, first_hour: '2026-11-20T05:00:00+04:00' }],
    });
    const rows = await owner`select pm25, pm10, temperature from raw.readings order by measured_at`;
    expect(rows).toEqual([
      { pm25: 60, pm10: 9, temperature: null },
      { pm25: null, pm10: null, temperature: 3 },
    ]);
    // the file after it puts back what it found, which was the first one's
    await undoImport(ingest, 2, NOW);
    expect(await owner`select pm25 from raw.readings order by measured_at`).toEqual([
      { pm25: 50 },
      { pm25: null },
    ]);
    expect(await differences(db)).toEqual([]);
  });

  it('totals of rain are undone with the amounts that are derived from them (A6)', async () => {
    await push(1, { rain_total: 10 });
    await push(3, { rain_total: 14 });
    const before = await stored(owner);
    await bring('rain.csv', 'sensor_id,time,rain_total', `1,${at(2)},11`, `1,${at(3)},20`);
    expect(await owner`select rain from raw.readings order by measured_at`).toEqual([
      { rain: null },
      { rain: 1 },
      { rain: 9 },
    ]);
    await undoImport(ingest, 1, NOW);
    expect(await stored(owner)).toEqual(before);
  });

  it('an import that cannot be undone is refused with the reason', async () => {
    await expect(undoImport(ingest, 7, NOW)).rejects.toThrow('there is no import of this number');
    await push(1, { pm25: 5 });
    await bring('same.csv', 'sensor_id,time,pm25', `1,${at(1)},5`);
    await expect(undoImport(ingest, 1, NOW)).rejects.toThrow('it changed nothing');
    await bring('more.csv', 'sensor_id,time,pm25', `1,${at(2)},5`);
    await owner`select logic.delete_old_undo(${new Date(NOW.getTime() - 1)})`;
    expect(await listImports(owner, 1)).toMatchObject([{ state: 'stored' }]);
    await owner`select logic.delete_old_undo(${new Date(NOW.getTime() + 60_000)})`;
    await expect(undoImport(ingest, 2, NOW)).rejects.toThrow('older than UNDO_DAYS');
    expect(await owner`select from raw.readings`).toHaveLength(2);
  });
});
