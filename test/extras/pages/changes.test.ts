/** The line of a page that says when its numbers were recomputed and why (R1). */
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { type Changes, changesPart } from '../../../src/extras/pages/changes.ts';
import { NOW } from '../../support/clock.ts';
import { MARKUP, openSite, type Site, STATIONS } from './site.ts';

type Change = Changes['changes'][number];

const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '').trim();

describe('the line', () => {
  const OCTOBER: Change = {
    shown_at: '2026-11-03T10:20:30+04:00',
    reason: 'placement',
    sensors: [12],
    hours: [{ first_hour: '2026-10-01T00:00:00+04:00', last_hour: '2026-10-31T23:00:00+04:00' }],
    first_hour: '2026-10-01T00:00:00+04:00',
    last_hour: '2026-10-31T23:00:00+04:00',
  };
  const BEGUN = '2026-01-05T07:00:00+04:00';
  const line = (changes: Change[], locale: (typeof LOCALES)[number] = 'en', at = NOW) => {
    const document = { since: BEGUN, first_hour: BEGUN, changes } as Changes;
    const { text } = changesPart(locale, 'station/1', document, { at, stations: [] });
    return textOf(text);
  };

  it('the line says in each language which hours were recomputed, when and why', () => {
    expect(LOCALES.map((locale) => line([OCTOBER], locale))).toEqual([
      'Oct 2026 was recomputed on 3 Nov 2026: sensor moved or left out (12). All changes',
      'Пересчитано 3 нояб. 2026 г.: окт. 2026 г.; причина: датчик перемещён или исключён (12). Все изменения',
      'Վերահաշվարկվել է 3 նոյ, 2026 թ.՝ 2026 թ. հոկ։ Պատճառը՝ տվիչը տեղափոխվել է կամ հաշվից հանվել (12)։ Բոլոր փոփոխությունները',
    ]);
  });

  it.each([
    ['2026-10-02T00:00:00+04:00', '2026-10-31T23:00:00+04:00', '2 Oct 2026 to 31 Oct 2026'],
    ['2026-10-01T01:00:00+04:00', '2026-10-31T23:00:00+04:00', '1 Oct 2026 to 31 Oct 2026'],
    ['2026-10-01T00:00:00+04:00', '2026-10-31T22:00:00+04:00', '1 Oct 2026 to 31 Oct 2026'],
    ['2026-09-01T00:00:00+04:00', '2026-10-31T23:00:00+04:00', '1 Sept 2026 to 31 Oct 2026'],
    ['2026-02-01T00:00:00+04:00', '2026-02-28T23:00:00+04:00', 'Feb 2026'],
    ['2026-10-31T00:00:00+04:00', '2026-10-31T23:00:00+04:00', '31 Oct 2026'],
  ])('the hours from %s to %s are %s', (first_hour, last_hour, said) => {
    expect(line([{ ...OCTOBER, hours: [{ first_hour, last_hour }] }])).toContain(
      `${said} was recomputed on`,
    );
  });

  it('the line is on the newest change of the last 35 days', () => {
    const older = { ...OCTOBER, reason: 'formula' } as const;
    expect(line([OCTOBER, older])).toContain('sensor moved');
    const last = new Date(Date.parse(OCTOBER.shown_at) + 35 * 86_400_000);
    expect(line([OCTOBER], 'en', last)).not.toBe('');
    expect(line([OCTOBER], 'en', new Date(last.getTime() + 1))).toBe('');
    expect(line([])).toBe('');
  });

  it('the line names up to three ranges of hours, and of more the first and the last day', () => {
    const day = (date: string) => ({
      first_hour: `${date}T05:00:00+04:00`,
      last_hour: `${date}T09:00:00+04:00`,
    });
    const days = ['2020-05-01', '2026-09-30', '2026-10-04', '2026-11-02'].map(day);
    expect(line([{ ...OCTOBER, hours: days.slice(1) }])).toContain(
      '30 Sept 2026, 4 Oct 2026, 2 Nov 2026 was recomputed',
    );
    expect(line([{ ...OCTOBER, hours: days }])).toContain(
      '1 May 2020 to 2 Nov 2026 was recomputed',
    );
  });

  it('a flag of a station is a change of its regions only', () => {
    expect(line([{ ...OCTOBER, reason: 'flag', sensors: [] }])).toBe('');
    expect(line([{ ...OCTOBER, reason: 'screening', sensors: [] }])).toBe('');
  });

  it('the line of a region names at most three stations', () => {
    const stations = [1, 2, 3, 4].map((id) => ({ id, title: `S${id}` }));
    const of = (ids: number[] | null, count: number | null) => {
      const { sensors: _, ...change } = OCTOBER as Change & { sensors: number[] };
      const document = {
        since: BEGUN,
        first_hour: BEGUN,
        changes: [{ ...change, reason: 'flag' as const, stations: ids, station_count: count }],
      };
      return textOf(changesPart('en', 'region/a', document, { at: NOW, stations }).text);
    };
    expect(of([1, 2, 3], 3)).toContain('of the operator (S1, S2, S3).');
    expect(of([1, 2, 3, 4], 150)).toContain('of the operator (S1, S2, S3 and 147 more).');
    expect(of(null, null)).toContain('of the operator (all stations).');
  });
});

describe('on the pages', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ SITE_TITLE: 'Air' });
    const owner = site.here.database.as();
    const [since, until] = ['2026-09-30T20:00:00Z', '2026-10-31T20:00:00Z'];
    await owner`delete from rollup.change`;
    await owner`insert into rollup.change (reason, station_id, sensor_id, regions, since, until, shown_at)
      values ('placement', ${STATIONS.markup}, 9, '{old-town}', ${since}, ${until}, '2026-11-03T06:00:00Z')`;
    await owner`select logic.raise_data_version()`;
    await site.read(STATIONS.good, { pm25: 5 }); // the pages are made from scratch
    return () => site.close();
  });
  const page = async (path: string) => (await site.get(path)).body;

  it('the pages of a station and of its regions have the line, with a link to the document, without JavaScript', async () => {
    for (const [path, why] of [
      [`station/${STATIONS.markup}`, '9'],
      ['region/old-town', MARKUP],
    ] as const) {
      const html = await page(`/en/${path}`);
      const [, line = ''] = /<div data-live="changes">(.*?)<\/div>/s.exec(html) ?? [];
      const link = `/en/explore/v1/${path}/changes.json`;
      expect(line).toContain(`<a href="${link}">All changes</a>`);
      expect((await site.get(link)).status).toBe(200);
      const escaped = why.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      expect(line.replaceAll('&quot;', '"').replaceAll('&#39;', "'")).toContain(
        `Oct 2026 was recomputed on 3 Nov 2026: sensor moved or left out (${escaped}).`,
      );
    }
    expect(await page(`/en/station/${STATIONS.good}`)).toContain('<div data-live="changes"></div>');
    expect(await page('/en/region/young-town')).toContain('<div data-live="changes"></div>');
  });
});
