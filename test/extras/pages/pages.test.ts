/**
 * The pages as they are sent, without a browser: addresses, headers, languages, problems, and text
 * of the network, which is never HTML.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LOCALES, type Locale } from '../../../src/contract/endpoints.ts';
import { titleIn } from '../../../src/contract/words/siteTitle.ts';
import { openReaderPool } from '../../../src/database/pools.ts';
import { addPages } from '../../../src/extras/pages/pages.ts';
import { cardPicture } from '../../../src/extras/pages/pictures.ts';
import { toPng } from '../../../src/extras/pages/png.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { makeApp } from '../../../src/serve/app.ts';
import { NOW } from '../../support/clock.ts';
import { beginRequest, httpGet } from '../../support/http.ts';
import { keepingLog } from '../../support/keepingLog.ts';
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
const ALL = LOCALES.flatMap((locale) => PATHS.map((path) => `/${locale}/${path}`));
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

describe.each(ALL)('%s', (path) => {
  it('a page has a strict policy, its language and headers for caches', async () => {
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
    expect(body).toMatch(new RegExp(`<html lang="${headers['content-language']}">`));
  });

  it('a page gives 304 for its ETag, and the same headers for HEAD', async () => {
    const { headers, body } = await get(path);
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
  });
});

describe('a page', () => {
  it('a page links to itself in every language', async () => {
    const { body } = await get('/ru/station/1');
    const others = [...body.matchAll(/<link rel="alternate" hreflang="(\w+)" href="([^"]+)">/g)];
    expect(others.map(([, locale, href]) => [locale, href])).toEqual(
      LOCALES.map((one) => [one, `/${one}/station/1`]),
    );
  });

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

  it('contact and licence are in the foot of a page and in the OpenAPI document', async () => {
    const { body } = await get('/en/');
    expect(body).toContain('Licence of the data: CC-BY-4.0.');
    expect(body).toContain('<a href="mailto:air@town.example">air@town.example</a>');
    expect(await site.json('/openapi.json')).toMatchObject({
      info: { contact: { email: 'air@town.example' }, license: { name: 'CC-BY-4.0' } },
    });
  });

  it('a page is sent compressed to clients that accept it, with the same content', async () => {
    const { body } = await get('/en/');
    for (const [coding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const answer = await fetchRaw('/en/', coding);
      expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
      expect(String(unpack(answer.bytes))).toBe(body);
    }
  });
});

/** An answer as it was sent: `fetch` would unpack it, and text would break it. */
async function fetchRaw(path: string, coding: string) {
  const { get: begin } = await import('node:http');
  return await new Promise<{ headers: object; bytes: Buffer }>((resolve) => {
    begin(`${site.origin}${path}`, { headers: { 'Accept-Encoding': coding } }, (res) => {
      const parts: Buffer[] = [];
      res
        .on('data', (part) => parts.push(part))
        .on('end', () => resolve({ headers: res.headers, bytes: Buffer.concat(parts) }));
    });
  });
}

describe('documents of the widget', () => {
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
});

describe('/', () => {
  it.each([
    ['ru-RU,ru;q=0.9,en;q=0.8', '/ru/'],
    ['hy', '/hy/'],
    ['de,fr;q=0.5', '/en/'],
    ['en;q=0.1,hy;q=0.2', '/hy/'],
    ['*', '/en/'],
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

describe('text of the network', () => {
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
    'an address in %s that names nothing is 404 as a page in that language',
    async (locale) => {
      for (const path of [
        'station/999',
        'station/99999999999',
        'station/0',
        'station/x',
        'region/none',
        'embed/station/999',
        'what',
      ]) {
        const { status, headers, body } = await get(`/${locale}/${path}`);
        expect(status, path).toBe(404);
        expect(headers).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'content-language': locale,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        });
        const isEmbedded = path.startsWith('embed/');
        expect(headers['content-security-policy']).toContain(
          `frame-ancestors ${isEmbedded ? '*' : "'none'"}`,
        );
        expect(body).toContain(`<h1>${WORDS[locale].notFound}</h1>`);
      }
    },
  );

  it.each(LOCALES)('a 404 page names the missing station or region: %s', async (locale) => {
    const { noStation, noRegion } = WORDS[locale];
    for (const [path, text, name] of [
      ['embed/station/999', noStation, '999'],
      ['station/999', noStation, '999'],
      ['embed/region/none', noRegion, 'none'],
      ['embed/station/..%2F%3Cb%3E', noStation, '../&lt;b&gt;'],
      ['embed/region/', WORDS[locale].notFoundText, ''],
    ] as const) {
      const { status, headers, body } = await get(`/${locale}/${path}`);
      expect([status, headers['content-type']], path).toEqual([404, 'text/html; charset=utf-8']);
      expect(body).toContain(`<p>${text.replace('{name}', name)}</p>`);
    }
  });

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

  it.each(['/nothing', '/de/what', '/de/station/x', '/x'.repeat(3)])(
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
    ['/ru/at%20modrate', ['Станция moderate']],
    ['/ru/moderate', ['Станция moderate']],
    ['/en/Secret-City', []],
    ['/en/secret-park', []],
    ['/en/hidden', []],
    ['/en/station/999', []],
    ['/en/embed/region/tovn', ['Town']],
    [`/en/${'x'.repeat(5_000)}`, []],
  ])('the 404 page of %s suggests %s', async (path, titles) => {
    const browser = { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': 'ru' };
    const { status, headers, body } = await get(path, browser);
    expect(status).toBe(404);
    const found = [...body.matchAll(/<li><a href="(?<href>[^"]+)">(?<title>[^<]+)<\/a>/g)];
    expect(found.map(({ groups }) => groups?.title)).toEqual(titles);
    for (const { groups } of found)
      expect(await get(groups?.href ?? '')).toMatchObject({ status: 200 });
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
    ['/HY/region/town//', '/hy/region/town'],
    ['/docs', '/ru/docs'],
    ['/EN/docs/', '/en/docs'],
    ['/de/docs', '/ru/docs'],
    ['/docs/', '/docs'],
    ['/de/', '/ru/'],
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

  it('a 404 stays JSON for the API, also with a wrong case or a slash at the end', async () => {
    const browser = { Accept: 'text/html,*/*;q=0.8' };
    for (const path of ['Station/3.json', 'station/3.json/', 'stations.JSON']) {
      const { status, headers } = await get(`/en/air-quality-app/v1/${path}`, browser);
      expect([status, headers['content-type']], path).toEqual([
        404,
        'application/json; charset=utf-8',
      ]);
    }
  });

  it('a wrong method is 405, as in the API', async () => {
    const post = await beginRequest(Number(new URL(site.origin).port), {
      method: 'POST',
      path: '/en/',
      headers: {},
    }).finish();
    expect(post).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
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
  it('files of a page exist, and may be kept for ever', async () => {
    const { body } = await get('/en/region/town');
    const files = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) {
      const { status, headers } = await get(path);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'cache-control': 'max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-type': expect.stringMatching(
          /^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/,
        ),
      });
      expect((await get(path, { 'If-None-Match': headers.etag as string })).status).toBe(304);
    }
  });

  it('scripts import only files that exist', async () => {
    const { body } = await get('/en/region/town');
    const left = [...body.matchAll(/<script type="module" src="([^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    const seen = new Set(left);
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const { status, body: text } = await get(path);
      expect(status, path).toBe(200);
      for (const [, name = ''] of text.matchAll(/(?:from|import\()\s*["'](\.[^"']+)["']/g)) {
        const next = new URL(name, `${site.origin}${path}`).pathname;
        if (!seen.has(next)) left.push(next);
        seen.add(next);
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
