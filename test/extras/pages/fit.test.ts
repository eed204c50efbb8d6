/** Long names and words fit the screen: rows of lists on phones, headings, and cards on wide ones. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { engines } from '../../support/database.ts';
import { boxesOf, inBrowser, widthOf } from './browser.ts';
import { serveLongNames } from './longNames.ts';

/** Before rows were made to fit, thirty cities took twice as much. In pixels. */
const LONGEST_LIST = 2_084;

/** The words of these elements that stand on more than one line. */
const brokenWords = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((all) =>
    all.flatMap((element) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const broken: string[] = [];
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
        for (const { 0: word, index } of (text.textContent ?? '').matchAll(/\S+/g)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1)
            broken.push(word);
        }
      return broken;
    }),
  );

inBrowser('lists of long names', (open) => {
  let origin = '';
  beforeAll(async () => {
    const service = await serveLongNames(engines[0] ?? 'plain');
    origin = service.origin;
    return () => service.close();
  });

  async function openAt(width: number, path: string): Promise<Page> {
    const page = await open({ viewport: { width, height: 844 }, reducedMotion: 'reduce' });
    await page.goto(origin + path);
    for (const details of await page.locator('details').all())
      await details.evaluate((one) => one.setAttribute('open', ''));
    return page;
  }

  it.each([
    [320, 'ru'],
    [320, 'hy'],
    [1_280, 'hy'],
  ] as const)(
    'at %s pixels no row of a list breaks inside a word, and a name is one line: %s',
    async (width, locale) => {
      for (const path of [`/${locale}/`, `/${locale}/region/city-a`, `/${locale}/station/1`]) {
        const page = await openAt(width, path);
        expect(await widthOf(page), path).toBeLessThanOrEqual(width);
        expect(await page.locator('.line').count()).toBeGreaterThan(0);
        expect(await brokenWords(page, '.line .word, .line .pm'), path).toEqual([]);
        for (const { height } of await boxesOf(page, '.line a'))
          expect(height, path).toBeLessThan(30);
      }
    },
  );

  it('a name that is cut is whole in its title', async () => {
    const page = await openAt(390, '/ru/');
    const names = await page.locator('.regions > li > .line a').evaluateAll((all) =>
      all.map((one) => ({
        isCut: one.scrollWidth > one.clientWidth,
        text: one.textContent,
        title: one.getAttribute('title'),
      })),
    );
    expect(names.filter(({ isCut }) => isCut)).toHaveLength(6);
    for (const { isCut, text, title } of names) if (isCut) expect(title).toBe(text);
  });

  it('thirty cities take less than half of what they took on a phone', async () => {
    const page = await open({ viewport: { width: 390, height: 844 } });
    await page.goto(`${origin}/ru/`);
    expect(await page.locator('.regions > li').count()).toBe(30);
    const [list] = await boxesOf(page, '.regions');
    expect(list?.height).toBeLessThan(LONGEST_LIST);
  });

  it('a page is printed with its advice, its values, the bars of the day and the map', async () => {
    const page = await openAt(1_280, '/en/station/7');
    await page.locator('#map').scrollIntoViewIfNeeded();
    await page.locator('#map .pin').first().waitFor();
    await page.evaluate(() => void dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    for (const shown of ['.advice', '.tile', '.index', '.day rect', '#map .pin'])
      expect(await page.locator(shown).first().isVisible(), shown).toBe(true);
    expect(await page.locator('nav').isVisible()).toBe(false);
  });
});
