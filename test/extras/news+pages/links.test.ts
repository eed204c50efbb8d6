/** The feeds that pages name, and what leads to the warnings of a place. */
import { beforeAll, expect, it } from 'vitest';
import { makePageMaker } from '../../../src/extras/pages/maker.ts';
import { openSite, type Site, STATIONS } from '../pages/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({ SITE_TITLE: 'Air' });
  return () => site.close();
});
const page = async (path: string) => (await site.get(path)).body;

it('every page names its feeds: warnings, its own changes, all changes', async () => {
  const feedsOf = async (path: string) =>
    [...(await page(path)).matchAll(/<link ([^>]*application\/atom\+xml[^>]*)>/g)].map(
      ([, attributes]) => /title="(.*?)" href="(.*?)"/.exec(attributes ?? '')?.slice(1),
    );
  const all = ['Changes of published numbers', '/en/explore/v1/changes.atom'];
  const first = `/en/explore/v1/station/${STATIONS.good}/changes.atom`;
  expect(await feedsOf('/en/')).toEqual([all]);
  expect(await feedsOf(`/en/station/${STATIONS.good}`)).toEqual([
    ['At good: air quality warnings', `/en/explore/v1/station/${STATIONS.good}/warnings.atom`],
    ['At good: changes of published numbers', first],
    all,
  ]);
  expect(await feedsOf('/ru/region/town')).toEqual([
    ['Город: предупреждения о качестве воздуха', '/ru/explore/v1/region/town/warnings.atom'],
    ['Город: изменения опубликованных данных', '/ru/explore/v1/region/town/changes.atom'],
    ['Изменения опубликованных данных', '/ru/explore/v1/changes.atom'],
  ]);
  expect(await feedsOf(`/en/embed/station/${STATIONS.good}`)).toEqual([]);
  // and each leads back to its page
  expect((await site.get(first)).body).toContain(`href="/en/station/${STATIONS.good}"`);
});

it('a page leads to the warnings of its place beside the advice, and a hidden station has none (C6)', async () => {
  const path = `station/${STATIONS.good}/warnings.atom`;
  const [, head = ''] =
    /<section class="head"[^>]*>(.*?)<\/section>/s.exec(
      await page(`/en/station/${STATIONS.good}`),
    ) ?? [];
  expect(head).toMatch(
    new RegExp(
      `<a href="/en/explore/v1/${path}"\\s+type="application/atom\\+xml">Get warnings</a>`,
    ),
  );
  expect((await site.get(`/en/explore/v1/${path}`)).status).toBe(200);
  expect(await page('/hy/region/town')).toContain('/hy/explore/v1/region/town/warnings.atom"');
  expect(await page(`/en/station/${STATIONS.hidden}`)).not.toContain('warnings.atom');
});

it('a 404 names the address that is nearly asked for, to programs and on a page', async () => {
  const warnings = (subject: string) => `/en/explore/v1/${subject}/warnings.atom`;
  for (const [path, meant] of [
    ['/rss', [warnings('station/{id}'), warnings('region/{slug}')]],
    ['/feed.xml', [warnings('station/{id}'), warnings('region/{slug}')]],
    ['/en/explore/v1/region/town/warning.atom', [warnings('region/town')]],
    ['/map/pm25.json', ['/en/explore/v1/map/pm2.5.json']],
    ['/openapi.jsn', ['/openapi.json']],
  ] as const) {
    const { status, body } = await site.get(path);
    expect([status, JSON.parse(body).detail]).toEqual([
      404,
      expect.stringContaining(`Did you mean ${meant.join(' or ')}?`),
    ]);
  }
  for (const [path, meant] of [
    ['/hy/region/town/rss', '/hy/explore/v1/region/town/warnings.atom'],
    ['/ru/doks', '/ru/docs'],
  ] as const)
    expect(await page(path)).toContain(`<li><a href="${meant}"><code>${meant}</code></a></li>`);
});

it('where no extra renders feeds, a page names none', async () => {
  const maker = makePageMaker('');
  const titles = { en: 'Air', ru: '', hy: '' };
  const of = { titles, contact: '', license: '', zone: 'UTC', index: 'aqi' } as const;
  const shown = { locale: 'en', path: 'x', title: 'X', body: maker.html`x` } as const;
  const feeds = () => ({}) as never;
  for (const [offers, expected] of [
    [{}, false],
    [{ feeds }, true],
  ] as const) {
    const text = String(maker.render({ site: of, offers }, shown).text);
    expect(text.includes('atom+xml')).toBe(expected);
  }
});
