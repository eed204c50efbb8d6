/**
 * The history on the page of a station, in a real browser against the real service: every value by
 * keys, as a table, and by its address.
 */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../support/database.ts';
import { axe, hold, inBrowser } from './browser.ts';
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

inBrowser('the history in a browser', (newPage) => {
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
    await page.locator('#history').scrollIntoViewIfNeeded();
    await page.locator('.chart svg').waitFor();
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

  it.each(['7d', '30d', '2y'] as const)(
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
      const counts = { '7d': 168, '30d': 30, '2y': 24 };
      expect(told).toHaveLength(counts[key]);
      const missing = { '7d': 4, '30d': 2, '2y': 1 };
      expect(told.filter((line) => line.endsWith('no value'))).toHaveLength(missing[key]);
      if (key === '7d') expect(told).toContain('19 Nov, 02:00: no value');
    },
  );

  it.each(['24h', '1y'] as const)(
    'the table of %s has the values of the document, and how many hours were measured',
    async (key) => {
      const page = await show(`?window=${key}`);
      await page.getByText('As a table').click();
      const lines = page.locator('#windows tbody tr');
      await lines.first().waitFor();
      const rows = await lines.evaluateAll((all) =>
        all.map((row) =>
          [...(row as HTMLTableRowElement).cells].map(({ textContent }) => textContent ?? ''),
        ),
      );
      if (key === '1y') for (const row of rows) row.splice(-2); // the year before
      const hours = await hoursOf(key, history[key] ?? []);
      const expected = (history[key] ?? []).map((point, n) => {
        const range = point.range_pm25;
        const isFew =
          Number.parseInt(hours[n] ?? '', 10) < 0.75 * Number(hours[n]?.split(' of ')[1]);
        return [
          timeOf(point.timestamp, key),
          `${tenths(point.avg_pm25)} µg/m³`,
          ...(Array.isArray(range) ? [range.map(tenths).join('–')] : []),
          ...(key === '24h' ? [] : [`${hours[n]}${isFew ? ' (under 75 %)' : ''}`]),
        ];
      });
      const shown = rows.map(([time = '', ...rest]) => [time.replace(' (running)', ''), ...rest]);
      expect(shown.filter(([, value]) => value?.includes('µg'))).toEqual(expected);
      expect(
        shown.filter(([, value]) => !value?.includes('µg')).every(([, value]) => value === '–'),
      ).toBe(true);
      // four readings a day
      if (key === '1y') expect(rows[0]?.at(-1)).toBe('124 of 744 (under 75 %)');
      const saved = page.waitForEvent('download');
      await page.getByText('This table for Excel').click();
      const file = await (await saved).createReadStream();
      const [header, first] = String(await file.toArray()).split('\r\n');
      const [point] = history[key] ?? [];
      const isOfHours = key === '24h';
      const more = [
        'Lowest hour (µg/m³)',
        'Highest hour (µg/m³)',
        'Hours measured',
        'Hours expected',
      ];
      const heads = ['Time', 'PM2.5 (µg/m³)', ...(isOfHours ? [] : more)];
      expect(header).toBe(`\uFEFF${heads.map((head) => `"${head}"`).join()}`);
      const time = point?.timestamp.slice(0, isOfHours ? 16 : 10).replace('T', ' ');
      const values = isOfHours ? [] : [point?.range_pm25, '124,744'];
      expect(first).toBe([time, point?.avg_pm25, ...values].join());
    },
  );

  it('a gap in the values is a gap in the line of the chart', async () => {
    const page = await show('?window=7d&parameter=pm2.5', { deviceScaleFactor: 1 });
    const points = history['7d'] ?? [];
    const first = Date.parse(points[0]?.timestamp ?? '');
    const isDrawnAt = (timestamp: string) => {
      const share = ((Date.parse(timestamp) - first) / 3_600_000 + 0.5) / 168;
      return page.locator('.chart .trace:not(.suspect)').evaluate((path, at) => {
        const { x: left = 0, width = 0 } =
          document.querySelector<SVGPathElement>('.chart .grid')?.getBBox() ?? {};
        const heights = Array.from({ length: 300 }, (_, y) => y);
        return heights.some((y) =>
          (path as SVGPathElement).isPointInStroke(new DOMPoint(left + at * width, y)),
        );
      }, share);
    };
    expect(await isDrawnAt('2026-11-19T02:00:00+04:00')).toBe(false);
    expect(await isDrawnAt('2026-11-18T20:00:00+04:00')).toBe(true);
    expect(await isDrawnAt('2026-11-19T10:00:00+04:00')).toBe(true);
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

  it('only measured parameters can be chosen; rain is summed, wind has its direction, the index its note', async () => {
    const page = await show('?window=24h');
    expect(await page.getByLabel('Parameter').locator('option').allTextContents()).toEqual([
      'PM2.5',
      'AQI (US EPA)',
      'Temperature',
      'Humidity',
      'PM2.5, uncorrected',
      'PM10',
      'Sulphur dioxide',
      'Wind speed',
      'Rain',
    ]);
    const last = history['24h']?.at(-1);
    await page.getByLabel('Parameter').selectOption('rain');
    await expect.poll(() => live(page)).toBe(`20 Nov, 15:00: ${tenths(last?.total_rain)} mm`);
    expect(await page.locator('.what').first().textContent()).toBe('Rain, mm: hourly sums.');
    await page.getByLabel('Parameter').selectOption('wind_speed');
    const direction = last?.avg_wind_direction;
    await expect
      .poll(() => live(page))
      .toBe(`20 Nov, 15:00: ${tenths(last?.avg_wind_speed)} m/s · Wind from ${direction}°`);
    await page.getByLabel('Parameter').selectOption('aqi');
    await expect.poll(() => live(page)).toContain(`20 Nov, 15:00: ${last?.aqi} · `);
    expect(await page.locator('#history').textContent()).toContain('It says nothing about gases.');
  });

  it('a month of a place is printed on one sheet', async () => {
    for (const subject of ['station/1', 'region/town']) {
      const page = await newPage();
      await page.addInitScript('window.print = () => { window.isPrinted = true; }');
      await page.goto(`${origin}/en/${subject}`);
      await page.locator('#history').scrollIntoViewIfNeeded();
      await page.locator('.chart svg').waitFor();
      await page.getByRole('button', { name: 'Print a month' }).click();
      await page.waitForFunction(() => 'isPrinted' in window);
      expect(new URL(page.url()).search).toBe('?window=30d');
      const sheets = (await page.pdf({ format: 'A4' }))
        .toString('latin1')
        .match(/\/Type\s*\/Page\b/g);
      expect(sheets, subject).toHaveLength(1);
      await page.emulateMedia({ media: 'print' });
      for (const hidden of ['nav', '.controls', '#download', '#developers', '#calendar'])
        expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
      expect(await page.locator('#windows tbody tr').first().isVisible()).toBe(true);
    }
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

  it('how numbers are computed is said once a page, at its end', async () => {
    for (const [subject, rule] of [
      ['station/1', /An hour of a sensor .* An hour of a station .*/s],
      ['region/town', /An hour of a city or district is the mean of the hours of its stations/],
    ] as const) {
      const page = await open(`${origin}/en/${subject}`);
      const all = page.getByText('How it is computed');
      expect(await all.count()).toBe(1);
      await all.click();
      expect((await page.locator('#computed .rule').allTextContents()).join(' ')).toMatch(rule);
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

  it('the focus on a switch of the history fills the calendar, which is far below', async () => {
    const page = await open(`${origin}/en/station/1`, { viewport: { width: 1_280, height: 100 } });
    await page.locator('#windows h2').scrollIntoViewIfNeeded();
    await page.locator('.chart svg').waitFor();
    expect(await page.locator('.record rect').count()).toBe(0);
    await page.locator('#windows button').first().focus();
    await page.locator('.calendar rect').first().waitFor();
    await page.locator('.record rect').first().waitFor();
  });

  it('the first view of a station on a wide screen, with its map, takes less than 80 KB', async () => {
    const page = await newPage({ viewport: { width: 1_280, height: 900 } });
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      const size = request.sizes().then((of) => of.responseBodySize + of.responseHeadersSize);
      sizes.push(size);
    });
    await page.goto(`${origin}/ru/station/1`, { waitUntil: 'networkidle' });
    await page.locator('.leaflet-container').waitFor();
    const all = await Promise.all(sizes);
    expect(all.length).toBeGreaterThan(5);
    expect(all.reduce((sum, size) => sum + size)).toBeLessThan(80 * 1_024);
    await page.locator('.chart svg').waitFor({ state: 'detached' });
  });

  it.each([390, 1_280])(
    'nothing moves when the values of a history arrive late, at %i pixels',
    async (width) => {
      const page = await newPage({ viewport: { width, height: 900 } });
      const release = await hold(page, /explore\/v1|-history/);
      await page.goto(`${origin}/en/region/town`);
      await page.locator('#windows').scrollIntoViewIfNeeded();
      await page.locator('#computed').scrollIntoViewIfNeeded();
      const height = () => page.evaluate(() => document.documentElement.scrollHeight);
      const before = await height();
      await page.locator('.chart svg').waitFor({ state: 'detached' });
      release();
      await page.locator('.chart svg').waitFor();
      await page.locator('.calendar rect').first().waitFor({ state: 'attached' });
      expect(Math.abs((await height()) - before)).toBeLessThanOrEqual(30);
    },
  );

  it('the other indices stand beside the AQI', async () => {
    const page = await open(`${origin}/en/station/1`);
    expect(await page.locator('[data-live=indices]').textContent()).toMatch(
      /European index.*The worst of particles.*Sulphur dioxide: .*NowCast of PM2.5\d+\.\d µg\/m³, AQI \d+/s,
    );
    expect(await page.locator('figcaption').textContent()).toBe(
      'PM2.5, last 24 hours · 24 of 24 hours measured · colours: US index',
    );
    const now = (await (await fetch(`${origin}/en/explore/v1/station/1/now.json`)).json()) as {
      trend: string;
    };
    expect(await page.locator('.trend').textContent()).toContain(
      `\u00a0${now.trend} (the last hour`,
    );
    expect(await page.locator('.index').count(), 'one headline').toBe(1);
  });

  it('the history opens at a week, with one legend and without the guideline for days across its hours', async () => {
    const page = await show('');
    expect(await page.getByRole('button', { pressed: true }).textContent()).toBe('7 days');
    expect(await page.locator('.chart .guideline').count()).toBe(0);
    await page.getByRole('button', { name: '30 days' }).click();
    const plot = await page.locator('.chart .grid').first().boundingBox();
    const label = page.locator('.chart text', { hasText: 'WHO 15' });
    const { x = 0 } = (await label.boundingBox()) ?? {};
    expect(x, 'beside the plot').toBeGreaterThan((plot?.x ?? 0) + (plot?.width ?? 0));
    expect(await page.locator('.what').first().textContent()).toMatch(/WHO, day: 15 µg\/m³\.$/);
    await page.locator('#calendar').scrollIntoViewIfNeeded();
    await page.locator('.calendar').waitFor();
    await page.locator('#calendar .legend').waitFor();
    expect(await page.locator('.legend').count()).toBe(1);
  });

  it('all months stand in one strip, and each year leads to its calendar', async () => {
    for (const subject of ['station/1', 'region/town']) {
      const page = await open(`${origin}/en/${subject}`);
      await page.locator('#history').scrollIntoViewIfNeeded();
      await page.locator('.chart svg').waitFor();
      await page.locator('#calendar').scrollIntoViewIfNeeded();
      const years = page.locator('#calendar .record button');
      await years.locator('rect').first().waitFor();
      expect(await years.allTextContents()).toEqual(
        [2024, 2025, 2026].map((year) => expect.stringMatching(new RegExp(`^${year}`))),
      );
      const url = `${origin}/en/explore/v1/${subject}/months.json`;
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
    }
  });

  it('the table of months shows each month beside the same month a year before', async () => {
    const page = await show('?window=1y&parameter=temperature');
    await page.getByText('As a table').click();
    const rows = await page
      .locator('#windows tbody tr')
      .evaluateAll((all) =>
        all.map((row) =>
          [...(row as HTMLTableRowElement).cells].map(({ textContent }) => textContent ?? ''),
        ),
      );
    const value = (month: string) =>
      history['2y']?.find(({ timestamp }) => timestamp.startsWith(month))?.avg_temperature;
    const [now, before] = [Number(value('2026-10')), Number(value('2025-10'))];
    const text = (number: number) => number.toFixed(1).replace('-', '−');
    const change = Math.round((now - before) * 10) / 10;
    const october = rows.find(([month]) => month === 'Oct 2026');
    // one hour in six was measured
    expect(october?.slice(-2)).toEqual([
      `${text(before)} °C (under 75 %)`,
      `${change > 0 ? '+' : ''}${text(change)}`,
    ]);
    expect(rows.find(([month]) => month === 'Apr 2026')?.at(-1), 'nothing was measured').toBe('–');
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

  it('the page of a station that never sent anything says so, and shows no history and no forms', async () => {
    const page = await open(`${origin}/en/station/2?year=2026`);
    expect(await page.locator('[data-live=head]').textContent()).toContain(
      'Nothing has been measured here yet.',
    );
    expect(
      await page.locator('#history, .chart, .calendar, form, select, input, figure, .tile').count(),
    ).toBe(0);
    const region = await open(`${origin}/en/region/village`);
    expect(await region.locator('[data-live=head]').textContent()).toContain(
      'Nothing has been measured here yet.',
    );
    expect(await region.locator('[data-live=health]').textContent()).toBe('');
  });

  it('the page says that the history cannot be reached, and gets it on request', async () => {
    const page = await newPage({ errors: /503/ });
    let isAway = true;
    await page.route('**/1-history.json', (route) =>
      isAway ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await page.goto(`${origin}/en/station/1`);
    await page.locator('#history').evaluate((part) => part.scrollIntoView());
    await page.locator('#history .warning').waitFor();
    expect(await page.getByText('Loading…').isVisible()).toBe(false);
    isAway = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.chart svg').waitFor();
  });

  describe('accessibility', () => {
    it.each(['light', 'dark'] as const)(
      'a station’s page has no barrier that axe finds, and fits its screen: %s',
      async (colorScheme) => {
        for (const [locale, width] of [
          ['en', 1280],
          ['ru', 360],
          ['hy', 320],
        ] as const) {
          const page = await open(`${origin}/${locale}/station/1?window=30d&parameter=aqi`, {
            colorScheme,
            viewport: { width, height: 900 },
          });
          await page.locator('#history').scrollIntoViewIfNeeded();
          await page.locator('#download').scrollIntoViewIfNeeded();
          await page.locator('.calendar').waitFor({ state: 'attached' });
          await page.locator('#history details').evaluateAll((all) => {
            for (const one of all as HTMLDetailsElement[]) one.open = true;
          });
          await page.locator('.calendar').waitFor();
          expect(await axe(page)).toEqual([]);
          const [inside, whole] = await page.evaluate(() => [
            innerWidth,
            document.documentElement.scrollWidth,
          ]);
          expect(whole, `${locale}: nothing is wider than the screen`).toBeLessThanOrEqual(
            inside ?? 0,
          );
        }
      },
    );
  });

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
      await page.locator('#history').scrollIntoViewIfNeeded();
      await page.locator('.chart svg').waitFor();
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
});
