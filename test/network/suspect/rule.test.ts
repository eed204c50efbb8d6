/**
 * Particles that cannot be true (C9): the tables say it case by case. In random air the SQL finds
 * the same as literal.ts, in which the rule stands word for word; in `npm test` the simulation does.
 */
import { expect, it } from 'vitest';
import { screen } from '../../../src/network/screening.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import { seeded } from '../../support/random.ts';
import { bringIn, type Json } from '../../support/smallNetwork.ts';
import { needs } from '../../support/tools.ts';
import { type Hour, type Suspect, suspectPeriods } from './literal.ts';
import {
  type Air,
  clean,
  during,
  type Flag,
  failing,
  HOUR,
  hoursAgo,
  network,
  PLACES,
  SENSORS,
  trusting,
  useTown,
  varying,
} from './town.ts';

const byStation = (a: Suspect, b: Suspect) =>
  a.station - b.station || a.reason.localeCompare(b.reason) || a.since - b.since;

/** Station 3 has 90 µg/m³, its neighbours 45 and this much, and all rise and fall together. */
const smoke =
  (other: number): Air =>
  (sensor, ago) => {
    const level = new Map([
      [31, 90],
      [21, 45],
      [41, other],
    ]);
    return { pm25: (level.get(sensor) ?? 8) * (1 + (ago % 2) / 4) };
  };

/** Sensors 11 and 12 of station 1 give these values, and all other sensors give the same as 11. */
const channels =
  (of: (ago: number) => [number, number], variation: number): Air =>
  (sensor, ago) => {
    const [first, second] = of(ago);
    return { pm25: (sensor === 12 ? second : first) + ((ago % 3) - 1) * variation, pm10: ago };
  };

/** The sensors measure since this many hours only, and those of station 1 by 6 µg/m³ apart. */
const newly =
  (hours: number): Air =>
  (sensor, ago) =>
    ago <= hours ? channels(() => [10, 16], 0.1)(sensor, ago) : null;

/** Sensor 61, at station 6, gives the same value; `pm10`: all sensors give it, else it varies. */
const stuck =
  (pm25: number, since: number, until: number, pm10?: number): Air =>
  (sensor, ago) => ({
    pm25: sensor === 61 && during(ago, since, until) ? pm25 : 8 + (ago % 5) / 2,
    pm10: pm10 ?? ago,
  });

