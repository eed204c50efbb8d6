/** The files that pages load: style, icon, modules and the chart library, under one address that changes whenever any of them does. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Document, renderDocument } from '../documents/document.ts';
import { ICON, STYLE } from './style.ts';

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff', 'Access-Control-Allow-Origin', '*'];

const require = createRequire(import.meta.url);

/** Compiled for the browser: `npm run build` puts it beside this file. Run from the sources, there is none. */
const BROWSER = new URL('../../dist/site/browser/', import.meta.url);

function readModules(folder: URL, prefix: string): [string, string][] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [`${prefix}${name}`, readFileSync(new URL(name, folder), 'utf8')]);
}

const CONTENTS = new Map([
  ['style.css', STYLE + readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')],
  ['icon.svg', ICON],
  ['uplot.js', readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')],
  ...['format.js', 'numbers.js', 'scale.js'].map((name): [string, string] => [
    name,
    readFileSync(new URL(`../${name}`, BROWSER), 'utf8'),
  ]),
  ...readModules(BROWSER, 'browser/'),
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
export const ASSETS: ReadonlyMap<string, Document> = new Map(
  [...CONTENTS].map(([name, text]) => [
    assetUrl(name),
    renderDocument('en', text, { type: TYPES[name.split('.').at(-1) ?? ''] ?? '', headers: NO_SNIFFING }),
  ]),
);
