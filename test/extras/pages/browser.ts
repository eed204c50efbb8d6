/** Debian's Chromium, where it is installed. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { patient } from '../../support/patience.ts';
import { CHROMIUM, needs, type Tool } from '../../support/tools.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Options of a page. `errors`: the complaints that a page may log; without it, any fails. */
type Options = BrowserContextOptions & { errors?: RegExp };

/** A page that is closed after the test, which fails if the page complained of anything. */
export type Open = (options?: Options) => Promise<Page>;

export function inBrowser(name: string, tests: (open: Open) => void, ...more: Tool[]): void {
  describe(`${name} (in Chromium)`, needs('chromium', ...more), () => {
    let browser: Browser;
    beforeAll(async () => {
      // root has no sandbox
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    });
    afterAll(() => browser?.close());
    tests(async ({ errors, ...options } = {}) => {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(patient(30_000));
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      onTestFinished(async () => {
        await context.close();
        expect(complaints.filter((text) => errors === undefined || !errors.test(text))).toEqual([]);
      });
      return page;
    });
  });
}

/**
 * The same in `npm run test:all` only: a browser took a tenth of the time of `npm test`, and what the
 * server sends is tested without one.
 */
export const inBrowserInAll = (name: string, tests: (open: Open) => void): void =>
  inBrowser(name, tests, 'all');

/** Holds requests to these addresses back; the result lets them go. */
export async function hold(page: Page, addresses: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(addresses, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** The rectangles of these elements on the screen. */
export const boxesOf = (page: Page, selector: string): Promise<DOMRect[]> =>
  page
    .locator(selector)
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));

/** How wide all of the page is: more than the screen if something does not fit. */
export const widthOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth);

/** Waits for the chart of the history, which is made when it comes near. */
export async function seeHistory(page: Page): Promise<void> {
  await page.locator('#history').scrollIntoViewIfNeeded();
  await page.locator('.chart svg').waitFor();
}

/** Lets an open page ask for its values at once. */
export const askAgain = (page: Page): Promise<void> =>
  page.evaluate(() => void window.dispatchEvent(new Event('online')));

/** The barriers that axe finds: rules and the elements concerned; and cards without a heading. */
export async function axe(page: Page): Promise<string[]> {
  const source = `(() => { const module = undefined; ${AXE}; return window.axe.run() })()`;
  const { violations } = (await page.evaluate(source)) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  const bare = await page
    .locator('main .card:not(:has(h1, h2))')
    .evaluateAll((all) => all.map((card) => `no heading: ${card.outerHTML.slice(0, 100)}`));
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    ...bare,
  ];
}
