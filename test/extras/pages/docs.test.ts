/**
 * The API reference in a browser, under the policy of all pages: every endpoint, a search, and the
 * answers of this service to requests that are tried.
 */
import { beforeAll, expect, it } from 'vitest';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { openApi } from '../../contract/documented.ts';
import { axe, inBrowser } from './browser.ts';
import { openSite, type Site } from './site.ts';

inBrowser('the API reference', (open) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
    return () => site.close();
  });

  it('the reference has every endpoint, finds them by words in their path, and asks no other host', async () => {
    const page = await open();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await page.goto(`${site.origin}/en/docs`);
    const paths = page.locator('.opblock-summary-path');
    await paths.first().waitFor();
    const read = async () =>
      (await paths.allTextContents()).map((path) => path.replaceAll('\u200b', '')).sort();
    expect(await read()).toEqual(Object.keys(openApi.paths).sort());
    await page.locator('.operation-filter-input').fill('readings');
    await expect.poll(read).toEqual(['/{locale}/explore/v1/station/{id}/readings/{hour}.json']);
    expect([...hosts]).toEqual([site.origin]);
  });

  it('the reference offers a region of this network to try, and shows the answer', async () => {
    const page = await open({ colorScheme: 'dark' });
    await page.goto(`${site.origin}/docs#/current/region`);
    const operation = page.locator('#operations-current-region');
    await operation.locator('.execute').click();
    const answer = operation.locator('.live-responses-table tbody .response-col_description');
    await expect.poll(() => answer.first().textContent()).toContain('"title": "Town"');
    expect(await operation.locator('.request-url').textContent()).toContain(
      '/en/air-quality-app/v1/region/town.json',
    );
  });

  it('the reference has no barrier that axe finds, with an operation and the schemas open', async () => {
    const page = await open({ colorScheme: 'dark' });
    await page.goto(`${site.origin}/hy/docs#/current/region`);
    expect(await page.locator('h1').first().textContent()).toBe(WORDS.hy.docs);
    await page.locator('#operations-current-region .execute').waitFor();
    await page.locator('#operations-current-region .execute').click();
    await page.locator('.live-responses-table').waitFor();
    await page.locator('.models .models-control').click();
    expect(await axe(page)).toEqual([]);
  });
});
