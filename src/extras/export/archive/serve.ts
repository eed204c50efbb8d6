/**
 * Serves the files of the archive: whole or in ranges, with validators by their content. No file is
 * held in memory, and a client that reads slowly is cut off at a shutdown as any other; it goes on
 * from the byte where it stopped.
 */
import type { Stats } from 'node:fs';
import { extname, relative } from 'node:path';
import express, { type IRouter, type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../../../base/clock.ts';
import { LOCALES, type Locale, pathPattern } from '../../../contract/endpoints.ts';
import { addPath } from '../../../http/middleware.ts';
import { ANY_ORIGIN, JSON_TYPE, notFound, Problem, quoted } from '../../../http/send.ts';
import type { Offers, PageParts } from '../../../serve/app.ts';
import { type Document, isPastHttpDate, sendDocument } from '../../../serve/document.ts';
import { ARCHIVE, type Catalogue, catalogueOf, isOf } from './catalogue.ts';
import { INDEX } from './descriptor.ts';
import { archivePage } from './page.ts';
import { TITLE } from './words.ts';

/** The page of the archive, below a locale. */
const PAGE = 'archive';
export const LINKS: Required<Offers>['links'] = [{ path: PAGE, titles: TITLE }];

const FOLDER = /^[\w-]+$/;
const FILE = /^[\w-]+(\.(parquet|csv|json|txt))?$/;

/** False for a hidden file, one that is being written, and a path that leads out of the folder. */
function isPath(path: string): boolean {
  const folders = path.split('/');
  const file = folders.pop() ?? '';
  return FILE.test(file) && folders.every((folder) => FOLDER.test(folder));
}

const TYPES: Readonly<Record<string, string>> = {
  '.parquet': 'application/vnd.apache.parquet',
  '.csv': 'text/csv; charset=utf-8',
  '.json': JSON_TYPE,
};
const TEXT_TYPE = 'text/plain; charset=utf-8'; // README.txt and LICENSE

/**
 * As long as the documents of the API. A file keeps its address when its content changes, so it is
 * never immutable.
 */
const MAX_AGE = 60;

/** Scripts of other sites need these headers to read parts of a file. */
const RANGES_FROM_ANY_ORIGIN = {
  ...ANY_ORIGIN,
  'Access-Control-Expose-Headers': `${ANY_ORIGIN['Access-Control-Expose-Headers']}, Accept-Ranges, Content-Length, Content-Range, Last-Modified`,
};

const SWITCHED_OFF =
  'There is no archive here. Its operator switches it on with ARCHIVE_DIR, the folder for its files.';
const EMPTY =
  'The archive has no files yet. The worker writes them each night, and `node src/airseries.js archive` at once.';

const NO_FILES: Catalogue = { version: '', files: new Map() };

type Parts = Pick<PageParts, 'site' | 'offers' | 'clock'>;
type Read = () => Promise<Catalogue | undefined>;

/**
 * Adds `/archive/…`, and the page of it where an extra makes pages. `folder`: of the files;
 * undefined: there is no archive.
 */
export function addArchive(app: IRouter, folder: string | undefined, parts: Parts): void {
  if (folder === undefined) {
    const explain = () => {
      throw notFound(SWITCHED_OFF);
    };
    addPath(app, /^\/archive(\/.*)?$/, explain, ARCHIVE);
    return;
  }
  const read = catalogueOf(folder);
  addPath(app, /^\/archive$/, (_req, res) => redirect(res, ARCHIVE), ARCHIVE);
  addPage(app, read, parts);
  addPath(app, /^\/archive\/.+$/, filesOf(folder, read, parts.clock), `${ARCHIVE}{path}`);
}

function redirect(res: Response, to: string): void {
  res
    .status(302)
    .set({ ...ANY_ORIGIN, Location: to, Vary: 'Accept-Language', 'Cache-Control': 'no-cache' })
    .end();
}

/** Where no extra makes pages, `/archive/` leads to the index. */
function addPage(app: IRouter, read: Read, parts: Parts): void {
  const maker = parts.offers.pages;
  const lead = async (req: Request, res: Response) => {
    res.locals.isStale = true; // it says nothing about the database
    if (maker !== undefined)
      return redirect(res, `/${req.acceptsLanguages([...LOCALES]) || LOCALES[0]}/${PAGE}`);
    if ((await read()) === undefined) throw notFound(EMPTY);
    return redirect(res, `${ARCHIVE}${INDEX}`);
  };
  addPath(app, /^\/archive\/$/, lead, ARCHIVE);
  if (maker === undefined) return;
  const kept = new Map<Locale, { version: string; document: Document }>();
  const send = async (req: Request, res: Response) => {
    const locale = req.params.locale as Locale;
    res.locals.isStale = true;
    const catalogue = (await read()) ?? NO_FILES;
    let rendered = kept.get(locale);
    if (rendered?.version !== catalogue.version) {
      const body = archivePage(catalogue, { maker, locale, zone: parts.site.zone });
      const page = { locale, path: PAGE, title: TITLE[locale], body };
      rendered = { version: catalogue.version, document: maker.render(parts, page) };
      kept.set(locale, rendered);
    }
    sendDocument(req, res, rendered.document, { maxAge: MAX_AGE });
  };
  const route = `/{locale}/${PAGE}`;
  addPath(app, pathPattern(route), send, route);
}

function filesOf(folder: string, read: Read, clock: Clock) {
  const files = express.static(folder, {
    fallthrough: false,
    index: false,
    redirect: false,
    setHeaders: setHeaders(folder),
  });
  return async (req: Request, res: Response, next: NextFunction) => {
    res.locals.isStale = true; // a file says nothing about the database
    const path = req.path.slice(ARCHIVE.length);
    if (!isPath(path)) throw noSuchFile(path);
    res.locals.catalogue = await read();
    const { url, headers } = req;
    // for `send` any date counts, one in the future too, and would give 304 until then
    if (!isPastHttpDate(headers['if-modified-since'] ?? '', clock().getTime()))
      delete headers['if-modified-since'];
    req.url = `/${path}`; // as below a mounted path; it is read at once
    files(req, res, (error?: unknown) => next(asProblem(error, path, res)));
    req.url = url;
  };
}

/** Called once the file is found, before its validators are compared with the client's. */
const setHeaders = (folder: string) => (res: Response, path: string, stat: Stats) => {
  const catalogue: Catalogue | undefined = res.locals.catalogue;
  const entry = catalogue?.files.get(relative(folder, path).replaceAll('\\', '/'));
  const headers = {
    ...RANGES_FROM_ANY_ORIGIN,
    'Cache-Control': `public, max-age=${MAX_AGE}`,
    'Content-Type': TYPES[extname(path)] ?? TEXT_TYPE,
    'X-Content-Type-Options': 'nosniff',
    // without it, a weak one of size and time is sent
    ...(entry !== undefined && isOf(entry, stat) && { ETag: `"${entry.hash.slice(7, 39)}"` }),
  };
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
};

const noSuchFile = (path: string) =>
  notFound(`The archive has no file ${quoted(path)}. ${ARCHIVE}${INDEX} lists its files.`);

/** Headers of the file that an answer without it must not have. */
const OF_FILE = ['ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Range'];

type SendError = Error & { status?: number; headers?: Record<string, string> };

/** `send` has its errors with a status; those of the system are 500. */
function asProblem(error: unknown, path: string, res: Response): unknown {
  const { status, headers } = (error ?? {}) as SendError;
  if (!res.headersSent) for (const name of OF_FILE) res.removeHeader(name);
  if (status === 416)
    return new Problem(416, 'The range lies beyond the end of the file.', headers ?? {});
  if (status === 412)
    return new Problem(412, 'The file has changed: it is not the one that If-Match names.');
  return status !== undefined && status < 500 ? noSuchFile(path) : error;
}
