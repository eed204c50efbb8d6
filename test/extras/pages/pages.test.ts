/**
 * The pages as they are sent, without a browser: addresses, headers, languages, problems, and text
 * of the network, which is never HTML.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LOCALES, type Locale } from '../../../src/contract/endpoints.ts';
import { titleIn } from '../../../src/contract/words/siteTitle.ts';
import { openReaderPool } from '../../../src/database/pools.ts';
import { addPages } from '../../../src/extras/pages/pages.ts';
import type { ListedStation } from '../../../src/extras/pages/parts.ts';
import { cardPicture } from '../../../src/extras/pages/pictures.ts';
import { nearOf } from '../../../src/extras/pages/place.ts';
import { toPng } from '../../../src/extras/pages/png.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { makeApp } from '../../../src/serve/app.ts';
import { NOW } from '../../support/clock.ts';
import { isAll } from '../../support/database.ts';
import { beginRequest, httpGet } from '../../support/http.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { inBrowser } from './browser.ts';
import { MARKUP, openSite, type Site, STATIONS } from './site.ts';

const PATHS = [
  '',
  'station/1',
  `station/${STATIONS.offline}`,
  'region/town',
  'region/old-town',
  'region/town/limits',
  'station/1/limits/2025',
  'embed/station/1',
  'embed/region/town',
  'docs',
];
const IN_EACH = LOCALES.map((locale) => PATHS.map((path) => `/${locale}/${path}`));
/** Each page; in `npm run test:all`, in each language. */
const ALL = isAll ? IN_EACH.flat() : PATHS.map((_, n) => IN_EACH[n % LOCALES.length]?.[n] ?? '');
const OF_DATA = /^max-age=\d+, stale-while-revalidate=240, stale-if-error=600$/;
/** The widget cannot tell a browser to revalidate, so its documents say it. */
const ASKED_AGAIN = /^max-age=0, s-maxage=\d+$/;
function cacheControlOf(path: string): RegExp {
  if (path.endsWith('/docs')) return /^max-age=3600/;
  return path.includes('/embed/') ? ASKED_AGAIN : OF_DATA;
}

let site: Site;
beforeAll(async () => {
  site = await openSite({ SITE_CONTACT: 'air@town.example', SITE_LICENSE: 'CC-BY-4.0' });
  return () => site.close();
});
const get = (path: string, headers?: Record<string, string>) => site.get(path, headers);
const bodyOf = async (path: string) => (await get(path)).body;

it.each(ALL)(
  'a page has a strict policy, its language and headers for caches, gives 304 for its ETag, and the same headers for HEAD: %s',
  async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-language': path.slice(1, 3),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cache-control': expect.stringMatching(cacheControlOf(path)),
      vary: 'Accept-Encoding',
    });
    const policy = headers['content-security-policy'] as string;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain('unsafe');
    expect(policy).toMatch(
      path.includes('/embed/') ? /frame-ancestors \*$/ : /frame-ancestors 'none'$/,
    );
    expect(headers['set-cookie']).toBeUndefined();
    // the page has nothing that its policy would forbid
    const bare = body.replace(/(?<==)"[^"]*"/g, (text) =>
      /^"(module|application\/json)"$/.test(text) ? text : '',
    );
    expect(
      bare.match(
        /<script(?! src=| type="(module|application\/json)")|<style|<[^>]*\s(style|on\w+)=/g,
      ),
    ).toEqual(null);
    expect(body).toContain(`<html lang="${headers['content-language']}">`);
    if (!path.includes('/embed/'))
      for (const one of LOCALES)
        expect(body).toContain(`hreflang="${one}" href="/${one}/${path.slice(4)}`);

    const again = await get(path, { 'If-None-Match': headers.etag as string });
    expect(again).toMatchObject({ status: 304, body: '', headers: { etag: headers.etag } });
    const head = await beginRequest(Number(new URL(site.origin).port), {
      method: 'HEAD',
      path,
      headers: {},
    }).finish();
    expect(head.body).toBe('');
    expect(head.headers).toMatchObject({
      etag: headers.etag,
      'content-length': String(Buffer.byteLength(body)),
      'content-security-policy': headers['content-security-policy'],
    });
  },
);

