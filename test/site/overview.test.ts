/** The overview: what a person sees of it, in a browser, and how large it gets. */
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Station } from '../../src/contract/current.ts';
import { LOCALES, type StationsList } from '../../src/contract/endpoints.ts';
import { renderPage } from '../../src/site/layout.ts';
import { overviewPage } from '../../src/site/overview.ts';
import { WORDS } from '../../src/site/words.ts';
import { axe, inBrowser } from './browser.ts';
import { NOW, openSite, type Site, STATIONS } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({ SITE_TITLE: 'Air' });
});
afterAll(() => site.close());

inBrowser('the overview', (open) => {
  it.each([
    ['en', 1_280, 'light'],
    ['ru', 360, 'dark'],
    ['hy', 360, 'light'],
  ] as const)(
    'in %s at %s pixels, %s: axe finds nothing, and nothing is wider than the window',
    async (locale, width, colorScheme) => {
      const page = await open({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${site.origin}/${locale}/`);
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await axe(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    },
  );

  it('has every listed station in the list and on the map, and no category looks like another', async () => {
    const page = await open();
    await page.goto(`${site.origin}/en/`);
    for (const [name, id] of Object.entries(STATIONS)) {
      const links = page.locator(`a[href="/en/station/${id}"]`);
      expect(await links.count(), name).toBe(name === 'hidden' ? 0 : 2);
    }
    const looks = await page.locator('.legend .chip').evaluateAll((chips) =>
      chips.map((chip) => {
        const { backgroundColor, borderStyle } = getComputedStyle(chip);
        return `${backgroundColor} ${borderStyle}`;
      }),
    );
    expect(looks).toHaveLength(8);
    expect(new Set(looks).size).toBe(8);
  });

  it('shows each station by its category, in the list, worst first, and on the map', async () => {
    const page = await open();
    await page.goto(`${site.origin}/en/`);
    const shown = await page
      .locator('.line a[href^="/en/station/"]')
      .evaluateAll((links) =>
        links.map((link) => [link.textContent, link.parentElement?.querySelector('.chip')?.classList[1]]),
      );
    const inTown = shown.slice(0, -1).map(([, category]) => category); // the last is elsewhere
    const worstFirst = ['hazardous', 'very-unhealthy', 'unhealthy', 'sensitive', 'moderate', 'moderate', 'good'];
    expect(inTown.slice(0, 7)).toEqual(worstFirst);
    expect(inTown.slice(7).toSorted()).toEqual(['offline', 'unknown']);
    for (const name of ['good', 'hazardous', 'unknown', 'offline'] as const) {
      expect(shown).toContainEqual([`At ${name}`, name]);
      const dot = page.locator(`.map a[href="/en/station/${STATIONS[name]}"] .dot`);
      expect(await dot.getAttribute('class')).toBe(`dot ${name}`);
    }
  });

  it('says the current values without JavaScript', async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.goto(`${site.origin}/ru/`);
    const line = page.locator('.line', { hasText: 'Город' }).first();
    expect(await line.textContent()).toMatch(/Город.*\d+.*PM2\.5.*мкг\/м³/s);
  });

  it('zooms and pans, and shows the whole map again', async () => {
    const page = await open({ viewport: { width: 1_280, height: 800 } });
    await page.goto(`${site.origin}/en/`);
    const box = async () => ((await page.locator('.map svg').getAttribute('viewBox')) ?? '').split(' ').map(Number);
    const whole = await box();
    await page.getByRole('button', { name: WORDS.en.zoomIn }).click();
    const zoomed = await box();
    expect(zoomed[2]).toBeCloseTo((whole[2] as number) / 2);
    const { x, y, width, height } = (await page.locator('.map svg').boundingBox()) as DOMRect;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 4, y + height / 2, { steps: 3 });
    await page.mouse.up();
    expect((await box())[0]).toBeGreaterThan(zoomed[0] as number);
    expect(page.url()).toBe(`${site.origin}/en/`); // a drag is no click
    await page.getByRole('button', { name: WORDS.en.wholeMap }).click();
    expect(await box()).toEqual(whole);
  });

  it('follows the data while it is open, keeps what was opened, and says when the service is away', async () => {
    const page = await open({ errors: /ERR_FAILED|503/ });
    await page.goto(`${site.origin}/en/`);
    await page.locator('summary').first().click();
    await site.read(STATIONS.good, { pm25: 7 }, new Date(NOW.getTime() - 1_000));
    const again = () => page.evaluate(() => void window.dispatchEvent(new Event('online')));
    const line = page.locator('.line', { hasText: 'At good' }).first();
    await expect
      .poll(async () => {
        await again();
        return line.textContent();
      })
      .toMatch(/6\.0 µg/);
    expect(await page.locator('details').first().getAttribute('open')).not.toBeNull();
    expect(await page.locator('#stale').isHidden()).toBe(true);
    await page.route('**/en/', (route) => route.abort());
    await again();
    await page.locator('#stale').waitFor();
    expect(await page.locator('#stale').textContent()).toContain('The values may be old');
    await page.unroute('**/en/');
    await again();
    await page.locator('#stale').waitFor({ state: 'hidden' });
  });
});

describe('the overview of a network', () => {
  const of = { title: 'Air', contact: '', license: '', zone: 'UTC' };
  const list: StationsList = { providers: [], stations: [], regions: [] };
  const stationOf = (id: number) =>
    ({ id, title: `Street ${id}`, status: 'online', latitude: id / 1e3, longitude: id / 7, aqi: id % 320 }) as Station;
  const bytes = (stations: number) => {
    const all = Array.from({ length: stations }, (_, n) => ({ ...stationOf(n + 1), 'pm2.5': n / 10, city_slug: null }));
    const { kept } = renderPage(of, overviewPage(of, 'en', { ...list, stations: all }));
    return brotliCompressSync(kept.get('identity') as Buffer).length;
  };

  it.each(LOCALES)('without stations says so: %s', (locale) => {
    expect(overviewPage(of, locale, list).body.text).toContain(WORDS[locale].noStations);
  });

  it('of a thousand stations, and of ten thousand, takes less than 60 KB', () => {
    expect(bytes(1_000)).toBeLessThan(60_000);
    expect(bytes(10_000)).toBeLessThan(60_000);
  });
});
