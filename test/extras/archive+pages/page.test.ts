/** The page of the archive, in the frame of the pages: in three languages, and in a browser. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { TITLE } from '../../../src/extras/archive/words.ts';
import { put, putIndex } from '../archive/folder.ts';
import { axe, inBrowserInAll } from '../pages/browser.ts';
import { openSite, type Site } from '../pages/site.ts';

const MONTHS = Array.from({ length: 26 }, (_, n) => {
  const month = new Date(Date.UTC(2024, 9 + n, 1)).toISOString().slice(0, 7);
  return `hours/${month}.parquet`;
});
const FILES = [
  ...MONTHS,
  'days/2024.parquet',
  'days/2025.parquet',
  'days/2026.parquet',
  'regions-hours/2026-10.parquet',
  'stations.csv',
  'airquality-am/station_avg_hourly/station_avg_hourly_2026.csv',
];

const folder = mkdtempSync(join(tmpdir(), 'airseries-archive-'));
let site: Site;
beforeAll(async () => {
  for (const [n, path] of FILES.entries()) put(folder, path, 'x'.repeat(1_234_567 + n));
  const period = { first: '2026-09-30T20:00:00Z', last: '2026-10-31T19:00:00Z' };
  putIndex(folder, FILES, { rows: 744_000, ...period });
  site = await openSite({ ARCHIVE_DIR: folder, SITE_TITLE_RU: 'Воздух', SITE_TITLE_HY: 'Օդ' });
  return async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  };
});

describe.each(LOCALES)('%s', (locale) => {
  it(`the page lists every file with its size, rows, local period and change: ${locale}`, async () => {
    const { status, headers, body } = await site.get(`/${locale}/archive`);
    expect([status, headers['content-language']]).toEqual([200, locale]);
    expect(body).toContain(`<h1>${TITLE[locale]}</h1>`);
    if (locale !== 'en') expect(body).toContain(` – ${{ ru: 'Воздух', hy: 'Օդ' }[locale]}</title>`);
    const linked = [...body.matchAll(/<a href="\/archive\/([^"]*)">/g)].map(([, path]) => path);
    expect(linked.slice(0, 2)).toEqual([
      'hours/2026-11.parquet', // the newest first
      'hours/2026-10.parquet',
    ]);
    expect([...linked].sort()).toEqual([...FILES, 'datapackage.json'].sort());
    expect(linked.at(-1)).toBe('datapackage.json');
    const [first] = body.matchAll(/<a href="([^"]*)" download>(\d+)</g);
    expect(first?.slice(1)).toEqual([
      `/${locale}/explore/v1/region/town/excel/2026-01-01/2026-12-31.csv`,
      '2026',
    ]);
    const [, row = ''] =
      /(<tr><th scope="row"><a href="\/archive\/hours\/2026-10.*?<\/tr>)/.exec(body) ?? [];
    const cells = [...row.matchAll(/<td>([^<]*)/g)].map(([, cell = '']) => cell);
    expect(cells.map((cell) => cell.replaceAll('\u00a0', ' '))).toEqual(
      {
        en: ['1.2 MB', '744,000', '1 Oct 2026 – 31 Oct 2026', '2 Nov 2026'],
        ru: ['1,2 МБ', '744 000', '1 окт. 2026 г. – 31 окт. 2026 г.', '2 нояб. 2026 г.'],
        hy: ['1,2 ՄԲ', '744 000', '1 հոկ, 2026 թ. – 31 հոկ, 2026 թ.', '2 նոյ, 2026 թ.'],
      }[locale],
    );
  });

  it(`the foot of every page leads to it, and /archive/ in the reader's language: ${locale}`, async () => {
    for (const path of ['', 'station/1', 'docs', 'archive'])
      expect((await site.get(`/${locale}/${path}`)).body).toContain(
        `<a href="/${locale}/archive">${TITLE[locale]}</a>`,
      );
    const { status, headers } = await site.get('/archive/', {
      'Accept-Language': `de,${locale};q=0.5`,
      Accept: 'text/html',
    });
    expect([status, headers.location, headers.vary]).toEqual([
      302,
      `/${locale}/archive`,
      'Accept-Language',
    ]);
  });
});

it.each([
  [
    'en',
    'up to 20 Nov 2026 09:00 (UTC)',
    'Not complete yet, and made soon: 2026, 2024-10 – 2025-01, 2026-09.',
  ],
  [
    'ru',
    /по 20 нояб\. 2026\sг\. 09:00 \(UTC\)/,
    'Ещё не готовы, но скоро появятся: 2026, 2024-10 – 2025-01, 2026-09.',
  ],
  ['hy', '20 նոյ, 2026 թ. 09:00 (UTC)', 'շուտով կլինեն՝ 2026, 2024-10 – 2025-01, 2026-09։'],
])(
  'the page says up to when the files go, and what is missing: %s',
  async (locale, upTo, lacking) => {
    const months = [...MONTHS.slice(0, 4), 'hours/2026-09.parquet'];
    const missing = [...months, ...months.map((path) => `regions-${path}`), 'days/2026.parquet'];
    putIndex(folder, FILES, { rows: 744_000 }, { up_to: '2026-11-20T09:00:00Z', missing });
    const { body } = await site.get(`/${locale}/archive`);
    expect(body).toMatch(upTo);
    expect(body).toMatch(/<p>[^<]*2026[^<]* 06:23[^<]*<\/p>/); // when the running month comes
    expect(body).toContain(lacking);
    putIndex(folder, FILES, { rows: 744_000 });
    expect((await site.get(`/${locale}/archive`)).body).not.toContain(lacking);
  },
);

it('before the first build the page says when there will be files', async () => {
  const index = join(folder, 'datapackage.json');
  renameSync(index, `${index}.part`);
  const { status, body } = await site.get('/en/archive');
  expect([status, body]).toEqual([
    200,
    expect.stringContaining('They are made soon after the start, and each night.'),
  ]);
  expect(body).not.toContain('/archive/datapackage.json');
  renameSync(`${index}.part`, index);
  expect((await site.get('/en/archive')).body).toContain('/archive/datapackage.json');
});

it('a name in the index is never HTML', async () => {
  const path = 'hours/2026-10.parquet';
  putIndex(folder, FILES, { rows: 1 });
  put(
    folder,
    'datapackage.json',
    JSON.stringify({
      resources: [
        {
          path: `<img src=x>/${path}`,
          bytes: 1,
          hash: `sha256:${'0'.repeat(64)}`,
          modified: '2026-11-02T00:00:00Z',
        },
      ],
    }),
  );
  const { body } = await site.get('/en/archive');
  expect(body).toContain('&lt;img src=x&gt;');
  expect(body).not.toContain('<img');
  putIndex(folder, FILES, { rows: 744_000 });
});

inBrowserInAll('the page of the archive', (open) => {
  it.each([
    ['light', 390, 'en'],
    ['dark', 1280, 'hy'],
  ] as const)(
    'the page has no barrier that axe finds, and is not wider than its window: %s, %i px, %s',
    async (colorScheme, width, locale) => {
      const page = await open({ colorScheme, viewport: { width, height: 900 } });
      await page.goto(`${site.origin}/${locale}/archive`);
      expect(await page.locator('pre').textContent()).toContain(`'${site.origin}/archive/hours/`);
      expect(await axe(page)).toEqual([]);
      await page.evaluate(
        "document.querySelectorAll('main details').forEach((one) => { one.open = true; })",
      );
      expect(await axe(page), 'all of it open').toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
    },
  );
});
