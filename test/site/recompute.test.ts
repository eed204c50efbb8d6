/** "Recompute this" in a real browser: what the page computes from hours and readings is what is published. */
import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { inBrowser } from './browser.ts';
import { serveTown } from './town.ts';

const PARAMETERS = ['pm2.5', 'aqi', 'temperature', 'humidity', 'pm2.5_raw', 'pm10', 'so2', 'wind_speed', 'rain'];

inBrowser('recompute', (newPage) => {
  let origin = '';
  beforeAll(async () => {
    const town = await serveTown(engines.at(-1) ?? 'plain');
    origin = town.origin;
    return () => town.close();
  });

  /** Far from the service, whose times are to be shown. */
  const open = async (url: string, options: BrowserContextOptions = {}) => {
    const page = await newPage({ timezoneId: 'Pacific/Auckland', locale: 'en', ...options });
    await page.goto(url);
    return page;
  };

  /** What is computed again of a view, each with its result. */
  async function resultsAt(path: string): Promise<string[]> {
    const page = await open(`${origin}/en/${path}`);
    await page.locator('#history').scrollIntoViewIfNeeded();
    await page.locator('.result').first().waitFor();
    return await page.locator('.result').allTextContents();
  }
  /** How many numbers a month, a day and an hour are: the index is shown with what it is made of, the wind with its direction. */
  const countOf = (parameter = '') => (parameter === 'aqi' ? 9 : parameter === 'wind_speed' ? 6 : 3);

  it.each(['station/1', 'region/town'].flatMap((place) => PARAMETERS.map((parameter) => [parameter, place])))(
    '%s of %s: a month, a day and an hour come out equal, digit by digit',
    async (parameter, place) => {
      const results = await resultsAt(
        `${place}?parameter=${parameter}&month=2026-10&day=2026-11-19&hour=2026-11-19T09Z`,
      );
      expect(results).toHaveLength(countOf(parameter));
      for (const text of results) expect(text).toMatch(/✓ equal$/);
    },
  );

  it('says what was published, and the formula that corrected it', async () => {
    const day = '2026-11-18';
    const page = await open(`${origin}/en/station/1?day=${day}&hour=${day}T19Z`);
    await page.locator('#history').scrollIntoViewIfNeeded();
    await page.locator('.hour .result').first().waitFor();
    const { day: published } = (await (await fetch(`${origin}/en/explore/v1/station/1/hours/${day}.json`)).json()) as {
      day: Record<string, number>;
    };
    const value = published.avg_pm25?.toFixed(1);
    expect(await page.locator('.result').first().textContent()).toMatch(
      new RegExp(`Published${value} µg/m³Computed here\\d+\\.\\d+ → ${value} µg/m³ ✓ equal`),
    );
    expect(await page.locator('.hour').textContent()).toContain('corrected by epa-2021');
  });

  it.each(['2026-03', '2024-12'])('the month %s comes out equal, with its gaps', async (month) => {
    for (const text of await resultsAt(`station/1?month=${month}`)) expect(text).toMatch(/✓ equal$/);
  });

  it('a day is chosen in the chart, in the calendar or by its date; an hour among the hours of a day', async () => {
    const page = await open(`${origin}/en/station/1?window=30d`);
    await page.locator('#history').scrollIntoViewIfNeeded();
    await page.locator('.chart canvas').waitFor();
    await page.locator('.chart').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const title = page.locator('.day h3');
    await expect.poll(() => title.textContent()).toBe('19 November 2026: PM2.5');
    expect(new URL(page.url()).search).toBe('?window=30d&day=2026-11-19');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Recompute this');
    await page.locator('.calendar').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    const line = await page.locator('#calendar .live').textContent();
    if (!line?.endsWith('Unknown')) {
      await page.keyboard.press('Enter');
      await expect.poll(() => title.textContent()).not.toBe('19 November 2026: PM2.5');
    }
    await page.getByLabel('Day', { exact: true }).fill('2026-11-18');
    await expect.poll(() => title.textContent()).toBe('18 November 2026: PM2.5');
    await page.locator('.day').getByRole('button', { name: '13:00' }).click();
    await expect.poll(() => page.locator('.hour h3').textContent()).toBe('18 Nov, 13:00: PM2.5');
    expect(new URL(page.url()).search).toBe('?window=30d&day=2026-11-18&hour=2026-11-18T09Z');
  });

  it('an hour of a region is made of its stations, without what looks unreliable', async () => {
    const page = await open(`${origin}/en/region/town?parameter=temperature&day=2026-11-19&hour=2026-11-19T09Z`);
    await page.locator('#history').scrollIntoViewIfNeeded();
    const rows = page.locator('.hour tbody tr');
    await rows.first().waitFor();
    expect(await rows.allTextContents()).toEqual([expect.stringMatching(/^1-?\d+\.\d+$/), '3left out']);
    expect(await page.locator('.hour a').last().getAttribute('href')).toBe('/en/station/3');
    expect(await page.locator('.hour .rule').first().textContent()).toContain('mean of the hours of its stations');
  });

  it('a month is chosen in the chart, its days in the table; what is not over has no mean yet', async () => {
    const page = await open(`${origin}/en/region/town?window=1y`);
    await page.locator('#history').scrollIntoViewIfNeeded();
    await page.locator('.chart canvas').waitFor();
    await page.locator('.chart').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.month').textContent()).toContain('This month is not over yet');
    expect(new URL(page.url()).search).toBe('?window=1y&month=2026-11');
    expect(await page.locator('.result').count()).toBe(0);
    await page.locator('.chart').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.month h3').textContent()).toBe('Oct 2026: PM2.5');
    await page.locator('.month').getByRole('button', { name: '5 Oct', exact: true }).click();
    await expect.poll(() => page.locator('.day h3').textContent()).toBe('5 October 2026: PM2.5');
    await page.locator('.day button').first().click();
    await expect.poll(() => page.locator('.hour h3').textContent()).toMatch(/^5 Oct, \d\d:00: PM2.5$/);
    expect(await page.locator('.result').allTextContents()).toEqual(Array(3).fill(expect.stringMatching(/✓ equal$/)));
    await page.getByLabel('Day', { exact: true }).fill('2026-11-20');
    await expect.poll(() => page.locator('.day').textContent()).toContain('This day is not over yet');
    expect(await page.locator('.result').count()).toBe(0);
  });

  it('the other indices stand beside the AQI', async () => {
    const page = await open(`${origin}/en/station/1`);
    await page.locator('#indices dt').first().waitFor();
    const text = await page.locator('#indices').textContent();
    expect(text).toMatch(
      /European index.*Sulphur dioxide: .*NowCast of PM2.5\d+\.\d µg\/m³, AQI \d+.*Last 24 hours24 of 24 hours measured/,
    );
  });
});
