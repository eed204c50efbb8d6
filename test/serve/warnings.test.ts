/** Warnings: when the category changes, and what their documents say of it. */
import { beforeAll, expect, it } from 'vitest';
import { deleteOldWarnings } from '../../src/aggregate/refresh.ts';
import { EXPLORE } from '../../src/contract/explore.ts';
import { INDEX_WORDS, type IndexName } from '../../src/contract/words/indices.ts';
import { makeApp } from '../../src/serve/app.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  type Body,
  citiesOfOneStation,
  type Installation,
  install,
} from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { request } from '../support/request.ts';
import {
  at,
  EDGE,
  GASES,
  HOUR_MS,
  hours,
  installWarned,
  NEW,
  OLD,
  SHY,
  SUSPECT,
  WALK,
  WEATHER,
} from './warnedPlaces.ts';

onEveryEngineInAll('warnings', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await installWarned(engine);
    return () => here.close();
  });

  type Options = { index?: IndexName; now?: Date };
  const appOf = ({ index, now = NOW }: Options = {}) =>
    makeApp({
      db: here.db,
      clock: () => now,
      siteBaseUrl: '',
      log: keepingLog(),
      ...(index && { site: { index } }),
    });
  const ask = (path: string, options?: Options) =>
    request(appOf(options)).get(`/en/explore/v1/${path}`);

  async function get(path: string, options?: Options) {
    const { status, body } = await ask(`${path}/warnings.json`, options);
    expect(status, JSON.stringify(body)).toBe(200);
    return EXPLORE.stationWarnings.answer.parse(body);
  }
  const changes = ({ warnings }: Awaited<ReturnType<typeof get>>) =>
    warnings.map(({ timestamp, before, category }) => [timestamp, before, category]);

  const WALKED = [
    [at('13:00'), 'unhealthy', 'good'],
    [at('08:00'), 'good', 'unhealthy'],
    [at('06:00'), 'moderate', 'good'],
    [at('05:00'), 'unhealthy for sensitive groups', 'moderate'],
    [at('02:00'), 'moderate', 'unhealthy for sensitive groups'],
    [at('01:00'), 'good', 'moderate'],
  ];

  it('a category gets worse at once, and better with the third hour that is better, whatever lies between', async () => {
    const answer = await get(`station/${WALK}`);
    expect(changes(answer)).toEqual(WALKED);
    expect(answer).toMatchObject({
      index: 'aqi',
      category: 'good',
      category_since: at('13:00'),
      since: at('00:00', '2026-10-21'),
    });
  });

  it('a bound counts as left 5 % beyond it, up and down (R3)', async () => {
    expect(changes(await get(`station/${EDGE}`))).toEqual([
      [at('09:00'), 'unhealthy', 'very unhealthy'],
      [at('08:00'), 'very unhealthy', 'unhealthy'],
      [at('02:00'), 'unhealthy', 'very unhealthy'],
      [at('00:00'), null, 'unhealthy'],
    ]);
    expect(changes(await get(`station/${EDGE}`, { index: 'eaqi' }))).toEqual([
      [at('10:00'), 'very poor', 'extremely poor'],
      [at('01:00'), 'poor', 'very poor'],
      [at('00:00'), null, 'poor'],
    ]);
  });

  it('an entry has the numbers of its hour (R3)', async () => {
    const { warnings } = await get(`station/${WALK}`);
    expect(warnings[4]).toEqual({
      timestamp: at('02:00'),
      announced_at: at('03:00'),
      category: 'unhealthy for sensitive groups',
      before: 'moderate',
      aqi: 115,
      pollutant: 'pm2.5',
      unit: 'µg/m³',
      'pm2.5': 41.2,
      pm10: null,
      o3: null,
      no2: null,
      so2: null,
    });
    // one of the two hours before makes it moderate
    expect(warnings[3]).toMatchObject({ timestamp: at('05:00'), 'pm2.5': 5, aqi: 28 });
    const [coarse] = (await get(`station/${NEW}`)).warnings;
    expect(coarse).toMatchObject({ pollutant: 'pm10', pm10: 260, aqi: 153, o3: 150 });
  });

  it('cities and districts have warnings of their own hours, without hidden stations', async () => {
    expect(changes(await get('region/velmora'))).toEqual(WALKED);
    expect(changes(await get('region/quay'))).toEqual(WALKED);
  });

  it('the first known category is an entry unless it is good', async () => {
    const { category, category_since, warnings } = await get(`station/${NEW}`);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ before: null, category: 'unhealthy' });
    expect([category, category_since]).toEqual(['unhealthy', at('14:00')]);
    // of the walk, the good first hour at 00:00 is none
    expect((await get(`station/${WALK}`)).warnings.at(-1)?.timestamp).toBe(at('01:00'));
  });

  it('the last 30 local days are listed, and their first hours are compared with the day before', async () => {
    const old = await get(`station/${OLD}`);
    expect(changes(old)).toEqual([[at('02:00', '2026-10-21'), 'unhealthy', 'good']]);
    expect([old.category, old.category_since]).toEqual([null, null]); // long silent
    const yesterday = await get(`station/${OLD}`, { now: new Date('2026-11-19T19:59:59Z') });
    expect(changes(yesterday)).toEqual([
      [at('02:00', '2026-10-21'), 'unhealthy', 'good'],
      [at('20:00', '2026-10-20'), null, 'unhealthy'],
    ]);
  });

  it('the category is unknown when none of the last three closed hours has one', async () => {
    const categoryAt = async (now: string) =>
      (await get(`station/${WALK}`, { now: new Date(now) })).category;
    expect(await categoryAt('2026-11-20T14:59:59Z')).toBe('good'); // 15:00 is the last hour
    expect(await categoryAt('2026-11-20T15:00:00Z')).toBeNull();
    const { category, category_since, warnings } = await get(`station/${WEATHER}`);
    expect([category, category_since, warnings]).toEqual([null, null, []]);
  });

  it('hours with suspect particles warn nobody (C9)', async () => {
    const expected = [[at('02:00'), 'good', 'moderate']];
    expect(changes(await get(`station/${SUSPECT}`))).toEqual(expected);
    expect(changes(await get('region/bay'))).toEqual(expected);
    expect(changes(await get(`station/${SUSPECT}`, { index: 'eaqi' }))).toEqual([
      [at('02:00'), 'good', 'moderate'],
    ]);
  });

  it('a place without particles has the European index, with the pollutant that makes it (X1)', async () => {
    const answer = await get(`station/${GASES}`);
    expect(answer.index).toBe('eaqi');
    expect(answer.warnings).toMatchObject([
      { timestamp: at('06:00'), category: 'good', pollutant: 'o3', so2: 12 },
      { timestamp: at('05:00'), category: 'fair', pollutant: 'o3', o3: 40, aqi: null },
      { timestamp: at('02:00'), category: 'very poor', pollutant: 'no2', no2: 60, unit: 'ppb' },
      { timestamp: at('01:00'), category: 'poor', pollutant: 'o3', o3: 129.5, unit: 'µg/m³' },
    ]);
  });

  it('a list of warnings is cut to the newest', async () => {
    const [row] = await here.published`
      select warnings, category_since from api.station_warnings_json(${NOW}, ${WALK}, 'aqi', 2)`;
    const cut = JSON.parse(row?.warnings).map(({ timestamp }: Body) => timestamp);
    expect(cut).toEqual([at('13:00'), at('08:00')]);
  });

  it('an unknown place and a hidden station have no warnings (C6)', async () => {
    for (const place of ['station/99', `station/${SHY}`, 'region/nowhere'])
      expect((await ask(`${place}/warnings.json`)).status, place).toBe(404);
    const shown = { now: new Date('2026-11-20T12:20:00Z') };
    expect((await ask(`station/${SHY}/warnings.json`, shown)).status).toBe(200);
    // who has asked before does not wait for the next hour
    const [row] = await here.published`
      select valid_until from api.station_warnings_json(${NOW}, ${WALK}, 'aqi')`;
    expect(new Date(row?.valid_until)).toEqual(shown.now);
  });

  it('every category has its words, and the contract lists it', async () => {
    const us = await here.published<{ category: string }[]>`
      select lower(api.aqi_category(n)) as category from generate_series(0, 600) n group by 1 order by min(n)`;
    const names = (index: IndexName) =>
      Object.values(INDEX_WORDS[index].grades).map(({ name }) => name.en.toLowerCase());
    expect(us.map(({ category }) => category)).toEqual(names('aqi'));
    const { index, warnings } = EXPLORE.regionWarnings.answer.shape;
    expect(Object.keys(INDEX_WORDS)).toEqual(index.options);
    const { category } = warnings.element.shape;
    expect([...category.options].sort()).toEqual(
      [...new Set([...names('aqi'), ...names('eaqi')])].sort(),
    );
  });
});

