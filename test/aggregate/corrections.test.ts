import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { reading, stored } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, type Json, smallNetwork } from '../support/smallNetwork.ts';
import { differences } from './differences.ts';

const at = (hours: number, minutes = 0) =>
  new Date(Date.UTC(2026, 10, 20, hours, minutes)).toISOString();
const close = (value: number) => expect.closeTo(value, 6);

/**
 * Station 1 has sensors 1 (particles), 2 (weather) and the given `others`; station 2 has sensor 3,
 * which measures both.
 */
const network = (
  correction?: unknown,
  { corrections = {}, others = [] }: { corrections?: Json; others?: Json[] } = {},
) => ({
  ...smallNetwork({
    one: { sensors: [{ id: 1, kind: 'PMS5003', correction }, { id: 2 }, ...others] },
    two: { sensors: [{ id: 3, kind: 'PMS5003T' }] },
  }),
  corrections,
});

onEveryEngineInAll('corrections of PM2.5', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  const accept = (...readings: ReadingInput[]) =>
    acceptReadings(ingest, readings, { now: NOW, source: 'test' });
  /** PM2.5 of a station, hour by hour, checked against the oracle. */
  const hours = async (station = 1) => {
    expect(await differences(db)).toEqual([]);
    return await owner`select pm25, pm25_raw from rollup.station_hourly where station_id = ${station} order by bucket`;
  };
  const current = async (now = at(11), station = 1) =>
    (await owner`select "pm2.5", "pm2.5_raw" from api.station_current(${now}, ${station})`)[0];

  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'UTC');
    ingest = db.as('airseries_ingest');
  });
  beforeEach(async () => {
    await owner`truncate raw.readings, raw.quarantine, raw.placement, raw.correction, raw.sensor_station, raw.suspicious_period,
      raw.screened_period, raw.sensor`;
  });
  afterAll(() => db.drop());

  it.each([
    ['none', { pm25: 10, pm25_raw: 45 }],
    ['epa-2021', { pm25: close(27.64), pm25_raw: 40 }],
  ])(
    'PM2.5 with the formula %s is chosen and corrected by means of the hour, never per reading',
    async (formula, expected) => {
      await bringIn(owner, network(formula));
      await accept(
        reading(1, at(10, 5), { pm25: 10, pm25_raw: 40 }),
        reading(1, at(10, 25), formula === 'none' ? { pm25_raw: 50 } : { pm25: 90 }),
        reading(2, at(10), { humidity: 50 }),
      );
      expect(await hours()).toEqual([expected]);
      const published = formula === 'none' ? [10, 45] : [27.6, 40];
      expect(await current()).toEqual({ 'pm2.5': published[0], 'pm2.5_raw': published[1] });
    },
  );

  it('a correction takes the humidity of the corrected sensors, else the station’s, in current values too (S5)', async () => {
    await bringIn(owner, network('epa-2021', { others: [{ id: 4, correction: 'epa-2021' }] }));
    await accept(
      reading(1, at(6), { pm25: 40, humidity: 40 }),
      reading(1, at(6, 10), { pm25: 40, humidity: 60 }),
      reading(4, at(6), { pm25: 40 }),
      reading(2, at(6), { humidity: 90 }),
    );
    expect(await hours()).toEqual([{ pm25: close(27.64), pm25_raw: 40 }]);
    expect(await current(at(7))).toMatchObject({ 'pm2.5': 27.6 });
    await accept(reading(1, at(10), { pm25: 40 }), reading(2, at(10), { humidity: 90 }));
    const [, later] = await hours();
    expect(later).toEqual({ pm25: close(27.64 - 0.0862 * 40), pm25_raw: 40 });
    expect(await current(at(10, 30))).toMatchObject({ 'pm2.5': 24.2 });
  });

  it('without humidity, sensors with a formula are left out, and PM2.5 is null where there are no others', async () => {
    await bringIn(owner, network('epa-2021', { others: [{ id: 4 }] }));
    await accept(
      reading(1, at(9), { pm25: 40 }),
      reading(1, at(10), { pm25: 40 }),
      reading(4, at(10), { pm25: 10 }),
    );
    await accept(reading(3, at(9), { humidity: 50 }), reading(2, at(8), { humidity: 50 }));
    expect((await hours()).slice(1)).toEqual([
      { pm25: null, pm25_raw: 40 },
      { pm25: 10, pm25_raw: 40 },
    ]);
    // with the humidity of 8:00, which is not stale yet (C1)
    expect(await current(at(10, 59))).toMatchObject({ 'pm2.5': 18.8 });
    expect(await current(at(11))).toMatchObject({ 'pm2.5': 10 });
  });

  it('a sensor’s own formula comes before the formula of its kind', async () => {
    const corrections = { PMS5003: 'epa-2021', PMS5003T: [{ formula: 'epa-2021', since: at(10) }] };
    const measured = [9, 10].flatMap((hour) => [
      reading(1, at(hour), { pm25: 40 }),
      reading(2, at(hour), { humidity: 50 }),
      reading(3, at(hour), { pm25: 40, humidity: 50 }),
    ]);
    await bringIn(owner, network('none', { corrections }));
    await accept(...measured);
    expect((await hours(1)).map(({ pm25 }) => pm25)).toEqual([40, 40]);
    expect((await hours(2)).map(({ pm25 }) => pm25)).toEqual([40, close(27.64)]);
    await bringIn(owner, network(undefined, { corrections }));
    expect((await hours(1)).map(({ pm25 }) => pm25)).toEqual([close(27.64), close(27.64)]);
  });

  it('a formula begins and ends on a full hour, rounded up (P2), in current values too', async () => {
    await bringIn(owner, network([{ formula: 'epa-2021', since: at(8, 1), until: at(9, 59) }]));
    expect(
      await owner`select formula, since, until from raw.placement where sensor_id = 1 order by since`,
    ).toEqual([
      { formula: 'none', since: '-infinity', until: '2026-11-20T09:00:00+00:00' },
      {
        formula: 'epa-2021',
        since: '2026-11-20T09:00:00+00:00',
        until: '2026-11-20T10:00:00+00:00',
      },
      { formula: 'none', since: '2026-11-20T10:00:00+00:00', until: 'infinity' },
    ]);
    await accept(
      ...[8, 9, 10].flatMap((hour) => [
        reading(1, at(hour, 30), { pm25: 40 }),
        reading(2, at(hour, 30), { humidity: 50 }),
      ]),
    );
    expect((await hours()).map(({ pm25 }) => pm25)).toEqual([40, close(27.64), 40]);
    expect(await current(at(9, 59))).toMatchObject({ 'pm2.5': 27.6 });
    expect(await current(at(10, 59))).toMatchObject({ 'pm2.5': 40 });
  });

  it('a formula that begins does not restart the current values of a sensor that came shortly before (C1)', async () => {
    const moved = {
      id: 4,
      stations: [{ id: 1, since: at(9, 50) }],
      correction: [{ formula: 'epa-2021', since: at(10) }],
    };
    await bringIn(owner, network(undefined, { others: [moved] }));
    await accept(
      ...[at(9, 45), at(9, 55), at(10, 5)].map((time, n) =>
        reading(4, time, { pm25: 20 * n, humidity: 50 }),
      ),
    );
    // the mean of 20 and 40
    expect(await current(at(10, 10))).toMatchObject({ 'pm2.5_raw': 30, 'pm2.5': 17.2 });
  });

  it('a formula that is changed in retrospect applies to every hour after a refresh, and can be taken back', async () => {
    const none = network();
    const since = network([{ formula: 'epa-2021', since: at(9) }]);
    await bringIn(owner, none);
    const measured = [8, 9, 10].flatMap((hour) => [
      reading(1, at(hour), { pm25: 40 }),
      reading(2, at(hour), { humidity: 50 }),
      reading(3, at(hour), { pm25: 40, humidity: 50 }),
    ]);
    await accept(...measured);
    const before = await stored(owner);
    expect(await hours()).toHaveLength(3);

    expect(await bringIn(owner, since)).toMatchObject({
      sensors: { changed: 1 },
      recomputed: { sensors: 1, stations: 0 },
    });
    expect(await owner`select since, until, from_level, sensor_id from rollup.stale`).toEqual([
      {
        since: '2026-11-20T09:00:00+00:00',
        until: 'infinity',
        from_level: 'station_hourly',
        sensor_id: 1,
      },
    ]);
    expect(await current()).toMatchObject({ 'pm2.5': 27.6 });
    expect((await hours()).map(({ pm25 }) => pm25)).toEqual([40, close(27.64), close(27.64)]);
    expect((await hours(2)).map(({ pm25 }) => pm25)).toEqual([40, 40, 40]);

    await bringIn(owner, network('epa-2021'));
    expect((await hours()).map(({ pm25 }) => pm25)).toEqual([27.64, 27.64, 27.64].map(close));
    await bringIn(owner, none);
    expect((await hours()).map(({ pm25 }) => pm25)).toEqual([40, 40, 40]);
    expect(await current()).toMatchObject({ 'pm2.5': 40 });
    expect(await stored(owner)).toEqual(before);
    expect(await accept(...measured)).toMatchObject({ accepted: 0, unchanged: 9 });
  });
});
