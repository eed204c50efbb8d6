/** The place of a station and its surroundings; and places where nothing was measured yet. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { axe, inBrowserInAll } from './browser.ts';
import { openSite, type Site, STATIONS } from './site.ts';

/** A lake around the stations, which stand from 40.01 to 40.12 at 44.5. */
const LAKE = [
  [44.4, 40],
  [44.6, 40],
  [44.6, 40.1],
  [44.4, 40],
];
const GROUND = {
  type: 'FeatureCollection',
  features: [
    { type: 'Polygon', coordinates: [LAKE] },
    { type: 'LineString', coordinates: LAKE },
  ].map((geometry, n) => ({
    type: 'Feature',
    properties: { kind: ['water', 'river'][n] },
    geometry,
  })),
};

let site: Site;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-ground-'));
  const file = join(folder, 'ground.geojson');
  writeFileSync(file, JSON.stringify(GROUND));
  site = await openSite({ SITE_TITLE: 'Air', MAP_GROUND: file });
  return async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  };
});
const bodyOf = async (path: string) => (await site.get(path)).body;

describe('places without a measurement yet', () => {
  it.each(LOCALES)(
    'pages, frames and lists say that nothing was measured yet, and not that a station is offline: %s',
    async (locale) => {
      const { waiting, offline, unknown } = WORDS[locale];
      const own = [`station/${STATIONS.waiting}`, `embed/station/${STATIONS.waiting}`];
      for (const path of [...own, 'region/young-town', 'embed/region/young-town']) {
        const [body = ''] = (await bodyOf(`/${locale}/${path}`)).split('data-live="where"');
        expect(body, path).toContain(`<span class="chip unknown">${waiting}</span>`);
        expect(body, path).not.toContain(`>${offline}<`);
        expect(body, path).not.toContain(`>${unknown}<`);
      }
      const [list = ''] = (await bodyOf(`/${locale}/`)).split('id="map"');
      // the city and its station
      expect(list.split(`<span class="word">${waiting}</span>`)).toHaveLength(3);
      expect(list.split(`<span class="word">${offline}</span>`)).toHaveLength(2);
    },
  );

  it('a station that has measured before is shown as offline', async () => {
    const body = await bodyOf(`/en/station/${STATIONS.offline}`);
    expect(body).toContain(`<span class="chip offline">${WORDS.en.offline}</span>`);
    expect(body).not.toContain(`>${WORDS.en.waiting}<`);
  });
});

