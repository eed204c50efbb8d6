/**
 * An open page follows every change: after each transition its current parts equal a page loaded at
 * that moment.
 */
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { NOW } from '../../support/clock.ts';
import { until } from '../../support/patience.ts';
import { askAgain, inBrowser } from './browser.ts';
import { openSite, type Site, STATIONS } from './site.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const after = (ms: number) => new Date(NOW.getTime() + ms);

inBrowser('an open page', (open) => {
  let site: Site;
  beforeEach(async () => {
    site = await openSite({ SITE_TITLE: 'Air' });
    return () => site.close();
  });

  const partsOf = (page: Page) =>
    page
      .locator('[data-live]')
      .evaluateAll((parts) => parts.map((part) => part.outerHTML.replaceAll(' open=""', '')));

  /** Opens a page before a change, and expects it to equal a page that is opened after it. */
  async function follows(
    path: string,
    change: () => Promise<unknown>,
    expected: string,
    unexpected: string,
  ) {
    // on a busy machine a page whose documents are all new takes longer than its deadline
    await until(async () => (await site.get(path)).status === 200, `${path} answers`);
    const page = await open({ viewport: { width: 1_280, height: 6_000 }, errors: /503/ });
    await page.goto(`${site.origin}${path}`, { waitUntil: 'networkidle' });
    const shown = () =>
      page
        .locator('[data-live]')
        .evaluateAll((parts) => parts.map((part) => (part as HTMLElement).innerText).join('\n'));
    expect(await shown()).toContain(unexpected);
    await change();
    await expect
      .poll(async () => {
        await askAgain(page);
        return await shown();
      })
      .toContain(expected);
    await page.waitForLoadState('networkidle');
    expect(await shown()).not.toContain(unexpected);
    const fresh = await open();
    await fresh.goto(`${site.origin}${path}`);
    expect(await partsOf(page)).toEqual(await partsOf(fresh));
    expect(await page.title()).toBe(await fresh.title());
    return page;
  }

  it('the open page of a station follows it online', async () => {
    const change = () => site.read(STATIONS.offline, { pm25: 21 }); // no neighbour has 21
    await follows(`/en/station/${STATIONS.offline}`, change, 'PM2.5 21.0 µg/m³', 'does not report');
  });

  it('the open page of a station follows it offline', async () => {
    const change = () => site.setNow(after(30 * HOUR));
    const page = await follows(
      '/en/station/1',
      change,
      'does not report at the moment',
      'great day',
    );
    expect(await page.locator('.index, .tile').count()).toBe(0);
  });

  it('the open page of a region follows the loss of its digest, and the next one', async () => {
    const lose = () => site.setNow(after(40 * MINUTE));
    const page = await follows(
      '/en/region/town',
      lose,
      'There are no recent values.',
      'Mean over the online stations',
    );
    expect(await page.locator('h2', { hasText: 'Guideline of the WHO' }).count()).toBeLessThan(2);
    await follows(
      '/en/region/town',
      () => site.read(1, { pm25: 5 }),
      'Mean over the online stations',
      'no recent values',
    );
  });

  it('the open page of a station gains a parameter, also in its history, and loses it', async () => {
    const more = async () => {
      await site.read(1, { pm25: 5, no2: 12 }, after(-1_000));
      await site.setNow(after(HOUR));
      await site.read(1, { pm25: 5, no2: 12 });
    };
    const page = await follows(
      '/en/station/1',
      more,
      '12.0 ppb',
      'Mean of the hour before 16:00, 20 Nov',
    );
    await page.waitForFunction(() => document.querySelector('#windows option[value=no2]') !== null);
    expect(await page.locator('#windows select').count(), 'parts are replaced, not doubled').toBe(
      1,
    );
    const less = async () => {
      await site.setNow(after(6 * HOUR));
      await site.read(1, { pm25: 9 });
    };
    await follows('/en/station/1', less, 'PM2.5 9.0', '12.0 ppb');
  });

  it('the open page of a station with its first values is loaded again, since it has a history now', async () => {
    const { waiting } = STATIONS;
    const change = async () => {
      await site.read(waiting, { pm25: 7 }, after(-HOUR));
      await site.read(waiting, { pm25: 7 });
    };
    const nothing = 'Nothing has been measured here yet.';
    const page = await follows(`/en/station/${waiting}`, change, 'PM2.5 7.0 µg/m³', nothing);
    await page.locator('#windows select').waitFor();
  });

  it('an open page keeps closed parts and the focus when values change', async () => {
    const page = await open();
    await page.goto(`${site.origin}/en/region/old-town`);
    const list = page.locator('[data-live=list] details').first();
    await list.locator('summary').click();
    await page.locator('[data-live=head] a[href="/en/region/town"]').focus();
    await site.read(1, { pm25: 7 }, after(-1_000));
    await expect
      .poll(async () => {
        await askAgain(page);
        return await page.locator('.line', { hasText: 'At good' }).textContent();
      })
      .toMatch(/6\.0 µg/);
    expect(await list.getAttribute('open'), 'it is sent open').toBeNull();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(
      '/en/region/town',
    );
  });
});
