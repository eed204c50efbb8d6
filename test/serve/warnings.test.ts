/** Warnings: when the category changes, in which words, and how their Atom feeds are sent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../src/contract/endpoints.ts';
import { EXPLORE } from '../../src/contract/explore.ts';
import type { ApiDb } from '../../src/database/apiDb.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { makeApp } from '../../src/serve/app.ts';
import { INDEX_WORDS, type IndexName } from '../../src/serve/indexWords.ts';
import { WARNING_WORDS } from '../../src/serve/warningWords.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngine } from '../support/database.ts';
import {
  type Body,
  type Installation,
  install,
  reading,
  type Values,
} from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { request } from '../support/request.ts';
import { readAtom } from './atom.ts';
import { versionsOf } from './serve.ts';

const HOUR_MS = 3_600_000;
const [WALK, GASES, SHY, SUSPECT, WEATHER, OLD, NEW] = [1, 2, 3, 4, 5, 6, 7];

const NETWORK = {
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: 'Us', stale_after: '3 hours' }],
  regions: [
    { slug: 'velmora', kind: 'city', title: { en: 'Velmora', ru: 'Вельмора', hy: 'Վելմորա' } },
    { slug: 'quay', kind: 'district', city: 'velmora', title: { en: 'Quay' } },
    { slug: 'lindau', kind: 'city', title: { en: 'Lindau' } },
    { slug: 'bay', kind: 'city', title: { en: 'Bay' } },
  ],
  stations: [
    { id: WALK, title: { en: 'Mill & <b>sons</b>' }, regions: ['velmora', 'quay'] },
    { id: GASES, title: { en: 'Port' }, regions: ['lindau'] },
    {
      id: SHY,
      title: { en: 'Shy' },
      regions: ['velmora'],
      hidden: [{ since: '2026-10-01T00:00:00+04:00', until: '2026-11-20T16:20:00+04:00' }],
    },
    {
      id: SUSPECT,
      title: { en: 'Doubt' },
      regions: ['bay'],
      is_bad_pm: [{ since: '2026-11-20T03:30:00+04:00', until: '2026-11-20T05:10:00+04:00' }],
    },
    { id: WEATHER, title: { en: 'Vane' } },
    { id: OLD, title: { en: 'Old' } },
    { id: NEW, title: { en: 'New' } },
  ].map((station) => ({
    latitude: 40,
    longitude: 44,
    provider: 'us',
    screening: false,
    regions: [],
    sensors: [{ id: station.id + 10 }],
    ...station,
  })),
};

/** The hours of a sensor, one after the other; PM2.5 where it is a number, null for none. */
const hours = (sensor: number, from: string, values: readonly (number | Values | null)[]) =>
  values.flatMap((value, n) => {
    if (value === null) return [];
    const at = Date.parse(from) + n * HOUR_MS + 60_000;
    return [reading(sensor, at, typeof value === 'number' ? { pm25: value } : value)];
  });

const DAY = '2026-11-20T00:00:00+04:00';
const at = (hour: string, day = '2026-11-20') => `${day}T${hour}:00+04:00`;

