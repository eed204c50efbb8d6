/**
 * A region's current values at their bounds (C4): valid from the instant of the digest until
 * exactly 30 minutes later, from stations that are online, members and listed at that instant, to
 * the millisecond.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
/** A full hour, because memberships change only at full hours. */
const MADE = Date.parse('2026-11-20T12:00:00Z');
const MADE_LOCAL = '2026-11-20T16:00:00+04:00';
const STALE = 3 * HOUR;
const NOTHING = {
  measurement_time: null,
  'pm2.5': null,
  pm10: null,
  temperature: null,
  aqi: null,
  station_count: null,
};

/** Stations of the city `crowd`: value, age of the reading, and settings. */
const CROWD: readonly [pm25: number, before: number, more?: object][] = [
  [10, 0],
  [20, STALE - 1], // online for one more millisecond
  [400, STALE], // offline from this instant on
  [500, 0, { hidden: [{ since: new Date(MADE).toISOString() }] }],
  [30, 0, { hidden: [{ until: new Date(MADE).toISOString() }] }],
  [600, 0, { regions: [{ slug: 'crowd', until: new Date(MADE).toISOString() }] }],
  [700, 0, { regions: [{ slug: 'crowd', since: new Date(MADE + HOUR).toISOString() }] }],
];

function network() {
  const base = citiesOfOneStation(['town', 'crowd']);
  const [town, crowd] = base.stations;
  const members = CROWD.map(([, , more], n) => ({
    ...crowd,
    id: 10 + n,
    sensors: [{ id: 10 + n }],
    ...more,
  }));
  return { ...base, stations: [town, ...members] };
}

onEveryEngineInAll('digests', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, network());
    await here.accept([
      reading(1, MADE, { pm25: 10, pm10: 20, temperature: 5 }),
      ...CROWD.map(([pm25, before], n) => reading(10 + n, MADE - before, { pm25 })),
    ]);
    await here.digest(new Date(MADE));
  });
  afterAll(() => here.close());

  const town = (at: number) => here.get('region/town.json', new Date(at));

  it('C4: a region has no values a millisecond before its first digest', async () => {
    expect(await town(MADE - 1)).toMatchObject(NOTHING);
  });

  it.each([
    ['at the instant it is made', 0],
    ['when it is exactly 30 minutes old', 30 * MINUTE],
  ])('C4: a digest is used %s', async (_, age) => {
    expect(await town(MADE + age)).toMatchObject({
      measurement_time: MADE_LOCAL,
      'pm2.5': 10,
      pm10: 20,
      station_count: 1,
    });
  });

  it('C4: a digest is not used a millisecond after its 30 minutes', async () => {
    expect(await town(MADE + 30 * MINUTE + 1)).toMatchObject(NOTHING);
  });

  it('C4: a digest counts only stations that are online, members and listed at its instant', async () => {
    expect(await here.get('region/crowd.json', new Date(MADE))).toMatchObject({
      station_count: 3,
      'pm2.5': 20,
    });
  });

  it('C4: the newest digest is used from its instant on', async () => {
    await here.accept([reading(1, MADE + 5 * MINUTE, { pm25: 30 })]);
    await here.digest(new Date(MADE + 5 * MINUTE));
    expect(await town(MADE + 5 * MINUTE - 1)).toMatchObject({
      measurement_time: MADE_LOCAL,
      'pm2.5': 10,
    });
    expect(await town(MADE + 5 * MINUTE)).toMatchObject({
      measurement_time: '2026-11-20T16:05:00+04:00',
      'pm2.5': 20,
    });
  });

  it('C4: a digest without stations gives nulls, even if an older one with stations is still valid', async () => {
    const silent = MADE + 5 * MINUTE + STALE;
    await here.digest(new Date(silent - MINUTE));
    expect(await town(silent - MINUTE)).toMatchObject({ 'pm2.5': 20, station_count: 1 });
    await here.digest(new Date(silent));
    expect(await town(silent - 1)).toMatchObject({ 'pm2.5': 20, station_count: 1 });
    expect(await town(silent)).toMatchObject(NOTHING);
  });

  it('C4: late readings do not change a digest', async () => {
    await here.accept([reading(1, MADE - MINUTE, { pm25: 900 })]);
    await here.digest(new Date(MADE));
    expect(await town(MADE)).toMatchObject({ measurement_time: MADE_LOCAL, 'pm2.5': 10 });
  });
});
