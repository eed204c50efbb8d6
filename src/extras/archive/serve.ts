/**
 * Serves the files of the archive that its index lists: whole or in ranges, with validators by their
 * content. No file is held in memory, and a client that reads slowly is cut off at a shutdown as any other; it goes on
 * from the byte where it stopped.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { IRouter, Request, Response } from 'express';
import { closest, distance } from 'fastest-levenshtein';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import {
  ANY_ORIGIN,
  ENDPOINTS,
  LOCALES,
  type Locale,
  pathPattern,
  pathWith,
  type StationsList,
} from '../../contract/endpoints.ts';
import { errorCode } from '../../database/errors.ts';
import { addPath } from '../../http/middleware.ts';
import { JSON_TYPE, notFound, Problem, quoted } from '../../http/send.ts';
import type { Offers, PageParts } from '../../serve/app.ts';
import { type Document, rendered, sendDocument } from '../../serve/document.ts';
import { ARCHIVE, type Catalogue, catalogueOf, isOf } from './catalogue.ts';
import { INDEX } from './descriptor.ts';
import { archivePage, type City, monthOf, nightOf } from './page.ts';
import { sendFile } from './sendFile.ts';
import { TITLE } from './words.ts';

/** The page of the archive, below a locale. */
const PAGE = 'archive';
export const LINKS: Required<Offers>['links'] = [{ path: PAGE, titles: TITLE }];

const FOLDER = /^[\w-]+$/;
const FILE = /^[\w-]+(\.(parquet|csv|json|txt))?$/;

/** False for a hidden file, and a path that leads out of the folder, whatever the index lists. */
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
const FRESH = { maxAge: MAX_AGE };

/** Scripts of other sites need these headers to read parts of a file. */
const RANGES_FROM_ANY_ORIGIN = {
  ...ANY_ORIGIN,
  'Access-Control-Expose-Headers': `${ANY_ORIGIN['Access-Control-Expose-Headers']}, Accept-Ranges, Content-Length, Content-Range, Last-Modified`,
};

const SWITCHED_OFF =
  'There is no archive here. Its operator switches it on with ARCHIVE_DIR, the folder for its files.';
const EMPTY =
  'The archive has no files yet. The worker makes them soon after its start, and `node src/airseries.js archive` at once.';
const BROKEN =
  'The index of the archive cannot be read just now. The worker makes it again within minutes, and `node src/airseries.js archive` at once.';

const NO_FILES: Catalogue = {
  version: '',
  files: new Map(),
  documents: new Set(),
  missing: [],
  upTo: undefined,
};

type Parts = Pick<PageParts, 'site' | 'offers' | 'clock' | 'redirect' | 'addPath' | 'read'>;
type ReadCatalogue = () => Promise<Catalogue | undefined>;

/**
 * Adds `/archive/…`, and the page of it where an extra makes pages. `folder`: of the files;
 * undefined: there is no archive.
 */
export function addArchive(
  app: IRouter,
  folder: string | undefined,
  { parts, clock, log }: { parts: Parts; clock: Clock; log: Log },
): void {
  if (folder === undefined) {
    const explain = () => {
      throw notFound(SWITCHED_OFF);
    };
    addPath(app, /^\/archive(\/.*)?$/, explain, ARCHIVE);
    return;
  }
  const read = unlessBroken(catalogueOf(folder, log));
  addPath(app, /^\/archive$/, (_req, res) => parts.redirect(res, ARCHIVE), ARCHIVE);
  addPage(app, read, parts);
  addPath(
    app,
    /^\/archive\/.+$/,
    filesOf(folder, read, clock, parts.site.zone),
    `${ARCHIVE}{path}`,
  );
}

/** The answer while no index could be read; the log has the reason. */
const unlessBroken =
  (read: ReadCatalogue): ReadCatalogue =>
  async () => {
    try {
      return await read();
    } catch {
      throw new Problem(503, BROKEN, { 'Retry-After': '300' });
    }
  };

