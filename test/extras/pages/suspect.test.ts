/**
 * A station whose particles are suspect (C9): every place that shows its number says so and strikes
 * it through, and it is never the worst of a list or map.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { type Trust, trustPart, whySuspect } from '../../../src/extras/pages/trust.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { NOW } from '../../support/clock.ts';
import { axe, inBrowserInAll } from './browser.ts';
import { openSite, type Site, STATIONS } from './site.ts';

type Flag = Trust['flags'][number];

const SINCE = '2026-11-19T20:00:00Z';
const LIAR = STATIONS.hazardous;
const EVIDENCE = { 'pm2.5': 400, median: 75.5, compared_with: [{ id: 1, 'pm2.5': 75.5 }] };
const SENTENCE =
  "Its particles have been left out of the city's mean since 20 November 2026: 5 times its neighbours.";

/** A flag as the API has it. */
const flagOf = (change: Partial<Flag>): Flag => ({
  kind: 'pm',
  test: 'flat',
  sensor_id: null,
  since: '2026-11-03T04:00:00+04:00',
  until: null,
  is_left_out: true,
  'pm2.5': 312,
  median: 60,
  compared_with: [],
  ...change,
});

let site: Site;
/** A period as screening records it. */
const flag = async (station: number, reason: string, until = 'infinity') => {
  const owner = site.here.database.as('airseries_owner', 'UTC');
  await owner`
    insert into raw.screened_period (station_id, sensor_id, reason, since, until, kind, evidence)
    values (${station}, null, ${reason}, ${SINCE}, ${until}, 'pm', ${owner.json(EVIDENCE)})`;
  await owner`select logic.apply_periods()`;
};
beforeAll(async () => {
  site = await openSite({ SITE_TITLE: 'Air' });
  for (const hours of [1, 2, 3])
    await site.read(LIAR, { pm25: 400 }, new Date(NOW.getTime() - hours * 3_600_000));
  await site.read(STATIONS['very-unhealthy'], { pm25: 180 }, new Date(NOW.getTime() - 3_600_000));
  await flag(LIAR, 'outlier');
  await flag(STATIONS.moderate, 'flat', '2026-11-20T04:00:00Z'); // it is over
  const at = new Date(NOW.getTime() + 300_000);
  await site.setNow(at);
  await site.here.digest(at);
  return () => site.close();
});

describe('the sentence', () => {
  const at = new Date('2026-11-20T12:00:00Z');
  const said = (...flags: Flag[]) => whySuspect('en', flags, at);

  it('the sentence on suspect particles says since when they are left out, and what was found', () => {
    const start = "Its particles have been left out of the city's mean since 3 November 2026: ";
    expect(said(flagOf({}))).toBe(`${start}it has shown the same value for 12 hours or more.`);
    expect(said(flagOf({ test: 'sensors' }))).toBe(`${start}its sensors disagree.`);
    expect(said(flagOf({ test: 'outlier' }))).toBe(`${start}5 times its neighbours.`);
    expect(said(flagOf({ test: 'outlier', median: 0 }))).toBe(`${start}far above its neighbours.`);
    expect(said(flagOf({ test: 'operator', 'pm2.5': null }))).toBe(
      `${start}its operator does not trust them.`,
    );
  });

  it('the sentence says that an outlier of fewer than 24 hours is still in the mean of its city (C9)', () => {
    const outlier = flagOf({ test: 'outlier', is_left_out: false });
    expect(said(outlier)).toBe(
      "Its particles are suspect since 3 November 2026: 5 times its neighbours. The city's mean leaves them out once 24 hours are suspect.",
    );
    expect(said(outlier, flagOf({}))).toContain("left out of the city's mean");
    for (const locale of LOCALES)
      expect(whySuspect(locale, [outlier], at), locale).toMatch(/24.*[.։]$/);
  });

  it.each([
    ['ru', 'в среднее города с 3 ноября 2026 г.: '],
    ['hy', 'չեն հաշվվում 2026 թ. նոյեմբերի 3-ից՝ '],
  ] as const)('the sentence on suspect particles declines its date: %s', (locale, since) => {
    expect(whySuspect(locale, [flagOf({})], at)).toContain(since);
    const often = whySuspect('ru', [flagOf({ test: 'outlier', 'pm2.5': 60 * 22 })], at);
    expect(often).toContain('в 22 раза');
  });

  it('the sentence on suspect particles names each reason once, since the earliest, or without a date', () => {
    const later = flagOf({ test: 'sensors', since: '2026-11-05T04:00:00+04:00' });
    expect(said(later, flagOf({}), flagOf({ since: '2026-11-04T04:00:00+04:00' }))).toContain(
      'since 3 November 2026: its sensors disagree; it has shown the same value for 12 hours or more.',
    );
    expect(said(later, flagOf({ test: 'operator', since: null }))).toMatch(
      /^Its particles are left out of the city's/,
    );
  });

  it('the sentence on suspect particles counts only current periods of particles', () => {
    expect(said(flagOf({ kind: 'thp' }))).toBeUndefined();
    expect(said(flagOf({ until: '2026-11-20T16:00:00+04:00' }))).toBeUndefined();
    expect(said(flagOf({ until: '2026-11-20T16:00:01+04:00' }))).toBeDefined();
    expect(said(flagOf({ since: '2026-11-20T16:00:00+04:00' }))).toBeDefined();
    expect(said(flagOf({ since: '2026-11-20T16:00:01+04:00' }))).toBeUndefined();
  });
});

