/**
 * The widget on a page of another origin, whose Content-Security-Policy is as strict as can be, and
 * the frame that needs no script.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { INDEX_WORDS } from '../../../src/contract/words/indices.ts';
import { formatClock, formatNumber, formatTime } from '../../../src/extras/pages/numbers.ts';
import { categoryOf } from '../../../src/extras/pages/scale.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { axe, inBrowser, type Open } from './browser.ts';
import { MARKUP, openSite, type Site, STATIONS } from './site.ts';

const REFRESH_MS = 300_000;

let site: Site;
let foreign: Server;
/** The content of the foreign page. */
let content = '';
beforeAll(async () => {
  site = await openSite();
  foreign = createServer((_req, res) => {
    const policy = `default-src 'none'; script-src ${site.origin}/widget.js; connect-src ${site.origin}; frame-src ${site.origin}; base-uri 'none'; require-trusted-types-for 'script'`;
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(`<!doctype html><html lang="ru-RU"><title>Elsewhere</title><main><h1>Elsewhere</h1>${content}</main>
<script type="module" src="${site.origin}/widget.js"></script></html>`);
  }).listen(0);
  return async () => {
    foreign.close();
    foreign.closeAllConnections();
    await site.close();
  };
});

/** Goes to the foreign page with this content. */
async function visit(page: Page, html: string) {
  content = html;
  await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
}

async function show(open: Open, html: string, options: Parameters<Open>[0] = {}): Promise<Page> {
  const page = await open(options);
  await page.clock.install();
  await visit(page, html);
  const cards = page.locator('air-quality .card'); // through shadow roots
  await expect.poll(() => cards.count()).toBe(html.split('<air-quality').length - 1);
  return page;
}

/** The text of a widget, its lines joined. */
const textOf = async (page: Page, selector = 'air-quality') =>
  (await page.locator(selector).locator('.card').innerText()).replace(/[ \n]+/g, ' ').trim();

const backgroundOf = (page: Page) =>
  page
    .locator('air-quality .card')
    .first()
    .evaluate((card) => getComputedStyle(card).backgroundColor);

const api = (locale: string, path: string) =>
  site.json(`/${locale}/air-quality-app/v1/${path}.json`);

