/** The documents of changed numbers and their Atom feeds: whose, why, when, and in which words. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REASONS } from '../../src/contract/explore/changes.ts';
import type { ApiDb } from '../../src/database/apiDb.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { makeApp } from '../../src/serve/app.ts';
import { CHANGE_WORDS } from '../../src/serve/changeWords.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { type Body, type Installation, install, reading } from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { request } from '../support/request.ts';
import { readAtom } from './atom.ts';
import { versionsOf } from './serve.ts';

const HOUR_MS = 3_600_000;
/** Text that must not be taken for XML, HTML, or the end of either. */
const MARKUP = `<b>R&amp;D</b> "1" ]]> & 'co'`;
const ESCAPED = `&lt;b&gt;R&amp;amp;D&lt;/b&gt; "1" ]]&gt; &amp; 'co'`;

const NETWORK = {
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: 'Us', stale_after: '3 hours' }],
  regions: [
    { slug: 'town', kind: 'city', title: { en: 'Town', ru: 'Город', hy: 'Քաղաք' } },
    { slug: 'old-town', kind: 'district', city: 'town', title: { en: 'Old town' } },
    { slug: 'port', kind: 'city', title: { en: 'Port' } },
  ],
  stations: [
    { id: 1, title: { en: 'First', ru: 'Первая', hy: 'Առաջին' }, regions: ['town', 'old-town'] },
    {
      id: 2,
      title: { en: MARKUP },
      // in the town until the 11th of October, in the port since
      regions: [
        { slug: 'town', until: '2026-10-11T00:00:00+04:00' },
        { slug: 'port', since: '2026-10-11T00:00:00+04:00' },
      ],
      is_bad_pm: [{ since: '2026-11-10T08:30:00+04:00', until: '2026-11-12T00:00:00+04:00' }],
    },
    {
      id: 3,
      title: { en: 'Shy' },
      regions: ['town'],
      hidden: [{ since: '2026-11-01T00:20:00+04:00' }],
    },
    {
      id: 4,
      title: { en: 'New' },
      regions: ['port'],
      hidden: [{ until: '2026-10-20T10:30:00+04:00' }],
    },
  ].map((station) => ({
    latitude: 40,
    longitude: 44,
    provider: 'us',
    screening: false,
    sensors: [{ id: station.id + 10 }],
    ...station,
  })),
};

/** Reason, station, region, sensor, first hour and the hour after the last, when it showed. */
type Row = readonly [string, number | null, string | null, number | null, string, string, string];
const ROWS: readonly Row[] = [
  // the same local day and reason: one change
  ['late', 1, null, null, '2026-10-01 00:00+04', '2026-10-02 00:00+04', '2026-11-03 00:10+04'],
  ['late', 2, null, null, '2026-10-10 00:00+04', '2026-10-13 00:00+04', '2026-11-03 23:50+04'],
  ['late', 3, null, null, '2026-10-20 00:00+04', '2026-10-21 00:00+04', '2026-11-03 12:00+04'],
  // its own numbers stay, those of the port follow
  ['flag', 2, null, null, '2026-11-10 08:00+04', '2026-11-12 00:00+04', '2026-11-12 03:00+04'],
  // of hours that were never published before
  ['first', 1, null, null, '2020-01-01 00:00+04', '2026-10-01 00:00+04', '2026-11-03 00:10+04'],
  ['placement', 1, null, 11, '2026-10-01 00:00+04', '2026-11-01 00:00+04', '2026-11-05 10:00+04'],
  [
    'membership',
    2,
    'port',
    null,
    '2026-11-10 08:00+04',
    '2026-11-12 00:00+04',
    '2026-11-12 03:00+04',
  ],
  [
    'version',
    null,
    null,
    null,
    '2025-01-01 00:00+04',
    '2026-11-14 00:00+04',
    '2026-11-14 09:00+04',
  ],
  // 35 days ago, 36 days ago, two years and a day ago
  ['corrected', 1, null, null, '2026-09-01 00:00+04', '2026-09-02 00:00+04', '2026-10-17 00:00+04'],
  ['deleted', 1, null, null, '2026-08-01 00:00+04', '2026-08-02 00:00+04', '2026-10-16 23:59+04'],
  ['repair', 1, null, null, '2024-08-01 00:00+04', '2024-08-02 00:00+04', '2024-11-19 12:00+04'],
];

const hoursOf = (...ranges: [first: string, last: string][]) => {
  const hours = ranges.map(([first, last]) => {
    return { first_hour: `${first}:00:00+04:00`, last_hour: `${last}:00:00+04:00` };
  });
  return { hours, first_hour: hours[0]?.first_hour, last_hour: hours.at(-1)?.last_hour };
};

