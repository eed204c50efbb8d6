/**
 * The pages as they are sent, without a browser: addresses, headers, languages, problems, and text
 * that isn't HTML.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { openReaderPool } from '../../../src/database/pools.ts';
import { addPages } from '../../../src/extras/pages/pages.ts';
import { cardPicture } from '../../../src/extras/pages/pictures.ts';
import { toPng } from '../../../src/extras/pages/png.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { makeApp } from '../../../src/serve/app.ts';
import { keepingLog } from '../../ingest/support.ts';
import { beginRequest, httpGet } from '../../support/http.ts';
import { MARKUP, NOW, openSite, type Site, STATIONS } from './site.ts';

const PATHS = [
  '',
  'station/1',
  `station/${STATIONS.offline}`,
  'region/town',
  'region/old-town',
  'embed/station/1',
  'embed/region/town',
  'docs',
];
const ALL = LOCALES.flatMap((locale) => PATHS.map((path) => `/${locale}/${path}`));
const OF_DATA = /^max-age=\d+, stale-while-revalidate=240, stale-if-error=600$/;
/** The widget cannot say that a browser shall ask. */
const ASKED_AGAIN = /^max-age=0, s-maxage=\d+$/;

let site: Site;
beforeAll(async () => {
  site = await openSite({ SITE_CONTACT: 'air@town.example', SITE_LICENSE: 'CC-BY-4.0' });
  return () => site.close();
});
const get = (path: string, headers?: Record<string, string>) => site.get(path, headers);

