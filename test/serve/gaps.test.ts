/** The absent hours of a station, and why they are absent. */
import { beforeAll, expect, it } from 'vitest';
import { removeElement } from '../../src/network/removeElement.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  type Body,
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';

const NOW = new Date('2026-11-20T12:30:00Z');
/** Out of bounds, so that no usable value remains (S2). */
const UNUSABLE = { pm25: 9_999 };
const GOOD = { pm25: 10 };

/** The sensors of each station. */
const SENSORS: readonly (readonly object[])[] = [
  [
    {
      id: 1,
      stations: [{ id: 1, since: '2026-11-19T20:30:00Z', until: '2026-11-20T10:00:00Z' }],
      suspicious: [{ since: '2026-11-20T02:30:00Z', until: '2026-11-20T04:00:00Z' }],
    },
  ],
  [{ id: 2, stations: [{ id: 2, since: '2026-11-20T00:00:00Z' }] }],
  [{ id: 3 }, { id: 33, suspicious: [{ since: '2026-11-20T00:00:00Z' }] }],
  [{ id: 4 }],
  [],
  [{ id: 6 }],
];
const network = (sensors = SENSORS, timeZone = 'Asia/Yerevan') => {
  const file = citiesOfOneStation([...'abcdef'].slice(0, sensors.length), { timeZone });
  const stations = file.stations.map((one, n) => ({ ...one, sensors: sensors[n] }));
  return { ...file, stations };
};

/** Each gap of a station as its start, end, hours and reason, and what was refused. */
async function gapsOf(here: Installation, station: number, { year = 2026, now = NOW } = {}) {
  await here.refresh(now);
  const body = await here.get(`/en/explore/v1/station/${station}/gaps/${year}.json`, now);
  expect(body.year).toBe(year);
  return body.gaps.map(({ since, until, hours, reason, ...refused }: Body) => {
    const { refused_readings: count, refused_for: cause } = refused;
    return [since, until, hours, reason, ...(count === null ? [] : [`${count} ${cause}`])];
  });
}