inBrowser('the widget', (open) => {
  it('the widget shows the API’s values: every category with its own look, and a region', async () => {
    const ids = Object.values(STATIONS);
    const stations = ids.map(
      (id) => `<air-quality id="s${id}" station="${id}" lang="ru"></air-quality>`,
    );
    const region = '<air-quality id="r" region="town" lang="ru-AM"></air-quality>';
    const page = await show(open, `${stations.join('')}${region}`);
    const words = WORDS.ru;
    const looks = new Map<string, string>();
    for (const id of ids) {
      const values = await api('ru', `station/${id}`);
      const aqi = values.aqi as number | null;
      const category = values.status === 'offline' ? 'offline' : categoryOf(aqi);
      const text = await textOf(page, `#s${id}`);
      expect(text).toMatch(new RegExp(`^${id === STATIONS.markup ? '<img' : values.title}`));
      expect(text.endsWith(`· ${MARKUP}`)).toBe(true);
      if (id === STATIONS.waiting) expect(text).toContain(`${words.waiting} ${words.neverSent}`);
      else if (category === 'unknown') expect(text).toContain(`${words.temperature} 10,0 °C`);
      else if (category === 'offline') expect(text).toContain(words.offline);
      else {
        const value = formatNumber('ru', values['pm2.5'] as number, 1);
        const when = formatClock('ru', values.measurement_time as string);
        const time = words.meanOfHour.replace('{time}', when);
        const number = Number(aqi) > 500 ? '>500' : aqi;
        const index = `${number} ${words[category]} ${INDEX_WORDS.aqi.name.ru}`;
        expect(text).toContain(` ${index} PM2.5 ${value} мкг/м³ ${time} `);
      }
      if (category === 'unknown' || id === STATIONS.waiting) continue;
      const chip = page.locator(`#s${id} :is(.index, .chip)`);
      const look = await chip.evaluate((one) => {
        const { backgroundColor, borderStyle } = getComputedStyle(one);
        return `${backgroundColor} ${borderStyle}`;
      });
      looks.set(category, look);
    }
    expect(looks.size).toBe(7);
    expect(new Set(looks.values()).size).toBe(7);
    const { measurement_time: time, aqi } = await api('ru', 'region/town');
    const said = await textOf(page, '#r');
    expect(said).toContain(words.digestOf.replace('{time}', formatTime('ru', time as string)));
    expect(said).toContain(`${aqi} ${words[categoryOf(aqi as number)]}`);
    const links = await page
      .locator('#r a')
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    expect(links).toEqual([`${site.origin}/ru/region/town`, `${site.origin}/ru/`]);
  });

  it('a region in other letters is found, and for a wrong name the widget says which is meant', async () => {
    const { aqi } = await api('en', 'region/town'); // so that it is there: a new one may be late
    const page = await show(
      open,
      `<air-quality id="a" region="Town" lang="en"></air-quality>
<air-quality id="b" region="Город" lang="en"></air-quality>
<air-quality id="c" station="At good" lang="ru"></air-quality>`,
      { errors: /404/ },
    );
    expect(await textOf(page, '#a')).toContain(`${aqi}`);
    expect(await textOf(page, '#b')).toContain(WORDS.en.noRegion.replace('{name}', 'Город'));
    expect(await textOf(page, '#b')).toContain(`${WORDS.en.near} Town region="town"`);
    expect(await textOf(page, '#c')).toContain(`${WORDS.ru.near} Станция good station="1"`);
  });

  it.each<readonly [string, string, readonly string[]]>([
    ['station="1" lang="de"', '28 Good', ['lang="de" is unknown: write one of en, ru, hy.']],
    [
      'station="1" lang="hy" size="huge" theme=""',
      'Լավ',
      [
        'theme=""՝ անհայտ արժեք. գրեք light, dark արժեքներից մեկը։',
        'size="huge"՝ անհայտ արժեք. գրեք small, normal, large արժեքներից մեկը։',
      ],
    ],
    [
      'station="1" region="town" lang="en"',
      'Town',
      ['region="town" is shown, and not station="1": remove one of them.'],
    ],
    [
      'lang="en"',
      '',
      ['Nothing is chosen: write station="1" or region="name", as in the address of its page.'],
    ],
    ['city="town"', '', ['Неизвестный атрибут city="town": напишите region="town".']],
  ])('a widget with %s says what in its tag is wrong', async (attributes, shown, mistakes) => {
    const page = await show(open, `<air-quality ${attributes}></air-quality>`);
    expect(await textOf(page)).toContain(shown);
    expect(await page.locator('air-quality .warning').allTextContents()).toEqual(mistakes);
    if (shown !== '') expect(await axe(page)).toEqual([]);
  });

  it('the widget shows markup as text, adds no heading or landmark to its page, and its links open in the same window', async () => {
    const page = await show(
      open,
      `<air-quality station="${STATIONS.markup}" lang="en"></air-quality>`,
    );
    expect(await page.locator('air-quality h1').textContent()).toBe(MARKUP);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Elsewhere');
    expect(await page.getByRole('heading').allTextContents()).toEqual(['Elsewhere']);
    expect(await page.getByRole('main').count()).toBe(1);
    const targets = await page
      .locator('air-quality a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('target')));
    expect(targets).toEqual([null, null]);
  });

  it('the widget has no barrier that axe finds, in three sizes, and its theme decides its colours', async () => {
    const sizes = ['small', 'normal', 'large'];
    const all = Object.values(STATIONS).map((id, n) => {
      const size = sizes[n % 3];
      return `<air-quality station="${id}" lang="en" theme="light" size="${size}"></air-quality>`;
    });
    const page = await show(open, all.join(''), { colorScheme: 'dark' });
    expect(await axe(page)).toEqual([]);
    const heights = await page
      .locator('air-quality')
      .evaluateAll((all) =>
        all.slice(0, 3).map((widget) => Number.parseFloat(getComputedStyle(widget).fontSize)),
      );
    expect(heights).toEqual([13, 16, 21]);
    expect(await backgroundOf(page)).toBe('rgb(255, 255, 255)');
  });

  it('the widget follows the scheme that its reader prefers', async () => {
    const html = '<air-quality station="1"></air-quality>';
    const page = await show(open, html, { colorScheme: 'dark' });
    expect(await backgroundOf(page)).toBe('rgb(23, 28, 34)');
  });

  it('the widget asks once, again after five minutes by ETag, and not while its page is hidden', async () => {
    const page = await open();
    const asked: (string | undefined)[] = [];
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.requestWillBeSentExtraInfo', ({ headers }) => {
      if (headers[':path']?.includes('station') || headers.Accept === '*/*')
        asked.push(headers['If-None-Match']);
    });
    let answers = 0;
    page.on('response', (answer) => {
      if (answer.url().endsWith('/embed/station/1')) answers += 1;
    });
    await page.clock.install();
    await visit(page, '<air-quality station="1" lang="en"></air-quality>');
    await page.locator('air-quality .card').waitFor();
    expect(answers).toBe(1);
    await page.clock.fastForward(REFRESH_MS - 10_000);
    expect(answers).toBe(1);
    await page.clock.fastForward(10_000);
    await expect.poll(() => answers).toBe(2);
    await expect.poll(() => asked.at(-1)).toMatch(/^"[\w-]+"$/);
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { value: true, configurable: true })",
    );
    await page.clock.fastForward(2 * REFRESH_MS);
    expect(answers).toBe(2);
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { value: false }); document.dispatchEvent(new Event('visibilitychange'))",
    );
    await expect.poll(() => answers).toBe(3);
  });

  it('the widget shows a new value, and another station when its attribute changes', async () => {
    const page = await show(
      open,
      `<air-quality station="${STATIONS.elsewhere}" lang="en"></air-quality>`,
    );
    expect(await textOf(page)).toContain('PM2.5 30.0 µg/m³');
    await site.read(STATIONS.elsewhere, { pm25: 50 }, new Date('2026-11-20T11:59:00Z'));
    const published = async () => (await api('en', `station/${STATIONS.elsewhere}`))['pm2.5'];
    await expect.poll(published).toBe(40); // a process looks for new data every second
    await page.clock.fastForward(REFRESH_MS);
    await expect.poll(() => textOf(page)).toContain('PM2.5 40.0 µg/m³');
    await page.evaluate("document.querySelector('air-quality').setAttribute('station', '1')");
    await page.clock.fastForward(10);
    await expect.poll(() => textOf(page)).toContain('At good');
  });

  it('the widget asks once for attributes that change together, and drops an outdated answer', async () => {
    const page = await open();
    const asked: Route[] = [];
    await page.route('**/embed/**', (route) => void asked.push(route));
    await visit(page, '<air-quality station="1" lang="en"></air-quality>');
    await expect.poll(() => asked.length).toBe(1);
    await page.locator('air-quality').evaluate((widget) => {
      widget.setAttribute('station', '2');
      widget.setAttribute('lang', 'hy');
    });
    await expect.poll(() => asked.length).toBe(2);
    await asked[1]?.continue();
    await page.locator('air-quality .card').waitFor();
    const late = page.waitForResponse(/station\/1$/);
    await asked[0]?.continue();
    await (await late).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await textOf(page)).toContain(WORDS.hy.moderate);
    const paths = asked.map((route) => new URL(route.request().url()).pathname);
    expect(paths).toEqual(['/en/embed/station/1', '/hy/embed/station/2']);
  });

  it('the widget keeps its values and says so while it cannot reach the service, and recovers', async () => {
    const page = await show(open, '<air-quality station="1" lang="en"></air-quality>', {
      errors: /ERR_|Failed to load/,
    });
    await page.route('**/embed/station/1', (route) => route.abort());
    await page.clock.fastForward(REFRESH_MS);
    const when = formatClock('en', (await api('en', 'station/1')).measurement_time as string);
    await expect.poll(() => textOf(page)).toContain(WORDS.en.stale.replace('{time}', when));
    expect(await textOf(page)).toContain('28 Good');
    await page.unroute('**/embed/station/1');
    await page.clock.fastForward(60_000);
    await expect.poll(() => textOf(page)).not.toContain('may be old');
  });

  it('the widget says at once that data are unavailable or old, or that a station does not exist', async () => {
    const page = await open({ errors: /ERR_|Failed to load/ });
    await page.route('**/embed/station/2', (route) => route.fulfill({ status: 503, json: {} }));
    await page.route('**/embed/station/3', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, headers: { ...answer.headers(), age: '120' } });
    });
    const all = ['1', '2', '3', '999', '../../../x'].map(
      (id, n) => `<air-quality id="n${n}" station="${id}" lang="en"></air-quality>`,
    );
    await visit(page, all.join(''));
    const notice = async (n: number) => {
      await page.locator(`#n${n} .card`).waitFor();
      return await page.locator(`#n${n} [role=status]:visible`).allTextContents();
    };
    expect(await notice(0)).toEqual([]);
    expect(await notice(1)).toEqual([WORDS.en.unavailable]);
    expect(await notice(2)).toEqual([expect.stringMatching(/may be old.*20 Nov/)]);
    expect(await textOf(page, '#n3')).toContain('There is no station 999 here.');
    expect(await textOf(page, '#n4')).toContain('There is no station ../../../x here.');
  });
});

inBrowser('the frame', (open) => {
  it.each([
    [200, 'light'],
    [320, 'dark'],
  ] as const)(
    'a frame of %i pixels shows all of a station without scrolling, %s',
    async (width, colorScheme) => {
      const page = await open({ colorScheme, viewport: { width, height: 180 } });
      for (const subject of ['station/5', 'station/7', 'station/8', 'region/town']) {
        for (const locale of LOCALES) {
          await page.goto(`${site.origin}/${locale}/embed/${subject}`);
          await page.evaluate(
            'document.querySelector(\'main a[href$="/"]\').textContent = "Air of the town"',
          );
          const [w = 0, h = 0] = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.body.scrollHeight,
          ]);
          expect(w, `${locale} ${subject}`).toBeLessThanOrEqual(width);
          expect(h, `${locale} ${subject}`).toBeLessThanOrEqual(180);
        }
      }
      expect(await axe(page)).toEqual([]);
    },
  );
});
