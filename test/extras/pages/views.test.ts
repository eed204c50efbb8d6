/**
 * Every view in a real browser: by keyboard alone, and with an API that fails or takes its time.
 */
import type { Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { engines } from '../../support/database.ts';
import { inBrowser } from './browser.ts';
import { serveTown } from './town.ts';

/** The views, each with an element that is there once the view is complete. */
const VIEWS = [
  ['/en/', '.line'],
  ['/ru/region/town?parameter=aqi', '#calendar .calendar rect'],
  ['/en/station/2', '[data-live=head]'],
  ['/hy/embed/station/1', '.index'],
  ['/en/embed/region/town', '.index'],
] as const;

/** Views with the document that each needs, and the element that says when it is missing. */
const NEEDS = [
  ['/en/station/1', /-history\.json/, '#windows .fill'],
  ['/en/station/1?year=2026', /\/days\//, '#calendar .folded .fill'],
] as const;

const LOADING = /^(Loading…|Загружается…|Բեռնվում է…)$/;

inBrowser('every view', (open) => {
  let origin = '';
  beforeAll(async () => {
    const town = await serveTown(engines[0] ?? 'plain');
    origin = town.origin;
    return () => town.close();
  });

  /** Opens a page on a screen as long as itself, since parts are made when they come near. */
  const openLong = (options = {}) =>
    open({ ...options, viewport: { width: 1_280, height: 9_000 } });

  it.each(VIEWS)(
    'the Tab key reaches everything in %s, in its order, and the focus is visible',
    async (path, whole) => {
      const page = await openLong({ reducedMotion: 'reduce' });
      await page.goto(origin + path, { waitUntil: 'networkidle' });
      await page.locator(whole).first().waitFor();
      await page.setViewportSize({ width: 1_280, height: 800 });
      const count = await page.evaluate(() => {
        const can = 'a[href], button:enabled, select, input, summary, [tabindex="0"]';
        const all = [...document.querySelectorAll<HTMLElement>(can)].filter(
          (one) => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }),
        );
        for (const [n, one] of all.entries()) one.dataset.turn = String(n);
        document.body.tabIndex = -1;
        document.body.focus();
        return all.length;
      });
      expect(count).toBeGreaterThan(0);
      const turns: number[] = [];
      for (let presses = 0; turns.length < count && presses < 3 * count + 20; presses++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => {
          const focused = document.activeElement as HTMLElement;
          const { top, bottom, width } = focused.getBoundingClientRect();
          const { outlineStyle, outlineWidth } = getComputedStyle(focused);
          return {
            turn: Number(focused.dataset.turn ?? Number.NaN),
            isSeen: bottom > 0 && top < innerHeight && width > 0,
            hasOutline: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
            html: focused.outerHTML.slice(0, 120),
          };
        });
        if (at.turn === turns.at(-1)) continue; // the fields of a date are one element
        expect(at, at.html).toMatchObject({ turn: turns.length, isSeen: true, hasOutline: true });
        turns.push(at.turn);
      }
      expect(turns).toHaveLength(count);
    },
  );

  it('Enter leads from the list to a city, arrow keys through its chart, and Enter to the inputs of a value', async () => {
    const page = await open();
    await page.goto(`${origin}/en/`);
    await page.locator('.line a', { hasText: 'town' }).first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/en/region/town');
    await page.locator('#history').scrollIntoViewIfNeeded();
    await page.locator('.chart svg').waitFor();
    await page.getByRole('button', { name: '30 days' }).focus();
    await page.keyboard.press(' ');
    const live = page.locator('#windows .live');
    await expect.poll(() => live.textContent()).toMatch(/^19 Nov: /);
    await page.locator('.chart').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await live.textContent()).toMatch(/^18 Nov: /);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(
      '/en/explore/v1/region/town/excel/2026-11-18/2026-11-18.csv',
    );
  });

  it.each(NEEDS)(
    'view %s says that %s is loading or cannot be reached, and gets it on request',
    async (path, url, place) => {
      const page = await openLong({ errors: /503/ });
      const held: Route[] = [];
      await page.route(url, (route) => void held.push(route));
      await page.goto(origin + path);
      await expect.poll(() => held.length).toBeGreaterThan(0);
      const said = page.locator(`${place} > [role=status]`);
      expect(await said.textContent()).toMatch(LOADING);
      for (const route of held.splice(0)) await route.fulfill({ status: 503 });
      const warning = page.locator(`${place} > .warning`);
      await warning.waitFor();
      const good = page.locator(`${place} :is(.chip.good, rect.good)`);
      expect(await good.count(), 'nothing looks as if it were known').toBe(0);
      await warning.getByRole('button').click();
      await expect.poll(() => held.length).toBeGreaterThan(0);
      expect(await said.textContent()).toMatch(LOADING);
      for (const route of held.splice(0)) await route.continue();
      await said.waitFor({ state: 'detached' });
      expect(await page.locator(`${place} > *`).count()).toBeGreaterThan(0);
    },
  );

  it('an answer that is no longer wanted changes nothing, and keeps the focus', async () => {
    const page = await openLong({ errors: /503/ });
    await page.goto(`${origin}/en/station/1`);
    const heading = page.locator('#calendar h3');
    await expect.poll(() => heading.textContent()).toBe('Calendar of 2026');
    const held: Route[] = [];
    await page.route(/\/days\/2025/, (route) => void held.push(route));
    await page.locator('.record button', { hasText: '2025' }).press('Enter');
    await expect.poll(() => held.length).toBe(1);
    const answered = page.waitForResponse(/\/days\/2024/);
    await page.evaluate(() => {
      history.replaceState(null, '', '?year=2024');
      dispatchEvent(new PopStateEvent('popstate'));
    });
    await answered;
    await expect.poll(() => heading.textContent()).toBe('Calendar of 2024');
    const late = page.waitForResponse(/\/days\/2025/);
    await held[0]?.fulfill({ status: 503 });
    await late;
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await heading.textContent()).toBe('Calendar of 2024');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^2025/);
  });
});
