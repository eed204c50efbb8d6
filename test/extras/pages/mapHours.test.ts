/** The map of a parameter and an hour: what pins show, by which scale, and what it costs. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, PARAMETERS } from '../../../src/contract/parameters.ts';
import { lookAtHour, MAP_DIGITS, MAP_PARAMETERS } from '../../../src/extras/pages/mapScale.ts';
import { BUNDLED } from '../../../src/extras/pages/style.ts';
import { reading } from '../../support/installation.ts';
import { axe, inBrowserInAll, widthOf } from './browser.ts';
import { openSite, type Site, STATIONS } from './site.ts';

describe('the look of a value on the map', () => {
  it.each([
    ['pm2.5', 'aqi', 9, 'fair', 'good'],
    ['pm2.5', 'aqi', 9.1, 'fair', 'moderate'],
    ['pm2.5', 'aqi', 225.5, 'extremely poor', 'hazardous'],
    ['pm2.5', 'eaqi', 9.1, 'fair', 'band-fair'],
    ['pm10', 'aqi', 54.9, 'moderate', 'good'], // truncated, as for the index (Q2)
    ['pm10', 'aqi', 55, 'moderate', 'moderate'],
    ['pm10', 'eaqi', 55, 'extremely poor', 'band-extremely-poor'],
    ['no2', 'aqi', 20, 'moderate', 'band-moderate'], // the US index of pages has no gases (Q4)
    ['temperature', 'aqi', -10, null, 'step-0'],
    ['temperature', 'eaqi', -9.9, null, 'step-1'],
    ['temperature', 'aqi', 30.1, null, 'step-5'],
    ['pm2.5', 'aqi', null, null, 'unknown'],
    ['o3', 'aqi', 50, null, 'unknown'],
  ] as const)('%s with INDEX=%s: %s, band %s, looks %s', (parameter, index, value, band, look) => {
    expect(lookAtHour(parameter, index, value, band)).toBe(look);
  });

  it('the map writes as many decimals as are published', () => {
    for (const key of MAP_PARAMETERS)
      expect(PARAMETERS.find(({ name }) => keyOf(name) === key)?.digits, key).toBe(MAP_DIGITS);
  });
});

inBrowserInAll('the map of a parameter and an hour', (open) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ SITE_TITLE: 'Air' });
    const at = (hour: string) => `2026-11-20T${hour}:30:00Z`;
    const { sensitive, unhealthy, unknown, moderate, offline } = STATIONS;
    await site.here.accept([
      reading(sensitive, at('11'), { pm25: 40, pm10: 54.9, temperature: -12.3 }),
      reading(sensitive, at('10'), { pm25: 5, no2: 20 }),
      reading(unhealthy, at('10'), { pm25: 150.04 }),
      reading(unknown, at('11'), { temperature: 31 }),
      reading(moderate, at('11'), { pm25: 300 }),
      reading(offline, at('03'), { pm25: 1 }),
    ]);
    const sql = site.here.database.as();
    await sql`insert into raw.flag_period (station_id, kind, since, until)
      values (${moderate}, 'pm', '2026-11-20 11:00Z', 'infinity')`;
    await site.setNow(new Date('2026-11-20T12:00:00Z'));
  });
  afterAll(() => site.close());

  /** The class and the text of each station's pin. */
  const pinsOf = async (page: Page) =>
    Object.fromEntries(
      await page
        .locator('.map .pin')
        .evaluateAll((pins) =>
          pins.map((pin) => [
            Number(pin.getAttribute('href')?.split('/').at(-1)),
            [pin.classList[1], pin.innerHTML.replace(/<span.*/, '')],
          ]),
        ),
    );
  const show = async (page: Page, parameter: string, locale = 'en') => {
    await page.goto(`${site.origin}/${locale}/region/town`);
    await page.locator('#map').scrollIntoViewIfNeeded();
    await page.locator('.map .pin').first().waitFor();
    await page.locator('#hours select').selectOption(parameter);
    await expect.poll(() => page.locator('#map output').allTextContents()).not.toEqual(['']);
  };

  it('pins have the means of the chosen hour in the look of their category, and no value never looks good', async () => {
    const page = await open({ viewport: { width: 1_280, height: 1_600 } });
    await show(page, 'pm2.5');
    const { sensitive, unhealthy, unknown, moderate, offline } = STATIONS;
    await expect.poll(async () => (await pinsOf(page))[sensitive]).toEqual(['sensitive', '40.0']);
    const last = await pinsOf(page);
    expect(last[unhealthy]).toEqual(['unknown', '–']); // it was silent in this hour
    expect(last[moderate]).toEqual(['unknown', '<s>300.0</s>']); // suspect (C9)
    expect(last[offline]).toEqual(['unknown', '–']);
    expect(last[unknown]).toBeUndefined(); // it measures none
    expect(await page.locator('#map output').textContent()).toBe('20 Nov, 15:00–16:00');
    await page.locator('#map input[type=range]').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('#map output').textContent()).toBe('20 Nov, 14:00–15:00');
    const slider = page.locator('#map input[type=range]');
    expect(await slider.getAttribute('aria-valuetext')).toBe('20 Nov, 14:00–15:00');
    const before = await pinsOf(page);
    expect(before[sensitive]).toEqual(['good', '5.0']);
    expect(before[unhealthy]).toEqual(['very-unhealthy', '150.0']);
    await page.keyboard.press('Home');
    expect(await page.locator('#map output').textContent()).toBe('19 Nov, 16:00–17:00');
    const legend = page.locator('#map .legend:visible');
    expect(await legend.count()).toBe(1);
    expect(await legend.locator('small').textContent()).toMatch(/^PM2\.5, µg\/m³ · US EPA/);
    await page.locator('#hours select').selectOption('');
    await expect.poll(async () => (await pinsOf(page))[unknown]?.[1]).toBe('–');
    expect(await slider.isVisible()).toBe(false);
  });

  it.each([
    ['temperature', 'ru', 390, ['step-0', '−12,3'], '20 нояб., 15:00–16:00', 'Температура, °C'],
    ['pm10', 'hy', 1_280, ['good', '54,9'], '20 նոյ, 15:00–16:00', 'PM10, մկգ/մ³'],
  ] as const)(
    'the map of %s in %s at %s pixels has no barrier that axe finds, and fits the window',
    async (parameter, locale, width, pin, hour, scale) => {
      const page = await open({ colorScheme: 'dark', viewport: { width, height: 900 } });
      await show(page, parameter, locale);
      await expect.poll(async () => (await pinsOf(page))[STATIONS.sensitive]).toEqual(pin);
      expect(await page.locator('#map output').textContent()).toBe(hour);
      expect(await page.locator('#map .legend:visible small').textContent()).toContain(scale);
      expect(await axe(page)).toEqual([]);
      expect(await widthOf(page)).toBeLessThanOrEqual(width);
      const fits = await page.locator('.map .pin').evaluateAll((pins) =>
        pins.every((pin) => {
          const text = document.createRange();
          text.selectNodeContents(pin.firstChild as Node);
          return text.getBoundingClientRect().width <= pin.clientWidth;
        }),
      );
      expect(fits).toBe(true);
    },
  );

  it('only parameters that are measured now are offered, nothing is loaded before one is chosen, and no more than 40 KB after', async () => {
    const page = await open({ viewport: { width: 1_280, height: 1_600 } });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${site.origin}/en/`, { waitUntil: 'networkidle' });
    const offered = await page
      .locator('#hours option')
      .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
    expect(offered.slice(0, 2)).toEqual(['', 'pm2.5']);
    expect(offered).not.toContain('o3');
    expect(asked.filter((path) => /hours|\/map\//.test(path))).toEqual([]);
    asked.length = 0;
    await page.locator('#hours select').selectOption('pm2.5');
    await page.locator('#map output').waitFor();
    expect(asked.map((path) => path.replace(/.*\/(?=hours|map\/)/, ''))).toEqual([
      expect.stringMatching(/^hours-\w+\.js$/),
      'map/pm2.5.json',
    ]);
    const [script = ''] = readdirSync(BUNDLED).filter((name) => name.startsWith('hours'));
    const file = new URL(script, BUNDLED);
    expect(statSync(file).size).toBeGreaterThan(500);
    expect(gzipSync(readFileSync(file)).length).toBeLessThan(4_000);
  });
});
