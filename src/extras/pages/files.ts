/** Adds what does not depend on data: the API reference, the widget, and the files that pages load. */
import type { IRouter, Request } from 'express';
import { LOCALES, pathPattern } from '../../contract/endpoints.ts';
import { addPath } from '../../http/middleware.ts';
import { notFound } from '../../http/send.ts';
import { type CacheHeaders, type Document, sendDocument } from '../../serve/document.ts';
import { ASSETS, assetUrl } from './assets.ts';
import { docsPage } from './docs.ts';
import { renderPage, type Site } from './layout.ts';

const HOUR: CacheHeaders = { maxAge: 3_600 };
const FOREVER: CacheHeaders = { maxAge: 0, isImmutable: true };

export const DOCS = '/{locale}/docs';

export function addFiles(app: IRouter, site: Site): void {
  const docs = new Map(
    LOCALES.map((locale) => [`/${locale}/docs`, renderPage(site, docsPage(locale))]),
  );
  const widget = ASSETS.get(assetUrl('widget.js')); // other sites load it, so this address stays
  const assetAt = (path: string) =>
    path === site.ground?.url ? site.ground.document : ASSETS.get(path);
  addFile(app, pathPattern(DOCS), (path) => docs.get(path), HOUR, DOCS);
  addFile(app, /^\/widget\.js$/, () => widget, HOUR);
  addFile(app, /^\/assets\/.+$/, assetAt, FOREVER, '/assets');
}

/** Sending a file says nothing about the database. `route`: its label in metrics. */
function addFile(
  app: IRouter,
  pattern: RegExp,
  find: (path: string) => Document | undefined,
  caching: CacheHeaders,
  route?: string,
): void {
  const send: Parameters<typeof addPath>[2] = (req: Request, res) => {
    const file = find(req.path);
    if (file === undefined)
      throw notFound('There is no such file; a page of another version had it.');
    res.locals.isStale = true;
    sendDocument(req, res, file, caching);
  };
  addPath(app, pattern, send, route);
}
