/** Current values of stations (C1, C2): from sensors placed there now, since they were placed, over the hour up to their newest value. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { acceptReadings } from '../../src/ingest/accept.ts';
import type { ReadingInput } from '../../src/ingest/validate.ts';
import { bringIn, differences, type Json, NOW, reading, smallNetwork } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

/** So many minutes before now, which is a full hour. */
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const iso = (minutes: number) => ago(minutes).replace('.000Z', '+00:00');

onEveryEngine('current values', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let reader: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    reader = db.as('airseries_reader', 'UTC');
  });
  beforeEach(() => owner`truncate raw.readings`);
  afterAll(() => db.drop());

  const measured = (...readings: ReadingInput[]) =>
    acceptReadings(db.as('airseries_ingest'), readings, { now: NOW, source: 'test' });
  const bring = (sensor: Json = {}) => bringIn(owner, smallNetwork({ sensor }));
  const current = async (station: number, at = ago(0)) =>
    (
      await reader`select status, measurement_time, "pm2.5" as pm25, rain from api.station_current(${at}, ${station})`
    )[0];
  const OFFLINE = { status: 'offline', measurement_time: null, pm25: null, rain: null };
  const online = (minutes: number, pm25: number | null, rain: number | null = null) => ({
    status: 'online',
    measurement_time: iso(minutes),
    pm25,
    rain,
  });

  it('cover, per sensor and parameter, the 60 minutes up to the newest value that is not stale, each sensor counting once (C1)', async () => {
    await bring();
    await measured(
      reading(1, ago(130), { pm25: 100, rain: 8 }), // exactly 60 minutes before the newest
      reading(1, ago(129), { pm25: 10, rain: 1 }),
      reading(1, ago(70), { pm25: 20, rain: 2 }),
      reading(1, ago(5), { temperature: 7 }),
      reading(2, ago(170), { pm25: 35 }),
      reading(2, ago(-1), { pm25: 500 }), // later than the instant queried
    );
    expect(await current(1)).toEqual(online(5, 25, 3));
    expect(await current(1, ago(-9))).toEqual(online(-1, 257.5, 3));
    expect(await current(1, ago(-10))).toMatchObject({ pm25: 257.5 });
  });

  it('are gone when the newest reading is as old as stale_after (C2)', async () => {
    await bring();
    await measured(reading(3, ago(179), { pm25: 10 }));
    expect(await current(2)).toEqual(online(179, 10));
    expect(await current(2, ago(-1))).toEqual(OFFLINE);
  });

  it('of a moved sensor show at its new station at once, from readings taken there only; in history from its first whole hour (C1, P2)', async () => {
    const moved = {
      stations: [
        { id: 1, until: ago(85) },
        { id: 2, since: ago(85) },
      ],
    };
    await bring();
    await measured(
      reading(1, ago(95), { pm25: 90 }),
      reading(1, ago(86), { pm25: 80 }),
      reading(1, ago(85), { pm25: 10 }),
    );
    expect(await current(1)).toEqual(online(85, 60));
    expect(await current(2)).toEqual(OFFLINE);

    await bring(moved);
    expect(await current(1)).toEqual(OFFLINE);
    expect(await current(2)).toEqual(online(85, 10));
    expect(await current(2, ago(85))).toEqual(online(85, 10));
    expect(await current(1, ago(86))).toEqual(online(86, 85)); // it was placed there then

    await measured(reading(1, ago(55), { pm25: 20 }));
    expect(await current(2)).toEqual(online(55, 15));
    expect(await differences(db)).toEqual([]);
    expect(await owner`select station_id, pm25 from rollup.station_hourly`).toEqual([{ station_id: 2, pm25: 20 }]);
  });

  it('exclude a sensor while it is suspicious, and start over with it afterwards', async () => {
    await bring({ suspicious: [{ since: ago(50), until: ago(20) }] });
    await measured(...[55, 45, 15].map((minutes) => reading(1, ago(minutes), { pm25: minutes, rain: 1 })));
    expect(await current(1, ago(51))).toEqual(online(55, 55, 1));
    expect(await current(1, ago(30))).toEqual(OFFLINE);
    expect(await current(1, ago(20))).toEqual(OFFLINE); // no longer suspicious, but without readings since
    expect(await current(1)).toEqual(online(15, 15, 1));
  });
});
