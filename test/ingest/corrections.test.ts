/** Rule S5: PM2.5 is corrected at the door, both values are kept, and history changes only on purpose. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/database/connect.ts';
import { acceptReadings } from '../../src/ingest/accept.ts';
import type { Incoming } from '../../src/ingest/batch.ts';
import { importNetwork } from '../../src/ingest/network/importNetwork.ts';
import { recorrect } from '../../src/ingest/recorrect.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { differences, keepingLog, NOW, reading, smallNetwork } from './support.ts';

const T = '2026-11-20T10:00:00Z';
const NEXT = '2026-11-20T11:00:00Z';
const log = keepingLog();

/** Sensors 1 (particles) and 2 (weather) at station 1; 3 at station 2 measures both. */
const network = (formula?: string, corrections = {}) => ({
  ...smallNetwork({
    sensor: { kind: 'PMS5003', ...(formula === undefined ? {} : { correction: formula }) },
    two: { sensors: [{ id: 3, kind: 'PMS5003T' }] },
  }),
  corrections,
});

onEveryEngine('corrections of PM2.5', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  const accept = (...readings: Incoming[]) => acceptReadings(ingest, readings, { now: NOW, source: 'test' });
  const bring = (given: object, now = NOW) => importNetwork(owner, JSON.stringify(given), { now, log });
  /** Resolves once somebody waits for a lock of this database. */
  const waiting = async () => {
    const superuser = db.superuser();
    const blocked = () =>
      superuser`select from pg_locks where not granted and locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
    while ((await blocked()).length === 0);
  };
  const rows = (sensor = 1) =>
    owner`select pm25, pm25_raw from raw.readings where sensor_id = ${sensor} order by measured_at`;

  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    ingest = db.as('airseries_ingest');
  });
  beforeEach(async () => {
    await owner`truncate raw.readings, raw.quarantine`;
    await owner`truncate raw.correction`;
    await owner`update raw.sensor set correction = 'none'`;
  });
  afterAll(() => db.drop());

  describe('epa-2021', () => {
    it.each([
      [10, 50, 6.68],
      [30, 50, 17.16],
      [40, 50, 27.64],
      [50, 50, 40.74],
      [100, 50, 80.04],
      [210, 50, 166.5],
      [235, 50, 200.042],
      [260, 50, 242.124],
      [300, 50, 289.526],
      [2, 90, 0],
    ])('PM %d at %d %% is %d', async (pm, humidity, corrected) => {
      const [row] = await owner`select rollup.corrected('epa-2021', ${pm}, ${humidity}) as pm25`;
      expect(row?.pm25).toBeCloseTo(corrected, 3);
    });

    it('is continuous, and never out of the bounds of S1', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.float({ min: -10, max: 2000, noNaN: true }),
          fc.float({ min: 0, max: 100, noNaN: true }),
          async (pm, rh) => {
            const [row] = await owner`
              select rollup.corrected('epa-2021', ${pm}, ${rh}) as here, rollup.corrected('epa-2021', ${pm + 1e-4}, ${rh}) as beside`;
            if (row?.here === null) expect(pm).toBeGreaterThan(1100);
            else if (row?.beside !== null) expect(Math.abs(row?.here - row?.beside)).toBeLessThan(0.01);
          },
        ),
        { numRuns: 100 },
      );
    });

    it('needs the humidity only where the formula does', async () => {
      const [row] =
        await owner`select rollup.corrected('epa-2021', 100, null) as low, rollup.corrected('epa-2021', 300, null) as high`;
      expect(row?.low).toBeNull();
      expect(row?.high).toBeCloseTo(289.526, 3);
    });
  });

  it('keeps both values, whichever name the instrument gave it', async () => {
    await bring(network(undefined, { PMS5003T: 'epa-2021' }));
    await accept(reading(3, T, { pm25: 40, humidity: 50 }), reading(3, NEXT, { pm25_raw: '30', humidity: 50 }));
    expect(await rows(3)).toEqual([
      { pm25: 27.64, pm25_raw: 40 },
      { pm25: 17.16, pm25_raw: 30 },
    ]);
    expect(await accept(reading(3, T, { pm25: 40, humidity: 50 }))).toMatchObject({ unchanged: 1 });
    expect(await differences(db)).toEqual([]);
  });

  it('without a formula, pm25 is final and pm25_raw stands for it where it is alone', async () => {
    await bring(network());
    await accept(reading(1, T, { pm25: 40 }), reading(1, NEXT, { pm25_raw: 30 }), reading(2, T, { humidity: 50 }));
    expect(await rows()).toEqual([
      { pm25: 40, pm25_raw: null },
      { pm25: 30, pm25_raw: 30 },
    ]);
  });

  const particles = reading(1, T, { pm25: 40 });
  const weather = reading(2, T, { humidity: 50 });
  it.each([
    ['in one batch', [[particles, weather]]],
    ['humidity first', [[weather], [particles]]],
    ['humidity last', [[particles], [weather]]],
    ['in one batch, the other way round, twice', [[weather, particles], [particles]]],
  ])('takes the humidity of the same unit, another sensor at the same time: %s', async (_, batches) => {
    await bring(network('epa-2021'));
    for (const batch of batches) await accept(...batch);
    expect(await rows()).toEqual([{ pm25: 27.64, pm25_raw: 40 }]);
    expect(await accept(particles, weather)).toMatchObject({ accepted: 0, unchanged: 2 });
    expect(await differences(db)).toEqual([]);
  });

  it.each([
    ['particles', 'humidity', particles, weather],
    ['humidity', 'particles', weather, particles],
  ])('of two that send at the same time, the second sees the first: %s before %s', async (_, __, one, other) => {
    await bring(network('epa-2021'));
    const sent: Promise<unknown>[] = [];
    await ingest.begin(async (transaction) => {
      await acceptReadings(transaction as unknown as Sql, [one], { now: NOW, source: 'one' });
      sent.push(accept(other));
      await waiting();
    });
    await Promise.all(sent);
    expect(await rows()).toEqual([{ pm25: 27.64, pm25_raw: 40 }]);
  });

  it('a correction that is redone while a corrected reading comes in loses neither', async () => {
    await bring(network('epa-2021'));
    await accept(particles, weather);
    const redone: Promise<unknown>[] = [];
    await ingest.begin(async (transaction) => {
      await acceptReadings(transaction as unknown as Sql, [reading(1, T, { pm25: 100 })], { now: NOW, source: 'one' });
      redone.push(Promise.resolve(owner`select raw.recorrect(1, '2026-11-01', '2026-12-01')`));
      await waiting();
    });
    await Promise.all(redone);
    expect(await rows()).toEqual([{ pm25: 80.04, pm25_raw: 100 }]);
  });

  it('a sensor that is suspicious as a whole corrects nobody', async () => {
    const suspicious = structuredClone(network('epa-2021'));
    (suspicious.stations[0] as { sensors: object[] }).sensors[1] = { id: 2, suspicious: true };
    await bring(suspicious);
    await accept(weather, particles);
    expect(await rows()).toEqual([{ pm25: null, pm25_raw: 40 }]);
    await owner`truncate raw.readings`;
    await accept(particles);
    await accept(weather);
    expect(await rows()).toEqual([{ pm25: null, pm25_raw: 40 }]);
  });

  it('a large batch of particles and one of humidity come in whole', async () => {
    await bring(network('epa-2021'));
    const at = (n: number) => new Date(Date.parse(T) - n * 60_000).toISOString();
    const many = <V>(value: (n: number) => V) => Array.from({ length: 3_000 }, (_, n) => value(n));
    await accept(...many((n) => reading(1, at(n), { pm25: 40 })));
    await accept(...many((n) => reading(2, at(n), { humidity: 50 })));
    expect(await owner`select count(*)::int as n from raw.readings where pm25 = 27.64::real and pm25_raw = 40`).toEqual(
      [{ n: 3_000 }],
    );
  });

  it('without any humidity, what the instrument gave is kept and PM2.5 is not known', async () => {
    await bring(network('epa-2021'));
    await accept(particles, reading(2, NEXT, { humidity: 50 }), reading(3, T, { humidity: 90 }));
    expect(await rows()).toEqual([{ pm25: null, pm25_raw: 40 }]);
  });

  it('a changed formula applies from then on; recorrect redoes what was before, and takes it back', async () => {
    await bring(network());
    await accept(reading(1, T, { pm25: 40, humidity: 50 }));
    const changed = new Date('2026-11-20T10:30:00Z');
    await bring(network('epa-2021'), changed);
    await accept(reading(1, NEXT, { pm25: 40, humidity: 50 }), reading(1, T, { pm25: 40, humidity: 50 }));
    expect(await rows()).toEqual([
      { pm25: 40, pm25_raw: null },
      { pm25: 27.64, pm25_raw: 40 },
    ]);
    const options = { from: new Date('2026-11-01T00:00:00Z'), now: NOW, log, terminal: false };
    expect(await recorrect(owner, options)).toEqual({ sensors: 1, readings_changed: 1 });
    expect(await recorrect(owner, options)).toEqual({ sensors: 1, readings_changed: 0 });
    expect(await accept(reading(1, T, { pm25: 40, humidity: 50 }))).toMatchObject({ unchanged: 1 });
    expect((await rows())[0]).toEqual({ pm25: 27.64, pm25_raw: 40 });
    expect(await differences(db)).toEqual([]);
    await bring(network('none'), changed);
    expect(await recorrect(owner, { ...options, sensor: 1 })).toEqual({ sensors: 1, readings_changed: 2 });
    expect((await rows()).map((row) => row.pm25)).toEqual([40, 40]);
  });

  it('leaves a final value alone that was given beside a raw one, and can be taken back', async () => {
    await bring(network());
    await accept(reading(1, T, { pm25: 7, pm25_raw: 12, humidity: 50 }), reading(1, NEXT, { pm25: 40, humidity: 50 }));
    const options = { from: new Date('2026-11-01T00:00:00Z'), sensor: 1, now: NOW, log, terminal: false };
    await bring(network('epa-2021'));
    expect(await recorrect(owner, options)).toEqual({ sensors: 1, readings_changed: 1 });
    await bring(network('none'));
    expect(await recorrect(owner, options)).toEqual({ sensors: 1, readings_changed: 1 });
    expect(await recorrect(owner, options)).toEqual({ sensors: 1, readings_changed: 0 });
    expect((await rows()).map((row) => row.pm25)).toEqual([7, 40]);
  });

  it('refuses to recorrect a sensor that is none, or the future', async () => {
    await bring(network());
    const options = { now: NOW, log, terminal: false };
    await expect(recorrect(owner, { ...options, from: NOW })).rejects.toThrow('not in the past');
    await expect(recorrect(owner, { ...options, from: new Date(0), sensor: 99 })).rejects.toThrow(
      'no sensor of the network',
    );
  });
});
