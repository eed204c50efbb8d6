/**
 * Stations whose temperature, humidity or pressure cannot be true are flagged automatically (C5),
 * and their regions' history is repaired (A3, A10).
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { screen, screenedPeriods } from '../../src/network/screening.ts';
import { differences } from '../aggregate/differences.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';

const HOUR = 3_600_000;
const hoursAgo = (n: number) => new Date(NOW.getTime() - n * HOUR);
const iso = (at: Date) => at.toISOString().replace('.000Z', '+00:00');

/** The values of a sensor, by hours before now. */
type Air = { temperature?: number; humidity?: number; pressure?: number };
const sane = (ago: number): Air => ({
  temperature: 5 + (ago % 7),
  humidity: 50 + (ago % 5),
  pressure: 90_000 + ago,
});

onEveryEngineInAll('screening', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
  });
  beforeEach(async () => {
    await owner`truncate raw.readings, raw.screened_period`;
    await bringIn(owner, smallNetwork({ one: { altitude: 1000 } }));
    await owner`update raw.station set screening = true`;
  });
  afterAll(() => db.drop());

  /** Two readings an hour, stored by acceptReadings. */
  const measure = async (sensor: number, from: number, to: number, air: (ago: number) => Air) => {
    const none = { temperature: null, humidity: null, pressure: null };
    const rows = Array.from({ length: 2 * (from - to) + 1 }, (_, n) => from - n / 2).map((ago) => ({
      ...{ measured_at: hoursAgo(ago), sensor_id: sensor, pm25: 10 + (Math.ceil(ago) % 7) },
      ...{ ...none, ...air(Math.ceil(ago)) },
    }));
    await owner`insert into raw.readings ${owner(rows)}`;
  };
  const screened = async (at = NOW) => {
    await db.refresh(NOW);
    return await screen(db.target, at);
  };
  const flags = () => screenedPeriods(db.target, 'UTC');
  const bad = async () =>
    (
      await owner`select station_id from logic.station_state(${NOW}) where is_bad_thp order by 1`
    ).map((row) => row.station_id);
  /** The periods in which the weather of station 1 is left out of its regions. */
  const leftOut = async () =>
    (
      await owner`select since, until from raw.membership where station_id = 1 and region_slug = 'town' and is_flagged`
    ).map(({ since, until }) => [new Date(since), until === 'infinity' ? until : new Date(until)]);
  /** Everything that a run may write: row versions of its tables, and the marked periods. */
  const written = async () => [
    ...(await owner`select xmin::text, ctid::text, * from raw.screened_period order by ctid`),
    ...(await owner`select xmin::text, ctid::text, * from raw.membership order by ctid`),
    ...(await owner`select * from rollup.stale`),
  ];

  it('a plausible station is not flagged, even if it is constant for less than a day', async () => {
    await measure(1, 48, 0, sane);
    await measure(3, 23, 0, () => ({ temperature: 21.5, humidity: 99.9, pressure: 90_000 }));
    expect(await screened()).toEqual({ raised: 0, lifted: 0 });
    expect(await bad()).toEqual([]);
  });

  it.each<[string, string[], (ago: number) => Air]>([
    [
      'zero temperature and humidity',
      ['zero_values'],
      (ago) => (ago > 3 ? sane(ago) : { temperature: 0, humidity: 0 }),
    ],
    [
      'a pressure off its altitude',
      ['pressure_off_altitude'],
      (ago) => ({ ...sane(ago), pressure: (ago > 3 ? 90_000 : 101_000) + ago }),
    ],
    [
      'saturated humidity',
      ['humidity_saturated'],
      (ago) => ({ ...sane(ago), humidity: ago > 30 ? 60 : 99.5 + (ago % 3) / 10 }),
    ],
    [
      'a constant temperature',
      ['constant_temperature'],
      (ago) => ({ ...sane(ago), temperature: ago > 30 ? 4 : -7.3 }),
    ],
    [
      'all values constant',
      ['constant_humidity', 'constant_pressure', 'constant_temperature'],
      (ago) => (ago > 30 ? sane(ago) : sane(30)),
    ],
  ])(
    'a station with %s is flagged, and its region leaves its weather out',
    async (_, reasons, air) => {
      await measure(1, 40, 0, air);
      expect(await screened()).toEqual({ raised: reasons.length, lifted: 0 });
      const all = await flags();
      expect(all.map(({ reason }) => reason).sort()).toEqual(reasons);
      expect(all.map(({ station_id, sensor_id, until }) => [station_id, sensor_id, until])).toEqual(
        all.map(() => [1, 1, null]),
      );
      expect(await bad()).toEqual([1]);
      expect(await leftOut()).toEqual([[new Date(all[0]?.since as string), 'infinity']]);
      expect(await differences(db)).toEqual([]);
    },
  );

  it('a station that is constant for exactly a day is flagged', async () => {
    await measure(3, 24, 0, () => ({ temperature: 21.5 }));
    expect(await screened()).toEqual({ raised: 1, lifted: 0 });
    expect(await bad()).toEqual([2]);
  });

  it('a flag is lifted when the data recover, and kept while no data come', async () => {
    await measure(1, 40, 12, (ago) => ({ ...sane(ago), humidity: 100 }));
    expect(await screened(hoursAgo(10))).toMatchObject({ raised: 1 });
    expect(await screened(hoursAgo(5))).toEqual({ raised: 0, lifted: 0 });
    expect(await bad()).toEqual([1]);
    await measure(1, 4, 0, sane);
    expect(await screened()).toEqual({ raised: 0, lifted: 1 });
    expect(await flags()).toMatchObject([
      { reason: 'humidity_saturated', until: iso(hoursAgo(4)) },
    ]);
    expect(await bad()).toEqual([]);
    expect(await leftOut()).toEqual([[hoursAgo(40), hoursAgo(4)]]);
    expect(await differences(db)).toEqual([]);
  });

  it('late plausible readings that fill a gap lift the flag', async () => {
    await measure(1, 40, 20, (ago) => ({ ...sane(ago), humidity: 100 }));
    await measure(1, 8, 0, (ago) => ({ ...sane(ago), humidity: 100 }));
    expect(await screened()).toMatchObject({ raised: 1 });
    await measure(1, 19.5, 8.5, sane);
    await screened();
    expect(await flags()).toEqual([]);
    expect(await leftOut()).toEqual([]);
  });

  it('a flag continues though its fault began before the screened period', async () => {
    await measure(1, 24 * 12, 0, (ago) => ({ ...sane(ago), humidity: 100 }));
    await db.refresh(NOW);
    await screen(db.target, hoursAgo(24 * 5));
    await screen(db.target, NOW);
    expect(await flags()).toMatchObject([{ since: iso(hoursAgo(24 * 12)) }]);
  });

  it('a flag ends with the placement of the sensor that caused it', async () => {
    await measure(1, 40, 10, (ago) => ({ ...sane(ago), humidity: 100 }));
    expect(await screened(hoursAgo(9))).toMatchObject({ raised: 1 });
    const replaced = iso(hoursAgo(8));
    const sensors = [
      { id: 1, stations: [{ id: 1, until: replaced }] },
      { id: 2, stations: [{ id: 1, since: replaced }] },
    ];
    await bringIn(owner, smallNetwork({ one: { altitude: 1000, sensors } }));
    await measure(2, 7, 0, sane);
    await screened();
    expect(await flags()).toMatchObject([{ sensor_id: 1, until: replaced }]);
    expect(await bad()).toEqual([]);
    expect(await differences(db)).toEqual([]);
    const hours = await owner`
      select bucket >= ${replaced} as is_after, count(*)::int as hours, count(temperature)::int as with_weather
      from rollup.region_hourly where region_slug = 'quarter' group by 1 order by 1`;
    expect(hours).toEqual([
      { is_after: false, hours: 31, with_weather: 0 },
      { is_after: true, hours: 8, with_weather: 8 },
    ]);
    await bringIn(owner, smallNetwork({ one: { altitude: 1000 } }));
  });

  it('a flag ends where the operator marks the sensor as suspicious', async () => {
    await measure(1, 40, 10, (ago) => ({ ...sane(ago), humidity: 100 }));
    await screened(hoursAgo(9));
    await bringIn(
      owner,
      smallNetwork({
        one: { altitude: 1000 },
        sensor: { suspicious: [{ since: hoursAgo(8).toISOString() }] },
      }),
    );
    await screened();
    expect(await bad()).toEqual([]);
  });

  it('a screening reports nothing twice, however far it looks back, and writes nothing then (C5)', async () => {
    await measure(1, 24 * 20, 0, (ago) => ({
      ...sane(ago),
      pressure: 101_000 + ago,
      humidity: ago > 24 * 15 ? 100 : 50 + (ago % 5),
    }));
    await db.refresh(NOW);
    await screen(db.target, NOW, hoursAgo(24 * 30));
    expect(await flags()).toHaveLength(2);
    await db.refresh(NOW);
    const before = await written();
    for (const _ of [1, 2]) expect(await screened()).toEqual({ raised: 0, lifted: 0 });
    expect(await flags()).toHaveLength(2);
    expect(await written()).toEqual(before);
  });

  it('the operator overrides screening, which resumes with its flags afterwards', async () => {
    await measure(1, 40, 0, (ago) => ({ ...sane(ago), humidity: 100 }));
    await screened();
    expect(await bad()).toEqual([1]);
    await bringIn(owner, smallNetwork({ one: { altitude: 1000, screening: false } }));
    expect(await bad()).toEqual([]);
    expect(await leftOut()).toEqual([]);
    expect(await screened()).toEqual({ raised: 0, lifted: 0 });
    await bringIn(owner, smallNetwork({ one: { altitude: 1000 } }));
    expect(await bad()).toEqual([1]); // nothing was lost
    await bringIn(
      owner,
      smallNetwork({ one: { altitude: 1000, screening: false, is_bad_thp: true } }),
    );
    expect(await bad()).toEqual([1]);
    expect(await differences(db)).toEqual([]);
  });
});