onEveryEngineInAll('the gaps of a station', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, network());
    return () => here.close();
  });

  it('an absent hour is moved, refused, silent or suspicious, and the running hour is left out (A9, P2, S2)', async () => {
    await here.accept([
      reading(1, '2026-11-19T20:40:00Z', GOOD), // of an hour that the sensor began elsewhere
      reading(1, '2026-11-19T21:10:00Z', GOOD),
      reading(1, '2026-11-19T22:10:00Z', UNUSABLE),
      reading(1, '2026-11-19T22:20:00Z', UNUSABLE),
      reading(1, '2026-11-20T02:10:00Z', GOOD), // of an hour in which it became suspicious
      reading(1, '2026-11-20T02:40:00Z', UNUSABLE),
      reading(1, '2026-11-20T04:10:00Z', GOOD),
      reading(1, '2026-11-20T11:10:00Z', UNUSABLE), // from elsewhere
    ]);
    await here.accept([reading(1, '2026-11-19T23:10:00Z', GOOD)], new Date('2026-11-19T21:30Z'));
    expect(await gapsOf(here, 1)).toEqual([
      ['2026-01-01T00:00:00+04:00', '2026-11-20T01:00:00+04:00', 323 * 24 + 1, 'moved'],
      ['2026-11-20T02:00:00+04:00', '2026-11-20T04:00:00+04:00', 2, 'refused', '3 no_value'],
      ['2026-11-20T04:00:00+04:00', '2026-11-20T06:00:00+04:00', 2, 'silent'],
      ['2026-11-20T06:00:00+04:00', '2026-11-20T08:00:00+04:00', 2, 'suspicious'],
      ['2026-11-20T09:00:00+04:00', '2026-11-20T14:00:00+04:00', 5, 'silent'],
      ['2026-11-20T14:00:00+04:00', '2026-11-20T16:00:00+04:00', 2, 'moved'],
    ]);
  });

  it('refused hours in a row are one gap with their most frequent reason, others are gaps of their own', async () => {
    await here.accept(
      ['01:10', '02:10', '02:20', '03:10', '03:20', '03:30', '05:10'].map((time) =>
        reading(2, `2026-11-20T${time}:00Z`, time === '02:10' || time > '05' ? UNUSABLE : GOOD),
      ),
      new Date('2026-11-20T00:30Z'),
    );
    const gaps = await gapsOf(here, 2);
    expect(gaps.filter(([, , , reason]: Body) => reason === 'refused')).toEqual([
      ['2026-11-20T05:00:00+04:00', '2026-11-20T08:00:00+04:00', 3, 'refused', '6 in_the_future'],
      ['2026-11-20T09:00:00+04:00', '2026-11-20T10:00:00+04:00', 1, 'refused', '1 no_value'],
    ]);
  });

  it('of the sensors of a station, those that count say why an hour is absent', async () => {
    await here.accept([
      reading(3, '2026-11-19T23:10:00Z', GOOD),
      reading(33, '2026-11-20T01:10:00Z', GOOD),
      reading(33, '2026-11-20T02:10:00Z', UNUSABLE),
    ]);
    expect((await gapsOf(here, 3)).at(-1)).toEqual([
      '2026-11-20T04:00:00+04:00',
      '2026-11-20T16:00:00+04:00',
      12,
      'silent',
    ]);
  });

  it('of hours older than 90 days only refused readings that came since are known', async () => {
    await here.accept([
      reading(4, '2026-03-01T00:10:00Z', UNUSABLE),
      reading(4, '2026-11-01T00:10:00Z', GOOD),
    ]);
    expect(await gapsOf(here, 4)).toEqual([
      ['2026-01-01T00:00:00+04:00', '2026-03-01T04:00:00+04:00', 59 * 24 + 4, 'unknown'],
      ['2026-03-01T04:00:00+04:00', '2026-03-01T05:00:00+04:00', 1, 'refused', '1 no_value'],
      ['2026-03-01T05:00:00+04:00', '2026-08-22T17:00:00+04:00', 174 * 24 + 12, 'unknown'],
      ['2026-08-22T17:00:00+04:00', '2026-11-01T04:00:00+04:00', 70 * 24 + 11, 'silent'],
      ['2026-11-01T05:00:00+04:00', '2026-11-20T16:00:00+04:00', 19 * 24 + 11, 'silent'],
    ]);
    const before = ['2025-01-01T00:00:00+04:00', '2026-01-01T00:00:00+04:00', 8_760, 'unknown'];
    expect(await gapsOf(here, 4, { year: 2025 })).toEqual([before]);
    expect(await gapsOf(here, 4, { year: 1999 }), 'before the epoch').toEqual([]);
  });

  it('a station without a sensor is moved, and one without any reading silent', async () => {
    expect(await gapsOf(here, 5, { year: 2025 })).toEqual([
      ['2025-01-01T00:00:00+04:00', '2026-01-01T00:00:00+04:00', 8_760, 'moved'],
    ]);
    await here.importNetwork(network(SENSORS.with(4, [{ id: 5 }])));
    expect((await gapsOf(here, 5)).at(-1)).toEqual([
      '2026-08-22T17:00:00+04:00',
      '2026-11-20T16:00:00+04:00',
      89 * 24 + 23,
      'silent',
    ]);
  });

  it('hours that are removed with their sensor after retention are absent for that (P4)', async () => {
    await here.accept([reading(6, '2026-10-02T09:10:00Z', GOOD)]);
    await here.refresh(NOW);
    const owner = here.database.as();
    await owner`call logic.raise_ingest_cutoff('2026-11-01Z')`;
    await owner`call logic.retain_from('2026-11-01Z')`;
    await owner`delete from raw.readings`;
    await here.refresh(NOW);
    const starts = (await gapsOf(here, 6)).map(([since]: Body) => since);
    expect(starts).toContain('2026-10-02T14:00:00+04:00');
    await removeElement(owner, 'sensor', '6', true);
    await here.importNetwork(network(SENSORS.with(4, [{ id: 5 }])));
    expect(await gapsOf(here, 6)).toEqual([
      ['2026-01-01T00:00:00+04:00', '2026-10-02T14:00:00+04:00', 274 * 24 + 14, 'retention'],
      ['2026-10-02T14:00:00+04:00', '2026-11-20T16:00:00+04:00', 49 * 24 + 2, 'silent'],
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T01:00:00+01:00', '2026-03-29T04:00:00+02:00', 2],
    ['Asia/Kolkata', '2026-03-29T06:00:00+05:30', '2026-03-29T07:00:00+05:30', 1],
  ])(
    'absent hours are full hours of the local clock, and the one that it skips is not one of them (Z3): %s',
    async (zone, since, until, hours) => {
      const sensor = { id: 1, stations: [{ id: 1, since: '2026-03-28T22:00Z' }] };
      const there = await install(engine, network([[sensor]], zone), zone);
      await there.accept([
        reading(1, '2026-03-28T23:40:00Z', GOOD),
        reading(1, '2026-03-29T02:10:00Z', GOOD),
      ]);
      const now = new Date('2026-03-29T02:45:00Z');
      expect((await gapsOf(there, 1, { now })).at(-1)).toEqual([since, until, hours, 'silent']);
      await there.close();
    },
  );
});
