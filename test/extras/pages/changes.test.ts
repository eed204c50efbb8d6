/** The line of a page that says when its numbers were recomputed and why (R1). */
import { expect, it } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { type Changes, changesPart } from '../../../src/extras/pages/changes.ts';
import { NOW } from '../../support/clock.ts';

type Change = Changes['changes'][number];

const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '').trim();

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
  ['2026-10-01T00:00:00+04:00', '2026-10-31T22:00:00+04:00', '1 Oct 2026 to 31 Oct 2026'],
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
  expect(line([{ ...OCTOBER, hours: days }])).toContain('1 May 2020 to 2 Nov 2026 was recomputed');
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
