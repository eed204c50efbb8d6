/** valid_until of every document is the first instant at which it changes without new data. */
import { beforeAll, expect, it } from 'vitest';
import { apiOver } from '../../src/database/apiDb.ts';
import { makeSiteUrls } from '../../src/serve/current.ts';
import { makeDocuments, makeNetworkReader } from '../../src/serve/documents.ts';
import { makeExplore } from '../../src/serve/explore.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';

/** A full hour in Yerevan; the region changes only with hours and its digest. */
const NOW = Date.parse('2026-11-20T12:10:00Z');
const minutes = (n: number) => new Date(NOW + n * 60_000);
const PATH = {
  locale: 'en',
  id: 0,
  slug: '',
  parameter: '',
  year: 0,
  from: '',
  to: '',
  hour: '',
} as const;
const SLUGS = [...'abcdefghij'].map((letter) => `in-${letter}`);
const [OFFLINE, ONE_VALUE, TWO_VALUES, HIDDEN, SHOWN, FLAGGED, MOVED, AHEAD, FITTED, LEAVING] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
];

onEveryEngineInAll('valid_until', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    const network = citiesOfOneStation(SLUGS);
    const change = (id: number, fields: object) =>
      Object.assign(network.stations[id - 1] ?? {}, fields);
    change(HIDDEN, { hidden: [{ since: minutes(50).toISOString() }] });
    change(SHOWN, { hidden: [{ until: minutes(70).toISOString() }] });
    change(FLAGGED, {
      is_bad_thp: [{ since: minutes(20).toISOString(), until: minutes(30).toISOString() }],
    });
    change(MOVED, {
      sensors: [{ id: MOVED, stations: [{ id: MOVED, until: minutes(110).toISOString() }] }],
    });
    change(FITTED, {
      sensors: [{ id: FITTED, stations: [{ id: FITTED, since: minutes(40).toISOString() }] }],
    });
    change(LEAVING, { regions: [{ slug: 'in-j', until: minutes(100).toISOString() }] });
    here = await install(engine, network);
    await here.accept(
      [
        reading(ONE_VALUE, minutes(-30), { pm25: 1 }),
        reading(TWO_VALUES, minutes(-90), { temperature: 1 }),
        reading(TWO_VALUES, minutes(-20), { pm25: 1 }),
        ...[HIDDEN, SHOWN, FLAGGED, MOVED, LEAVING].map((id) =>
          reading(id, minutes(-1), { pm25: 1 }),
        ),
        reading(AHEAD, minutes(-10), { pm25: 1 }),
        reading(AHEAD, minutes(3), { pm25: 2 }),
      ],
      minutes(0),
    );
    await here.refresh(minutes(0));
    return () => here.close();
  });

  const ofStation = async (id: number, at = minutes(0)) => {
    const [row] = await here.published`select valid_until from api.station_current(${at}, ${id})`;
    return row?.valid_until === null ? null : new Date(row?.valid_until);
  };
  const ofRegion = async (slug: string, at = minutes(0)) => {
    const [row] = await here.published`select valid_until from api.region_current(${at}, ${slug})`;
    return new Date(row?.valid_until);
  };

  it.each([
    ['that is offline, with nothing to come, is valid for ever', OFFLINE, null],
    ['with one value is valid until the value is stale', ONE_VALUE, minutes(150)],
    ['with two values is valid until the first is stale', TWO_VALUES, minutes(90)],
    ['that will be hidden is valid until then', HIDDEN, minutes(50)],
    ['that is hidden for a while is valid until it is listed again', SHOWN, minutes(70)],
    ['that will be flagged is valid until then', FLAGGED, minutes(20)],
    ['whose sensor will be taken away is valid until then', MOVED, minutes(110)],
    ['that will get a sensor is valid until then', FITTED, minutes(40)],
    ['that will leave its region is valid until then', LEAVING, minutes(100)],
    ['with a reading from the future is valid until it counts', AHEAD, minutes(3)],
  ])('a station %s, and its documents change then and not before', async (_, id, expected) => {
    expect(await ofStation(id)).toEqual(expected);
    if (expected === null || id === FITTED) return; // which has nothing to show
    const at = (time: Date) =>
      Promise.all(['stations.json', `station/${id}.json`].map((path) => here.get(path, time)));
    const before = await at(new Date(expected.getTime() - 1));
    expect(before[1]).toEqual((await at(minutes(0)))[1]);
    expect(await at(expected)).not.toEqual(before);
  });

  it('a station is flagged from the instant at which its flag begins to the instant at which it ends', async () => {
    const flagged = async (at: Date) =>
      (await here.published`select is_bad_thp from api.station_current(${at}, ${FLAGGED})`)[0];
    for (const [at, is_bad_thp, until] of [
      [20, true, 30],
      [25, true, 30],
      [30, false, 179],
    ] as const) {
      expect(await flagged(minutes(at))).toEqual({ is_bad_thp });
      expect(await ofStation(FLAGGED, minutes(at))).toEqual(minutes(until));
    }
  });

  it('a region is valid until the next full hour, the expiry of its digest or the next digest', async () => {
    expect(await ofRegion('in-a')).toEqual(minutes(50));
    await here.digest(minutes(0));
    expect(await ofRegion('in-b', minutes(15))).toEqual(minutes(30));
    expect(await ofRegion('in-b', minutes(31))).toEqual(minutes(50));
    expect(await ofRegion('in-b', minutes(-5)), 'the clock was set back').toEqual(minutes(0));
  });

  it('now.json of a region is valid until the digest with its counts expires, not until the next full hour (C4)', async () => {
    const until = async (at: Date) => {
      const db = apiOver(here.published);
      const documents = makeExplore({ db, wholeNetwork: db, clock: () => at });
      return (await documents.regionNow({ ...PATH, slug: 'in-b' })).validUntil;
    };
    const particles = async (at: Date) =>
      (await here.get('/en/explore/v1/region/in-b/now.json', at)).particles;
    await here.digest(minutes(0));
    expect(await until(minutes(15))).toEqual(minutes(30));
    expect(await until(minutes(31))).toEqual(minutes(50));
    expect(await until(minutes(-5))).toEqual(minutes(0)); // the clock was set back
    const [counted, unknown] = [minutes(30), new Date(minutes(30).getTime() + 1)];
    expect(await particles(counted)).toEqual({ stations: 1, left_out: 0, expected: 1 });
    expect(await particles(unknown)).toEqual({ stations: null, left_out: null, expected: null });
  });

  it.each([
    ['a station', minutes(2), minutes(3)],
    ['a region', minutes(162), minutes(170)],
  ])('the list is valid until %s changes, if that comes first', async (_, at, expected) => {
    const db = apiOver(here.published);
    const documents = makeDocuments({
      db,
      reader: makeNetworkReader(db, (read) => () => read(at)),
      clock: () => at,
      site: makeSiteUrls(''),
    });
    expect((await documents.stations({ locale: 'en', id: 0, slug: '' })).validUntil).toEqual(
      expected,
    );
  });
});
