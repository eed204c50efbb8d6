/** The overview as a person sees it in a browser, and its size. */
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { LOCALES } from '../../../src/contract/endpoints.ts';
import { renderPage } from '../../../src/extras/pages/layout.ts';
import { overviewPage } from '../../../src/extras/pages/overview.ts';
import type { ListedStation } from '../../../src/extras/pages/parts.ts';
import { verdictOf } from '../../../src/extras/pages/verdict.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { NOW } from '../../support/clock.ts';
import { seeded } from '../../support/random.ts';
import { axe, hold, inBrowserInAll } from './browser.ts';
import { openSite, type Site, STATIONS } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({ SITE_TITLE: 'Air' });
});
afterAll(() => site.close());

inBrowserInAll('the overview', (open) => {
  it.each([
    ['en', 1_280, 'light'],
    ['ru', 360, 'dark'],
    ['hy', 360, 'light'],
  ] as const)(
    'the overview in %s at %s pixels, %s, has no barrier that axe finds, and fits the window',
    async (locale, width, colorScheme) => {
      const page = await open({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${site.origin}/${locale}/`);
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await axe(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      );
    },
  );

  it('every listed station is in the list and on the map, and no category looks like another', async () => {
    const page = await open();
    await page.goto(`${site.origin}/en/`);
    const onMap: unknown[][] = JSON.parse((await page.locator('#places').textContent()) ?? '');
    for (const [name, id] of Object.entries(STATIONS)) {
      const links = page.locator(`li a[href="/en/station/${id}"]`);
      const isListed = name !== 'hidden';
      expect(await links.count(), name).toBe(isListed ? 1 : 0);
      expect(onMap.some(([level, key]) => level === 2 && key === id)).toBe(isListed);
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

  it('each station has the look of its category, in the list, worst first, and on the map', async () => {
    const page = await open();
    await page.goto(`${site.origin}/en/`);
    const shown = await page
      .locator('.line a[href^="/en/station/"]')
      .evaluateAll((links) =>
        links.map((link) => [
          link.textContent,
          link.parentElement?.querySelector('.chip')?.classList[1],
        ]),
      );
    // the last two are in the other city, and elsewhere
    const inTown = shown.slice(0, -2).map(([, category]) => category);
    const worstFirst = [
      'hazardous',
      'very-unhealthy',
      'unhealthy',
      'sensitive',
      'moderate',
      'moderate',
      'good',
    ];
    expect(inTown.slice(0, 7)).toEqual(worstFirst);
    expect(inTown.slice(7).toSorted()).toEqual(['offline', 'unknown']);
    for (const name of ['good', 'hazardous', 'unknown', 'offline'] as const) {
      expect(shown).toContainEqual([`At ${name}`, name]);
    }
    await page.goto(`${site.origin}/en/region/town`);
    await page.locator('#map').scrollIntoViewIfNeeded();
    for (const name of ['good', 'hazardous', 'unknown', 'offline'] as const) {
      const pin = page.locator(`.map a.pin[href="/en/station/${STATIONS[name]}"]`);
      await pin.waitFor();
      expect(await pin.getAttribute('class')).toContain(`pin ${name} station`);
    }
    expect(await page.locator('.map a.pin.good').textContent()).toBe('28At good');
  });

  it('the overview shows the current values without JavaScript', async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.goto(`${site.origin}/ru/`);
    const line = page.locator('.line', { hasText: 'Город' }).first();
    expect(await page.locator('.summary').textContent()).toMatch(
      // without a trend, which needs more than an hour
      /^В 1 городе уровень «.+»; хуже всего: Город \d+\. Без индекса: 1\.$/,
    );
    expect(await line.textContent()).toMatch(/^\d+ Город.*PM2\.5.*мкг\/м³/s);
  });

  /** The rectangles of all pins, once the map stands still. */
  const pinsOf = (page: Page) =>
    page
      .locator('.map .pin')
      .evaluateAll((pins) => pins.map((pin) => pin.getBoundingClientRect().toJSON() as DOMRect));

  it('the map shows cities from afar and stations from near, and its pins never overlap', async () => {
    const page = await open({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' });
    await page.goto(`${site.origin}/en/`);
    const pins = page.locator('.map .pin');
    await pins.first().waitFor();
    const counts: number[] = [];
    for (let zoom = 0; zoom < 4; zoom++) {
      const boxes = await pinsOf(page);
      for (const [n, a] of boxes.entries()) {
        for (const b of boxes.slice(n + 1))
          expect(
            Math.abs(a.x - b.x) >= a.width || Math.abs(a.y - b.y) >= a.height,
            `zoom ${zoom}`,
          ).toBe(true);
      }
      counts.push(await page.locator('.map .pin.station').count());
      const scale = page.locator('.leaflet-control-scale-line');
      const before = await scale.textContent();
      await page.locator('.leaflet-control-zoom-out').click();
      // once it has arrived: a click on the way would be ignored
      await expect.poll(() => scale.textContent()).not.toBe(before);
    }
    expect(counts[0]).toBeGreaterThan(2);
    await expect.poll(() => page.locator('.map .pin.region').count()).toBeGreaterThan(0);
    expect(await page.locator('.map .pin.station').count()).toBeLessThan(counts[0] ?? 0);
    await page.locator('.map .pin.several').first().click(); // the map zooms in until they part
    await expect.poll(() => page.locator('.map .pin.station').count()).toBeGreaterThan(1);
    const { x, y, width, height } = (await page.locator('.map').boundingBox()) as DOMRect;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 4, y + height / 2, { steps: 3 });
    await page.mouse.up();
    expect(page.url()).toBe(`${site.origin}/en/`); // a drag is no click
  });

  it('a map without a ground has a net of degrees, which moves with it', async () => {
    const page = await open({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' });
    await page.goto(`${site.origin}/ru/`);
    const labels = page.locator('.map .degrees.latitude span');
    await labels.first().waitFor();
    const texts = await labels.allTextContents();
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts) expect(text).toMatch(/^40,\d+°$|^39,\d+°$/);
    const placeOf = async () => (await labels.first().boundingBox()) as DOMRect;
    const lineOf = async () =>
      (await page.locator('.map path.net').first().boundingBox()) as DOMRect;
    const [label, line] = [await placeOf(), await lineOf()];
    const { x, y, width, height } = (await page.locator('.map').boundingBox()) as DOMRect;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2 + 60, { steps: 6 });
    expect((await placeOf()).y - label.y).toBeCloseTo(60, -1);
    expect((await lineOf()).y - line.y).toBeCloseTo(60, -1);
    await page.mouse.up();
  });

  it.each([390, 1_280])('nothing moves when the map is drawn, at %i pixels', async (width) => {
    const page = await open({ viewport: { width, height: 800 } });
    const release = await hold(page, /drawnMap/);
    await page.goto(`${site.origin}/en/`);
    await page.locator('.map').scrollIntoViewIfNeeded();
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const before = await height();
    expect(await page.locator('.leaflet-container').count()).toBe(0);
    release();
    await page.locator('.leaflet-container .pin').first().waitFor();
    expect(await height()).toBe(before);
  });

  it('the map is not loaded before it is seen', async () => {
    const page = await open({ viewport: { width: 390, height: 120 } });
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.goto(`${site.origin}/en/`, { waitUntil: 'networkidle' });
    expect(loaded.filter((url) => url.includes('drawnMap'))).toEqual([]);
    await page.locator('.map').scrollIntoViewIfNeeded();
    await page.locator('.leaflet-container .pin').first().waitFor();
    expect(loaded.filter((url) => url.includes('drawnMap'))).toHaveLength(1);
  });

  it('the map goes to where the reader is, and names the nearest station', async () => {
    const page = await open({
      geolocation: { latitude: 40.02, longitude: 44.52 },
      permissions: ['geolocation'],
    });
    await page.goto(`${site.origin}/ru/`);
    await page.getByRole('button', { name: WORDS.ru.nearMe }).click();
    const said = page.locator('#map [role=status] a');
    expect(await page.locator('.leaflet-control-scale-line').textContent()).toMatch(/^\d+ к?м$/);
    expect(await said.textContent()).toBe('Ближе всего: Станция moderate, 1,7 км');
    expect(await said.getAttribute('href')).toBe('/ru/station/2');
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

  it('the overview asks no other host, except the host of tiles, which it credits', async () => {
    const tiled = await openSite({
      MAP_TILES: 'https://tiles.example/{z}/{x}/{y}.png © Example maps https://tiles.example/terms',
    });
    onTestFinished(() => tiled.close());
    const hosts = async (origin: string) => {
      const page = await open();
      const asked = new Set<string>();
      await page.route('https://tiles.example/**', (route) =>
        route.fulfill({
          contentType: 'image/svg+xml',
          body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
        }),
      );
      page.on('request', (request) => asked.add(new URL(request.url()).origin));
      await page.goto(`${origin}/en/`, { waitUntil: 'networkidle' });
      await page.locator('.map .pin').first().waitFor();
      // tiles that leave the screen are not emptied by data URLs
      await page.locator('.leaflet-control-zoom-in').click();
      await page.waitForLoadState('networkidle');
      return { page, asked: [...asked] };
    };
    const bare = await hosts(site.origin);
    expect(bare.asked).toEqual([site.origin]);
    const { page, asked } = await hosts(tiled.origin);
    expect(asked.toSorted()).toEqual([tiled.origin, 'https://tiles.example'].toSorted());
    const credit = page.locator('.leaflet-control-attribution a');
    expect([await credit.textContent(), await credit.getAttribute('href')]).toEqual([
      '© Example maps',
      'https://tiles.example/terms',
    ]);
    const policyOf = async (one: Site, path: string) =>
      (await one.get(path)).headers['content-security-policy'];
    expect(await policyOf(tiled, '/en/')).toContain("img-src 'self' https://tiles.example;");
    expect(await policyOf(tiled, '/en/embed/station/1')).toContain("img-src 'self';");
    expect(await policyOf(site, '/en/')).toContain("img-src 'self';");
  });

  it('an open overview follows the data, keeps opened parts open, and says how old it is, also when the service is away', async () => {
    const page = await open({ errors: /ERR_FAILED|503/ });
    await page.clock.install({ time: NOW.getTime() + 56 * 60_000 }); // the digest is of NOW
    await page.goto(`${site.origin}/en/`);
    const age = page.locator('.age');
    await expect.poll(() => age.textContent()).toBe(' (56 minutes ago)');
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
    const before = await age.textContent(); // by the clock of the service, which has answered
    await page.clock.fastForward(7 * 86_400_000);
    await expect.poll(() => age.textContent()).not.toBe(before);
    await page.unroute('**/en/');
    await again();
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
    return brotliCompressSync(text).length;
  };

  it.each(LOCALES)('the overview of a network without stations says so: %s', (locale) => {
    expect(overviewPage(of, locale, list).body.text).toContain(WORDS[locale].noStations);
  });

  it('the overview of a thousand or ten thousand stations takes less than 60 KB', () => {
    expect(bytes(1_000)).toBeLessThan(60_000);
    expect(bytes(10_000)).toBeLessThan(60_000);
  });
});
