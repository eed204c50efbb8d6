/** The feeds of changed numbers: when, in which words, and how they are sent. */
import { beforeAll, expect, it } from 'vitest';
import { entriesOf } from '../../../src/extras/news/changeEntries.ts';
import { makeFeeds } from '../../../src/extras/news/feeds.ts';
import { WORDS } from '../../../src/extras/news/words.ts';
import { makeApp } from '../../../src/serve/app.ts';
import { ESCAPED, installChanged, MARKUP } from '../../serve/changedNumbers.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import type { Body, Installation } from '../../support/installation.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { request } from '../../support/request.ts';
import { readAtom } from './atom.ts';

onEveryEngineInAll('feeds of changed numbers', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await installChanged(engine);
    return () => here.close();
  });

  it('every test that raises a flag has its words', async () => {
    const tests = Object.keys(WORDS.en.changes.tests);
    const [{ meaning }] = (await here.published`
      select col_description('api.station_flag'::regclass, attnum) as meaning from pg_attribute
      where attrelid = 'api.station_flag'::regclass and attname = 'reason'`) as [
      { meaning: string },
    ];
    expect(tests.filter((name) => !meaning.includes(name))).toEqual([]);
    expect(meaning.match(/[a-z]+_[a-z_]+/g)?.filter((name) => !tests.includes(name))).toEqual([]);
  });

  type Options = { siteBaseUrl?: string; pages?: string; site?: object };
  const appOf = ({ siteBaseUrl = '', pages, site = {} }: Options = {}) =>
    makeApp({
      db: here.db,
      clock: () => NOW,
      siteBaseUrl,
      log: keepingLog(),
      site,
      offers: { feeds: makeFeeds, ...(pages !== undefined && { pagesUrl: pages }) },
    });

  async function feed(path: string, options: Options = {}) {
    const answer = await request(appOf(options)).get(path).buffer(true);
    expect(answer.status).toBe(200);
    return readAtom(answer.text);
  }

  it('a feed has the changes of its document, newest first, as of when they showed', async () => {
    const { title, id, updated, entries } = await feed('/en/explore/v1/changes.atom');
    expect([title, id, updated]).toEqual([
      'Changes of published numbers – Air quality',
      'tag:localhost,2026:/en/explore/v1/changes',
      '2026-11-14T05:00:00.000Z',
    ]);
    expect(entries.map((one) => [one.updated, one.title])).toEqual([
      ['2026-11-14T05:00:00.000Z', 'a new version of the program (all stations)'],
      ['2026-11-11T23:00:00.000Z', `a flag of the operator (${MARKUP}, Port)`],
      ['2026-11-11T23:00:00.000Z', 'its stations changed (Port)'],
      ['2026-11-05T06:00:00.000Z', 'sensor moved or left out (First)'],
      ['2026-11-03T19:50:00.000Z', `late readings (First, ${MARKUP}, Town)`],
      ['2026-10-16T20:00:00.000Z', 'corrected readings (First)'],
    ]);
    expect(entries[4]).toMatchObject({
      id: 'tag:localhost,2026-11-03:/en/explore/v1/changes/late',
      content: `<p>Recomputed: the hours from 2026-10-01 00:00 to 2026-10-01 23:00, 2026-10-10 00:00 to 2026-10-12 23:00, 2026-10-20 00:00 to 2026-10-20 23:00.</p><p>late readings (First, ${MARKUP}, Town)</p>`,
    });
  });

  it('the words of a feed are in the language of its address, and so are the titles', async () => {
    const russian = await feed('/ru/explore/v1/station/1/changes.atom');
    expect([russian.language, russian.title]).toEqual([
      'ru',
      'Первая: изменения опубликованных данных – Качество воздуха',
    ]);
    expect(russian.entries.map(({ title }) => title)).toContain(
      'Первая: датчик перемещён или исключён (11)',
    );
    const armenian = await feed('/hy/explore/v1/region/town/changes.atom');
    expect(armenian.language).toBe('hy');
    expect(armenian.entries[2]).toMatchObject({
      title: `Քաղաք: ուշացած չափումներ (Առաջին, ${MARKUP})`,
      content: expect.stringContaining(
        '<p>Վերահաշվարկվել են տվյալները՝ 2026-10-01 00:00-ից մինչև 2026-10-01 23:00, 2026-10-10 00:00-ից',
      ),
    });
  });

  it('the feed of a station also has its flags and its silences', async () => {
    const first = (await feed('/en/explore/v1/station/1/changes.atom')).entries;
    expect(first.slice(0, 3).map(({ updated, title }) => [updated, title])).toEqual([
      ['2026-11-20T09:00:00.000Z', 'First: No readings since 2026-11-20 09:01'],
      ['2026-11-18T00:00:00.000Z', 'First: Readings again since 2026-11-18 04:00'],
      ['2026-11-17T23:00:00.000Z', 'First: No readings since 2026-11-17 23:01'],
    ]);
    expect(first.filter(({ title }) => /eadings (again )?since/.test(title))).toHaveLength(3);
    const second = (await feed('/en/explore/v1/station/2/changes.atom')).entries;
    expect(second[1]).toMatchObject({
      title: `${MARKUP}: a flag of the operator`,
      content: expect.stringContaining('Its own numbers stay as they were'),
    });
    expect(second.slice(2, 4)).toMatchObject([
      {
        updated: '2026-11-11T20:00:00.000Z',
        title: expect.stringMatching(/: Flag lifted: particles \(set by the operator\)$/),
      },
      {
        updated: '2026-11-10T04:30:00.000Z',
        title: expect.stringMatching(/: Flag raised: particles \(set by the operator\)$/),
      },
    ]);
    expect((await feed('/en/explore/v1/station/4/changes.atom')).entries).toHaveLength(1);
  });

  it('what one test finds twice on a day are two entries, since their keys differ', () => {
    const flag = { kind: 'pm', test: 'outlier', sensor_id: null } as const;
    const flags = [
      { ...flag, since: '2026-11-20T01:00:00+04:00', until: '2026-11-20T02:00:00+04:00' },
      { ...flag, since: '2026-11-20T05:00:00+04:00', until: null },
    ];
    const titles = { providers: new Map(), stations: new Map(), regions: new Map() };
    const keys = entriesOf('en', { changes: [], flags }, titles, undefined).map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  it('a silence is noticed when it is as long as readings count, and a flag when it begins or ends (C1)', async () => {
    const notices = async (id: number, at: string) => {
      const [row] = await here.published`select * from api.station_notices_json(${at}, ${id})`;
      return {
        ...row,
        flags: JSON.parse(row?.flags),
        silences: JSON.parse(row?.silences),
      } as Body;
    };
    const before = await notices(1, '2026-11-20T08:59:59Z');
    expect(before.silences).toHaveLength(1);
    expect(new Date(before.valid_until)).toEqual(new Date('2026-11-20T09:00:00Z'));
    expect((await notices(1, '2026-11-20T09:00:00Z')).silences[0]).toEqual({
      since: '2026-11-20T10:00:00+04:00',
      last_reading: '2026-11-20T09:01:00+04:00',
      noticed_at: '2026-11-20T13:00:00+04:00',
      until: null,
    });
    const early = await notices(2, '2026-11-10T04:10:00Z');
    expect(early.flags).toEqual([]);
    expect(new Date(early.valid_until)).toEqual(new Date('2026-11-10T04:30:00Z'));
    expect((await notices(2, '2026-11-10T04:30:00Z')).flags).toMatchObject([{ until: null }]);
    expect((await notices(2, '2026-11-11T20:00:00Z')).flags).toMatchObject([
      { until: '2026-11-12T00:00:00+04:00' },
    ]);
  });

  it('a feed links to the page of its subject, else to its document, and its ids are of the site', async () => {
    const path = '/en/explore/v1/station/1/changes.atom';
    const linksOf = async (of: string, options: Options) => {
      const { text } = await request(appOf(options)).get(of).buffer(true);
      const self = /rel="self" href="([^"]*)"/.exec(text)?.[1];
      return [
        self,
        ...new Set(
          [...text.matchAll(/<link (?:rel="alternate" )?href="([^"]*)"/g)].map(([, to]) => to),
        ),
      ];
    };
    const [document, page] = ['/en/explore/v1/station/1/changes.json', '/en/station/1'];
    const theirs = 'https://site.example/en/air-quality/';
    const own = 'https://air.example';
    expect(await linksOf(path, {})).toEqual([path, document]);
    expect(await linksOf(path, { pages: '' })).toEqual([path, page]);
    expect(await linksOf(path, { pages: own })).toEqual([own + path, own + page]);
    const siteBaseUrl = 'https://site.example/';
    expect(await linksOf(path, { siteBaseUrl, pages: own })).toEqual([
      own + path,
      `${theirs}station/1`,
    ]);
    const ofRegion = (slug: string) =>
      linksOf(`/en/explore/v1/region/${slug}/changes.atom`, { siteBaseUrl });
    expect((await ofRegion('town'))[1]).toBe(`${theirs}town`);
    expect((await ofRegion('old-town'))[1]).toBe(`${theirs}town/old-town`);
    const ofAll = (options: Options) => linksOf('/en/explore/v1/changes.atom', options);
    expect((await ofAll({ siteBaseUrl }))[1]).toBe('/en/explore/v1/changes.json');
    expect((await ofAll({ siteBaseUrl, pages: own }))[1]).toBe(`${own}/en/`);
    expect((await feed(path, { siteBaseUrl })).id).toMatch(/^tag:site\.example,/);
    expect((await feed(path, { siteBaseUrl, pages: own })).id).toMatch(/^tag:air\.example,/);
  });

  it('a feed names whose data it has, and their licence, as text and not as XML', async () => {
    const site = { titles: { en: MARKUP }, license: 'CC-BY & more' };
    const path = '/en/explore/v1/region/town/changes.atom';
    const { text } = await request(appOf({ site })).get(path).buffer(true);
    expect(text).toContain(`<title>Town: changes of published numbers – ${ESCAPED}</title>`);
    expect(text).toContain(`<name>${ESCAPED}</name>`);
    expect(readAtom(text).copyright).toBe('CC-BY & more');
    const { authors } = await feed(path, { site: { titles: { en: 'A\u0001B' } } }); // not in XML 1.0
    expect(authors).toEqual(['AB']);
  });

  it('a feed without an entry is of the first day on which one could have shown', async () => {
    const owner = here.database.as();
    await owner`update rollup.change set shown_at = shown_at - interval '9 years'`;
    const { updated, entries } = await feed('/en/explore/v1/region/port/changes.atom');
    await owner`update rollup.change set shown_at = shown_at + interval '9 years'`;
    expect([updated, entries]).toEqual(['2024-11-19T20:00:00.000Z', []]);
  });
});
