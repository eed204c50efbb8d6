/**
 * The part of a page for developers works as it is written: addresses, snippets, the widget and the
 * frame; a button copies them.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { developerPart } from '../../../src/extras/pages/developers.ts';
import { makePageMaker } from '../../../src/extras/pages/maker.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { needs } from '../../support/tools.ts';
import { axe, inBrowserInAll } from './browser.ts';
import { openSite, type Site } from './site.ts';

const run = promisify(execFile);

let site: Site;
beforeAll(async () => {
  site = await openSite();
  return () => site.close();
});

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The snippets of a page as a browser would show them: addresses and embeddings, and by name. */
async function snippetsOf(
  path: string,
): Promise<{ addresses: string[]; named: Record<string, string> }> {
  const { body } = await site.get(path);
  const [, part = ''] =
    /<section class="card" id="developers"[^>]*>(.*?)<\/section>/s.exec(body) ?? [];
  const read = (html = '') =>
    html
      .replaceAll('<span data-origin></span>', site.origin)
      .replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name] ?? '');
  const named = [...part.matchAll(/<summary>([^<]+)<\/summary>.*?<code>(.*?)<\/code>/gs)];
  const others = [...part.matchAll(/<div class="address"><code>(.*?)<\/code>/gs)];
  return {
    addresses: others.map(([, text]) => read(text)),
    named: Object.fromEntries(named.map(([, name = '', text]) => [name, read(text)])),
  };
}

describe.each(['/en/station/2', '/hy/region/town'])('the snippets of %s', (path) => {
  const api = () => site.json(path.replace(/^\/(\w+)\/(.*)$/, '/$1/air-quality-app/v1/$2.json'));

  async function printsWhatThePageShows(language: string, program: string): Promise<void> {
    const { named } = await snippetsOf(path);
    const values = await api();
    const file = join(temporaryFolder('snippets'), 'snippet.mjs');
    writeFileSync(file, named[language] ?? '');
    const printed = await run(program, [file], { env: { ...process.env, PYTHONUTF8: '1' } });
    expect(printed.stdout).toBe(`${values['pm2.5']} µg/m³, AQI ${values.aqi}\n`);
  }
  it('the snippet for JavaScript prints the values of the page', () =>
    printsWhatThePageShows('JavaScript', process.execPath));
  it('the snippet for Python prints the values of the page', needs('python3'), () =>
    printsWhatThePageShows('Python', 'python3'),
  );

  it('the snippet for Home Assistant is YAML whose templates name existing values', async () => {
    const { named } = await snippetsOf(path);
    const [{ resource, sensor }] = parse(named['Home Assistant'] ?? '').rest;
    const values = await (await fetch(resource)).json();
    expect(values).toEqual(await api());
    for (const { value_template: template } of sensor) {
      const [, key = ''] = /^\{\{ value_json(?:\.|\[')([\w.]+)(?:'\])? \}\}$/.exec(template) ?? [];
      expect(values[key], template).toEqual(expect.any(Number));
    }
    expect(sensor).toHaveLength(2);
  });

  it('the addresses of the snippets answer', async () => {
    const { addresses } = await snippetsOf(path);
    const urls = addresses.flatMap((text) => /^curl (\S+)$/.exec(text)?.[1] ?? []);
    expect(urls).toHaveLength(4);
    const later = /\/explore\/v1\//; // documents of their own, tested with the API
    for (const url of urls.filter((one) => !later.test(one)))
      expect((await fetch(url)).status, url).toBe(200);
  });
});

describe('addresses without scripts', () => {
  it('an address is the path alone, which the browser completes, where nobody said where the pages are', async () => {
    const { body } = await site.get('/en/station/2');
    const shown = body.replaceAll('<span data-origin></span>', '');
    expect(shown).toContain('<code>curl /en/air-quality-app/v1/station/2.json</code>');
    expect(shown).toContain('src=&quot;/widget.js&quot;');
    expect(shown).not.toMatch(/this-service|\0/);
  });

  it('an address begins with PAGE_URL where it is set', () => {
    const url = 'https://air.example';
    const { text } = developerPart(WORDS.en, 'en', 'station/2', { title: 'Two', url });
    expect(text).toContain('<code>curl https://air.example/en/air-quality-app/v1/station/2.json<');
    expect(text).toContain('src=&quot;https://air.example/widget.js&quot;');
    expect(text).not.toContain('data-origin');
    const { text: code } = makePageMaker(url).code('en', (origin) => `${origin}/archive/`);
    expect(code).toContain('<code>https://air.example/archive/</code>');
  });
});

inBrowserInAll('the part for developers', (open) => {
  it('a button copies each snippet, and says so', async () => {
    const { addresses, named } = await snippetsOf('/hy/station/1');
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${site.origin}/hy/station/1`);
    for (const details of await page.locator('#developers summary').all()) await details.click();
    const buttons = page.locator('#developers [data-copy]');
    expect(await buttons.count()).toBe(addresses.length + Object.keys(named).length);
    const copied: string[] = [];
    for (const button of await buttons.all()) {
      await button.focus();
      await page.keyboard.press('Enter');
      const said = button.locator('+ [role=status]');
      await expect.poll(() => said.textContent()).toBe(WORDS.hy.copied);
      copied.push(await page.evaluate(() => navigator.clipboard.readText()));
    }
    expect(copied.sort()).toEqual([...addresses, ...Object.values(named)].sort());
    expect(await axe(page)).toEqual([]);
  });
});