/** Where no extra makes pages, `/archive/` leads to the index. */
function addPage(app: IRouter, read: ReadCatalogue, parts: Parts): void {
  const maker = parts.offers.pages;
  const lead = async (req: Request, res: Response) => {
    res.locals.isStale = true; // it says nothing about the database
    if (maker !== undefined)
      return parts.redirect(res, `/${req.acceptsLanguages([...LOCALES]) || LOCALES[0]}/${PAGE}`);
    if ((await read()) === undefined) throw notFound(EMPTY);
    return parts.redirect(res, `${ARCHIVE}${INDEX}`);
  };
  addPath(app, /^\/archive\/$/, lead, ARCHIVE);
  if (maker === undefined) return;
  const { zone } = parts.site;
  const kept = new Map<Locale, { version: string; document: Document }>();
  const send = async (req: Request, res: Response) => {
    const locale = req.params.locale as Locale;
    res.locals.isStale = true;
    const catalogue = (await read()) ?? NO_FILES;
    const at = parts.clock();
    const version = `${catalogue.version} ${monthOf(at, zone)}`;
    const last = kept.get(locale);
    if (last?.version === version) return sendDocument(req, res, last.document, FRESH);
    const cities = await citiesOf(parts.read, locale);
    const body = archivePage(catalogue, { maker, locale, zone, cities: cities ?? [], at });
    const page = { locale, path: PAGE, title: TITLE[locale], body };
    const document = rendered(maker.render(parts, page));
    if (cities !== undefined) kept.set(locale, { version, document });
    sendDocument(req, res, document, FRESH);
  };
  const route = `/{locale}/${PAGE}`;
  parts.addPath(pathPattern(route), send, route);
}

/** The listed cities; undefined while they cannot be read: the page does without. */
async function citiesOf(read: PageParts['read'], locale: Locale): Promise<City[] | undefined> {
  try {
    const { regions } = await read<StationsList>(pathWith(ENDPOINTS.stations.path, { locale }));
    return regions.filter((one) => 'is_hidden' in one && !one.is_hidden);
  } catch {
    return undefined;
  }
}

/** Sends what the index lists, and nothing else that lies in the folder or that a link leads to. */
function filesOf(folder: string, read: ReadCatalogue, clock: Clock, zone: string) {
  return async (req: Request, res: Response) => {
    res.locals.isStale = true; // a file says nothing about the database
    const path = req.path.slice(ARCHIVE.length);
    const catalogue = (await read()) ?? NO_FILES;
    const absent = () => noSuchFile(path, catalogue, clock(), zone);
    const entry = catalogue.files.get(path);
    if (!isPath(path) || (entry === undefined && !catalogue.documents.has(path))) throw absent();
    const handle = await openWithin(folder, path);
    if (handle === undefined) throw absent();
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw absent();
      // the descriptor's: the file may have been replaced since the index was read
      const etag =
        entry !== undefined && isOf(entry, stat)
          ? `"${entry.hash.slice(7, 39)}"`
          : `W/"${stat.size.toString(16)}-${Math.floor(stat.mtimeMs).toString(16)}"`;
      const headers = {
        ...RANGES_FROM_ANY_ORIGIN,
        'Cache-Control': `public, max-age=${MAX_AGE}`,
        'Content-Type': TYPES[extname(path)] ?? TEXT_TYPE,
        'X-Content-Type-Options': 'nosniff',
      };
      await sendFile(req, res, { handle, stat, etag, headers, now: clock() });
    } finally {
      await handle.close();
    }
  };
}

/** Undefined where there is no such file, and for a link or what a linked folder has. */
async function openWithin(folder: string, path: string): Promise<FileHandle | undefined> {
  try {
    const isWithin = (await realpath(join(folder, path))) === join(await realpath(folder), path);
    return isWithin ? await open(join(folder, path), O_RDONLY | O_NOFOLLOW) : undefined;
  } catch (error) {
    if (NO_SUCH_FILE.includes(errorCode(error))) return undefined;
    throw error;
  }
}

const { O_NOFOLLOW, O_RDONLY } = constants;
const NO_SUCH_FILE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'];

/** A file of a month of hours or of a year of days. */
const OF_PERIOD = /^(?:regions-)?(?:hours\/(\d{4}-\d\d)|days\/(\d{4}))\.parquet$/;

/** Says when a file comes that does not exist yet, or which one may be meant. */
function noSuchFile(path: string, { files, missing }: Catalogue, at: Date, zone: string) {
  const period = OF_PERIOD.exec(path)?.slice(1).find(Boolean);
  const say = (what: string) =>
    notFound(`The archive has no file ${quoted(path)}. ${what}${ARCHIVE}${INDEX} lists its files.`);
  const month = monthOf(at, zone);
  if (files.has(path) || missing.includes(path)) return say('It is made soon. ');
  if (period === undefined) return say(near(path, [...files.keys()]));
  if (month.startsWith(period))
    return say(`It comes with the next night, soon after ${nightOf(at, zone)} (${zone}). `);
  return say(period > month ? `${period} has not begun. ` : `Nothing was measured in ${period}. `);
}

/** Longer paths take long to compare. In letters. */
const LONGEST = 100;

function near(path: string, paths: readonly string[]): string {
  if (paths.length === 0 || path.length > LONGEST) return '';
  const nearest = closest(path, paths);
  return distance(path, nearest) > 0.4 * path.length ? '' : `Did you mean ${ARCHIVE}${nearest}? `;
}