describe.each(ALL)('%s', (path) => {
  it('is a page with a strict policy, in its language, for a cache', async () => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-language': path.slice(1, 3),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cache-control': expect.stringMatching(
        path.endsWith('/docs') ? /^max-age=3600/ : path.includes('/embed/') ? ASKED_AGAIN : OF_DATA,
      ),
      vary: 'Accept-Encoding',
    });
    const policy = headers['content-security-policy'] as string;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain('unsafe');
    expect(policy).toMatch(
      path.includes('/embed/') ? /frame-ancestors \*$/ : /frame-ancestors 'none'$/,
    );
    expect(headers['set-cookie']).toBeUndefined();
    // what the policy would forbid
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

  it('is asked for again by its ETag, and has headers for HEAD', async () => {
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
  it('names itself in the other languages, whose addresses exist', async () => {
    const { body } = await get('/ru/station/1');
    const others = [...body.matchAll(/<link rel="alternate" hreflang="(\w+)" href="([^"]+)">/g)];
    expect(others.map(([, locale, href]) => [locale, href])).toEqual(
      LOCALES.map((one) => [one, `/${one}/station/1`]),
    );
  });

  it('has only addresses that exist', async () => {
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

  it('says whose data these are, in its foot and in the OpenAPI document', async () => {
    const { body } = await get('/en/');
    expect(body).toContain('Licence of the data: CC-BY-4.0.');
    expect(body).toContain('<a href="mailto:air@town.example">air@town.example</a>');
    expect(await site.json('/openapi.json')).toMatchObject({
      info: { contact: { email: 'air@town.example' }, license: { name: 'CC-BY-4.0' } },
    });
  });

  it('comes compressed to clients that accept it, and the same', async () => {
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

/** `fetch` would unpack it, and text would break it. */
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

describe('what the widget reads', () => {
  it.each(LOCALES)(
    'is text and links, and says its age to pages of other origins: %s',
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
  ])('leads a browser that prefers "%s" to %s', async (wanted, to) => {
    const { status, headers } = await get('/', { 'Accept-Language': wanted });
    expect(status).toBe(302);
    expect(headers).toMatchObject({
      location: to,
      vary: 'Accept-Language',
      'cache-control': 'no-cache',
    });
  });

  it('and a locale without a slash lead to the same', async () => {
    expect(await get('/hy', { 'Accept-Language': 'en' })).toMatchObject({
      status: 302,
      headers: { location: '/hy/' },
    });
  });
});

describe('text of the network', () => {
  it('is never HTML: titles, names of providers and of the site', async () => {
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
    expect((await get('/en/station/9')).body).toContain(`<h1>${escaped}</h1>`);
  });
});

describe('what is hidden', () => {
  it('a hidden station is in no list, and its address answers as the API does', async () => {
    const { body } = await get('/en/');
    expect(body).not.toContain('At hidden');
    expect((await get('/en/region/old-town')).body).not.toContain('At hidden');
    const api = await get(`/en/air-quality-app/v1/station/${STATIONS.hidden}.json`);
    expect((await get(`/en/station/${STATIONS.hidden}`)).status).toBe(api.status);
  });

  it('a hidden city and its districts are not in the overview; their stations are, outside of any city', async () => {
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
    'is a page in the locale, %s, of an address that names nothing',
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

  it.each(LOCALES)('names what is not there: %s', async (locale) => {
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

  it('is JSON where programs ask', async () => {
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
    'is a page where a person follows %s',
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
    ['/en/embed/region/tovn', []],
    [`/en/${'x'.repeat(5_000)}`, []],
  ])('names what was perhaps meant by %s: %s', async (path, titles) => {
    const browser = { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': 'ru' };
    const { status, headers, body } = await get(path, browser);
    expect(status).toBe(404);
    const found = [...body.matchAll(/<li><a href="(?<href>[^"]+)">(?<title>[^<]+)<\/a>/g)];
    expect(found.map(({ groups }) => groups?.title)).toEqual(titles);
    for (const { groups } of found)
      expect(await get(groups?.href ?? '')).toMatchObject({ status: 200 });
    const isEmbedded = path.includes('embed');
    expect(body.includes(`action="/${headers['content-language']}/"`)).toBe(!isEmbedded);
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
  ])('is none where %s means %s', async (path, meant) => {
    const browser = { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': 'de,ru;q=0.5' };
    const { status, headers } = await get(path, browser);
    expect(status).toBe(302);
    expect(headers).toMatchObject({
      location: meant,
      vary: 'Accept-Language',
      'cache-control': 'no-cache',
    });
  });

  it('stays JSON for the API, however near a path is (wrong case, a slash at its end)', async () => {
    const browser = { Accept: 'text/html,*/*;q=0.8' };
    for (const path of ['Station/3.json', 'station/3.json/', 'stations.JSON']) {
      const { status, headers } = await get(`/en/air-quality-app/v1/${path}`, browser);
      expect([status, headers['content-type']], path).toEqual([
        404,
        'application/json; charset=utf-8',
      ]);
    }
  });

  it('of a method is that of the API', async () => {
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
    'is a PNG where there is a binary that draws it, else left out: %s',
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

  it.skipIf(!isDrawn)('has letters of every language and unit', async () => {
    const draw = async (title: string) => {
      const texts = { title, site: '', word: '', index: '', value: '', time: '' };
      return (await toPng?.(cardPicture({ ...texts, category: 'good' })))?.toString('base64');
    };
    // letters that a font has not are all drawn alike; one picture of a letter takes some 30 ms
    const missing = await draw('\u{10ffff}');
    const drawn = await Promise.all(
      [...'ԱևֆրЖёыЪ−µг³·'].map(async (letter) => [letter, await draw(letter)] as const),
    );
    expect(drawn.filter(([, png]) => png === missing).map(([letter]) => letter)).toEqual([]);
  });
});

describe('files of pages', () => {
  it('may be kept forever, and are there for every page', async () => {
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

  it('import only what is there', async () => {
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
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(6_000);
    expect(body).not.toMatch(/^(import|export) /m);
    expect(body).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write/);
  });
});

it('with the database away, pages are 503 in words, files and the reference are sent, and the outage is logged once', async () => {
  const NOWHERE = { host: '/nonexistent', port: 5432, user: 'nobody', database: 'nothing' };
  const db = openReaderPool(NOWHERE, { timeZone: 'Asia/Yerevan', max: 1 });
  const log = keepingLog();
  const of = { url: '', title: '', contact: '', license: '', zone: 'Asia/Yerevan' };
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
      const { unavailable, siteTitle } = WORDS[locale];
      expect(body).toContain(`<title>${unavailable} – ${siteTitle}</title>`);
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
