/** Imported files are numbered, listed and undone (S11). */
import { expect, it, onTestFinished } from 'vitest';
import { listImports, undoImport } from '../../../src/ingest/store/imports.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import { importText, reading, stored, useTown } from '../support.ts';

onEveryEngineInAll('imports', (engine) => {
  const town = useTown(engine);

  const at = (hour: number) => `2026-11-20T0${hour}:00:00Z`;
  const push = (hour: number, values: object) => town.accept([reading(1, at(hour), { ...values })]);
  const bring = (name: string, ...lines: string[]) =>
    importText(town.ingest, `${lines.join('\n')}\n`, undefined, name);

  it('an undone file takes its values away and puts back what it replaced or withdrew, exactly', async () => {
    await push(1, { pm25: 5, no2: 7, rain: 1.5 });
    await push(2, { pm25: 6 });
    const before = await stored(town.owner);
    await bring(
      'wrong.csv',
      'sensor_id,time,pm25,no2,temperature,rain',
      `1,${at(1)},50,,20,0.1`,
      `1,${at(2)},6,,,`,
      `1,${at(3)},70,8,21,`,
      `2,${at(3)},71,8,21,`,
    );
    expect(await listImports(town.owner, 5)).toMatchObject([
      {
        ...{ number: 1, accepted: 3, replaced: 2, withdrawn: 1, state: 'stored' },
        declared: { format: 'airseries' },
      },
    ]);
    const undone = await undoImport(town.ingest, 1, NOW);
    expect(undone).toMatchObject({ readings: 3, put_back: 2, kept: [] });
    expect(await stored(town.owner)).toEqual(before);
    expect(await differences(town.db)).toEqual([]);
    expect(await listImports(town.owner, 5)).toMatchObject([{ number: 1, state: 'undone' }]);
    // undone twice is undone once
    await push(3, { pm25: 70 });
    expect(await undoImport(town.ingest, 1, NOW)).toMatchObject({ readings: 0, put_back: 0 });
    expect(await town.owner`select from raw.readings`).toHaveLength(3);
  });

  it('what a later source has changed since stays, and is counted and named', async () => {
    await push(1, { pm25: 5, pm10: 9 });
    await bring('a.csv', 'sensor_id,time,pm25,pm10', `1,${at(1)},50,90`, `1,${at(2)},51,91`);
    await bring('b.csv', 'sensor_id,time,pm25', `1,${at(1)},60`, `1,${at(2)},51`);
    await push(2, { temperature: 3 });
    expect(await undoImport(town.ingest, 1, NOW)).toMatchObject({
      put_back: 1,
      withdrawn: 2,
      kept: [{ sensor_id: 1, values: 1, first_hour: '2026-11-20T05:00:00+04:00' }],
    });
    const rows =
      await town.owner`select pm25, pm10, temperature from raw.readings order by measured_at`;
    expect(rows).toEqual([
      { pm25: 60, pm10: 9, temperature: null },
      { pm25: null, pm10: null, temperature: 3 },
    ]);
    // the file after it puts back what it found, which was the first one's
    await undoImport(town.ingest, 2, NOW);
    expect(await town.owner`select pm25 from raw.readings order by measured_at`).toEqual([
      { pm25: 50 },
      { pm25: null },
    ]);
    expect(await differences(town.db)).toEqual([]);
  });

  it('totals of rain are undone with the amounts that are derived from them (A6)', async () => {
    await push(1, { rain_total: 10 });
    await push(3, { rain_total: 14 });
    const before = await stored(town.owner);
    await bring('rain.csv', 'sensor_id,time,rain_total', `1,${at(2)},11`, `1,${at(3)},20`);
    expect(await town.owner`select rain from raw.readings order by measured_at`).toEqual([
      { rain: null },
      { rain: 1 },
      { rain: 9 },
    ]);
    await undoImport(town.ingest, 1, NOW);
    expect(await stored(town.owner)).toEqual(before);
  });

  it('an import that cannot be undone is refused with the reason', async () => {
    await expect(undoImport(town.ingest, 7, NOW)).rejects.toThrow(
      'there is no import of this number',
    );
    await push(1, { pm25: 5 });
    await bring('same.csv', 'sensor_id,time,pm25', `1,${at(1)},5`);
    await expect(undoImport(town.ingest, 1, NOW)).rejects.toThrow('it changed nothing');
    await bring('more.csv', 'sensor_id,time,pm25', `1,${at(2)},5`);
    await town.owner`select logic.delete_old_undo(imported_at) from raw.import where id = 2`;
    expect(await listImports(town.owner, 1)).toMatchObject([{ state: 'stored' }]);
    await town.owner`select logic.delete_old_undo(${new Date(NOW.getTime() + 60_000)})`;
    await expect(undoImport(town.ingest, 2, NOW)).rejects.toThrow('older than UNDO_DAYS');
    expect(await town.owner`select from raw.readings`).toHaveLength(2);

    const retain = async (since: string) =>
      void (await town.owner`update raw.installation set retained_from = ${since}, ingest_cutoff = ${since}`);
    onTestFinished(() => retain('-infinity'));
    for (const hour of [3, 4]) await bring(`${hour}.csv`, 'sensor_id,time,pm25', `1,${at(hour)},5`);
    await retain(at(4));
    await town.owner`select logic.delete_old_undo(${new Date(NOW.getTime() - 1)})`;
    await expect(undoImport(town.ingest, 3, NOW)).rejects.toThrow('retention has deleted its');
    expect(await undoImport(town.ingest, 4, NOW)).toMatchObject({ readings: 1, withdrawn: 1 });
  });
});
