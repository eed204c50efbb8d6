/** The map in a browser: its pins, names, tiles and ground, and where it begins. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { axe, boxesOf, hold, inBrowser, widthOf } from './browser.ts';
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

inBrowser('the map', (open) => {
  let site: Site;
  let bareSite: Site;
  let MAP_GROUND = '';
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'airseries-ground-'));
    MAP_GROUND = join(folder, 'ground.geojson');
    writeFileSync(MAP_GROUND, JSON.stringify(GROUND));
    site = await openSite({ SITE_TITLE: 'Air', MAP_GROUND });
    bareSite = await openSite({ SITE_TITLE: 'Air' });
    return async () => {
      await site.close();
      await bareSite.close();
      rmSync(folder, { recursive: true });
    };
  });

  it('the map shows cities from afar and stations from near, and its pins never overlap', async () => {
    const page = await open({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' });
    await page.goto(`${bareSite.origin}/en/`);
    const pins = page.locator('.map .pin');
    await pins.first().waitFor();
    const counts: number[] = [];
    for (let zoom = 0; zoom < 4; zoom++) {
      const boxes = await boxesOf(page, '.map .pin');
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
    expect(page.url()).toBe(`${bareSite.origin}/en/`); // a drag is no click
  });

  it('nothing moves when the map is drawn, which is not loaded before it is seen', async () => {
    const page = await open({ viewport: { width: 390, height: 120 } });
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    const release = await hold(page, /drawnMap/);
    await page.goto(`${bareSite.origin}/en/`);
    await page.waitForLoadState('networkidle');
    expect(loaded.filter((url) => url.includes('drawnMap'))).toEqual([]);
    await page.locator('.map').scrollIntoViewIfNeeded();
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const before = await height();
    expect(await page.locator('.leaflet-container').count()).toBe(0);
    release();
    await page.locator('.leaflet-container .pin').first().waitFor();
    expect(await height()).toBe(before);
  });

  it('the map goes to where the reader is, and names the nearest station', async () => {
    const page = await open({
      geolocation: { latitude: 40.02, longitude: 44.52 },
      permissions: ['geolocation'],
    });
    await page.goto(`${bareSite.origin}/ru/`);
    await page.getByRole('button', { name: WORDS.ru.nearMe }).click();
    const said = page.locator('#map [role=status] a');
    expect(await page.locator('.leaflet-control-scale-line').textContent()).toMatch(/^\d+ к?м$/);
    expect(await said.textContent()).toBe('Ближе всего: Станция moderate, 1,7 км');
    expect(await said.getAttribute('href')).toBe('/ru/station/2');
  });

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
      expect(await widthOf(page)).toBeLessThanOrEqual(width);
    },
  );

  it.each<readonly [string, RequestListener | undefined, number]>([
    ['refuses connections', undefined, 0],
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
    const credit = page.locator('.map .leaflet-control-attribution');
    expect(await credit.textContent()).toContain('Example');
    await page.locator('.leaflet-control-zoom-in').click();
    await river.waitFor();
    await expect.poll(scale).not.toBe(before);
    await page.locator('.leaflet-control-zoom-out').click();
    await river.waitFor({ state: 'hidden' });
    await expect.poll(scale).toBe(before);
  });

  it('a station’s own pin stands alone, on top and named, among its nearest three', async () => {
    const page = await open({ viewport: { width: 390, height: 2_000 } });
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
  });

  it.each([
    ['/en/', 1_280],
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
});
