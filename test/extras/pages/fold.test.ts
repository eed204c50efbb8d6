/**
 * A narrow screen: a page is short, since parts that few people read first are folded to their
 * headings; they are open on wide screens and in print.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { engines } from '../../support/database.ts';
import { axe, inBrowser } from './browser.ts';
import { serveTown } from './town.ts';

const PHONE = { viewport: { width: 390, height: 844 } };
/** Four screens of a phone; before parts were folded, a page had up to nine. */
const LONGEST = 3_600;
const OF_STATION = ['indices', 'calendar', 'download'];

inBrowser('a narrow screen', (open) => {
  let origin = '';
  beforeAll(async () => {
    const town = await serveTown(engines[0] ?? 'plain');
    origin = town.origin;
    return () => town.close();
  });

  const height = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);
  async function openWhole(path: string, options = {}): Promise<Page> {
    const page = await open({ ...PHONE, reducedMotion: 'reduce', ...options });
    await page.goto(origin + path);
    for (const [place, drawn] of [
      ['#history', '.chart svg'],
      ['#calendar', '.record rect'],
      ['#calendar', '.calendar rect'],
    ] as const) {
      await page.locator(place).scrollIntoViewIfNeeded();
      await page.locator(`${place} ${drawn}`).first().waitFor({ state: 'attached' });
    }
    return page;
  }
  const folded = (page: Page) =>
    page
      .locator('.folded')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.name ?? ''));
  const isSeen = (page: Page) =>
    page
      .locator('#calendar .calendar rect')
      .first()
      .evaluate((day) => day.checkVisibility());

  it.each([
    ['/en/station/1', OF_STATION],
    ['/ru/region/town', ['eu', ...OF_STATION]],
    ['/hy/region/town', ['eu', ...OF_STATION]],
  ] as const)(
    'page %s is short, and each folded part opens by the keyboard',
    async (path, parts) => {
      const page = await openWhole(path);
      expect(await folded(page)).toEqual(parts);
      expect(await page.locator('.folded[open]').count()).toBe(0);
      expect(await height(page)).toBeLessThan(LONGEST);
      expect(await page.locator('.legend').count(), 'legends of the colours').toBe(1);
      expect(await axe(page)).toEqual([]);
      for (const summary of await page.locator('.folded > summary').all())
        await summary.press('Enter');
      expect(await page.locator('.folded:not([open])').count()).toBe(0);
      expect(await axe(page), 'all of it open').toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    },
  );

  it('a year of the record opens the calendar, whose days can be touched, and it stays open', async () => {
    const page = await openWhole('/en/station/1');
    await page.locator('.record button', { hasText: '2025' }).click();
    const heading = page.locator('#calendar h3');
    await expect.poll(() => heading.textContent()).toBe('Calendar of 2025');
    await expect.poll(() => isSeen(page)).toBe(true);
    await page.locator('.record button', { hasText: '2024' }).click();
    await expect.poll(() => heading.textContent()).toBe('Calendar of 2024');
    await expect.poll(() => isSeen(page)).toBe(true);
    const { width, height } = (await page.locator('.calendar rect').first().boundingBox()) ?? {};
    expect(Math.min(width ?? 0, height ?? 0)).toBeGreaterThanOrEqual(24);
    const box = page.locator('.calendar [role=application]');
    const isChosenSeen = await box.evaluate((place) => {
      const { left, right } = (place.querySelector('.at') as Element).getBoundingClientRect();
      const around = place.getBoundingClientRect();
      return left >= around.left && right <= around.right;
    });
    expect(isChosenSeen).toBe(true);
  });

  it('newer values leave a part open that the reader opened, with the focus', async () => {
    const page = await open(PHONE);
    await page.goto(`${origin}/en/station/1`);
    const summary = page.locator('.folded[data-name=indices] > summary');
    await summary.press('Enter');
    await page.evaluate(() => {
      document.querySelector('[data-live=indices]')?.setAttribute('data-old', '');
      dispatchEvent(new Event('online'));
    });
    await page.locator('[data-old]').waitFor({ state: 'detached' });
    expect(await page.locator('.folded[data-name=indices][open]').count()).toBe(1);
    expect(await summary.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it('nothing is folded on a wide screen and in print, and all can be opened without a script', async () => {
    const wide = await openWhole('/en/region/town', { viewport: { width: 1_280, height: 900 } });
    expect(await wide.locator('.folded:not([open])').count()).toBe(0);
    expect(await wide.locator('.folded > summary[tabindex="0"]').count()).toBe(0);
    expect(await isSeen(wide)).toBe(true);
    const phone = await openWhole('/en/region/town');
    const limits = phone.locator('[data-name=eu] table');
    expect(await limits.isVisible()).toBe(false);
    await phone.emulateMedia({ media: 'print' });
    expect(await limits.isVisible()).toBe(true);
    const bare = await open({ ...PHONE, javaScriptEnabled: false });
    await bare.goto(`${origin}/en/region/town`);
    await bare.locator('[data-name=eu] > summary').click();
    expect(await bare.locator('[data-name=eu] table').isVisible()).toBe(true);
    const plain = await open({ viewport: { width: 1_280, height: 900 }, javaScriptEnabled: false });
    await plain.goto(`${origin}/en/region/town`);
    expect(await plain.locator('[data-name=eu] table').isVisible()).toBe(true);
    expect(await plain.locator('[data-name=indices] dl').isVisible()).toBe(true);
    expect(await plain.locator('#windows').isVisible(), 'the history needs a script').toBe(false);
    expect(await bare.locator('[data-live=list] .line').first().isVisible()).toBe(true);
  });
});
