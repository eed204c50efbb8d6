/** The feeds of warnings: in which words, and how they are sent. */
import { beforeAll, expect, it } from 'vitest';
import { INDEX_WORDS, type IndexName } from '../../../src/contract/words/indices.ts';
import { makeFeeds } from '../../../src/extras/news/feeds.ts';
import { makeApp } from '../../../src/serve/app.ts';
import { versionsOf } from '../../serve/serve.ts';
import { EDGE, installWarned, NEW, SHY, WALK } from '../../serve/warnedPlaces.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import type { Body, Installation } from '../../support/installation.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { request } from '../../support/request.ts';
import { readAtom } from './atom.ts';

onEveryEngineInAll('feeds of warnings', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await installWarned(engine);
    return () => here.close();
  });

  type Options = { index?: IndexName; now?: Date; cache?: Body };
  const appOf = ({ index, now = NOW, cache }: Options = {}) =>
    makeApp({
      db: here.db,
      clock: () => now,
      siteBaseUrl: '',
      log: keepingLog(),
      offers: { feeds: makeFeeds },
      ...(index && { site: { index } }),
      ...(cache && { cache }),
    });
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
      '<subtitle>US EPA index of PM2.5 and PM10. An entry for every change of the category: worse at once after a closed hour, better after three; a bound counts as left when the value is 5 % beyond it.</subtitle>',
    );
    expect(entries.map((entry) => entry.title)).toEqual([
      '↓ Velmora: all clear, good (PM2.5 5.0 µg/m³, AQI 28), 20 November, 13:00–14:00',
      '↑ Velmora: unhealthy (PM2.5 60.0 µg/m³, AQI 154), 20 November, 08:00–09:00',
      '↓ Velmora: all clear, good (PM2.5 5.0 µg/m³, AQI 28), 20 November, 06:00–07:00',
      '↓ Velmora: all clear, moderate (PM2.5 5.0 µg/m³, AQI 28), 20 November, 05:00–06:00',
      '↑ Velmora: unhealthy for sensitive groups (PM2.5 41.2 µg/m³, AQI 115), 20 November, 02:00–03:00',
      '↑ Velmora: moderate (PM2.5 20.0 µg/m³, AQI 71), 20 November, 01:00–02:00',
    ]);
    expect(entries[4]).toMatchObject({
      id: 'tag:localhost,2026-11-19:/en/explore/v1/region/velmora/warnings/2026-11-19T23:00:00Z',
      updated: '2026-11-19T23:00:00.000Z',
      content:
        '<p>Worse. Before: moderate.</p>' +
        '<p>Everybody: The general public is less likely to be affected.</p>' +
        "<p>Sensitive groups: Reduce prolonged or heavy exertion. It's OK to be active outside, but take more breaks and do less intense activities.</p>" +
        `<p>Advice of the US EPA for this category: ${INDEX_WORDS.aqi.source.url}</p>`,
    });
    // an all-clear advises nothing
    expect(entries[3]?.content).toBe(
      '<p>Better. Before: unhealthy for sensitive groups.</p><p>The worst of three hours in a row was moderate.</p>',
    );
    const edge = (await feed(`/en/explore/v1/station/${EDGE}/warnings.atom`)).entries[1];
    expect(edge?.title).toBe(
      '↓ Edge: unhealthy (PM2.5 111.1 µg/m³, AQI 190), 20 November, 08:00–09:00',
    );
    expect(edge?.content).toMatch(/^<p>Better\. Before: very unhealthy\.<\/p>.*<p>Everybody: /);
  });

  it('a first category says that it is the first, and a name is text and not XML', async () => {
    const [first] = (await feed(`/en/explore/v1/station/${NEW}/warnings.atom`)).entries;
    expect(first?.title).toBe(
      'New: unhealthy (PM10 260.0 µg/m³, AQI 153), 20 November, 14:00–15:00',
    );
    expect(first?.content).toContain('<p>The first category known.</p><p>Everybody');
    const { entries } = await feed(`/en/explore/v1/station/${WALK}/warnings.atom`);
    expect(entries[0]?.title).toContain('Mill & <b>sons</b>: all clear, good (PM2.5');
  });

  it('with INDEX=eaqi, and where there are no particles, an entry names the European index and its pollutant (X1)', async () => {
    const titles = async (path: string, options?: Options) =>
      (await feed(path, options)).entries.map(({ title }) => title);
    expect(await titles('/en/explore/v1/region/lindau/warnings.atom', { index: 'aqi' })).toEqual([
      '↓ Lindau: all clear, good (O₃ 40.0 µg/m³, European index), 20 November, 06:00–07:00',
      '↓ Lindau: all clear, fair (O₃ 40.0 µg/m³, European index), 20 November, 05:00–06:00',
      '↑ Lindau: very poor (NO₂ 60.0 ppb, European index), 20 November, 02:00–03:00',
      '↑ Lindau: poor (O₃ 129.5 µg/m³, European index), 20 November, 01:00–02:00',
    ]);
    const european = { index: 'eaqi' } as const;
    expect(await titles('/en/explore/v1/region/velmora/warnings.atom', european)).toEqual([
      '↓ Velmora: all clear, good (PM2.5 5.0 µg/m³, European index), 20 November, 13:00–14:00',
      '↑ Velmora: poor (PM2.5 60.0 µg/m³, European index), 20 November, 08:00–09:00',
      '↓ Velmora: all clear, good (PM2.5 5.0 µg/m³, European index), 20 November, 06:00–07:00',
      '↑ Velmora: moderate (PM2.5 20.0 µg/m³, European index), 20 November, 01:00–02:00',
    ]);
    const [, poor] = (await feed('/hy/explore/v1/region/velmora/warnings.atom', european)).entries;
    expect(poor).toMatchObject({
      title: '↑ Վելմորա: վատ (PM2.5 60,0 մկգ/մ³, եվրոպական ինդեքս), նոյեմբերի 20, 08:00–09:00',
      content: expect.stringContaining(INDEX_WORDS.eaqi.source.url),
    });
  });

  it('the words, numbers and units are in the language of the address', async () => {
    const russian = await feed('/ru/explore/v1/region/velmora/warnings.atom');
    expect([russian.language, russian.title]).toEqual([
      'ru',
      'Вельмора: предупреждения о качестве воздуха – Качество воздуха',
    ]);
    expect(russian.entries[4]).toMatchObject({
      title:
        '↑ Вельмора: вредно для чувствительных групп (PM2.5 41,2 мкг/м³, AQI 115), 20 ноября, 02:00–03:00',
      content: expect.stringContaining('<p>Стало хуже. До этого: умеренно.</p>'),
    });
    const armenian = await feed('/hy/explore/v1/region/velmora/warnings.atom');
    expect(armenian.entries[4]?.title).toBe(
      '↑ Վելմորա: վնասակար զգայուն խմբերի համար (PM2.5 41,2 մկգ/մ³, AQI 115), նոյեմբերի 20, 02:00–03:00',
    );
  });

  it('a feed is cached and validated as documents are, until the next hour closes', async () => {
    const now = new Date('2026-11-20T11:59:30Z');
    const cache = { maxBytes: 1e7, versions: await versionsOf(here.db) };
    const app = appOf({ now, cache });
    for (const path of [`station/${WALK}/warnings.atom`, 'region/velmora/changes.atom']) {
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

  it('links are absolute where the address is known, else their base is the path of the feed', async () => {
    const path = `/en/explore/v1/station/${WALK}/warnings.atom`;
    expect((await feed(path)).text).toContain(` xml:base="${path}" `);
    const offers = { feeds: makeFeeds, pagesUrl: 'https://air.example' };
    const app = makeApp({
      db: here.db,
      clock: () => NOW,
      siteBaseUrl: '',
      log: keepingLog(),
      offers,
    });
    const { text } = await request(app).get(path).buffer(true);
    expect(text).toContain(` xml:base="https://air.example${path}" `);
    expect(text).toContain(`rel="self" href="https://air.example${path}"`);
  });

  it('an unknown place and a hidden station have no feed (C6)', async () => {
    for (const place of ['station/99', `station/${SHY}`, 'region/nowhere'])
      expect(
        (await request(appOf()).get(`/en/explore/v1/${place}/warnings.atom`)).status,
        place,
      ).toBe(404);
  });
});
