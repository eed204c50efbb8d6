/** The reference of the API as a page: everything that the OpenAPI document says is on it, links lead somewhere, and what can be tried answers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../support/documented.ts';
import { axe, inBrowser } from './browser.ts';
import { openSite, type Site } from './site.ts';

type Schema = { description?: string; properties?: Record<string, Schema>; items?: Schema; 'x-unit'?: string };

const PATH = '/docs';

let site: Site;
let page: string;
beforeAll(async () => {
  site = await openSite();
  page = (await site.get(PATH)).body;
  return () => site.close();
});

/** As it is read: without tags, and with backticks of Markdown gone. */
function textOf(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html
    .replace(/<[^>]+>/g, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '')
    .replace(/\s+/g, ' ');
}
const plain = (markdown = '') => markdown.replaceAll('`', '').replace(/\s+/g, ' ');

/** The text of the element with this id, up to the next one with an id of its kind. */
function part(id: string): string {
  const start = page.indexOf(` id="${id}"`);
  expect(start, `nothing has the id ${id}`).toBeGreaterThan(-1);
  const end = page.slice(start).search(/<\/(tr|article)>/);
  return textOf(page.slice(page.lastIndexOf('<', start), start + end));
}

describe('the reference', () => {
  it('says what the document says of the whole', () => {
    for (const paragraph of openApi.info.description.split('\n\n')) expect(textOf(page)).toContain(plain(paragraph));
  });

  it('has every path, with its parameters and answers', () => {
    type Operation = { operationId: string; summary: string; parameters: { $ref: string }[]; responses: object };
    for (const [path, { get }] of Object.entries(openApi.paths)) {
      const { operationId, summary, parameters, responses } = get as unknown as Operation;
      const text = part(operationId);
      expect(text.toLowerCase()).toContain(summary.toLowerCase());
      expect(text).toContain(`GET ${path}`);
      for (const { $ref } of parameters) expect(text).toContain($ref.split('/').at(-1));
      for (const status of Object.keys(responses)) expect(text).toContain(status);
    }
  });

  it('has every field at any depth, with its meaning and unit', () => {
    let count = 0;
    const expectFields = ({ properties = {} }: Schema, before: string) => {
      for (const [key, schema] of Object.entries(properties)) {
        const id = `${before}${key}`;
        const text = part(id);
        const [, meaning, unit] = /^(.*?)(?: \[([^\]]+)\])?$/s.exec(plain(schema.description)) ?? [];
        expect(text).toContain(meaning);
        if (unit !== undefined) expect(text).toContain(unit);
        if (schema['x-unit'] !== undefined) expect(text).toContain(schema['x-unit']);
        expectFields(schema.items ?? schema, `${id}${schema.items === undefined ? '.' : '[].'}`);
        count++;
      }
    };
    for (const [name, schema] of Object.entries(openApi.components.schemas as Record<string, Schema>)) {
      expect(part(`schema-${name}`)).toContain(plain(schema.description));
      expectFields(schema, `${name}.`);
    }
    expect(count).toBeGreaterThan(180);
  });

  it('has every parameter, header and problem', () => {
    const { parameters, headers, responses } = openApi.components;
    for (const [name, { description }] of Object.entries(parameters))
      expect(part(`parameter-${name}`)).toContain(plain(description));
    for (const [name, { description }] of Object.entries(headers))
      expect(part(`header-${name}`)).toContain(plain(description));
    for (const [name, { description }] of Object.entries(responses)) {
      const [, id = ''] = new RegExp(`<article id="(status-\\d+)"><h3><a [^>]*>\\d+ <small>${name}<`).exec(page) ?? [];
      expect(part(id)).toContain(plain(description));
    }
  });

  it('has links that lead somewhere, and no id twice', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([]);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
    expect(links.length).toBeGreaterThan(200);
  });

  it('offers to try every endpoint, with values of this network', async () => {
    const paths = [...page.matchAll(/<a href="([^"]+)" data-show>/g)].map(([, path = '']) => path);
    expect(paths).toHaveLength(Object.keys(openApi.paths).length);
    for (const path of paths) expect((await site.get(path)).status, path).toBe(200);
  });
});

inBrowser('the reference', (open) => {
  it.each(['light', 'dark'] as const)(
    'has no barrier that axe finds, %s, and does not scroll sideways',
    async (colorScheme) => {
      const width = colorScheme === 'light' ? 360 : 1280;
      const docs = await open({ colorScheme, viewport: { width, height: 800 } });
      await docs.goto(`${site.origin}${PATH}`);
      await docs.click('[data-show]');
      await docs.waitForSelector('pre[role=region]:not([aria-busy])');
      await docs.click('summary');
      expect(await docs.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await docs.evaluate("document.querySelector('h1').append(new Image())");
      expect(await axe(docs), 'nothing but what it must find').toEqual([expect.stringMatching(/^image-alt: <img>$/)]);
    },
  );

  it('shows an answer beside the link that would open it, and hides it again', async () => {
    const docs = await open();
    await docs.goto(`${site.origin}${PATH}`);
    const link = docs.locator('#station [data-show]');
    const path = await link.getAttribute('href');
    await link.focus();
    await docs.keyboard.press('Enter');
    const shown = docs.locator('#station pre[role=region]:not([aria-busy])');
    expect(JSON.parse((await shown.textContent()) ?? '')).toEqual(await site.json(path ?? ''));
    expect(await link.getAttribute('aria-expanded')).toBe('true');
    await docs.keyboard.press(' ');
    expect(await docs.locator('#station pre[role=region]').count()).toBe(0);
    expect(docs.url()).toBe(`${site.origin}${PATH}`);
  });
});