onEveryEngineInAll('changed numbers', (engine) => {
  let here: Installation;
  let db: ApiDb;
  beforeAll(async () => {
    here = await install(engine, NETWORK);
    const hours = (id: number, from: string, until: string, value = 10) =>
      Array.from({ length: (Date.parse(until) - Date.parse(from)) / HOUR_MS }, (_, n) =>
        reading(id, Date.parse(from) + n * HOUR_MS + 60_000, { pm25: value }),
      );
    await here.accept([
      ...hours(11, '2026-10-01T00:00:00+04:00', '2026-11-15T00:00:00+04:00'),
      // two hours are no silence of a provider with three, and four are
      ...hours(11, '2026-11-15T02:00:00+04:00', '2026-11-18T00:00:00+04:00'),
      ...hours(11, '2026-11-18T04:00:00+04:00', '2026-11-20T10:00:00+04:00'),
      ...hours(12, '2026-11-19T00:00:00+04:00', '2026-11-20T16:00:00+04:00'),
    ]);
    await here.refresh(NOW);
    const owner = here.database.as();
    await owner`delete from rollup.change`;
    for (const [reason, station, region, sensor, since, until, shown] of ROWS)
      await owner`insert into rollup.change (reason, station_id, region_slug, sensor_id, regions, since, until, shown_at)
        select ${reason}, ${station}, ${region}, ${sensor}, case when ${station !== null && region === null} then h.regions end,
          h.since, h.until, ${shown}
        from logic.hours_by_regions(${station}, tstzrange(${since}, ${until})) h`;
    // not shown yet
    await owner`insert into rollup.change (reason, station_id, since, until)
      values ('late', 1, '2026-10-01', '2026-10-02')`;
    db = openReaderPool(here.database.target, { timeZone: 'Asia/Yerevan', max: 4 });
  });
  afterAll(async () => {
    await db.destroy();
    await here.close();
  });

  const get = (path: string, at = NOW): Promise<Body> => here.get(`/en/explore/v1/${path}`, at);

  it('the changes of all stations are those of 35 local days, by day and reason, without hidden stations (C6, R1)', async () => {
    expect(await get('changes.json')).toEqual({
      since: '2026-10-17T00:00:00+04:00',
      changes: [
        {
          shown_at: '2026-11-14T09:00:00+04:00',
          reason: 'version',
          stations: null,
          station_count: null,
          regions: [],
          ...hoursOf(['2025-01-01T00', '2026-11-13T23']),
        },
        {
          shown_at: '2026-11-12T03:00:00+04:00',
          reason: 'flag',
          stations: [2],
          station_count: 1,
          regions: ['port'],
          ...hoursOf(['2026-11-10T08', '2026-11-11T23']),
        },
        {
          shown_at: '2026-11-12T03:00:00+04:00',
          reason: 'membership',
          stations: [],
          station_count: 0,
          regions: ['port'],
          ...hoursOf(['2026-11-10T08', '2026-11-11T23']),
        },
        {
          shown_at: '2026-11-05T10:00:00+04:00',
          reason: 'placement',
          stations: [1],
          station_count: 1,
          regions: [],
          ...hoursOf(['2026-10-01T00', '2026-10-31T23']),
        },
        {
          shown_at: '2026-11-03T23:50:00+04:00',
          reason: 'late',
          stations: [1, 2],
          station_count: 2,
          // the hidden station is not named, but its hour of October changed the town
          regions: ['town'],
          ...hoursOf(
            ['2026-10-01T00', '2026-10-01T23'],
            ['2026-10-10T00', '2026-10-12T23'],
            ['2026-10-20T00', '2026-10-20T23'],
          ),
        },
        {
          shown_at: '2026-10-17T00:00:00+04:00',
          reason: 'corrected',
          stations: [1],
          station_count: 1,
          regions: [],
          ...hoursOf(['2026-09-01T00', '2026-09-01T23']),
        },
      ],
    });
  });

  it('the window moves with the local day, and the document is valid until then (R1)', async () => {
    const [before, after] = ['2026-11-20T19:59:59Z', '2026-11-20T20:00:00Z'];
    const reasons = async (at: string) =>
      (await get('changes.json', new Date(at))).changes.map(({ reason }: Body) => reason);
    expect((await reasons(before as string)).at(-1)).toBe('corrected');
    expect(await reasons(after as string)).not.toContain('corrected');
    const [row] =
      await here.published`select valid_until from api.changes_json(${before as string})`;
    expect(new Date(row?.valid_until)).toEqual(new Date(after as string));
  });

  it('a station is listed again from the end of its hidden time, until which the document is valid (C6)', async () => {
    const at = new Date('2026-10-31T20:05:00Z');
    const validUntil = async (call: string, instant: Date) => {
      const [row] = await here.published.unsafe(`select valid_until from api.${call}`, [
        instant.toISOString(),
      ]);
      return new Date(row?.valid_until).toISOString();
    };
    for (const call of ['changes_json($1)', "region_changes_json($1, 'town')"]) {
      expect(await validUntil(call, at)).toBe('2026-10-31T20:20:00.000Z');
      expect(await validUntil(call, new Date('2026-10-20T06:05:00Z'))).toBe(
        '2026-10-20T06:30:00.000Z', // the hidden time of the fourth ends
      );
    }
    const late = (await get('changes.json', at)).changes.find(
      ({ reason }: Body) => reason === 'late',
    );
    expect(late).toMatchObject({ stations: [1, 2, 3], station_count: 3, regions: [] });
  });

  it('the changes of a station are of its own numbers, those of all included, for two years (R1)', async () => {
    const { since, first_hour, changes } = await get('station/1/changes.json');
    expect([since, first_hour]).toEqual(['2024-11-20T00:00:00+04:00', '2026-10-01T00:00:00+04:00']);
    expect(changes.map(({ reason, sensors }: Body) => [reason, sensors])).toEqual([
      ['version', []],
      ['placement', [11]],
      ['late', []],
      ['corrected', []],
      ['deleted', []],
    ]);
    expect(changes[2]).toEqual({
      shown_at: '2026-11-03T00:10:00+04:00',
      reason: 'late',
      sensors: [],
      ...hoursOf(['2026-10-01T00', '2026-10-01T23']),
    });
    // what concerns its region only is not its own
    const second = await get('station/2/changes.json');
    expect(second.changes.map(({ reason }: Body) => reason)).toEqual(['version', 'flag', 'late']);
    // a hidden one still answers (C6)
    const third = await get('station/3/changes.json');
    expect(third.changes.map(({ reason }: Body) => reason)).toEqual(['version', 'late']);
    expect(await get('station/4/changes.json')).toMatchObject({ first_hour: null, changes: [{}] });
  });

  it('the changes of a region are its own, and those of stations in the hours in which they belonged to it (R1)', async () => {
    const { first_hour, changes } = await get('region/port/changes.json');
    expect(first_hour).toBe('2026-11-19T00:00:00+04:00');
    expect(changes).toMatchObject([
      { reason: 'version', stations: null, station_count: null },
      { reason: 'flag', stations: [2], station_count: 1 },
      { reason: 'membership', stations: [2], station_count: 1 },
      {
        shown_at: '2026-11-03T23:50:00+04:00',
        reason: 'late',
        stations: [2],
        station_count: 1,
        first_hour: '2026-10-11T00:00:00+04:00', // not a member before
        last_hour: '2026-10-12T23:00:00+04:00',
      },
    ]);
    const town = await get('region/town/changes.json');
    expect(town.changes[2]).toMatchObject({
      reason: 'late',
      stations: [1, 2], // and the hidden one, which was a member
      first_hour: '2026-10-01T00:00:00+04:00',
      last_hour: '2026-10-20T23:00:00+04:00',
    });
    const late = (await get('region/old-town/changes.json')).changes[2];
    expect(late).toMatchObject({
      reason: 'late',
      stations: [1],
      last_hour: '2026-10-01T23:00:00+04:00',
    });
  });

  it('a long list of stations is cut, and counted', async () => {
    const [all] = await here.published`select changes from api.changes_json(${NOW}, 1)`;
    expect(JSON.parse(all?.changes)[4]).toMatchObject({ stations: [1], station_count: 2 });
    const [town] =
      await here.published`select changes from api.region_changes_json(${NOW}, 'town', 1)`;
    expect(JSON.parse(town?.changes)[2]).toMatchObject({ stations: [1], station_count: 2 });
  });

  it('a later membership does not rewrite the record of a region (R1)', async () => {
    const owner = here.database.as();
    const [before, after] = [[] as Body[], [] as Body[]];
    const all = ['region/town', 'region/port', 'region/old-town', 'station/2'];
    for (const of of all) before.push(await get(`${of}/changes.json`));
    const whole = await get('changes.json');
    // the first station belonged to the port at all times, says a later file; a station is gone
    const kept =
      await owner`select station_id, region_slug, since, until, is_flagged from raw.membership`;
    await owner`delete from raw.membership`;
    await owner`insert into raw.membership (station_id, region_slug, since, until, is_flagged)
      values (1, 'port', '-infinity', 'infinity', false)`;
    for (const of of all) after.push(await get(`${of}/changes.json`));
    expect(after).toEqual(before);
    expect(await get('changes.json')).toEqual(whole);
    await owner`delete from raw.membership`;
    await owner`insert into raw.membership ${owner(kept)}`;
  });

  it('ranges of hours are at most 20: beyond them, the nearest are one (R1)', async () => {
    // 30 hours, of which the n-th ends n hours before the next
    const [row] = await here.database.as()`
      select logic.hour_ranges((select range_agg(tstzrange(at, at + interval '1 hour'))
        from (select timestamptz '2020-01-01 00:00+04' + n * (n + 1) / 2 * interval '1 hour' as at
          from generate_series(1, 30) n) h)) as hours`;
    expect(row?.hours).toHaveLength(20);
    expect(row?.hours[0]).toEqual({
      first_hour: '2020-01-01T01:00:00+04:00',
      last_hour: '2020-01-03T18:00:00+04:00', // the eleventh of them
    });
  });

  it('a change that shows raises the data version, so that no cache hides it (R1)', async () => {
    const owner = here.database.as();
    const versionOf = async () => (await versionsOf(db)).current()?.version ?? 0;
    await here.refresh(NOW);
    const before = await versionOf();
    await here.refresh(NOW);
    expect(await versionOf()).toBe(before);
    await owner`update rollup.change set shown_at = null where reason = 'placement'`;
    await here.refresh(NOW);
    expect(await versionOf()).toBeGreaterThan(before);
    await owner`update rollup.change set shown_at = '2026-11-05 10:00+04' where reason = 'placement'`;
    await owner`delete from rollup.change where shown_at = ${NOW}`;
  });

  it('an unknown station or region has no changes and no feed', async () => {
    const app = appOf();
    for (const path of ['station/99/changes', 'region/nowhere/changes'])
      for (const type of ['json', 'atom'])
        expect((await request(app).get(`/en/explore/v1/${path}.${type}`)).status, path).toBe(404);
  });

  it('every reason and every test has its words in every language', async () => {
    const tests = Object.keys(CHANGE_WORDS.en.tests);
    for (const [locale, { reasons, tests: words }] of Object.entries(CHANGE_WORDS)) {
      expect(Object.keys(reasons), locale).toEqual(Object.keys(REASONS));
      expect(Object.keys(words), locale).toEqual(tests);
    }
    const [{ meaning }] = (await here.published`
      select col_description('api.station_flag'::regclass, attnum) as meaning from pg_attribute
      where attrelid = 'api.station_flag'::regclass and attname = 'reason'`) as [
      { meaning: string },
    ];
    expect(tests.filter((name) => !meaning.includes(name))).toEqual([]);
    expect(meaning.match(/[a-z]+_[a-z_]+/g)?.filter((name) => !tests.includes(name))).toEqual([]);
  });

  type Options = { siteBaseUrl?: string; pages?: string; site?: object; cache?: Body };
  const appOf = ({ siteBaseUrl = '', pages, site = {}, cache }: Options = {}) =>
    makeApp({
      db,
      clock: () => NOW,
      siteBaseUrl,
      log: keepingLog(),
      site,
      ...(pages !== undefined && { offers: { pagesUrl: pages } }),
      ...(cache && { cache }),
    });

  async function feed(path: string, options: Options = {}) {
    const answer = await request(appOf(options)).get(path).buffer(true);
    expect(answer.status).toBe(200);
    return readAtom(answer.text);
  }

  describe('as Atom', () => {
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
          '<p>Վերահաշվարկվել են ժամերը՝ 2026-10-01 00:00-ից մինչև 2026-10-01 23:00, 2026-10-10 00:00-ից',
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

    it('a feed is cached and validated as documents are', async () => {
      const versions = await versionsOf(db);
      const app = appOf({ cache: { maxBytes: 1e7, versions } });
      for (const path of ['changes.atom', 'station/1/changes.atom', 'region/town/changes.atom']) {
        const ask = () =>
          request(app).get(`/en/explore/v1/${path}`).set('Accept-Encoding', 'gzip').buffer(true);
        const { status, headers } = await ask();
        expect([status, headers]).toMatchObject([
          200,
          {
            'content-type': 'application/atom+xml; charset=utf-8',
            'access-control-allow-origin': '*',
            'cache-control': 'max-age=60, stale-while-revalidate=240, stale-if-error=600',
            'content-language': 'en',
            'content-encoding': 'gzip',
            'last-modified': NOW.toUTCString(), // so it was kept
          },
        ]);
        expect((await ask().set('If-None-Match', String(headers.etag))).status).toBe(304);
        expect((await request(app).head(`/en/explore/v1/${path}`)).status).toBe(200);
      }
    });
  });
});