describe('the report card', () => {
  const pair = {
    x: { sensor_id: 11, station_id: 1 },
    y: { sensor_id: 21, station_id: 2 },
    days: 30,
  };
  const figures = { slope: 1.184, intercept: -0.25, r2: 0.987, rmse: 1_234.56 };
  const cells = (...pairs: Trust['pairs']) =>
    [
      ...trustPart('ru', 1, { flags: [], pairs }).text.matchAll(
        /<(?:td|th scope="row")>(.*?)<\/t/g,
      ),
    ].map(([, cell]) => cell);

  it('the report card has the figures of each pair, and leads to the other station', () => {
    const name = '11 · 21 (<a href="/ru/station/2">2</a>)';
    expect(cells({ ...pair, ...figures, meets_targets: true })).toEqual([
      name,
      '30',
      '1,18',
      '−0,3',
      '0,99',
      '1\u00a0234,6',
      'да',
    ]);
    expect(cells({ ...pair, ...figures, meets_targets: false }).at(-1)).toBe('нет');
  });

  it('the report card has dashes for unknown figures, and is empty without pairs', () => {
    const unknown = { slope: null, intercept: null, r2: null, meets_targets: null };
    expect(cells({ ...pair, ...unknown, rmse: 0 }).slice(2)).toEqual(['–', '–', '–', '0,0', '–']);
    expect(trustPart('en', 1, { flags: [], pairs: [] }).text).not.toContain('<table');
  });
});

