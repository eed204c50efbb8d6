/**
 * The pages of a town in a real browser against the real service. The history has every value by
 * keys, as a table, and by its address. A narrow screen folds the parts that few people read first.
 * Every view is reached by the keyboard alone, also with an API that fails or takes its time.
 */
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../support/database.ts';
import { axe, boxesOf, hold, inBrowser, seeHistory, widthOf } from './browser.ts';
import { serveTown } from './town.ts';

type Point = { timestamp: string } & Record<string, number | [number, number] | null>;
type History = Record<string, Point[]>;

const WINDOWS = {
  '24h': 'hour',
  '7d': 'hour',
  '30d': 'day',
  '1y': 'month',
  '2y': 'month',
} as const;
type Key = keyof typeof WINDOWS;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec'.split(' ');

/** The views, each with an element that is there once the view is complete. */
const VIEWS = [
  ['/en/', '.line'],
  ['/ru/region/town?parameter=aqi', '#calendar .calendar rect'],
  ['/en/station/2', '[data-live=head]'],
] as const;

/** Views with the document that each needs, and the element that says when it is missing. */
const NEEDS = [
  ['/en/station/1', /-history\.json/, '#windows .fill'],
  ['/en/station/1?year=2026', /\/days\//, '#calendar .folded .fill'],
] as const;

const LOADING = /^(Loading…|Загружается…|Բեռնվում է…)$/;

const PHONE = { viewport: { width: 390, height: 844 } };
/** Four screens of a phone; before parts were folded, a page had up to nine. */
const LONGEST = 3_700;
const OF_STATION = ['indices', 'calendar', 'download'];

inBrowser('the pages of a town', (newPage) => {
  let [origin, history] = ['', {} as History];
  beforeAll(async () => {
    const town = await serveTown(engines[0] ?? 'plain');
    origin = town.origin;
    history = (await (
      await fetch(`${origin}/en/air-quality-app/v1/station/1-history.json`)
    ).json()) as History;
    return () => town.close();
  });

  /** Opens a page in a zone far from the service, whose times must be shown. */
  const open = async (url: string, options: BrowserContextOptions = {}) => {
    const page = await newPage({ timezoneId: 'Pacific/Auckland', locale: 'en', ...options });
    await page.goto(url);
    return page;
  };

  const show = async (query: string, options = {}) => {
    const page = await open(`${origin}/en/station/1${query}`, options);
    await seeHistory(page);
    await page.locator('.chart').scrollIntoViewIfNeeded();
    return page;
  };
  /** `24 of 24` for the PM2.5 of each day or month; empty for windows of hours. */
  async function hoursOf(key: Key, points: readonly Point[]): Promise<string[]> {
    type Row = { timestamp: string; hours: Record<string, number>; expected_hours: number };
    const url = `${origin}/en/explore/v1/station/1/completeness.json`;
    const { days, months } = (await (await fetch(url)).json()) as Record<'days' | 'months', Row[]>;
    const rows = { hour: [], day: days, month: months }[WINDOWS[key]];
    const known = new Map(
      rows.map((row) => [row.timestamp, `${row.hours['pm2.5']} of ${row.expected_hours}`]),
    );
    return points.flatMap(({ timestamp }) => known.get(timestamp) ?? []);
  }
  const live = (page: Page) => page.locator('#windows .live').textContent();

  const rowsOf = (page: Page) =>
    page
      .locator('#windows tbody tr')
      .evaluateAll((all) =>
        all.map((row) =>
          [...(row as HTMLTableRowElement).cells].map(({ textContent }) => textContent ?? ''),
        ),
      );

  /** The time of a bucket as the page must write it, made here once more from the document. */
  function timeOf(timestamp: string, key: Key): string {
    const [year, month, day] = timestamp.slice(0, 10).split('-').map(Number);
    const name = MONTHS[(month ?? 0) - 1];
    if (WINDOWS[key] === 'month') return `${name} ${year}`;
    return WINDOWS[key] === 'day' ? `${day} ${name}` : `${day} ${name}, ${timestamp.slice(11, 16)}`;
  }
  const tenths = (value: unknown) => Number(value).toFixed(1);
  function lineOf(point: Point, key: Key): string {
    const range = point.range_pm25;
    const ends = Array.isArray(range) ? ` (${range.map(tenths).join('–')})` : '';
    return `${timeOf(point.timestamp, key)}: ${tenths(point.avg_pm25)} µg/m³${ends}`;
  }

  it.each(['7d', '2y'] as const)(
    'arrow keys in the chart of %s tell every point of the document, and gaps as gaps',
    async (key) => {
      const page = await show(`?window=${key}&parameter=pm2.5`);
      await page.locator('.chart').focus();
      await page.keyboard.press('Home');
      const lines: string[] = [];
      for (let line = await live(page); line !== lines.at(-1); line = await live(page)) {
        lines.push(line ?? '');
        await page.keyboard.press('ArrowRight');
      }
      const hours = / · (\d+ of \d+) hours measured/;
      const told = lines.map((line) => line.replace(' · running', '').replace(hours, ''));
      const measured = lines.flatMap((line) => hours.exec(line)?.[1] ?? []);
      expect(measured).toEqual(await hoursOf(key, history[key] ?? []));
      const points = history[key] ?? [];
      expect(told.filter((line) => !line.endsWith('no value'))).toEqual(
        points.map((point) => lineOf(point, key)),
      );
      const counts = { '7d': 168, '2y': 24 };
      expect(told).toHaveLength(counts[key]);
      const missing = { '7d': 4, '2y': 1 };
      expect(told.filter((line) => line.endsWith('no value'))).toHaveLength(missing[key]);
      if (key !== '7d') return;
      expect(told).toContain('19 Nov, 02:00: no value');
      const line = await page.locator('.chart .trace:not(.suspect)').getAttribute('d');
      expect(line?.match(/M/g), 'a gap in the values is one in the line').toHaveLength(2);
    },
  );

  it('the table of months has the values of the document, and how many hours were measured; Excel gets the same', async () => {
    const page = await show('?window=1y');
    await page.getByText('As a table').click();
    const rows = await rowsOf(page);
    const hours = await hoursOf('1y', history['1y'] ?? []);
    const expected = (history['1y'] ?? []).map((point, n) => {
      const [measured = '', of] = hours[n]?.split(' of ') ?? [];
      const isFew = Number(measured) < 0.75 * Number(of);
      return [
        timeOf(point.timestamp, '1y'),
        `${tenths(point.avg_pm25)} µg/m³`,
        (point.range_pm25 as number[]).map(tenths).join('–'),
        `${hours[n]}${isFew ? ' (under 75 %)' : ''}`,
      ];
    });
    const october = rows.find(([month]) => month === 'Oct 2026');
    const before = history['2y']?.find(({ timestamp }) => timestamp.startsWith('2025-10'));
    expect(october?.at(-2), 'a year before').toBe(`${tenths(before?.avg_pm25)} µg/m³ (under 75 %)`);
    // without the two of the year before
    const shown = rows.map(([time = '', ...rest]) => [
      time.replace(' (running)', ''),
      ...rest.slice(0, -2),
    ]);
    expect(shown.filter(([, value]) => value !== '–')).toEqual(expected);
    const saved = page.waitForEvent('download');
    await page.getByText('This table for Excel').click();
    const file = await (await saved).createReadStream();
    const [header, first] = String(await file.toArray()).split('\r\n');
    expect(header).toBe(
      '\uFEFF"Time","PM2.5 (µg/m³)","Lowest hour (µg/m³)","Highest hour (µg/m³)","Hours measured","Hours expected"',
    );
    const [point] = history['1y'] ?? [];
    const values = [point?.avg_pm25, point?.range_pm25, '124,744']; // four readings a day
    expect(first).toBe([point?.timestamp.slice(0, 10), ...values].join());
  });

  it('windows and parameters are in the address, and Back returns to them', async () => {
    const page = await show('');
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: '12 months' }).click();
    await page.getByLabel('Parameter').selectOption('wind_speed');
    expect(new URL(page.url()).search).toBe('?window=1y&parameter=wind_speed');
    expect(await page.locator('.what').first().textContent()).toMatch(
      /^Wind speed, m\/s: monthly means/,
    );
    expect(await page.getByRole('link', { name: 'Русский' }).getAttribute('href')).toBe(
      `${origin}/ru/station/1?window=1y&parameter=wind_speed`,
    );
    await page.goBack();
    await expect
      .poll(() => page.locator('.what').first().textContent())
      .toMatch(/^PM2.5, µg\/m³: monthly means/);
    expect(await page.getByRole('button', { pressed: true }).textContent()).toBe('12 months');
    await page.goBack();
    expect(await page.getByRole('button', { pressed: true }).textContent()).toBe('7 days');
    await page.goForward();
    await page.reload();
    await page.locator('.chart svg').waitFor();
    expect(await page.getByRole('button', { pressed: true }).textContent()).toBe('12 months');
  });

  it('a month of a place is printed on one sheet', async () => {
    const page = await newPage();
    await page.addInitScript('window.print = () => { window.isPrinted = true; }');
    await page.goto(`${origin}/en/region/town`);
    await seeHistory(page);
    await page.getByRole('button', { name: 'Print a month' }).click();
    await page.waitForFunction(() => 'isPrinted' in window);
    expect(new URL(page.url()).search).toBe('?window=30d');
    const sheets = (await page.pdf({ format: 'A4' }))
      .toString('latin1')
      .match(/\/Type\s*\/Page\b/g);
    expect(sheets).toHaveLength(1);
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['nav', '.controls', '#download', '#developers', '#calendar'])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
    expect(await page.locator('#windows tbody tr').first().isVisible()).toBe(true);
  });

  it('a pointer tells the value under it', async () => {
    const page = await show('?window=30d');
    // as wide as the drawn plot
    const area = await page.locator('.chart .grid').first().boundingBox();
    if (area === null) throw new Error('there is no chart');
    const points = history['30d'] ?? [];
    await page.mouse.move(area.x + (area.width * 0.5) / 30, area.y - 20);
    await expect.poll(() => live(page)).toContain(lineOf(points[0] as Point, '30d'));
    await page.mouse.move(area.x + (area.width * 29.5) / 30, area.y - 20);
    await expect.poll(() => live(page)).toContain(lineOf(points.at(-1) as Point, '30d'));
  });

  it('arrow keys tell every day of a calendar, whose year is in the address', async () => {
    const page = await show('?window=30d');
    const days = (await (
      await fetch(`${origin}/en/explore/v1/station/1/days/2026.json`)
    ).json()) as { days: Point[] };
    await page.locator('#calendar').scrollIntoViewIfNeeded();
    await page.locator('.calendar [role=application]').focus();
    await page.keyboard.press('Home');
    const dayLive = page.locator('#calendar .live');
    const told = new Map<string, string>();
    for (
      let line = await dayLive.textContent();
      line !== null && !told.has(line);
      line = await dayLive.textContent()
    ) {
      told.set(line, line);
      if (line.includes(' 19 Nov 2026')) break;
      await page.keyboard.press('ArrowDown');
    }
    const lines = [...told.keys()];
    const known = lines.filter((line) => !line.endsWith('Unknown'));
    expect(lines).toHaveLength(323); // 1 January to 19 November
    expect(lines.at(-1)).not.toContain('hours measured'); // 20 of 24
    const incomplete = known.filter((line) => line.endsWith(' · 4 of 24 hours measured'));
    expect(incomplete.length).toBeGreaterThan(200);
    expect(await page.locator('.calendar rect.incomplete').count()).toBe(
      known.filter((line) => line.endsWith('hours measured')).length,
    );
    expect(known.map((line) => line.replace(/^\w+, | · .*/g, ''))).toEqual(
      days.days.map((day) =>
        `${timeOf(day.timestamp, '30d')} 2026${lineOf(day, '30d').slice(timeOf(day.timestamp, '30d').length)}`.replace(
          ': ',
          ': PM2.5 ',
        ),
      ),
    );
    await page.locator('[data-year="2025"]').click();
    await page.getByRole('heading', { name: 'Calendar of 2025' }).waitFor();
    expect(new URL(page.url()).search).toBe('?window=30d&year=2025');
    await page.goBack();
    await page.getByRole('heading', { name: 'Calendar of 2026' }).waitFor();
  });

  it('the line under a number leads to its inputs: a month or day to its hours, an hour to its readings or stations', async () => {
    for (const [subject, ofHour] of [
      ['station/1', 'readings'],
      ['region/town', 'stations'],
    ] as const) {
      const hour = `${ofHour}/2026-11-20T15:00:00+04:00.json`;
      for (const [window, paths] of [
        ['24h', [hour]],
        ['30d', ['excel/2026-11-19/2026-11-19.csv', `${ofHour}/2026-11-19T00:00:00+04:00.json`]],
        ['1y', ['excel/2026-11-01/2026-11-30.csv']],
      ] as const) {
        const page = await open(`${origin}/en/${subject}?window=${window}`);
        await page.locator('#history').scrollIntoViewIfNeeded();
        const line = page.locator('#windows .inputs a');
        await line.first().waitFor();
        const links = await line.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
        expect(links).toEqual(paths.map((path) => `/en/explore/v1/${subject}/${path}`));
        for (const link of links)
          expect((await fetch(`${origin}${link}`)).status, `${link}`).toBe(200);
      }
    }
  });

  it('the first Tab round fills the history, whose parts stand in the page from the first', async () => {
    const page = await newPage({ viewport: { width: 1_280, height: 100 } }); // the calendar is far below
    const release = await hold(page, /-history/);
    const releaseMonths = await hold(page, /months/);
    await page.goto(`${origin}/en/station/1`);
    expect(await page.locator('#history :is(h2, h3)').allTextContents()).toEqual([
      'History',
      'All months and days',
      'Calendar of 2026',
      'Download hourly values',
    ]);
    await page.locator('.chart svg').waitFor({ state: 'detached' });
    expect(await page.locator('.record button').allTextContents()).toEqual(
      ['2024', '2025', '2026'].map((year) => expect.stringMatching(year)),
    );
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    const tabTo = async (text: string) => {
      while (!(await focused()).startsWith(text)) await page.keyboard.press('Tab');
    };
    for (const text of ['24 hours', '2025']) {
      await tabTo(text);
      await page.keyboard.press('Enter');
    }
    await page.locator('.chart svg').waitFor({ state: 'detached' });
    release();
    await page.locator('.chart svg').waitFor();
    expect(await page.getByRole('button', { pressed: true }).textContent()).toBe('24 hours');
    await page.getByRole('heading', { name: 'Calendar of 2025' }).waitFor();
    await page.locator('.calendar rect').first().waitFor();
    releaseMonths();
    await page.locator('.record rect').first().waitFor();
    expect(await page.locator('.record [data-year="2025"]:focus').count()).toBe(1);
  });

  it('the other indices stand beside the AQI', async () => {
    const page = await open(`${origin}/en/station/1`);
    expect(await page.locator('[data-live=indices]').textContent()).toMatch(
      /European index.*The worst of particles.*Sulphur dioxide: .*NowCast of PM2.5\d+\.\d µg\/m³, AQI \d+/s,
    );
    expect(await page.locator('figcaption').textContent()).toBe(
      'PM2.5, last 24 hours · 24 of 24 hours measured · colours: US index',
    );
    expect(await page.locator('.index').count(), 'one headline').toBe(1);
  });

  it('all months stand in one strip, and each year leads to its calendar', async () => {
    const page = await open(`${origin}/en/region/town`);
    await seeHistory(page);
    await page.locator('#calendar').scrollIntoViewIfNeeded();
    const years = page.locator('#calendar .record button');
    await years.locator('rect').first().waitFor();
    const url = `${origin}/en/explore/v1/region/town/months.json`;
    const { months } = (await (await fetch(url)).json()) as { months: Point[] };
    const cells = page.locator('.record rect');
    expect(await cells.count()).toBe(months.length + 1); // April, in which nothing was measured
    expect(await cells.locator('title').allTextContents()).toContain('Apr 2026: no value');
    expect(await page.locator('.record rect.unknown').count()).toBe(1);
    expect(await page.locator('.record [aria-current=true]').textContent()).toMatch(/^2026/);
    await years.nth(1).press('Enter');
    await page.getByRole('heading', { name: 'Calendar of 2025' }).waitFor();
    expect(new URL(page.url()).search).toBe('?year=2025');
    expect(await page.locator('.record [aria-current=true]').textContent()).toMatch(/^2025/);
  });

  it('the download has the chosen dates, at most 400 days', async () => {
    const page = await show('');
    const link = page.locator('#download a', { hasText: 'Excel' });
    expect(await link.getAttribute('href')).toBe(
      '/en/explore/v1/station/1/excel/2026-10-22/2026-11-20.csv',
    );
    expect(await page.locator('#download a', { hasText: 'CSV' }).getAttribute('href')).toBe(
      '/en/explore/v1/station/1/hours/2026-10-22/2026-11-20.csv',
    );
    await page.getByRole('button', { name: '24 months' }).click();
    const ofChart = page.locator('#windows .what a');
    expect([await ofChart.textContent(), await ofChart.getAttribute('href')]).toEqual([
      '12 months, hourly, for Excel',
      expect.stringContaining('/en/explore/v1/station/1/excel/2025-12-01/'),
    ]);
    const answer = await fetch(origin + (await link.getAttribute('href')));
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ]);
    await page.getByLabel('From', { exact: true }).fill('2025-10-01');
    expect([await link.getAttribute('href'), await link.getAttribute('aria-disabled')]).toEqual([
      null,
      'true',
    ]);
    await page.getByLabel('From', { exact: true }).fill('2025-10-17');
    expect(await link.getAttribute('href')).toContain('2025-10-17/2026-11-20');
  });

  it.each([
    ['en', 1_280, 'light'],
    ['hy', 320, 'dark'],
  ] as const)(
    'a station’s page has no barrier that axe finds, and fits its screen: %s, %i pixels, %s',
    async (locale, width, colorScheme) => {
      const viewport = { width, height: 900 };
      const url = `${origin}/${locale}/station/1?window=30d&parameter=aqi`;
      const page = await open(url, { colorScheme, viewport });
      await page.locator('#history').scrollIntoViewIfNeeded();
      await page.locator('#download').scrollIntoViewIfNeeded();
      await page.locator('.calendar').waitFor({ state: 'attached' });
      await page.locator('#history details').evaluateAll((all) => {
        for (const one of all as HTMLDetailsElement[]) one.open = true;
      });
      await page.locator('.calendar').waitFor();
      expect(await axe(page)).toEqual([]);
      expect(await widthOf(page)).toBeLessThanOrEqual(width);
    },
  );

  it.each([
    [360, 640],
    [1280, 900],
  ])(
    'the first view takes at most 80 KB, and all scripts and styles 120 KB, compressed, at %i pixels',
    async (width, height) => {
      const page = await newPage({ viewport: { width, height } });
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Network.enable');
      let bytes = 0;
      cdp.on('Network.dataReceived', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await page.goto(`${origin}/en/station/1`, { waitUntil: 'networkidle' });
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(80_000);
      await seeHistory(page);
      await page.locator('#calendar').scrollIntoViewIfNeeded();
      await page.locator('.calendar').waitFor({ state: 'attached' });
      const names = await page.evaluate(() =>
        performance.getEntriesByType('resource').map(({ name }) => name),
      );
      const assets = names.filter((name) => name.includes('/assets/'));
      const sizes = assets.map(async (name) => {
        const answer = await fetch(name, {
          method: 'HEAD',
          headers: { 'Accept-Encoding': 'gzip' },
        });
        return Number(answer.headers.get('Content-Length'));
      });
      expect((await Promise.all(sizes)).reduce((a, b) => a + b, 0)).toBeLessThan(120_000);
    },
  );

  describe('a narrow screen', () => {
    const height = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);
    async function openWhole(path: string, options = {}): Promise<Page> {
      const page = await newPage({ ...PHONE, reducedMotion: 'reduce', ...options });
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
        expect(await widthOf(page)).toBe(390);
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
      await expect
        .poll(async () => {
          const box = await page.locator('.calendar rect').first().boundingBox();
          return Math.min(box?.width ?? 0, box?.height ?? 0);
        })
        .toBeGreaterThanOrEqual(24);
      const box = page.locator('.calendar [role=application]');
      const isChosenSeen = await box.evaluate((place) => {
        const { left, right } = (place.querySelector('.at') as Element).getBoundingClientRect();
        const around = place.getBoundingClientRect();
        return left >= around.left && right <= around.right;
      });
      expect(isChosenSeen).toBe(true);
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
      const bare = await newPage({ ...PHONE, javaScriptEnabled: false });
      await bare.goto(`${origin}/en/region/town`);
      await bare.locator('[data-name=eu] > summary').click();
      expect(await bare.locator('[data-name=eu] table').isVisible()).toBe(true);
      const plain = await newPage({
        viewport: { width: 1_280, height: 900 },
        javaScriptEnabled: false,
      });
      await plain.goto(`${origin}/en/region/town`);
      expect(await plain.locator('[data-name=eu] table').isVisible()).toBe(true);
      expect(await plain.locator('[data-name=indices] dl').isVisible()).toBe(true);
      expect(await plain.locator('#windows').isVisible(), 'the history needs a script').toBe(false);
      expect(await bare.locator('[data-live=list] .line').first().isVisible()).toBe(true);
    });
  });

  describe('every view', () => {
    /** Opens a page on a screen as long as itself, since parts are made when they come near. */
    const openLong = (options = {}) =>
      newPage({ ...options, viewport: { width: 1_280, height: 9_000 } });

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
      const page = await newPage();
      await page.goto(`${origin}/en/`);
      await page.locator('.line a', { hasText: 'town' }).first().focus();
      await page.keyboard.press('Enter');
      await page.waitForURL('**/en/region/town');
      await seeHistory(page);
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
        window.history.replaceState(null, '', '?year=2024');
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

  it('cards side by side are of one height', async () => {
    const page = await newPage({ viewport: { width: 1_280, height: 900 } });
    await page.goto(`${origin}/en/region/town`);
    await page.locator('#map').scrollIntoViewIfNeeded();
    await page.locator('#map .pin').first().waitFor();
    for (const row of ['.head', '.pair', '.overview']) {
      const [one, other] = await boxesOf(page, `${row} > .card`);
      expect(other?.top, row).toBe(one?.top);
      expect(other?.height, row).toBeCloseTo(one?.height ?? 0, 0);
    }
  });
});
