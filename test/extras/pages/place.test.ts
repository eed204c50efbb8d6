/** The place of a station and its surroundings; and places where nothing was measured yet. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { NOW } from '../../support/clock.ts';
import { engines } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import { citiesOfOneStation, install, reading } from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
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
let MAP_GROUND = '';
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-ground-'));
  MAP_GROUND = join(folder, 'ground.geojson');
  writeFileSync(MAP_GROUND, JSON.stringify(GROUND));
  site = await openSite({ SITE_TITLE: 'Air', MAP_GROUND });
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

  it('the nearest stations are those with values, whose lines have no trend and no curve', async () => {
    const body = await bodyOf(`/en/station/${STATIONS.waiting}`);
    const [, where = ''] = body.split('data-live="where"');
    const [list = ''] = where.split('id="map"');
    const ids = [...list.matchAll(/\/station\/(\d+)"/g)].map(([, id]) => Number(id));
    // of the nearest five, station 8 is offline
    expect(ids).toEqual([
      STATIONS.elsewhere,
      STATIONS.markup,
      STATIONS.unknown,
      STATIONS.hazardous,
    ]);
    expect(list).not.toMatch(/class="spark|rising|falling|steady|[↗↘→]/);
  });

  it('a station farther away than 25 km is no neighbour', async () => {
    // every 0.1° of latitude, 11.1 km
    const here = await install(engines[0] ?? 'plain', citiesOfOneStation(['a', 'b', 'c', 'd']));
    onTestFinished(() => here.close());
    await here.accept(
      [1, 2, 3, 4].map((id) => reading(id, NOW, { pm25: 10 })),
      NOW,
    );
    await here.refresh(NOW);
    const { port } = await launch(here, { role: 'api' });
    const { body } = await httpGet(port.public, '/en/station/1');
    const [, where = ''] = body.split('data-live="where"');
    const [list = ''] = where.split('id="map"');
    expect([...list.matchAll(/\/station\/(\d+)"/g)].map(([, id]) => id)).toEqual(['2', '3']);
    expect(where).not.toContain('In d');
  });

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
function cornersOf({ width, height }: { width: number; height: number }): Row[] {
  const [east, north] = [width, height].map((size) => (0.49 * size * 360) / (256 * 2 ** 8));
  const corners = [
    [north, -Number(east)],
    [north, east],
    [-Number(north), -Number(east)],
    [-Number(north), east],
  ];
  return corners.map(([lat, lng], n) => [0, `city-${n}`, -1, lat, lng, 50, `City ${n}`]);
}

/** The service with a server of tiles, on whose port nobody listens without an `answer`. */
async function serveTiles(
  answer: RequestListener | undefined,
  environment: Record<string, string> = {},
) {
  let count = 0;
  const server = createServer((req, res) => {
    count += 1;
    answer?.(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  if (answer === undefined) stop();
  else onTestFinished(stop);
  const MAP_TILES = `http://localhost:${port}/{z}/{x}/{y}.png Example`;
  const tiled = await openSite({ MAP_TILES, ...environment });
  onTestFinished(() => tiled.close());
  return { origin: tiled.origin, asked: () => count };
}

/** A place on the map, as the page has it. */
type Row = readonly unknown[];

/** Serves a page with other places on its map. */
const putOnMap = (page: Page, path: string, rows: readonly Row[]) =>
  page.route(`**${path}`, async (route) => {
    const answer = await route.fetch();
    const places = `$1${JSON.stringify(rows)}`;
    const body = (await answer.text()).replace(/(id="places">).*?(?=<)/s, places);
    await route.fulfill({ response: answer, body });
  });

const boxesOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));

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
      // nothing is coloured but pins: nobody knows the air between stations
      expect(await page.locator('.map path:not(.ground, .outline)').count()).toBe(0);
      expect(asked.filter((url) => !url.startsWith(site.origin))).toEqual([]);
      expect(await axe(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      );
    },
  );

  it.each<readonly [string, RequestListener | undefined, number]>([
    ['refuses connections', undefined, 0],
    ['answers 404', (_, res) => void res.writeHead(404).end(), 0],
    ['never answers', () => undefined, 20_000],
  ])('a map whose server of tiles %s has a net of degrees instead', async (_, answer, waits) => {
    const tiles = await serveTiles(answer);
    const page = await open({ errors: /Failed to load/ });
    await page.clock.install();
    await page.goto(`${tiles.origin}/en/`);
    await page.locator('.map .pin').first().waitFor();
    if (waits > 0) expect(await page.locator('.map .degrees').count()).toBe(0);
    await page.clock.fastForward(waits);
    await page.locator('.map .degrees').first().waitFor({ state: 'attached' });
    await page.locator('.map .outline').first().waitFor({ state: 'attached' });
    expect(await page.locator('.map .leaflet-control-attribution').count()).toBe(0);
    const colours = await page
      .locator('.map, body')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
    expect(new Set(colours).size).toBe(1);
    const before = tiles.asked();
    await page.locator('.leaflet-control-zoom-in').click();
    await page.locator('.map .pin').first().waitFor();
    expect(tiles.asked()).toBe(before);
  });

  it('where tiles come at a part of the zooms only, the ground is seen at the others', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    let first = '';
    const tiles = await serveTiles(
      ({ url = '' }, res) => {
        const [, zoom = ''] = url.split('/');
        first ||= zoom;
        if (zoom === first) res.setHeader('Content-Type', 'image/svg+xml').end(svg);
        else res.writeHead(404).end();
      },
      { MAP_GROUND },
    );
    const page = await open({ errors: /Failed to load/, viewport: { width: 1_280, height: 900 } });
    await page.goto(`${tiles.origin}/en/`, { waitUntil: 'networkidle' });
    const scale = () => page.locator('.leaflet-control-scale').textContent();
    const before = await scale();
    const river = page.locator('.map path.river');
    expect(await river.count()).toBe(0);
    await page.locator('.leaflet-control-zoom-in').click();
    await river.waitFor();
    await expect.poll(scale).not.toBe(before);
    await page.locator('.leaflet-control-zoom-out').click();
    await river.waitFor({ state: 'hidden' });
    await expect.poll(scale).toBe(before);
  });

  it('a map keeps its tiles where some are missing', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    let count = 0;
    const tiles = await serveTiles((_, res) => {
      count += 1;
      if (count !== 4) res.writeHead(404).end();
      else res.setHeader('Content-Type', 'image/svg+xml').end(svg);
    });
    const page = await open({ errors: /Failed to load/, viewport: { width: 1_280, height: 900 } });
    await page.clock.install();
    await page.goto(`${tiles.origin}/en/`, { waitUntil: 'networkidle' });
    await expect.poll(() => count).toBeGreaterThan(4);
    await page.clock.fastForward(20_000);
    expect(await page.locator('.map img.leaflet-tile-loaded').count()).toBe(1);
    expect(await page.locator('.map .leaflet-control-attribution').count()).toBe(1);
    expect(await page.locator('.map .degrees').count()).toBe(0);
  });

  it('no name on the map is longer than in a list, or overlaps another name or a pin', async () => {
    const page = await open({ viewport: { width: 1_280, height: 900 } });
    const row = [0, 1, 2, 3, 4, 5].map((n) => {
      const title = n % 2 === 0 ? `A long name ${n}` : `A name that is too long for any map, ${n}`;
      return [0, `c-${n}`, -1, (n % 3) / 20, n, 50 + n, title];
    });
    await putOnMap(page, '/en/', row);
    await page.goto(`${site.origin}/en/`, { waitUntil: 'networkidle' });
    await expect.poll(() => page.locator('.map .pin').count()).toBe(6);
    const names = await boxesOf(page, '.map .pin .name');
    expect(names.length).toBeGreaterThan(1);
    for (const { width } of names) expect(width).toBeLessThanOrEqual(160);
    const all = [...names, ...(await boxesOf(page, '.map .pin'))];
    for (const [n, one] of names.entries())
      for (const other of all.toSpliced(n, 1))
        expect(
          one.right <= other.left + 1 ||
            one.left >= other.right - 1 ||
            one.bottom <= other.top + 1 ||
            one.top >= other.bottom - 1,
        ).toBe(true);
  });

  it.each([390, 1_280])(
    'a station’s own pin stands alone, on top and named, among its nearest three: %i pixels',
    async (width) => {
      const page = await open({ viewport: { width, height: 2_000 } });
      const path = `/en/station/${STATIONS.sensitive}`;
      const rows = [
        [STATIONS.sensitive, 40, 44.5, 'The long name of the station whose page this is'],
        [101, 40.00001, 44.50001, 'At the same corner'],
        [102, 40.002, 44.5, 'In the next street'],
        [103, 40.004, 44.503, 'In the street after that'],
        [104, 40.1, 44.5, 'Far away'],
      ].map(([id, lat, lng, title]) => [2, id, -1, lat, lng, 50, title]);
      await putOnMap(page, path, rows);
      await page.goto(site.origin + path, { waitUntil: 'networkidle' });
      const own = page.locator('.map .pin.own');
      await own.waitFor();
      expect(await own.getAttribute('class')).not.toContain('several');
      expect(await own.textContent()).toBe('50The long name of the station whose page this is');
      const onTop = await own.evaluate((pin) => {
        const { x, y, width, height } = pin.getBoundingClientRect();
        return pin.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      });
      expect(onTop).toBe(true);
      const shown = await page
        .locator('.map .pin')
        .evaluateAll((pins) => pins.map((pin) => Number(pin.getAttribute('href')?.slice(12))));
      expect(shown.toSorted()).toEqual([101, 102, 103, STATIONS.sensitive].toSorted());
      const [one, two] = await Promise.all(
        [102, 103].map((id) => page.locator(`.map .pin[href$="/${id}"]`).boundingBox()),
      );
      // they fill the map
      expect(Math.abs((one?.y ?? 0) - (two?.y ?? 0))).toBeGreaterThan(60);
    },
  );

  it.each([
    ['/en/', 1_280],
    ['/en/', 390],
    [`/en/station/${STATIONS.sensitive}`, 390],
  ] as const)(
    'no name is cut by the edge or the buttons of the map, wherever it is dragged: %s, %i pixels',
    async (path, width) => {
      const page = await open({ viewport: { width, height: 900 }, reducedMotion: 'reduce' });
      const title = 'A name of many letters in the way';
      const rows = [
        [2, STATIONS.sensitive, -1, 40, 44.5, 50, title],
        [2, 101, -1, 40.02, 44.5, 50, title],
        [2, 102, -1, 40, 44.53, 50, title],
        [4, 'district', -1, 40.02, 44.53, null, title],
      ];
      await putOnMap(page, path, rows);
      await page.goto(site.origin + path, { waitUntil: 'networkidle' });
      await page.locator('.map').scrollIntoViewIfNeeded();
      const [map] = await boxesOf(page, '.map');
      if (map === undefined) throw new Error('there is no map');
      const [x, y] = [map.x + map.width / 2, map.y + map.height / 2];
      await page.locator('.map .leaflet-control-zoom').waitFor();
      const [buttons] = await boxesOf(page, '.map .leaflet-control-zoom');
      if (buttons === undefined) throw new Error('the map has no buttons');
      const isCut = (name: DOMRect) =>
        name.left < map.left - 0.5 || // browsers place boxes at parts of a pixel
        name.right > map.right + 0.5 ||
        name.top < map.top ||
        name.bottom > map.bottom ||
        (name.left < buttons.right && name.top < buttons.bottom);
      const found = () => boxesOf(page, '.map .name, .map .district span');
      let names = 0;
      const drag = async (dx: number, dy: number) => {
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + dx, y + dy, { steps: 4 });
        await page.mouse.up();
        // once the map stands still
        await expect.poll(async () => (await found()).filter(isCut)).toEqual([]);
        names += (await found()).length;
      };
      await drag(0, 0);
      const [pin] = await boxesOf(page, `.map .pin[href$="/station/${STATIONS.sensitive}"]`);
      if (pin === undefined) throw new Error('the map has no such pin');
      await drag(buttons.right + 10 - pin.left, buttons.top - pin.top);
      await drag(-map.width / 3, 0);
      await drag(map.width / 2, map.height / 4);
      await drag(0, -map.height / 2);
      await drag(-map.width / 4, map.height / 3);
      expect(names).toBeGreaterThan(2);
    },
  );

  it('the map begins with every pin clear of its buttons', async () => {
    for (const width of [390, 1_280]) {
      const page = await open({ viewport: { width, height: 2_000 } });
      await page.goto(`${site.origin}/en/`, { waitUntil: 'networkidle' });
      const corners = cornersOf((await page.locator('.map').boundingBox()) as DOMRect);
      await putOnMap(page, '/en/', corners);
      await page.goto(`${site.origin}/en/`, { waitUntil: 'networkidle' });
      await expect.poll(() => page.locator('.map .pin').count()).toBe(4);
      const controls = await boxesOf(page, '.map .leaflet-control');
      expect(controls.length).toBeGreaterThan(1);
      for (const pin of await boxesOf(page, '.map .pin'))
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
