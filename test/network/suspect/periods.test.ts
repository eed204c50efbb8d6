/** A period of suspect particles begins, ends, and is kept as it was found (C9). */
import { expect, it } from 'vitest';
import { screen } from '../../../src/network/screening.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { isAll, onEveryEngineInAll } from '../../support/database.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import {
  type Air,
  clean,
  during,
  failing,
  hoursAgo,
  network,
  trusting,
  useTown,
  varying,
} from './town.ts';

onEveryEngineInAll('periods of suspect particles', (engine) => {
  const town = useTown(engine);

  it('a period is open until its last suspect hour is 24 hours old, and then ends after that hour', async () => {
    await town.measure(failing((ago) => during(ago, 30, 20)));
    expect(await screen(town.db.target, hoursAgo(6))).toEqual({ raised: 1, lifted: 0 });
    expect(await town.flags()).toEqual([{ station: 3, reason: 'outlier', since: 30, until: null }]);
    expect(await screen(town.db.target, hoursAgo(-4))).toEqual({ raised: 0, lifted: 1 });
    expect(await town.flags()).toEqual([{ station: 3, reason: 'outlier', since: 30, until: 20 }]);
  });

  it('a period that has ended goes on with suspect hours that come late, within 24 hours of its end', async () => {
    const first = (ago: number) => during(ago, 60, 50);
    await town.measure(failing(first));
    await screen(town.db.target, hoursAgo(20));
    expect(await town.flags()).toEqual([{ station: 3, reason: 'outlier', since: 60, until: 50 }]);
    await town.measure(failing((ago) => first(ago) || during(ago, 30, 22)));
    await screen(town.db.target, NOW, hoursAgo(35));
    expect(await town.flags()).toEqual([{ station: 3, reason: 'outlier', since: 60, until: null }]);
  });

  it('a neighbour is left out in a suspect period of its own that is not judged again', async () => {
    const early = (ago: number) => during(ago, 130, 100);
    await town.measure(
      (sensor, ago) => {
        if (sensor === 31 && ago <= 130) return { pm25: 58 + (ago % 3) };
        if (sensor === 21 && early(ago)) return { pm25: 30, pm10: ago };
        // with station 2 it would be the second with half as much as station 3
        return { pm25: varying(ago) * (sensor === 41 && early(ago) ? 3 : 1), pm10: ago };
      },
      160,
      1,
    );
    await screen(town.db.target, hoursAgo(70));
    const ended = { station: 2, reason: 'flat', since: 130, until: 100 };
    const open = { station: 3, reason: 'outlier', since: 130, until: null };
    expect(await town.flags()).toEqual([ended, open]);
    await screen(town.db.target, NOW, hoursAgo(50));
    expect(await town.flags()).toEqual([ended, open]);
  });

  it('a period keeps the evidence by which it was first found, and is not written again', async () => {
    const air: Air = (sensor, ago) => ({
      pm25: sensor === 31 && ago <= 30 ? 90 + ago : varying(ago),
    });
    await town.screened(air);
    const written = () =>
      town.owner`select xmin::text, ctid::text, * from raw.screened_period order by ctid`;
    const before = await written();
    expect(before).toMatchObject([
      { kind: 'pm', sensor_id: null, evidence: { 'pm2.5': 120, median: 10 } },
    ]);
    await town.measure((sensor, ago) => ({
      pm25: sensor === 41 ? 11 + (ago % 4) : (air(sensor, ago)?.pm25 ?? 0),
    }));
    expect(await screen(town.db.target, NOW)).toEqual({ raised: 0, lifted: 0 });
    expect(await written()).toEqual(before);
    // nine days later it still is the same period, though its beginning is not looked at any more
    await town.measure(
      (sensor, ago) => ({ pm25: sensor === 31 ? 400 + (ago % 3) : 20 + (ago % 5) }),
      0,
      -9 * 24,
    );
    expect(await screen(town.db.target, hoursAgo(-9 * 24))).toEqual({ raised: 0, lifted: 0 });
    const { station_id, reason, since, until, evidence } = before[0] as Record<string, unknown>;
    expect(await written()).toMatchObject([{ station_id, reason, since, until, evidence }]);
  });

  it('an outlier is said at once, and left out of its city from its beginning once 24 hours are suspect (C9)', async () => {
    const air = failing((ago) => during(ago, 40, 30) || during(ago, 16, 2));
    await town.measure(air);
    const at = async (ago: number) => {
      await screen(town.db.target, hoursAgo(ago));
      await town.db.refresh(hoursAgo(ago));
      const written = await town.owner`select xmin::text from raw.screened_period`;
      // a run that finds the same writes nothing
      expect(await screen(town.db.target, hoursAgo(ago))).toEqual({ raised: 0, lifted: 0 });
      expect(await town.owner`select xmin::text from raw.screened_period`).toEqual(written);
      expect(await differences(town.db)).toEqual([]);
      const [state] = await town.owner`
        select cardinality(hours) as hours, (select f.is_left_out from api.station_flag f) as is_left_out,
          (select s.is_left_out from api.station_suspect(${hoursAgo(ago)}) s) as is_left_out_now,
          (select is_bad_pm from api.station_current(${hoursAgo(ago)}, 3)) as is_bad_pm,
          (select count(*)::int from rollup.region_hourly r where r.pm25 > 20) as high_hours
        from raw.screened_period`;
      return state;
    };
    const said = { is_left_out: false, is_left_out_now: false, is_bad_pm: true };
    expect(await at(30)).toEqual({ ...said, hours: 10, high_hours: 24 });
    // 23 hours
    expect(await at(3)).toEqual({ ...said, hours: 23, high_hours: 24 });
    const leftOut = { is_left_out: true, is_left_out_now: true, is_bad_pm: true };
    expect(await at(2)).toEqual({ ...leftOut, hours: null, high_hours: 0 });
    // found again with fewer: an hour that is corrected brings all of them back
    await town.measure(clean, 40, 40);
    expect(await at(2)).toEqual({ ...said, hours: 23, high_hours: 23 });
  });

  it('the suspect hours of an outlier are counted, whichever of them a later run judges again (C9)', async () => {
    // 20 hours, of which a run ten days later judges the last 4 again, and 4 that are measured only then
    const first = 10 * 24;
    await town.measure(
      failing((ago) => during(ago, first, first - 20)),
      first + 24,
      1,
    );
    const judge = async (from: number) => {
      await screen(town.db.target, NOW, hoursAgo(from));
      const [period] = await town.owner`
        select cardinality(hours) as hours from raw.screened_period`;
      return period?.hours;
    };
    expect(await judge(first + 24)).toBe(20);
    expect(await judge(first - 16)).toBe(20);
    const late = (hours: number) =>
      town.measure(
        failing((ago) => during(ago, first - 30, first - 30 - hours)),
        first - 30,
        first - 29 - hours,
      );
    await late(3);
    expect(await judge(first - 16)).toBe(23);
    await late(4);
    expect(await judge(first - 16)).toBe(null);
  });

  it('two periods with 25 hours between them each keep their own evidence', async () => {
    await town.screened(failing((ago) => during(ago, 66, 60) || during(ago, 35, 29)));
    expect(await town.flags()).toMatchObject([
      { since: 35, until: 29 },
      { since: 66, until: 60 },
    ]);
    const evidence = await town.owner`
      select (evidence ->> 'pm2.5')::float8 as pm25, jsonb_array_length(evidence -> 'compared_with') as neighbours
      from raw.screened_period order by since`;
    expect(evidence).toEqual([
      { pm25: 91, neighbours: 4 },
      { pm25: 90, neighbours: 4 },
    ]);
  });

  it('stations that fail together or in turn are found, and further screenings change nothing (C9)', async () => {
    // four stations; 3 and 4 read high at once, and 2 follows later
    const air =
      (later: number): Air =>
      (sensor, ago) => {
        if (sensor > 50) return null;
        if (sensor === 21 && ago <= later) return { pm25: 400 + (ago % 5) };
        const isHigh = (sensor === 31 || sensor === 41) && ago <= 40;
        return { pm25: (isHigh ? 97 : 20) + (ago % 5) };
      };
    const state = async () => ({
      periods:
        await town.owner`select xmin::text, ctid::text, * from raw.screened_period order by ctid`,
      town: await town.owner`select bucket, pm25, station_count from rollup.region_hourly order by 1`,
    });
    const run = async () => {
      await screen(town.db.target, NOW);
      await town.db.refresh(NOW);
      return await state();
    };
    const outlier = (station: number, since: number) => ({
      station,
      reason: 'outlier',
      since,
      until: null,
    });
    await town.measure(air(0));
    const first = await run();
    expect(await town.flags()).toEqual([outlier(3, 40), outlier(4, 40)]);
    expect(Math.max(...first.town.map(({ pm25 }) => pm25))).toBeLessThan(25);
    expect(await run()).toEqual(first);
    await town.measure(air(10));
    const second = await run();
    expect(await town.flags()).toEqual([outlier(2, 10), outlier(3, 40), outlier(4, 40)]);
    expect(await run()).toEqual(second);
    expect(await differences(town.db)).toEqual([]);
  });

  it('a period ends where the readings say so, even if nothing was screened for nine days (C9)', async () => {
    const isBad = (ago: number) => during(ago, 12 * 24, 10 * 24);
    const air: Air = (sensor, ago) => {
      if (isBad(ago) && sensor === 12) return { pm25: 32 + (ago % 5) };
      if (isBad(ago) && sensor === 31) return { pm25: 90 + (ago % 5) };
      if (isBad(ago) && sensor === 61) return { pm25: 7, pm10: 9 };
      return clean(sensor, ago);
    };
    await town.measure(air, 14 * 24, 1);
    await screen(town.db.target, hoursAgo(10 * 24));
    const since = 12 * 24;
    const open = [
      { station: 1, reason: 'sensors', since, until: null },
      { station: 3, reason: 'outlier', since, until: null },
      { station: 6, reason: 'flat', since, until: null },
    ];
    expect(await town.flags()).toEqual(open);
    expect(await screen(town.db.target, hoursAgo(24))).toEqual({ raised: 0, lifted: 3 });
    // while 6 of 24 hours of a channel are 24 µg/m³ too high, its mean differs by 6 of 13 (C9)
    const until = [10 * 24 - 18, 10 * 24, 10 * 24];
    const ended = open.map((period, index) => ({ ...period, until: until[index] }));
    expect(await town.flags()).toEqual(ended);
    expect(await screen(town.db.target, hoursAgo(24))).toEqual({ raised: 0, lifted: 0 });
    expect(await differences(town.db)).toEqual([]);
  });

  it('a period ends where the readings say so, even if its station was trusted for nine days', async () => {
    await town.measure(
      failing((ago) => during(ago, 12 * 24, 10 * 24)),
      14 * 24,
      1,
    );
    const period = { station: 3, reason: 'outlier', since: 12 * 24 };
    await screen(town.db.target, hoursAgo(10 * 24));
    expect(await town.flags()).toEqual([{ ...period, until: null }]);
    await bringIn(town.owner, trusting(3));
    for (const days of [9, 5, 2]) await screen(town.db.target, hoursAgo(days * 24));
    await bringIn(town.owner, network());
    expect(await screen(town.db.target, hoursAgo(24))).toEqual({ raised: 0, lifted: 1 });
    expect(await town.flags()).toEqual([{ ...period, until: 10 * 24 }]);
  });

  type Fault = [string, number, (ago: number) => { pm25: number; pm10: number }, number];
  const faults: Fault[] = [
    ['outlier', 31, (ago) => ({ pm25: 90 + (ago % 5), pm10: ago }), 0],
    // means of 24 hours differ for a while, as above
    ['sensors', 12, (ago) => ({ pm25: 32 + (ago % 5), pm10: ago }), 18],
    ['flat', 61, () => ({ pm25: 7, pm10: 9 }), 0],
  ];
  it.each(isAll ? faults : faults.slice(0, 1))(
    'an open period is judged from its beginning, so corrected days return to their city (C9): %s',
    async (reason, faulty, fault, later) => {
      const air: Air = (sensor, ago) => (sensor === faulty ? fault(ago) : clean(sensor, ago));
      await town.measure(clean, 23 * 24, 20 * 24 + 1);
      await town.measure(air, 20 * 24, 1);
      await screen(town.db.target, hoursAgo(17 * 24));
      await screen(town.db.target, NOW);
      const period = { station: Math.floor(faulty / 10), reason };
      const first = { ...period, since: 20 * 24 };
      expect(await town.flags()).toEqual([{ ...first, until: null }]);
      await town.measure(clean, 15 * 24, 10 * 24 + 1);
      expect(await screen(town.db.target, NOW)).toEqual({ raised: 1, lifted: 0 });
      expect(await town.flags()).toEqual([
        { ...period, since: 10 * 24, until: null },
        { ...first, until: 15 * 24 - later },
      ]);
      await town.db.refresh(NOW);
      expect(
        await town.owner`
          select count(*)::int as hours from rollup.region_hourly r
          where bucket >= ${hoursAgo(15 * 24)} and bucket < ${hoursAgo(10 * 24)}
            and abs(pm25 - (select avg(pm25) from rollup.station_hourly h where h.bucket = r.bucket)) < 1e-9`,
      ).toEqual([{ hours: 5 * 24 - later }]);
      expect(await screen(town.db.target, NOW)).toEqual({ raised: 0, lifted: 0 });
      expect(await differences(town.db)).toEqual([]);
    },
  );

  it('the beginning of an open period is judged by its present row of equal hours (C9)', async () => {
    const since = 20 * 24;
    const stuck: Air = (sensor, ago) => (sensor === 61 ? { pm25: 7, pm10: 9 } : clean(sensor, ago));
    await town.measure(clean, since + 48, since + 1);
    await town.measure(stuck, since, 1);
    await screen(town.db.target, hoursAgo(17 * 24));
    await town.measure(stuck, since + 6, since + 1);
    await town.measure(clean, since - 8, 10 * 24 + 1);
    await screen(town.db.target, NOW);
    // 8 hours of a row of 14
    expect(await town.flags()).toEqual([
      { station: 6, reason: 'flat', since: 10 * 24, until: null },
      { station: 6, reason: 'flat', since, until: since - 8 },
    ]);
  });
});
