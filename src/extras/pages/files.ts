/** Adds what does not depend on data: the API reference, the widget, and the files that pages load. */
import { LOCALES, pathPattern } from '../../contract/endpoints.ts';
import type { Content, PageParts } from '../extra.ts';
import { ASSETS, assetUrl } from './assets.ts';
import { docsPage } from './docs.ts';
import { renderPage, type Site } from './layout.ts';

const HOUR = { maxAge: 3_600 };
const FOREVER = { maxAge: 0, isImmutable: true };

export const DOCS = '/{locale}/docs';

export function addFiles(site: Site, parts: Pick<PageParts, 'addFiles'>): void {
  const docs = LOCALES.map(
    (locale) => [`/${locale}/docs`, renderPage(site, docsPage(locale))] as const,
  );
  // other sites load it, so this address stays
  const widget = new Map([['/widget.js', ASSETS.get(assetUrl('widget.js')) as Content]]);
  const { ground } = site;
  const ofMaps = ground === undefined ? [] : ([[ground.url, ground.content]] as const);
  parts.addFiles(pathPattern(DOCS), new Map(docs), HOUR, DOCS);
  parts.addFiles(/^\/widget\.js$/, widget, HOUR);
  parts.addFiles(/^\/assets\/.+$/, new Map([...ASSETS, ...ofMaps]), FOREVER, '/assets');
}