describe('without a browser', () => {
  it.each(LOCALES)(
    'a suspect station’s page says why, strikes its numbers through, and gives no advice by them: %s',
    async (locale) => {
      const { body: whole } = await site.get(`/${locale}/station/${LIAR}`);
      const [body = ''] = whole.split('id="history"');
      const words = WORDS[locale];
      expect(body).toContain(`<p class="warning">${leftOutOf(locale).replaceAll("'", '&#39;')}`);
      expect(body).toContain('href="#rule-C9"');
      expect(whole).toContain('id="rule-C9"');
      expect(body).toMatch(/<p class="index unknown"><s>&gt;500<\/s>/);
      expect(body).toMatch(/PM2\.5 <s>400[.,]0 /);
      expect(body).toMatch(/<dt>PM10<\/dt><dd><s>400[.,]0 /);
      expect(body).not.toContain('class="advice"');
      expect(body).toContain('<rect class="suspect"');
      expect(body).not.toContain('<rect class="hazardous"');
      const [, indices = ''] = body.split('data-live="indices"');
      const marked = [...indices.matchAll(/<dd>(.*?)<(?:br|\/dd)>/g)].map(([, value]) => value);
      expect(marked, 'the European index and NowCast').toHaveLength(2);
      for (const value of marked)
        expect(value).toMatch(
          new RegExp(`^<s>.*</s> <span class="chip unknown">${words.suspect}<`),
        );
      expect(body).not.toContain(words.hazardous);
      expect(body).toMatch(
        new RegExp(`<meta property="og:description" content="[^"]*${words.suspect}[.։]`, 'i'),
      );
    },
  );
  const leftOutOf = (locale: (typeof LOCALES)[number]) =>
    whySuspect(locale, [flagOf({ test: 'outlier', since: '2026-11-20', ...EVIDENCE })], NOW) ?? '';

  it('a suspect station’s frame says why; a station whose period is over shows its number', async () => {
    const { body } = await site.get(`/en/embed/station/${LIAR}`);
    expect(body).toContain(SENTENCE.replaceAll("'", '&#39;'));
    expect(body).toMatch(/<p class="index unknown"><s>&gt;500<\/s>/);
    for (const path of ['', 'embed/']) {
      const page = (await site.get(`/en/${path}station/${STATIONS.moderate}`)).body;
      const [over] = page.split('data-live="where"'); // where its neighbours follow
      expect(over).toContain(WORDS.en.moderate);
      expect(over).not.toContain('<s>');
    }
  });

  it('lists have a suspect station struck through, after the known ones, and a region counts its stations', async () => {
    for (const path of ['', 'region/old-town']) {
      const { body } = await site.get(`/en/${path}`);
      const lines = [...body.matchAll(/<li class="line">.*?<\/li>/gs)].map(([line]) => line);
      const at = lines.findIndex((line) => line.includes(`/station/${LIAR}"`));
      expect(lines[at]).toMatch(
        /<span class="chip unknown box"><s>&gt;500<\/s><\/span>.*<span class="word">Suspect<\/span>.*<s>400\.0<\/s><span class="unit"> µg\/m³/,
      );
      expect(
        lines
          .slice(0, at)
          .filter((line) => /chip (good|moderate|sensitive|unhealthy|very)/.test(line)).length,
      ).toBe(6);
    }
    const region = async () => (await site.get('/en/region/old-town')).body;
    await expect.poll(region).toContain('particles from 6 of 8 stations, 1 left out as suspect');
    expect((await site.get('/en/region/secret-park')).body).not.toMatch(/\d left out as suspect/);
  });
});

inBrowserInAll('with a browser', (open) => {
  const shown = async (page: Page, selector: string) =>
    (await page.locator(selector).first().innerText()).trim();

  it('the map strikes a suspect number through, without the colour of a category', async () => {
    const page = await open({ viewport: { width: 1280, height: 2_000 } });
    await page.goto(`${site.origin}/en/region/old-town`);
    const pin = page.locator(`.map a.pin[href="/en/station/${LIAR}"]`);
    await pin.waitFor();
    expect(await pin.getAttribute('class')).toContain('unknown');
    expect(await pin.locator('s').textContent()).toBe('>500');
  });

  it('the history draws suspect values as a dashed line, without a category in the calendar', async () => {
    const page = await open({ viewport: { width: 1280, height: 4_000 } });
    const doubted = async (id: number) => {
      await page.goto(`${site.origin}/en/station/${id}?window=24h&parameter=aqi`);
      await page.locator('.chart svg').waitFor();
      await page.locator('#calendar .calendar').waitFor();
      return {
        line: (await page.locator('.chart .trace.suspect').getAttribute('d')) ?? '',
        plain: (await page.locator('.chart .trace:not(.suspect)').getAttribute('d')) ?? '',
        said: await shown(page, '#windows .live'),
        explained: await page.locator('#windows p.suspect').count(),
        day: await shown(page, '#calendar .live'),
        hazards: await page.locator('.calendar rect.hazardous').count(),
      };
    };
    const liar = await doubted(LIAR);
    expect(liar.line).toMatch(/^M.*L/);
    expect(liar.plain).toBe('');
    expect(liar.said).toMatch(/ · suspect$/);
    expect(liar.explained).toBe(1);
    expect(liar.hazards).toBe(0);
    const honest = await doubted(STATIONS['very-unhealthy']);
    expect(honest.line).toBe('');
    expect(honest.said).not.toContain('suspect');
    expect(honest.explained).toBe(0);
  });

  it('pages of a suspect station have no barrier that axe finds', async () => {
    const page = await open({ colorScheme: 'dark', viewport: { width: 390, height: 844 } });
    for (const path of [`station/${LIAR}`, `embed/station/${LIAR}`, 'region/old-town']) {
      await page.goto(`${site.origin}/en/${path}`, { waitUntil: 'networkidle' });
      expect(await axe(page), path).toEqual([]);
    }
  });
});
