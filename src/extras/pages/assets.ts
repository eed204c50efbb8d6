/**
 * The files that pages load: styles, icon, modules and the API reference, under one address that
 * changes whenever any of them does.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Content } from '../extra.ts';
import { ICON } from './colours.ts';
import { BUNDLED, docsStyle, frameStyle, pageStyle } from './style.ts';

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
export const FILE_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Access-Control-Allow-Origin',
  '*',
];

const require = createRequire(import.meta.url);

const readModule = (name: string) => readFileSync(new URL(name, BUNDLED), 'utf8');

const readLibrary = (path: string) => readFileSync(require.resolve(path), 'utf8');

/**
 * A style sheet without its images: the pages' policy allows no data URLs, and nothing shows the
 * others.
 */
const withoutImages = (css: string) =>
  css.replace(/url\(("data:(?:[^"\\]|\\.)*"|data:[^)]*|images\/[^)]*)\)/g, 'none');

/** Swagger UI makes a second main part within the page's. */
const withoutMain = (script: string) =>
  script.replaceAll('createElement("main",', 'createElement("div",');

const MODULES = readdirSync(BUNDLED).filter((name) => name.endsWith('.js'));

const CONTENTS = new Map([
  ['style.css', pageStyle()],
  ['embed.css', frameStyle()],
  ['map.css', withoutImages(readLibrary('leaflet/dist/leaflet.css'))],
  ['icon.svg', ICON],
  ['swagger-ui.css', withoutImages(readLibrary('swagger-ui-dist/swagger-ui.css'))],
  ['docs.css', docsStyle()],
  ['swagger-ui.js', withoutMain(readLibrary('swagger-ui-dist/swagger-ui-bundle.js'))],
  ...MODULES.map((name) => [name, readModule(name)] as const),
]);

const HASH = createHash('sha256')
  .update(JSON.stringify([...CONTENTS]))
  .digest('hex')
  .slice(0, 12);

/** The address of a file. Throws on an unknown name. */
export function assetUrl(name: string): string {
  if (!CONTENTS.has(name)) throw new Error(`there is no file ${name} for pages`);
  return `/assets/${HASH}/${name}`;
}

/** Every file by its path. */
export const ASSETS: ReadonlyMap<string, Content> = new Map(
  [...CONTENTS].map(([name, text]) => {
    const type = TYPES[name.split('.').at(-1) ?? ''] ?? '';
    return [assetUrl(name), { locale: 'en', text, kind: { type, headers: FILE_HEADERS } }];
  }),
);