onEveryEngine('warnings', (engine) => {
  let here: Installation;
  let db: ApiDb;
  beforeAll(async () => {
    here = await install(engine, NETWORK);
    await here.accept([
      ...hours(11, DAY, [5, 20, 41.2, 20, 5, 5, 5, null, 60, null, null, 5, 5, 5, 5, 5]),
      // O3 129.5 is 130 (X1); 60 ppb of NO2 are 115 µg/m³
      ...hours(12, DAY, [
        { o3: 40 },
        { o3: 129.5, no2: 5 },
        { o3: 40, no2: 60 },
        { o3: 70 },
        { o3: 40 },
        { o3: 40 },
        { o3: 40, so2: 12 },
        ...Array<Values>(9).fill({ o3: 40 }),
      ]),
      ...hours(13, DAY, [60, 60, 60]),
      ...hours(14, DAY, [5, 5, 20, 300, 300, 300, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20]),
      ...hours(15, DAY, [{ temperature: 5 }, { temperature: 6 }]),
      ...hours(16, '2026-10-20T20:00:00+04:00', [60, 60, 60, 60, 5, 5, 5]),
      ...hours(17, '2026-11-20T14:00:00+04:00', [{ pm25: 5, pm10: 260, o3: 150 }]),
    ]);
    await here.refresh(NOW);
    db = openReaderPool(here.database.target, { timeZone: 'Asia/Yerevan', max: 4 });
  });
  afterAll(async () => {
    await db.destroy();
    await here.close();
  });

  type Options = { index?: IndexName; now?: Date; cache?: Body };
  const appOf = ({ index, now = NOW, cache }: Options = {}) =>
    makeApp({
      db,
      clock: () => now,
      siteBaseUrl: '',
      log: keepingLog(),
      ...(index && { site: { index } }),
      ...(cache && { cache }),
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

  it('an entry has the numbers of the hour that makes its category', async () => {
    const { warnings } = await get(`station/${WALK}`);
    expect(warnings[4]).toEqual({
      timestamp: at('02:00'),
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
    // the hour itself has 5 µg/m³, but one of the two before it makes it moderate
    expect(warnings[3]).toMatchObject({ timestamp: at('05:00'), 'pm2.5': 20, aqi: 71 });
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

  it('an hour counts when it has closed', async () => {
    const open = await get(`station/${WALK}`, { now: new Date('2026-11-20T04:59:59Z') });
    expect(open).toMatchObject({ category: 'good', category_since: at('06:00') });
    const closed = await get(`station/${WALK}`, { now: new Date('2026-11-20T05:00:00Z') });
    expect(closed).toMatchObject({ category: 'unhealthy', category_since: at('08:00') });
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
      { timestamp: at('05:00'), category: 'fair', pollutant: 'o3', o3: 70, aqi: null },
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
    for (const type of ['json', 'atom']) {
      for (const place of ['station/99', `station/${SHY}`, 'region/nowhere'])
        expect((await ask(`${place}/warnings.${type}`)).status, place).toBe(404);
    }
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

  describe('as Atom', () => {
    async function feed(path: string, options?: Options) {
      const { status, text } = await request(appOf(options)).get(path).buffer(true);
      expect(status).toBe(200);
      return { ...readAtom(text), text };
    }

    it('an entry says the category, the value that makes it and the index, as of the end of its hour', async () => {
      const { title, id, updated, entries, text } = await feed(
        '/en/explore/v1/region/velmora/warnings.atom',
      );
      expect([title, id, updated]).toEqual([
        'Velmora: air quality warnings – Air quality',
        'tag:localhost,2026:/en/explore/v1/region/velmora/warnings',
        '2026-11-20T10:00:00.000Z',
      ]);
      expect(text).toContain(
        '<subtitle>US EPA index of PM2.5 and PM10. An entry for every change of the category: worse at once after a closed hour, better after three.</subtitle>',
      );
      expect(entries.map((entry) => entry.title)).toEqual([
        'Velmora: good (PM2.5 5.0 µg/m³, AQI 28)',
        'Velmora: unhealthy (PM2.5 60.0 µg/m³, AQI 154)',
        'Velmora: good (PM2.5 5.0 µg/m³, AQI 28)',
        'Velmora: moderate (PM2.5 20.0 µg/m³, AQI 71)',
        'Velmora: unhealthy for sensitive groups (PM2.5 41.2 µg/m³, AQI 115)',
        'Velmora: moderate (PM2.5 20.0 µg/m³, AQI 71)',
      ]);
      expect(entries[4]).toMatchObject({
        id: 'tag:localhost,2026-11-19:/en/explore/v1/region/velmora/warnings/2026-11-19T22:00Z',
        updated: '2026-11-19T23:00:00.000Z',
        content:
          '<p>Worse than before: moderate.</p><p>Hour from 2026-11-20 02:00.</p>' +
          '<p>Everybody: The general public is less likely to be affected.</p>' +
          "<p>Sensitive groups: Reduce prolonged or heavy exertion. It's OK to be active outside, but take more breaks and do less intense activities.</p>" +
          `<p>Advice of the US EPA for this category: ${INDEX_WORDS.aqi.source.url}</p>`,
      });
      expect(entries[3]?.content).toContain(
        '<p>Better than before: unhealthy for sensitive groups.</p><p>Hour from 2026-11-20 05:00; the value is the highest of this hour and the two before it.</p>',
      );
    });

    it('a first category says that it is the first, and a name is text and not XML', async () => {
      const [first] = (await feed(`/en/explore/v1/station/${NEW}/warnings.atom`)).entries;
      expect(first?.title).toBe('New: unhealthy (PM10 260.0 µg/m³, AQI 153)');
      expect(first?.content).toContain('<p>The first category known.</p><p>Hour from');
      const { entries } = await feed(`/en/explore/v1/station/${WALK}/warnings.atom`);
      expect(entries[0]?.title).toBe('Mill & <b>sons</b>: good (PM2.5 5.0 µg/m³, AQI 28)');
    });

    it('with INDEX=eaqi, and where there are no particles, an entry names the European index and its pollutant (X1)', async () => {
      const titles = async (path: string, options?: Options) =>
        (await feed(path, options)).entries.map(({ title }) => title);
      expect(await titles('/en/explore/v1/region/lindau/warnings.atom', { index: 'aqi' })).toEqual([
        'Lindau: good (O₃ 40.0 µg/m³, European index)',
        'Lindau: fair (O₃ 70.0 µg/m³, European index)',
        'Lindau: very poor (NO₂ 60.0 ppb, European index)',
        'Lindau: poor (O₃ 129.5 µg/m³, European index)',
      ]);
      const european = { index: 'eaqi' } as const;
      expect(await titles('/en/explore/v1/region/velmora/warnings.atom', european)).toEqual([
        'Velmora: good (PM2.5 5.0 µg/m³, European index)',
        'Velmora: poor (PM2.5 60.0 µg/m³, European index)',
        'Velmora: good (PM2.5 5.0 µg/m³, European index)',
        'Velmora: moderate (PM2.5 20.0 µg/m³, European index)',
      ]);
      const [, poor] = (await feed('/hy/explore/v1/region/velmora/warnings.atom', european))
        .entries;
      expect(poor).toMatchObject({
        title: 'Վելմորա: վատ (PM2.5 60,0 մկգ/մ³, եվրոպական ինդեքս)',
        content: expect.stringContaining(INDEX_WORDS.eaqi.source.url),
      });
    });

    it('a feed links to the page of its place on the operator’s site', async () => {
      const siteBaseUrl = 'https://site.example';
      const linkOf = async (place: string) => {
        const app = makeApp({ db, clock: () => NOW, siteBaseUrl, log: keepingLog() });
        const { text } = await request(app)
          .get(`/en/explore/v1/${place}/warnings.atom`)
          .buffer(true);
        return /rel="alternate" href="([^"]*)"/.exec(text)?.[1];
      };
      const base = 'https://site.example/en/air-quality';
      expect(await linkOf('region/velmora')).toBe(`${base}/velmora`);
      expect(await linkOf('region/quay')).toBe(`${base}/velmora/quay`);
      expect(await linkOf(`station/${WALK}`)).toBe(`${base}/station/${WALK}`);
    });

    it('the words, numbers and units are in the language of the address', async () => {
      const russian = await feed('/ru/explore/v1/region/velmora/warnings.atom');
      expect([russian.language, russian.title]).toEqual([
        'ru',
        'Вельмора: предупреждения о качестве воздуха – Качество воздуха',
      ]);
      expect(russian.entries[4]).toMatchObject({
        title: 'Вельмора: вредно для чувствительных групп (PM2.5 41,2 мкг/м³, AQI 115)',
        content: expect.stringContaining('<p>Хуже, чем раньше: умеренно.</p>'),
      });
      const armenian = await feed('/hy/explore/v1/region/velmora/warnings.atom');
      expect(armenian.entries[4]?.title).toBe(
        'Վելմորա: վնասակար զգայուն խմբերի համար (PM2.5 41,2 մկգ/մ³, AQI 115)',
      );
      for (const locale of LOCALES)
        expect(Object.keys(WARNING_WORDS[locale])).toEqual(Object.keys(WARNING_WORDS.en));
    });

    it('a feed is cached and validated as documents are, until the next hour closes', async () => {
      const now = new Date('2026-11-20T11:59:30Z');
      const cache = { maxBytes: 1e7, versions: await versionsOf(db) };
      const app = appOf({ now, cache });
      for (const path of [`station/${WALK}/warnings.atom`, 'region/velmora/warnings.json']) {
        const again = () => request(app).get(`/en/explore/v1/${path}`).buffer(true);
        const { status, headers } = await again();
        expect([status, headers]).toMatchObject([
          200,
          {
            'cache-control': 'max-age=30, stale-while-revalidate=240, stale-if-error=600',
            'content-language': 'en',
            'last-modified': now.toUTCString(), // so it was kept
          },
        ]);
        expect((await again().set('If-None-Match', String(headers.etag))).status).toBe(304);
        expect((await request(app).head(`/en/explore/v1/${path}`)).status).toBe(200);
      }
    });

    it('an entry keeps its id and time when a late reading changes its hour', async () => {
      const path = '/en/explore/v1/region/quay/warnings.atom';
      const before = (await feed(path)).entries[4];
      await here.accept(hours(11, at('02:00'), [130]));
      await here.refresh(NOW);
      const after = (await feed(path)).entries.find(({ id }) => id === before?.id);
      expect(after?.title).toBe('Quay: very unhealthy (PM2.5 130.0 µg/m³, AQI 205)');
      expect(after?.updated).toBe(before?.updated);
    });
  });
});