onEveryEngineInAll('suspect particles', (engine) => {
  const town = useTown(engine);

  it('screening finds what the rule finds word for word, in random air', needs('all'), async () => {
    const random = seeded(43);
    // at station 1, three sensors of unknown kind and one of a known one
    const sensors = [...SENSORS, 13, 14];
    await bringIn(
      town.owner,
      network({
        1: { sensors: [{ id: 11 }, { id: 12 }, { id: 13 }, { id: 14, kind: 'BAM-1020' }] },
      }),
    );
    const faults = [
      { sensor: 12, kind: 'times' },
      { sensor: 14, kind: 'times' },
      { sensor: 21, kind: 'flat' },
      { sensor: 31, kind: 'times' },
      { sensor: 41, kind: 'gap' },
      { sensor: 51, kind: 'flat' },
      { sensor: 61, kind: 'flat' },
    ].map((fault) => {
      const since = 60 + random.below(80);
      const until = since - 20 - random.below(60);
      return { ...fault, since, until, value: random.pick([-1, 0, 0.4, 7.3, 60]) };
    });
    // among neighbours without a fault, long enough for its city to leave it out
    faults.push({ sensor: 31, kind: 'times', since: 240, until: 170, value: 0 });
    const air: Air = (sensor, ago) => {
      const { kind, value } =
        faults.find((f) => f.sensor === sensor && during(ago, f.since, f.until)) ?? {};
      if (random.next() < (kind === 'flat' ? 0.01 : 0.03)) return null;
      if (kind === 'gap' && random.next() < 0.6) return null;
      if (kind === 'flat') return { pm25: value ?? 0, pm10: random.next() < 0.02 ? 5 : 4 };
      // smoke of some hours reaches some of the stations
      const hasSmoke = ago % 60 > 50 && random.next() < 0.5;
      const isRaised = hasSmoke || (kind === 'times' && random.next() < 0.8);
      return { pm25: 8 + Math.round(random.next() * 60) / 10 + (isRaised ? 70 : 0), pm10: 12 };
    };
    await town.measure(air, 290, 1, sensors);
    const stationHours = await town.owner<Hour[]>`
      select station_id as station, extract(epoch from bucket)::float8 * 1000 as at, pm25, pm10,
        coalesce(pm25_raw, pm25) as measured
      from rollup.station_hourly where pm25 is not null`;
    const sensorHours = await town.owner<Hour[]>`
      select p.station_id as station, sensor_id as sensor, k.kind, extract(epoch from bucket)::float8 * 1000 as at,
        pm25, pm10, coalesce(pm25_raw, pm25) as measured
      from rollup.sensor_hourly h
      join raw.placement p using (sensor_id)
      join raw.sensor k on k.id = sensor_id
      where pm25 is not null`;
    let recorded: Suspect[] = [];
    const reasons = new Set<string>();
    // now and then after a pause that is longer than what is looked back
    for (let ago = 200; ago >= 0; ago -= random.pick([8, 16, 70])) {
      const at = hoursAgo(ago);
      const since = hoursAgo(ago + 50).getTime();
      const found = suspectPeriods(
        { stationHours, sensorHours, places: PLACES, recorded },
        since,
        at.getTime(),
      );
      recorded = [...recorded.filter((p) => p.until <= since - 24 * HOUR), ...found];
      for (const { reason, hours } of found) reasons.add(hours ? `${reason}, said` : reason);
      await screen(town.db.target, at, new Date(since));
      const stored = await town.owner<Suspect[]>`
        select station_id as station, reason, extract(epoch from since)::float8 * 1000 as since,
          extract(epoch from until)::float8 * 1000 as until,
          (select json_agg(extract(epoch from h)::float8 * 1000 order by h) from unnest(hours) h) as hours
        from raw.screened_period where kind = 'pm'`;
      expect([...stored].sort(byStation)).toEqual(recorded.sort(byStation));
    }
    expect([...reasons].sort()).toEqual(['flat', 'outlier', 'outlier, said', 'sensors']);
    expect(await differences(town.db)).toEqual([]);
  });

  type Case = [what: string, air: Air, found: [since: number, until: number | null][]];
  const storm: Air = (sensor, ago) => ({
    pm25: (ago < 30 ? 400 : 20) + sensor + (ago % 3),
    pm10: 900 + ago,
  });

  it.each<[string, Omit<Flag, 'since' | 'until'>, Case[]]>([
    [
      'a high station is an outlier',
      { station: 3, reason: 'outlier' },
      [
        ['no, clean air', clean, []],
        ['no, a dust storm over all stations', storm, []],
        ['no, five hours', failing((ago) => during(ago, 44, 39)), []],
        ['yes, six hours', failing((ago) => during(ago, 45, 39)), [[45, 39]]],
        [
          'yes, six hours with 24 others between them',
          failing((ago) => during(ago, 65, 62) || during(ago, 38, 35)),
          [[65, 35]],
        ],
        [
          'no, six hours with 25 others between them',
          failing((ago) => during(ago, 65, 62) || during(ago, 37, 34)),
          [],
        ],
        [
          'no, three times the median',
          (sensor, ago) => {
            if (sensor === 31) return { pm25: 3 * (11 + (ago % 5)) };
            return { pm25: (sensor === 41 ? 9 : 11) + (ago % 5) };
          },
          [],
        ],
        [
          'no, 30 µg/m³',
          (sensor, ago) => ({ pm25: sensor === 31 ? 30 - (ago % 3) : 5 + (ago % 3) }),
          [],
        ],
        ['yes, with one neighbour at half as much', smoke(44.75), [[72, null]]],
        ['no, with two neighbours at half as much: smoke', smoke(45), []],
        [
          'no, a station far from all others',
          (sensor, ago) => ({ pm25: sensor === 61 ? 300 + ago : varying(ago) }),
          [],
        ],
        [
          'no, with only two neighbours that measure',
          (sensor, ago) => {
            if (![21, 31, 41].includes(sensor)) return null;
            return { pm25: sensor === 31 ? 300 + ago : varying(ago) };
          },
          [],
        ],
      ],
    ],
    [
      'two channels of a station agree',
      { station: 1, reason: 'sensors' },
      [
        [
          'no, 10 and 16 µg/m³ in 21 of 24 hours, since 5.25 is more than 40 % of 12.6',
          channels((ago) => [10, ago <= 48 ? 16 : 10], 0.1),
          [[28, null]],
        ],
        [
          'no, 10 and 15.08 µg/m³ in 24 hours, since 5.08 is more than 40 % of 12.54',
          channels((ago) => [10, ago <= 48 ? 15.08 : 10], 0.1),
          [[25, null]],
        ],
        ['yes, 40 % apart', channels(() => [11, 15], 1), []],
        ['yes, 10 and 16 µg/m³ in 22 hours, since five means have 18 hours', newly(22), []],
        ['no, 10 and 16 µg/m³ in 23 hours, since six means have', newly(23), [[6, null]]],
        [
          'yes, a small value and its half, less than 3 µg/m³ apart',
          (sensor, ago) => ({ pm25: (sensor === 12 ? 5 : 2.4) + (ago % 2), pm10: ago }),
          [],
        ],
      ],
    ],
    [
      'a station with the same values for hours is stuck',
      { station: 6, reason: 'flat' },
      [
        ['yes, PM2.5 for 24 hours, all of them', stuck(9, 44, 20), [[44, null]]],
        ['no, PM2.5 for 23 hours', stuck(9.1, 43, 20), []],
        ['yes, PM2.5 and PM10 for 12 hours, all of them', stuck(9.1, 32, 20, 12), [[32, null]]],
        ['no, PM2.5 and PM10 for 11 hours', stuck(9.1, 31, 20, 12), []],
        [
          'no, PM2.5 and PM10 for 13 hours, one of them missing',
          (sensor, ago) =>
            sensor === 61 && ago === 26 ? null : stuck(9.1, 33, 20, 12)(sensor, ago),
          [],
        ],
        ['yes, 0 for 48 hours, all of them', stuck(0, 58, 10, 1), [[58, null]]],
        ['no, 0 for 47 hours', stuck(0, 57, 10, 1), []],
        ['yes, 0.5 for 48 hours, all of them', stuck(0.5, 58, 10, 1), [[58, null]]],
        ['no, 0.5 for 47 hours', stuck(0.5, 57, 10, 1), []],
        ['yes, -1 for 24 hours, all of them', stuck(-1, 34, 10, 1), [[34, null]]],
        ['no, -1 for 23 hours', stuck(-1, 33, 10, 1), []],
      ],
    ],
  ])('%s: each case in a town of its own', async (_, by, cases) => {
    const found = await town.screenedApart(cases.map(([, air]) => air));
    const named = cases.map(([what], n) => [what, found[n]]);
    const expected = cases.map(([what, , periods]) => [
      what,
      periods.map(([since, until]) => ({ ...by, since, until })),
    ]);
    expect(named).toEqual(expected);
  });

  it('channels that drift apart are found, when one loses 80 % of its values in a day', async () => {
    const lost = (ago: number) => 0.8 * Math.min(1, Math.max(0, (48 - ago) / 24));
    const drifting: Air = (sensor, ago) => ({
      pm25: (20 + (ago % 4)) * (sensor === 12 ? 1 - lost(ago) : 1),
    });
    await town.measure(drifting);
    await screen(town.db.target, hoursAgo(24));
    expect(await town.flags()).toEqual([{ station: 1, reason: 'sensors', since: 32, until: null }]);
  });

  it('a suspect station is not compared with others, even if the same screening finds it suspect', async () => {
    // the three neighbours of station 3 are stuck far below it
    const air: Air = (sensor, ago) => {
      if (sensor === 51 || sensor === 61) return null;
      if (sensor !== 31) return { pm25: 2, pm10: 3 };
      return { pm25: 90 + (ago % 5), pm10: 100 };
    };
    const stuck = (station: number) => ({ station, reason: 'flat', since: 72, until: null });
    const expected = [stuck(1), stuck(2), stuck(4)];
    expect(await town.screened(air)).toEqual(expected);
    expect(await town.screened(air)).toEqual(expected);
    await town.owner`truncate raw.screened_period`;
    await bringIn(town.owner, trusting(1, 2, 4));
    expect(await town.screened(air)).toEqual([
      { station: 3, reason: 'outlier', since: 72, until: null },
    ]);
    await bringIn(
      town.owner,
      network({
        1: { trusted: true, is_bad_pm: true },
        2: { trusted: true },
        4: { trusted: true },
      }),
    );
    expect(await town.screened(air)).toEqual([]);
  });

  it('the first screened hours are judged by the whole rows and days that they belong to (C9)', async () => {
    const from = 3 * 24;
    const apartForADay = channels((ago) => [10, during(ago, from + 23, from - 1) ? 30 : 10], 0.1);
    const air: Air = (sensor, ago) => {
      if (sensor === 61 && ago > from - 6 && ago <= from + 42) return { pm25: 0, pm10: 0 };
      return apartForADay(sensor, ago);
    };
    await town.measure(air, 6 * 24, 1);
    await screen(town.db.target, NOW, hoursAgo(from));
    expect(await town.flags()).toEqual([
      { station: 1, reason: 'sensors', since: from, until: from - 18 },
      { station: 6, reason: 'flat', since: from, until: from - 6 },
    ]);
  });

  it('only sensors of one kind are compared, and all sensors of unknown kind count as one kind (C9)', async () => {
    const factors = { 11: 1, 12: 2.5 };
    const air: Air = (sensor, ago) => ({
      pm25: (12 + (ago % 3)) * (ago > 72 ? 1 : (factors[sensor as 11 | 12] ?? 1)),
      pm10: ago,
    });
    const [one, another] = [{ kind: 'PMS5003' }, { kind: 'BAM-1020' }];
    const found = { station: 1, reason: 'sensors', since: 72, until: null };
    const withSensors = async (...sensors: Json[]) => {
      await town.owner`truncate raw.screened_period`;
      await bringIn(town.owner, network({ 1: { sensors } }));
    };
    const withKinds = async (first: Json, second: Json) => {
      await withSensors({ id: 11, ...first }, { id: 12, ...second });
      return await town.screened(air);
    };
    expect(await withKinds({}, {})).toEqual([found]);
    expect(await withKinds(one, one)).toEqual([found]);
    expect(await withKinds(one, another)).toEqual([]);
    expect(await withKinds(one, {})).toEqual([]);
    // beside a third one of another kind, the two that differ are named
    await withSensors(
      { id: 11, ...one },
      { id: 12, ...one },
      { id: 15, ...another },
      { id: 16, ...another },
    );
    await town.measure(air, 100, 1, [...SENSORS, 15, 16]);
    await screen(town.db.target, NOW);
    expect(await town.flags()).toEqual([found]);
    expect(await town.owner`select evidence from raw.screened_period`).toEqual([
      {
        evidence: {
          'pm2.5': 16.5,
          compared_with: [
            { id: 11, 'pm2.5': 12 },
            { id: 12, 'pm2.5': 30 },
          ],
        },
      },
    ]);
  });
});