onEveryEngineInAll('warnings as they come', (engine) => {
  const [LATE, REVISED, GAPS, SILENT, HISTORY, FROZEN] = [1, 2, 3, 4, 5, 6];
  const CITIES = ['late', 'revised', 'gaps', 'silent', 'history', 'frozen'];
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(CITIES));
    return () => here.close();
  });

  /** Half a minute after a time of the day. */
  const soonAfter = (time: string, day?: string) => new Date(Date.parse(at(time, day)) + 30_000);

  /** Hours come one after the other, and the refresh of the minute after each. */
  async function live(sensor: number, from: string, values: readonly (number | null)[]) {
    for (const [n, value] of values.entries()) {
      const start = new Date(Date.parse(from) + n * HOUR_MS);
      await here.accept(hours(sensor, start.toISOString(), [value]));
      await here.refresh(new Date(start.getTime() + HOUR_MS + 30_000));
    }
  }

  async function told(path: string, now: Date) {
    const answer = await here.get(`/en/explore/v1/${path}/warnings.json`, now);
    const { warnings } = EXPLORE.stationWarnings.answer.parse(answer);
    return warnings.map(({ timestamp, announced_at, before, category }) => {
      const times = `${timestamp.slice(11, 16)} ${announced_at.slice(11, 19)}`;
      return `${times} ${before} > ${category}`;
    });
  }

  it('an hour that becomes known more than three hours after its end warns nobody (R3)', async () => {
    const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'];
    await live(LATE, at('06:00'), [5, 5, null, null, 5]);
    const now = soonAfter('11:00');
    for (const day of days) await here.accept(hours(LATE, at('00:00', day), Array(24).fill(300)));
    await here.accept(hours(LATE, at('00:00'), [300, 300, 300, 300, 300, 300, 300, 300]));
    await here.refresh(now);
    expect(await told('station/1', now)).toEqual([]);
    expect(await told('region/late', now)).toEqual([]);
    // 08:00 ended two hours ago
    await here.accept(hours(LATE, at('08:00'), [60]));
    await here.refresh(now);
    const expected = ['08:00 11:00:30 good > unhealthy'];
    expect(await told('station/1', now)).toEqual(expected);
    expect(await told('region/late', now)).toEqual(expected);
  });

  it('what was announced stays when its hour changes, and a changed hour may warn again (R3)', async () => {
    await live(REVISED, at('06:00'), [5, 5, 41.2]);
    const first = '08:00 09:00:30 good > unhealthy for sensitive groups';
    expect(await told('station/2', soonAfter('09:00'))).toEqual([first]);
    await here.accept(hours(REVISED, at('08:00'), [130]));
    await here.refresh(soonAfter('09:20'));
    const second = '08:00 09:20:30 unhealthy for sensitive groups > very unhealthy';
    expect(await told('station/2', soonAfter('09:20'))).toEqual([second, first]);
    await here.accept(hours(REVISED, at('08:00'), [5]));
    await here.refresh(soonAfter('09:40'));
    const third = '08:00 09:40:30 very unhealthy > good';
    expect(await told('station/2', soonAfter('09:40'))).toEqual([third, second, first]);
    // long after
    await here.accept(hours(REVISED, at('08:00'), [300]));
    await here.refresh(soonAfter('13:00'));
    expect(await told('station/2', soonAfter('13:00'))).toEqual([third, second, first]);
    const { warnings } = await here.get(
      '/en/explore/v1/station/2/warnings.json',
      soonAfter('13:00'),
    );
    expect(warnings.map((warning: Body) => warning['pm2.5'])).toEqual([5, 130, 41.2]);
  });

  it('an hour is announced as it closes, without a new reading, and only then', async () => {
    const version = async () => {
      const [row] = await here.published`select data_version from api.freshness`;
      return row?.data_version;
    };
    await live(GAPS, at('06:00'), [60, 60, null, 5, null, 5]);
    await here.accept(hours(GAPS, at('12:00'), [5]));
    await here.refresh(soonAfter('12:59'));
    const before = await version();
    expect(await told('station/3', soonAfter('12:59'))).toHaveLength(1);
    await here.refresh(soonAfter('13:00'));
    // the third better one, whatever lies between
    expect(await told('station/3', soonAfter('13:00'))).toEqual([
      '12:00 13:00:30 unhealthy > good',
      '06:00 07:00:30 null > unhealthy',
    ]);
    expect(await version()).toBeGreaterThan(before);
    // better with its newest hour, to the worst of the three
    await here.accept(hours(GAPS, at('13:00'), [60]));
    await here.refresh(soonAfter('14:00'));
    await here.accept(hours(GAPS, at('14:00'), [20, 5, 5]));
    await here.refresh(soonAfter('17:00'));
    expect((await told('station/3', soonAfter('17:00')))[0]).toEqual(
      '16:00 17:00:30 unhealthy > moderate',
    );
  });

  it('a station that was silent for longer than the list begins with the category it had', async () => {
    const back = '2026-12-30';
    await live(SILENT, at('06:00', '2026-11-21'), [60]);
    await deleteOldWarnings(here.database.target, soonAfter('10:00', back));
    expect(await told('station/3', soonAfter('17:00'))).toEqual([
      '16:00 17:00:30 unhealthy > moderate', // the newest of a station stays
    ]);
    await live(SILENT, at('10:00', back), [5, 5]);
    expect(await told('station/4', soonAfter('12:00', back))).toEqual([]);
    await live(SILENT, at('12:00', back), [5]);
    expect(await told('station/4', soonAfter('13:00', back))).toEqual([
      '12:00 13:00:30 unhealthy > good',
    ]);
  });

  it('a station whose history is imported begins with its category, and its history warns nobody', async () => {
    const day = '2026-12-30';
    await here.accept(hours(HISTORY, at('00:00', '2026-12-28'), [5, 60, 5, 60, 5, 5]));
    await here.refresh(soonAfter('14:00', day));
    await live(HISTORY, at('14:00', day), [5]); // older hours do not complete a row
    expect(await told('station/5', soonAfter('15:00', day))).toEqual([]);
    await live(HISTORY, at('15:00', day), [140]);
    expect(await told('station/5', soonAfter('16:00', day))).toEqual([
      '15:00 16:00:30 unhealthy > very unhealthy',
    ]);
  });

  it('what is announced twice at one instant of a frozen clock is two entries', async () => {
    const day = '2026-12-30';
    const now = soonAfter('17:00', day);
    for (const value of [20, 60]) {
      await here.accept(hours(FROZEN, at('16:00', day), [value]));
      await here.refresh(now);
    }
    await here.refresh(now);
    expect(await told('station/6', now)).toEqual([
      '16:00 17:00:31 moderate > unhealthy',
      '16:00 17:00:30 null > moderate',
    ]);
  });
});
