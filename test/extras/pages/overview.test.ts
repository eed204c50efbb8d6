/** The overview as a person sees it in a browser, and its size. */
import { brotliCompressSync, constants } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';

import { LOCALES } from '../../../src/contract/endpoints.ts';
import { renderPage } from '../../../src/extras/pages/layout.ts';
import { overviewPage } from '../../../src/extras/pages/overview.ts';
import type { ListedStation } from '../../../src/extras/pages/parts.ts';
import { verdictOf } from '../../../src/extras/pages/verdict.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { NOW } from '../../support/clock.ts';
import { seeded } from '../../support/random.ts';
import { askAgain, axe, inBrowserInAll, widthOf } from './browser.ts';
import { openSite, type Site, STATIONS } from './site.ts';

inBrowserInAll('the overview', (open) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ SITE_TITLE: 'Air' });
    return () => site.close();
  });

  it.each([
    ['en', 1_280, 'light'],
    ['ru', 360, 'dark'],
  ] as const)(
    'the overview in %s at %s pixels, %s, has no barrier that axe finds, and fits the window',
    async (locale, width, colorScheme) => {
      const page = await open({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${site.origin}/${locale}/`);
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await axe(page)).toEqual([]);
      expect(await widthOf(page)).toBeLessThanOrEqual(width);
    },
  );

  it('each station has the look of its category on the map', async () => {
    const page = await open();
    await page.goto(`${site.origin}/en/region/town`);
    await page.locator('#map').scrollIntoViewIfNeeded();
    for (const name of ['good', 'hazardous', 'unknown', 'offline'] as const) {
      const pin = page.locator(`.map a.pin[href="/en/station/${STATIONS[name]}"]`);
      await pin.waitFor();
      expect(await pin.getAttribute('class')).toContain(`pin ${name} station`);
    }
    expect(await page.locator('.map a.pin.good').textContent()).toBe('28At good');
  });

  it('the search finds places by a part of their name', async () => {
    const page = await open({ errors: /404/ });
    await page.goto(`${site.origin}/en/`);
    await page.getByRole('searchbox').fill('haz');
    // the station and its city
    await expect.poll(() => page.locator('.line:visible').allTextContents()).toHaveLength(2);
    expect(await page.locator('.line:visible a').last().textContent()).toBe('At hazardous');
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText(WORDS.en.notListed).waitFor();
    await page.getByRole('searchbox').fill('');
    expect(await page.locator('.line').first().isVisible()).toBe(true);
    // and from the page of a wrong address
    await page.goto(`${site.origin}/en/region/nowhere`);
    await page.getByRole('searchbox').fill('haz');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.line:visible').allTextContents()).toHaveLength(2);
  });

  it('an open overview says how old it is, also when the service is away', async () => {
    const page = await open({ errors: /ERR_FAILED|503/ });
    await page.clock.install({ time: NOW.getTime() + 56 * 60_000 }); // the digest is of NOW
    await page.goto(`${site.origin}/en/`);
    const age = page.locator('.age');
    await expect.poll(() => age.textContent()).toBe(' (56 minutes ago)');
    expect(await page.locator('#stale').isHidden()).toBe(true);
    await page.route('**/en/', (route) => route.abort());
    await askAgain(page);
    await page.locator('#stale').waitFor();
    expect(await page.locator('#stale').textContent()).toContain('The values may be old');
    const before = await age.textContent(); // by the clock of the service, which has answered
    await page.clock.fastForward(7 * 86_400_000);
    await expect.poll(() => age.textContent()).not.toBe(before);
    await page.unroute('**/en/');
    await askAgain(page);
    await page.locator('#stale').waitFor({ state: 'hidden' });
  });
});

describe('the overview of a network', () => {
  const titles = { en: 'Air', ru: 'Воздух', hy: 'Օդ' };
  const of = { url: '', titles, contact: '', license: '', zone: 'UTC', index: 'aqi' } as const;
  const list = { hour: '', providers: [], stations: [], regions: [] };
  const stationOf = (id: number) =>
    ({
      id,
      title: `Street ${id}`,
      status: 'online',
      latitude: id / 1e3,
      longitude: id / 7,
      aqi: id % 320,
      measurement_time: '2026-11-20T13:00:00+04:00',
    }) as ListedStation;
  const bytes = (stations: number) => {
    const random = seeded(stations);
    const lastDay = () => Array.from({ length: 24 }, () => random.next() * 60);
    const all = Array.from({ length: stations }, (_, n) => ({
      ...stationOf(n + 1),
      'pm2.5': n / 10,
      city_slug: null,
      verdict: verdictOf('aqi', { ...stationOf(n + 1), has_measured: true }, undefined),
      day: { trend: 'rising' as const, 'pm2.5': lastDay(), top: 60 },
    }));
    const { text } = renderPage(of, overviewPage(of, 'en', { ...list, stations: all }));
    // as the service sends it
    return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length;
  };

  it.each(LOCALES)('the overview of a network without stations says so: %s', (locale) => {
    expect(overviewPage(of, locale, list).body.text).toContain(WORDS[locale].noStations);
  });

  it('the overview of a thousand or ten thousand stations takes less than 60 KB', () => {
    expect(bytes(1_000)).toBeLessThan(60_000);
    expect(bytes(10_000)).toBeLessThan(60_000);
  });
});