it('every address on a page exists', async () => {
  const found = new Set<string>();
  for (const path of ALL) {
    for (const [, href = ''] of (await get(path)).body.matchAll(/(?:href|src)="(\/[^"#]*)"/g))
      found.add(href);
  }
  expect(found.size).toBeGreaterThan(40);
  const later = /\/explore\/v1\//; // documents of their own, tested with the API
  for (const path of [...found].filter((one) => !later.test(one))) {
    const { status } = await get(path);
    expect([200, 302], path).toContain(status);
  }
});

it.each(LOCALES)(
  'a document of the widget is text and links, and tells its age to pages of other origins: %s',
  async (locale) => {
    const paths = [
      ...Object.values(STATIONS).map((id) => `station/${id}`),
      'region/town',
      'region/secret',
      'station/999',
    ];
    for (const path of paths) {
      const { headers, body } = await get(`/${locale}/embed/${path}`);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringMatching(/\bAge\b/),
      });
      const [, main = ''] = /<main id="content">(.*)<\/main>/s.exec(body) ?? [];
      const tags = [...main.matchAll(/<(\w+)([^>]*)>/g)];
      expect(tags.length, path).toBeGreaterThan(3);
      for (const [tag, name, attributes = ''] of tags) {
        expect(name, tag).toMatch(/^(div|h1|p|a|b|s|span|small|time)$/);
        const names = [...attributes.matchAll(/ ([\w-]+)(?:="([^"]*)")?/g)].map(([, one]) => one);
        expect(
          names.filter(
            (one) => !/^(href|class|datetime|id|role|hidden|data-(live|text))$/.test(one ?? ''),
          ),
          tag,
        ).toEqual([]);
      }
      for (const [, href] of main.matchAll(/href="([^"]*)"/g))
        expect(href).toMatch(/^\/(en|ru|hy)\//);
    }
  },
);

describe('/', () => {
  it.each([
    ['ru-RU,ru;q=0.9,en;q=0.8', '/ru/'],
    ['de,fr;q=0.5', '/en/'],
    ['en;q=0.1,hy;q=0.2', '/hy/'],
    ['', '/en/'],
  ])('the address / leads a browser that prefers "%s" to %s', async (wanted, to) => {
    const { status, headers } = await get('/', { 'Accept-Language': wanted });
    expect(status).toBe(302);
    expect(headers).toMatchObject({
      location: to,
      vary: 'Accept-Language',
      'cache-control': 'no-cache',
    });
  });

  it('the address of a locale without a slash leads to the overview in that locale', async () => {
    expect(await get('/hy', { 'Accept-Language': 'en' })).toMatchObject({
      status: 302,
      headers: { location: '/hy/' },
    });
  });
});

it('titles, names of providers and of the site are never HTML', async () => {
  for (const path of [...ALL, '/en/station/9', '/en/embed/station/9', '/hy/region/town']) {
    const { body } = await get(path);
    expect(body, path).not.toContain('<img');
    expect(body, path).not.toContain('{{\'"');
    for (const [, json = ''] of body.matchAll(
      /<script type="application\/json"[^>]*>(.*?)<\/script>/gs,
    ))
      JSON.parse(json);
  }
  const escaped = MARKUP.replace(
    /[&<>"']/g,
    (one) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[one]};`,
  );
  expect((await get('/en/station/9')).body).toContain(`<h1 class="long">${escaped}</h1>`);
});

describe('hidden places', () => {
  it('a hidden station is in no list, and its address answers as the API does', async () => {
    const { body } = await get('/en/');
    expect(body).not.toContain('At hidden');
    expect((await get('/en/region/old-town')).body).not.toContain('At hidden');
    const api = await get(`/en/air-quality-app/v1/station/${STATIONS.hidden}.json`);
    expect((await get(`/en/station/${STATIONS.hidden}`)).status).toBe(api.status);
  });

  it('a hidden city and its districts are not in the overview; their stations are listed outside of any city', async () => {
    const { body } = await get('/en/');
    expect(body).not.toContain('Secret city');
    expect(body).not.toContain('Secret park');
    const [, elsewhere = ''] = body.split(
      `<summary>${WORDS.en.withoutCity} <small>1</small></summary>`,
    );
    expect(elsewhere).toMatch(
      /^<ul><li class="line"><span class="chip moderate box">\d+<\/span> <a href="\/en\/station\/11">/,
    );
    expect((await get('/en/region/secret')).status).toBe(200);
  });
});

describe('a problem', () => {
  it.each(LOCALES)(
    'an address in %s that names nothing is 404 as a page in that language, which names what is missing',
    async (locale) => {
      const { noStation, noRegion, notFound, notFoundText } = WORDS[locale];
      for (const [path, text, name] of [
        ['station/999', noStation, '999'],
        ['station/99999999999', noStation, '99999999999'],
        ['station/x', noStation, 'x'],
        ['region/none', noRegion, 'none'],
        ['embed/station/..%2F%3Cb%3E', noStation, '../&lt;b&gt;'],
        ['embed/region/', notFoundText, ''],
        ['what', notFoundText, ''],
      ] as const) {
        const { status, headers, body } = await get(`/${locale}/${path}`);
        expect(status, path).toBe(404);
        expect(headers).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'content-language': locale,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        });
        const isEmbedded = path.startsWith('embed/station/');
        expect(headers['content-security-policy']).toContain(
          `frame-ancestors ${isEmbedded ? '*' : "'none'"}`,
        );
        expect(body).toContain(`<h1>${notFound}</h1>`);
        expect(body, path).toContain(`<p>${text.replace('{name}', name)}</p>`);
      }
    },
  );

  it('a 404 is JSON at addresses for programs', async () => {
    for (const path of [
      '/en/air-quality-app/v1/station/999.json',
      '/en/air-quality-app/v1/x',
      '/nothing',
      '/assets/x/style.css',
    ]) {
      const { status, headers } = await get(path);
      expect([status, headers['content-type']], path).toEqual([
        404,
        'application/json; charset=utf-8',
      ]);
    }
  });

  it.each(['/nothing', '/de/station/x'])(
    'a 404 is a page for a browser that follows %s',
    async (path) => {
      for (const locale of LOCALES) {
        const browser = {
          Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
          'Accept-Language': `de,${locale};q=0.5`,
        };
        const { status, headers, body } = await get(path, browser);
        expect([status, headers['content-language']]).toEqual([404, locale]);
        expect(body).toContain(`<h1>${WORDS[locale].notFound}</h1>`);
        expect(body).toContain(`href="/${locale}/"`);
      }
      expect((await get(path, { Accept: '*/*' })).headers['content-type']).toContain('json');
    },
  );

  it.each([
    ['/Town', ['Город']],
    ['/en/region/tovn', ['Town']],
    ['/hy/%D0%93%D0%BE%D1%80%D0%BE%D0%B4', ['Քաղաք']],
    ['/ru/moderate', ['Станция moderate']],
    ['/en/Secret-City', []],
    ['/en/hidden', []],
    ['/en/embed/region/tovn', ['Town']],
    ['/en/embed/region/%D0%93%D0%BE%D1%80%D0%BE%D0%B4', ['Town']],
    [`/en/${'x'.repeat(5_000)}`, []],
  ])('the 404 page of %s suggests %s', async (path, titles) => {
    const browser = { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': 'ru' };
    const { status, headers, body } = await get(path, browser);
    expect(status).toBe(404);
    const found = [...body.matchAll(/<li><a href="(?<href>[^"]+)">(?<title>[^<]+)<\/a>/g)];
    expect(found.map(({ groups }) => groups?.title)).toEqual(titles);
    for (const { groups } of found)
      expect(await get(groups?.href ?? '')).toMatchObject({ status: 200 });
    expect(body).not.toMatch(/<code>[^<]*\{/); // an address in which the place is still to be named
    const isEmbedded = path.includes('embed');
    expect(body.includes(`action="/${headers['content-language']}/"`)).toBe(!isEmbedded);
    // one field to search in; its button has another word
    expect(
      body
        .split('<button>')
        .slice(1)
        .map((rest) => rest.split('<')[0]),
    ).toEqual(isEmbedded ? [] : [WORDS[headers['content-language'] as Locale].find]);
    expect(headers['content-security-policy']).toContain(
      `form-action ${isEmbedded ? "'none'" : "'self'"};`,
    );
  });

  it.each([
    ['/en/station/3/', '/en/station/3'],
    ['/en/Station/3', '/en/station/3'],
    ['/hy/region/Town', '/hy/region/town'],
    ['/docs', '/ru/docs'],
    ['/EN/docs/', '/en/docs'],
    ['/docs/', '/docs'],
    ['/pt-BR/station/3', '/ru/station/3'],
  ])('a browser that asks for %s is led to %s', async (path, meant) => {
    const browser = { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': 'de,ru;q=0.5' };
    const { status, headers } = await get(path, browser);
    expect(status).toBe(302);
    expect(headers).toMatchObject({
      location: meant,
      vary: 'Accept-Language',
      'cache-control': 'no-cache',
    });
  });
});

describe('the picture of a shared link', () => {
  const isDrawn = toPng !== undefined;

  it.each(['station/1', `station/${STATIONS.offline}`, 'region/town'])(
    'the picture of %s is a PNG if a binary that draws it is installed, else left out',
    async (path) => {
      const { body } = await get(`/hy/${path}`);
      const address = `/hy/card/${path}.png`;
      expect(body.includes(`<meta property="og:image" content="${address}">`)).toBe(isDrawn);
      const { status, headers } = await get(address);
      expect(status).toBe(isDrawn ? 200 : 404);
      if (!isDrawn) return;
      expect(headers).toMatchObject({ 'content-type': 'image/png', etag: expect.anything() });
      expect(Number(headers['content-length'])).toBeLessThan(100_000);
    },
  );

  it.skipIf(!isDrawn)(
    'the picture of a shared link has letters of every language and unit',
    async () => {
      const draw = async (title: string) => {
        const texts = { title, site: '', word: '', box: '', value: '', time: '' };
        return (await toPng?.(cardPicture({ ...texts, look: 'good' })))?.toString('base64');
      };
      // letters missing in a font are all drawn alike; one picture of a letter takes some 30 ms
      const missing = await draw('\u{10ffff}');
      const drawn = await Promise.all(
        [...'ԱևֆրЖёыЪ−µг³·₂₃'].map(async (letter) => [letter, await draw(letter)] as const),
      );
      expect(drawn.filter(([, png]) => png === missing).map(([letter]) => letter)).toEqual([]);
    },
  );
});

describe('files of pages', () => {
  it('files of a page, and those that they import, exist and may be kept for ever', async () => {
    const { body } = await get('/en/region/town');
    const files = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) {
      const { status, headers, body: text } = await get(path);
      expect(status, path).toBe(200);
      expect(headers).toMatchObject({
        'cache-control': 'max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-type': expect.stringMatching(
          /^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/,
        ),
      });
      expect((await get(path, { 'If-None-Match': headers.etag as string })).status).toBe(304);
      for (const [, name = ''] of text.matchAll(/(?:from|import\()\s*["'](\.[^"']+)["']/g)) {
        const imported = new URL(name, `${site.origin}${path}`).pathname;
        if (!files.includes(imported)) files.push(imported);
      }
    }
  });

  it('the widget has an address that stays, may be loaded by any page, and is small', async () => {
    const { status, headers, body } = await get('/widget.js');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cache-control': expect.stringContaining('max-age=3600'),
    });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8_000);
    expect(body).not.toMatch(/^(import|export) /m);
    expect(body).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write/);
  });
});

it.each(LOCALES)(
  'pages, frames and lists say that nothing was measured yet, and not that a station is offline: %s',
  async (locale) => {
    const { waiting, offline, unknown, neverSent } = WORDS[locale];
    const own = [`station/${STATIONS.waiting}`, `embed/station/${STATIONS.waiting}`];
    for (const path of [...own, 'region/young-town', 'embed/region/young-town']) {
      const [body = ''] = (await bodyOf(`/${locale}/${path}`)).split('data-live="where"');
      expect(body, path).toContain(`<span class="chip unknown">${waiting}</span>`);
      expect(body, path).not.toContain(`>${offline}<`);
      expect(body, path).not.toContain(`>${unknown}<`);
      expect(body, path).toContain(neverSent);
    }
    const { body } = await get(`/${locale}/station/${STATIONS.waiting}`);
    expect(body, 'no history').not.toMatch(/id="history"|class="tile|<(form|select|input|figure)/);
    const [list = ''] = (await bodyOf(`/${locale}/`)).split('id="map"');
    // the city and its station
    expect(list.split(`<span class="word">${waiting}</span>`)).toHaveLength(3);
    expect(list.split(`<span class="word">${offline}</span>`)).toHaveLength(2);
  },
);

describe('the place of a station', () => {
  it.each(LOCALES)(
    'a station’s page has its coordinates, and the nearest five stations with index and distance: %s',
    async (locale) => {
      const body = await bodyOf(`/${locale}/station/${STATIONS.sensitive}`);
      const words = WORDS[locale];
      expect(body).toContain(`${words.coordinates}: <a href="geo:40.03,44.5">40.03, 44.5</a>`);
      const [, where = ''] = body.split('data-live="where"');
      const lines = [...where.matchAll(/<li class="line">.*?<\/li>/gs)].map(([line]) => line);
      const ids = lines.map((line) => Number(/\/station\/(\d+)"/.exec(line)?.[1]));
      expect(ids).toEqual([2, 4, 1, 5, 6]); // a hundredth of a degree apart, 1.1 km
      const km = (text: string) =>
        words.km.replace('{km}', locale === 'en' ? text : text.replace('.', ','));
      for (const [n, text] of ['1.1', '1.1', '2.2', '2.2', '3.3'].entries())
        expect(lines[n]).toContain(km(text));
      expect(lines[1]).toMatch(/chip unhealthy.*PM2\.5.*100[.,]0/s);
    },
  );

  it('the nearest stations are those with values, whose lines have no trend and no curve', async () => {
    const body = await bodyOf(`/en/station/${STATIONS.waiting}`);
    const [, where = ''] = body.split('data-live="where"');
    const [list = ''] = where.split('id="map"');
    const ids = [...list.matchAll(/\/station\/(\d+)"/g)].map(([, id]) => Number(id));
    // of the nearest five, station 8 is offline
    expect(ids).toEqual([
      STATIONS.elsewhere,
      STATIONS.markup,
      STATIONS.unknown,
      STATIONS.hazardous,
    ]);
    expect(list).not.toMatch(/class="spark|rising|falling|steady|[↗↘→]/);
  });

  it('a station farther away than 25 km is no neighbour', () => {
    const near = [24.9, 25, 25.1].map((distance_km, id) => ({ id, distance_km }));
    const stations = near.map(({ id }) => ({ id }) as ListedStation);
    expect(nearOf(near, stations).map(({ id }) => id)).toEqual([0, 1]);
  });

  it('a hidden station’s page has its coordinates, and no page has it as a neighbour', async () => {
    expect(await bodyOf(`/en/station/${STATIONS.hidden}`)).toContain('40.1, 44.5');
    const [, where = ''] = (await bodyOf(`/en/station/${STATIONS.markup}`)).split(
      'data-live="where"',
    );
    expect(where).not.toContain(`/en/station/${STATIONS.hidden}"`);
    expect(where).toContain(`/en/station/${STATIONS.elsewhere}"`);
  });

  it('the page of a town that measures nothing has its nearest stations, and a map with both; a town that measures has no such list', async () => {
    const heading = `<h3>${WORDS.en.neighbours}</h3>`;
    const body = await bodyOf('/en/region/young-town');
    const [, nearest = ''] = body.split(heading);
    const ids = [...nearest.matchAll(/href="\/en\/station\/(\d+)"/g)].map(([, id]) => Number(id));
    // the hidden one is not shown
    expect(ids).toEqual([11, 9, 8, 7, 6]);
    expect(nearest).toContain('1.1 km · ');
    const [, json = '[]'] = /id="places">(.*?)<\/script>/.exec(body) ?? [];
    const placed = (JSON.parse(json) as unknown[][]).map(([, key]) => key);
    expect(placed.toSorted()).toEqual([...ids, STATIONS.waiting].toSorted());
    expect(await bodyOf('/en/region/town')).not.toContain(heading);
  });
});

inBrowser('each page in a browser', (open) => {
  it.each([
    ['', '.map .pin'],
    ['region/town', '.chart svg'],
    [`station/${STATIONS.good}`, '#calendar .calendar rect'],
    ['region/town/limits', 'h1'],
    ['embed/station/1', '.index'],
  ])('the page %s shows its parts, and complains of nothing', async (path, part) => {
    const page = await open({ viewport: { width: 1_280, height: 4_000 } });
    await page.goto(`${site.origin}/en/${path}`);
    await page.locator(part).first().waitFor();
    expect(await page.locator('h1').first().textContent()).not.toBe('');
  });

  it('the widget shows the values of its station', async () => {
    const page = await open();
    await page.goto(`${site.origin}/en/embed/station/1`);
    await page.setContent('<air-quality station="1" lang="en"></air-quality>');
    await page.addScriptTag({ url: `${site.origin}/widget.js`, type: 'module' });
    await expect.poll(() => page.locator('air-quality .index b').textContent()).toBe('28');
  });
});

it('without the database, pages are 503 in words, files and the reference are sent, and the outage is logged once', async () => {
  const NOWHERE = { host: '/nonexistent', port: 5432, user: 'nobody', database: 'nothing' };
  const db = openReaderPool(NOWHERE, { timeZone: 'Asia/Yerevan', max: 1 });
  const log = keepingLog();
  const titles = { en: '', ru: '', hy: '' };
  const of = {
    url: '',
    titles,
    contact: '',
    license: '',
    zone: 'Asia/Yerevan',
    index: 'aqi',
  } as const;
  const app = makeApp({
    db,
    clock: () => NOW,
    siteBaseUrl: '',
    log,
    routes: [(router, parts) => addPages(router, of, parts)],
  });
  const server = createServer(app).listen(0);
  onTestFinished(async () => {
    server.close();
    await db.destroy();
  });
  const { port } = server.address() as AddressInfo;
  for (const locale of LOCALES) {
    for (const path of ['', 'station/1', 'embed/region/town']) {
      const { status, headers, body } = await httpGet(port, `/${locale}/${path}`);
      expect(status).toBe(503);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'retry-after': '5',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      const title = `${WORDS[locale].unavailable} – ${titleIn(of, locale)}`;
      expect(body).toContain(`<title>${title}</title>`);
      const [, style = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(body) ?? [];
      expect((await httpGet(port, style)).status).toBe(200);
    }
  }
  expect(await httpGet(port, '/hy/docs')).toMatchObject({ status: 200 });
  expect(await httpGet(port, '/widget.js')).toMatchObject({ status: 200 });
  const said = log.lines
    .filter(({ message }) => /database/.test(message))
    .map(({ level, message }) => [level, message]);
  expect(said).toEqual([['warn', 'database unavailable; returning 503']]);
});

it('the pages of a station and of its regions say which hours were recomputed, with a link to the document, without JavaScript', async () => {
  const owner = site.here.database.as();
  const [since, until] = ['2026-09-30T20:00:00Z', '2026-10-31T20:00:00Z'];
  await owner`delete from rollup.change`;
  await owner`insert into rollup.change (reason, station_id, sensor_id, regions, since, until, shown_at)
    values ('placement', ${STATIONS.markup}, 9, '{old-town}', ${since}, ${until}, '2026-11-03T06:00:00Z')`;
  await owner`select logic.raise_data_version()`;
  await site.read(STATIONS.good, { pm25: 5 }); // the pages are made from scratch
  for (const [path, why] of [
    [`station/${STATIONS.markup}`, '9'],
    ['region/old-town', MARKUP],
  ] as const) {
    const link = `/en/explore/v1/${path}/changes.json`;
    const line = async () =>
      /<div data-live="changes">(.*?)<\/div>/s.exec(await bodyOf(`/en/${path}`))?.[1] ?? '';
    await expect.poll(line).toContain(`<a href="${link}">All changes</a>`);
    expect((await site.get(link)).status).toBe(200);
    const escaped = why.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect((await line()).replaceAll('&quot;', '"').replaceAll('&#39;', "'")).toContain(
      `Oct 2026 was recomputed on 3 Nov 2026: sensor moved or left out (${escaped}).`,
    );
  }
  for (const path of [`station/${STATIONS.good}`, 'region/young-town'])
    expect(await bodyOf(`/en/${path}`)).toContain('<div data-live="changes"></div>');
});
