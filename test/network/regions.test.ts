/** Regions: their centre where they have no map, and what becomes of them when they move. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { type InvalidNetwork, importNetwork } from '../../src/network/importNetwork.ts';
import { engines, testDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { PROVIDER_KEYS } from '../support/network.ts';
import { bringIn, type Json, smallNetwork } from '../support/smallNetwork.ts';

// nothing here depends on the engine
let sql: Sql;
beforeAll(async () => {
  const db = await testDatabase(engines[0] ?? 'plain');
  sql = db.as();
  return () => db.drop();
});

const map = { latitude: 40, longitude: 44 };

describe('a region that moves to another city', () => {
  beforeAll(async () => void (await bringIn(sql, smallNetwork())));
  const moved = {
    ...{ time_zone: 'Asia/Yerevan', providers: [], stations: [] as object[] },
    regions: [
      { slug: 'harbour', kind: 'city', title: { en: 'Harbour' }, map },
      { slug: 'quarter', kind: 'district', city: 'harbour', title: { en: 'Quarter' }, map },
    ],
  };
  const [one] = smallNetwork().stations;
  const messages = async (network: object) => {
    try {
      await bringIn(sql, network);
    } catch (error) {
      return (error as InvalidNetwork).issues.map(({ line, ...issue }) => issue);
    }
    return [];
  };

  it('is refused while the file does not say so of its stations (P4)', async () => {
    expect(await messages(moved)).toEqual([
      {
        position: 'regions[1]',
        message:
          'quarter was in town, and stations 1 of the database are in it: list them too, so that their cities follow',
      },
    ]);
    const town = { slug: 'town', kind: 'district', city: 'harbour', title: { en: 'Town' }, map };
    expect(await messages({ ...moved, regions: [moved.regions[0], town] })).toMatchObject([
      {
        position: 'regions[1]',
        message: expect.stringMatching(/^town was a city, and stations 1, 2/),
      },
    ]);
    expect(await messages({ ...moved, stations: [one] })).toEqual([
      {
        position: 'stations[0].regions[0]',
        message: 'quarter is no longer in town, and the station would be in both: leave town out',
      },
    ]);
  });

  it('takes its stations along where the file lists them', async () => {
    expect(await messages({ ...moved, stations: [{ ...one, regions: ['quarter'] }] })).toEqual([]);
    expect(await sql`select station_id, region_slug from raw.station_region order by 1, 2`).toEqual(
      [
        { station_id: 1, region_slug: 'harbour' },
        { station_id: 1, region_slug: 'quarter' },
        { station_id: 2, region_slug: 'town' },
      ],
    );
  });
});

describe('the centre of a region without a map', () => {
  /** What three stations of a town have beside the rest; the third is in the database alone. */
  it.each<[string, [Json, Json, Json], { map_latitude: number; map_longitude: number }]>([
    ['is the mean of its stations', [{}, {}, {}], { map_latitude: 41, map_longitude: 45 }],
    [
      'leaves out stations that are in no list any more',
      [
        { hidden: true },
        { hidden: [{ since: '2026-03-01' }] },
        { hidden: [{ until: '2026-03-01' }] },
      ],
      { map_latitude: 42, map_longitude: 46 },
    ],
    [
      'is the mean of all its stations where none is listed',
      [{ hidden: true }, { hidden: true }, { hidden: true }],
      { map_latitude: 41, map_longitude: 45 },
    ],
    [
      'is on the side of its stations at the date line',
      [{ longitude: 179 }, { longitude: -178 }, { longitude: -179 }],
      { map_latitude: 41, map_longitude: -179 - 1 / 3 },
    ],
  ])('%s', async (name, given, expected) => {
    const slug = name.replaceAll(' ', '-');
    const { stations, ...network } = smallNetwork();
    const town = { slug, kind: 'city', title: { en: name } };
    const placed = given.map((station, n) => ({
      ...stations[0],
      ...{ id: 10 * name.length + n, latitude: 40 + n, longitude: 44 + n, sensors: [] },
      ...{ regions: [slug], ...station },
    }));
    await bringIn(sql, { ...network, regions: [{ ...town, map }], stations: placed.slice(2) });
    await bringIn(sql, { ...network, regions: [town], stations: placed.slice(0, 2) });
    const [row] =
      await sql`select map_latitude, map_longitude from raw.region where slug = ${slug}`;
    expect(row?.map_latitude).toBe(expected.map_latitude);
    expect(row?.map_longitude).toBeCloseTo(expected.map_longitude, 9);
  });
});

describe('a dry run', () => {
  const tried = async (change: Parameters<typeof smallNetwork>[0]) => {
    const log = keepingLog();
    const text = JSON.stringify(smallNetwork(change));
    const options = { providerKeys: PROVIDER_KEYS, log, dryRun: true };
    const { far_stations } = await importNetwork(sql, text, options);
    return { far_stations, warnings: log.lines.filter(({ level }) => level === 'warn') };
  };

  it('lists stations that are far from all others of a region', async () => {
    const near = await tried({ two: { latitude: 40.1, longitude: 44.1 } });
    expect(near).toEqual({ far_stations: undefined, warnings: [] });
    const south = await tried({ two: { latitude: -40, longitude: 44 } });
    // along a meridian a degree is 111.2 km
    const km = Math.round(80 * 111.195);
    expect(south.far_stations).toMatchObject([
      { id: 1, km, swapped: false },
      { id: 2, km, swapped: false },
    ]);
    expect(south.warnings).toHaveLength(2);
  });

  it('asks nothing about a station that was in one city, and then in another', async () => {
    const other = { slug: 'other', kind: 'city', title: { en: 'Other' }, map };
    await bringIn(sql, { ...smallNetwork(), regions: [other], stations: [] });
    const until = [{ slug: 'quarter', until: '2026-03-01' }];
    const since = [{ slug: 'other', since: '2026-03-01' }];
    const two = { latitude: 40.1, longitude: 44.1, regions: [...until, ...since] };
    expect((await tried({ two })).warnings).toEqual([]);
  });
});
