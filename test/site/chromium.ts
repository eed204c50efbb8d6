/** Pages in a real browser, where one is installed; elsewhere the tests that need it are skipped, and say so. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `expected`: an error that the browser is to log. */
export type Open = (url: string, options?: BrowserContextOptions, expected?: RegExp) => Promise<Page>;

/** Tests that get a page: each fails if the browser logs an error. */
export function describeInBrowser(name: string, tests: (open: Open) => void): void {
  if (PROGRAM === undefined) process.stderr.write(`SKIPPED, no Chromium is installed: ${name}\n`);
  describe.skipIf(PROGRAM === undefined)(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: PROGRAM as string, args: ['--no-sandbox'] });
    });
    afterAll(() => browser?.close());

    tests(async (url, options = {}, expected = undefined) => {
      const context = await (browser as Browser).newContext({
        bypassCSP: false,
        timezoneId: 'Pacific/Auckland',
        ...options,
      });
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && !expected?.test(message.text())) errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(error.message));
      onTestFinished(async () => {
        await context.close();
        expect(errors).toEqual([]);
      });
      await page.goto(url);
      return page;
    });
  });
}

/** What axe finds, as a line for each kind. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE); // not as a script of the page, which its policy forbids
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations;
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' | ')}`);
}

type Violation = { id: string; nodes: { html: string }[] };