describe('the place of a station', () => {
  it.each(LOCALES)(
    'a station’s page has its coordinates, and the nearest five stations with index and distance: %s',
    async (locale) => {
      const body = await bodyOf(`/${locale}/station/${STATIONS.sensitive}`);
      const words = WORDS[locale];
      expect(body).toContain(`${words.coordinates}: <a href="geo:40.03,44.5">40.03, 44.5</a>`);
      const [, where = ''] = body.split('data-live="where"');
      const lines = [...where.matchAll(/<li class="line">.*?<\/li>/gs)].map(([line]) => line);
      const ids = lines.map((line) => Number(/\/station\/(\d+)"/.exec(line)?.[1]));
      expect(ids).toEqual([2, 4, 1, 5, 6]); // a hundredth of a degree apart, 1.1 km
      const km = (text: string) =>
        words.km.replace('{km}', locale === 'en' ? text : text.replace('.', ','));
      for (const [n, text] of ['1.1', '1.1', '2.2', '2.2', '3.3'].entries())
        expect(lines[n]).toContain(km(text));
      expect(lines[1]).toMatch(/chip unhealthy.*PM2\.5.*100[.,]0/s);
    },
  );

  it('a hidden station’s page has its coordinates, and no page has it as a neighbour', async () => {
    expect(await bodyOf(`/en/station/${STATIONS.hidden}`)).toContain('40.1, 44.5');
    const [, where = ''] = (await bodyOf(`/en/station/${STATIONS.markup}`)).split(
      'data-live="where"',
    );
    expect(where).not.toContain(`/en/station/${STATIONS.hidden}"`);
    expect(where).toContain(`/en/station/${STATIONS.elsewhere}"`);
  });
});

/**
 * Cities in the corners of a map of this size; two corners have buttons and the scale. They are on
 * the equator, where a degree is as wide as high; without a margin the map would show just these.
 */
function cornersOf({ width, height }: { width: number; height: number }): string {
  const [east, north] = [width, height].map((size) => (0.49 * size * 360) / (256 * 2 ** 8));
  const corners = [
    [north, -Number(east)],
    [north, east],
    [-Number(north), -Number(east)],
    [-Number(north), east],
  ];
  return JSON.stringify(
    corners.map(([lat, lng], n) => [0, `city-${n}`, -1, lat, lng, 50, `City ${n}`]),
  );
}

inBrowserInAll('the map', (open) => {
  it.each([
    ['light', 1_280],
    ['dark', 390],
  ] as const)(
    'the map of a station has its neighbours on the configured ground: %s',
    async (colorScheme, width) => {
      const page = await open({ colorScheme, viewport: { width, height: 2_000 } });
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(`${site.origin}/en/station/${STATIONS.sensitive}`, {
        waitUntil: 'networkidle',
      });
      const pins = page.locator('.map .pin');
      await pins.first().waitFor();
      expect(await page.locator('.map .pin.own').textContent()).toContain('124');
      await page.locator('.map path.water').waitFor({ state: 'attached' });
      expect(await page.locator('.map path.river').count()).toBe(1);
      expect(await page.locator('.map path.net').count()).toBe(0);
      expect(await page.locator('.map path.glow').count()).toBe(6);
      expect(await page.locator('.map path.glow.unhealthy').count()).toBe(1);
      expect(asked.filter((url) => !url.startsWith(site.origin))).toEqual([]);
      expect(await axe(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      );
    },
  );

  it('no name on the map overlaps another', async () => {
    const page = await open({ viewport: { width: 1_280, height: 900 } });
    const row = [0, 1, 2, 3, 4, 5].map((n) => [0, `c-${n}`, -1, 0, n, 50 + n, `A long name ${n}`]);
    await page.route('**/en/', async (route) => {
      const answer = await route.fetch();
      const places = `$1${JSON.stringify(row)}`;
      const body = (await answer.text()).replace(/(id="places">).*?(?=<)/s, places);
      await route.fulfill({ response: answer, body });
    });
    await page.goto(`${site.origin}/en/`, { waitUntil: 'networkidle' });
    await expect.poll(() => page.locator('.map .pin').count()).toBe(6);
    const ends = await page.locator('.map .pin .name').evaluateAll((names) =>
      names
        .map((name) => name.getBoundingClientRect())
        .map(({ left, right }) => ({ left, right }))
        .toSorted((a, b) => a.left - b.left),
    );
    expect(ends.length).toBeGreaterThan(1);
    for (const [n, { left }] of ends.entries())
      expect(left).toBeGreaterThanOrEqual(ends[n - 1]?.right ?? 0);
  });

  it('the map begins with every pin clear of its buttons', async () => {
    for (const width of [390, 1_280]) {
      const page = await open({ viewport: { width, height: 2_000 } });
      await page.goto(`${site.origin}/en/`, { waitUntil: 'networkidle' });
      const corners = cornersOf((await page.locator('.map').boundingBox()) as DOMRect);
      await page.route('**/en/', async (route) => {
        const answer = await route.fetch();
        const body = (await answer.text()).replace(/(id="places">).*?(?=<)/s, `$1${corners}`);
        await route.fulfill({ response: answer, body });
      });
      await page.goto(`${site.origin}/en/`, { waitUntil: 'networkidle' });
      await expect.poll(() => page.locator('.map .pin').count()).toBe(4);
      const boxes = async (selector: string) =>
        page
          .locator(selector)
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
      const controls = await boxes('.map .leaflet-control');
      expect(controls.length).toBeGreaterThan(1);
      for (const pin of await boxes('.map .pin'))
        for (const control of controls) {
          const isApart =
            pin.right <= control.left ||
            pin.left >= control.right ||
            pin.bottom <= control.top ||
            pin.top >= control.bottom;
          expect(isApart, `${width}`).toBe(true);
        }
    }
  });
});
