/**
 * The public API. Its documents are cached, and served from the cache before Express sees the
 * request. The OpenAPI document describes them.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { ErrorRequestHandler, IRouter, Request, RequestHandler, Response } from 'express';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Unavailable } from '../base/unavailable.ts';
import { ANY_ORIGIN, BASE_PATH, type Locale } from '../contract/endpoints.ts';
import { ALL_ENDPOINTS, type FeedName } from '../contract/explore.ts';
import { makeLlmsText } from '../contract/llms.ts';
import { type DescribedPaths, makeOpenApi } from '../contract/openapi.ts';
import type { IndexName } from '../contract/words/indices.ts';
import type { SiteTitles } from '../contract/words/siteTitle.ts';
import type { ApiDb } from '../database/apiDb.ts';
import {
  accessLog,
  addPath,
  allowAnyOrigin,
  bareApp,
  makeErrorHandlers,
  refuseMalformedPath,
  type SendProblem,
} from '../http/middleware.ts';
import { type RequestObserver, setRoute } from '../http/observed.ts';
import { notFound, Problem } from '../http/send.ts';
import { makeDocumentCache, type Sent, shareWhileCurrent } from './cache.ts';
import { makeSiteUrls, type SiteUrls } from './current.ts';
import type { DataVersions } from './dataVersion.ts';
import {
  type CacheHeaders,
  type Content,
  type Document,
  renderDocument,
  rendered,
  sendDocument,
  TEXT_KIND,
} from './document.ts';
import {
  type Documents,
  makeDocuments,
  makeNetworkReader,
  type NetworkReader,
} from './documents.ts';
import { makeNow } from './european.ts';
import { makeExplore } from './explore.ts';
import { meantPaths } from './meant.ts';
import { nameNearPlaces } from './near.ts';
import { refuseQuery, servedEndpoints, unknownPath } from './paths.ts';
import { makeReader, type Read } from './read.ts';
import { makeReadRow, type ReadRow } from './readRow.ts';
import { queryRefreshState } from './refreshState.ts';

type AppOptions = {
  db: ApiDb;
  /** For queries whose cost grows with the network; default: `db`. */
  wholeNetwork?: ApiDb;
  clock: Clock;
  /** Base of the `url` fields; empty for none. */
  siteBaseUrl: string;
  log: Log;
  /** Left out, nothing is counted. */
  measure?: RequestObserver;
  /** The owner of the data; what is left out is not configured. */
  site?: Partial<PublishedSite>;
  /** Add routes beside the API. Where none is for `/`, that leads to the list of stations. */
  routes?: readonly ((app: IRouter, parts: PageParts) => void)[];
  /** Things that the authors of `routes` have for each other. */
  offers?: Offers;
  /** Left out, every document is rendered for its request. */
  cache?: { maxBytes: number; versions: DataVersions };
};

/**
 * `ground`: of maps, as GeoJSON. `pagesUrl`: where readers reach the pages, '' for the address of
 * the API. `pages`: how to make a page that looks like the others. `links`: in the foot of every
 * page, a path below the locale and its title in each language. `described`: in the OpenAPI
 * document. `feeds`: renders the feeds of the contract; left out, there are none.
 */
export type Offers = {
  ground?: object;
  pagesUrl?: string;
  pages?: PageMaker;
  links?: readonly { path: string; titles: Readonly<Record<Locale, string>> }[];
  described?: readonly DescribedPaths[];
  feeds?: (sources: FeedSources) => Documents<FeedName>;
};

/** `pages`: where readers reach the pages; undefined: there are none. */
type FeedSources = {
  readRow: ReadRow;
  reader: NetworkReader;
  db: ApiDb;
  clock: Clock;
  /** Base of the pages of the operator's site, '' where there are none, and what is below it. */
  siteBaseUrl: string;
  urls: SiteUrls;
  pages: string | undefined;
  site: Pick<PublishedSite, 'titles' | 'license'>;
};

/** HTML that knows it is safe. */
type Markup = { readonly text: string };
type MarkupValue = Markup | string | number | undefined | false | readonly MarkupValue[];

export type PageMaker = {
  /** Tag of a template: escapes what goes into it, unless it is markup. */
  html(parts: TemplateStringsArray, ...values: MarkupValue[]): Markup;
  /** A table that scrolls in a box of its own; the first cell of a row names it. */
  table(label: string, heads: readonly string[], rows: readonly (readonly MarkupValue[])[]): Markup;
  /** A piece of code to copy. `text` gets what stands before a path: the address of the pages. */
  code(locale: Locale, text: (origin: string) => string): Markup;
  number(locale: Locale, value: number, digits: number): string;
  /** A date such as `2026-10-01`, or its month, in the words of the language. */
  date(locale: Locale, date: string, form: 'date' | 'month'): string;
  /** `path`: after the locale, without a slash. */
  render(
    parts: Pick<PageParts, 'site' | 'offers'>,
    page: { locale: Locale; path: string; title: string; body: Markup },
  ): Content;
};

/**
 * `zone`: of the network. `index`: the one in headlines. Texts are empty where nothing is configured.
 */
type PublishedSite = {
  titles: SiteTitles;
  contact: string;
  license: string;
  zone: string;
  index: IndexName;
};

/** A problem as it is sent. */
export type SentProblem = Parameters<SendProblem>[2];

/** Routes beside the API are made of these. */
export type PageParts = {
  site: PublishedSite;
  offers: Offers;
  clock: Clock;
  read: Read;
  addPath: (path: RegExp, get: RequestHandler, route?: string) => void;
  /**
   * Serves the cached document for the path, or makes it of what it reads of the API: it is kept as
   * long as all of that holds. `route`: its label in metrics.
   */
  compose: (
    req: Request,
    res: Response,
    route: string,
    make: (read: Read) => Promise<Content>,
  ) => Promise<void>;
  /** Adds files by their paths, which say nothing about the database. */
  addFiles: (
    pattern: RegExp,
    files: ReadonlyMap<string, Content>,
    caching: CacheHeaders,
    route?: string,
  ) => void;
  /** Where to may depend on the reader's languages. */
  redirect: (res: Response, to: string) => void;
  /**
   * The problem of a path that is nothing; what is nearly there may be meant, or a place whose name
   * is nearly `name`.
   */
  notFound: (path: string, name: string) => Error;
  /** Sends the problems of requests that `isMine` selects in a way of its own. */
  answerErrors: (isMine: (res: Response) => boolean, send: SendProblem) => void;
};

/** Where `/` leads unless there is a front page. */
const SHOWCASE = `${BASE_PATH.replace('{locale}', 'en')}/stations.json`;
/** The description of the API changes with its version only. In seconds. */
const DESCRIPTION_MAX_AGE = 3_600;
const NO_SITE: PublishedSite = {
  titles: { en: '', ru: '', hy: '' },
  contact: '',
  license: '',
  zone: 'UTC',
  index: 'aqi',
};
const nothing = () => undefined;
const UNCACHED = {
  maxBytes: 0,
  versions: { current: nothing, lastKnown: nothing, sawVersion: nothing },
};

/** Never throws: every failed request is answered with JSON. */
export function makeApp({
  db,
  wholeNetwork = db,
  clock,
  siteBaseUrl,
  log,
  measure,
  site: given,
  routes = [],
  offers = {},
  cache: cacheOptions = UNCACHED,
}: AppOptions): RequestListener {
  const cache = makeDocumentCache({ ...cacheOptions, clock });
  const site = { ...NO_SITE, ...given };
  const urls = makeSiteUrls(siteBaseUrl);
  const network = makeNetworkReader(wholeNetwork, (read) =>
    cacheOptions.maxBytes === 0
      ? () => read(clock())
      : shareWhileCurrent(read, { ...cacheOptions, clock }),
  );
  const current = makeDocuments({ db, reader: network, clock, site: urls });
  const sources = { db, wholeNetwork, clock, index: site.index };
  const readRow = makeReadRow(sources);
  const pages = offers.pagesUrl;
  const ofFeeds = { readRow, reader: network, db, clock, siteBaseUrl, urls, pages, site };
  const documents = {
    ...current,
    ...makeExplore({ ...sources, zone: site.zone }),
    now: makeNow(network),
    ...offers.feeds?.(ofFeeds),
  };
  const endpoints: typeof ALL_ENDPOINTS = Object.fromEntries(
    Object.entries(ALL_ENDPOINTS).filter(([name]) => name in documents),
  );
  const firstBuild = awaitFirstBuild(db);
  const errors = makeErrorHandlers(log);
  const served = servedEndpoints(endpoints, documents, firstBuild);
  const known = [...served.map(({ route }) => route), '/openapi.json', '/llms.txt'];
  const reader = makeReader(served, cache);
  const send = (req: Request, res: Response, { document, cacheHeaders }: Sent) => {
    res.locals.isStale = cacheHeaders.age !== undefined;
    sendDocument(req, res, document, cacheHeaders);
  };
  const app = bareApp();
  const otherWays: ErrorRequestHandler[] = [];
  const parts: PageParts = {
    site,
    offers,
    clock,
    read: reader.read,
    addPath(path, get, route) {
      addPath(app, path, get, route);
      if (route?.startsWith('/{locale}/')) known.push(route);
    },
    async compose(req, res, route, make) {
      const rendering = async () => ({ ...(await reader.compose(make)), route });
      send(req, res, await cache.get(req.path, rendering));
    },
    addFiles(pattern, contents, caching, route) {
      const files = new Map([...contents].map(([path, one]) => [path, rendered(one)]));
      const get = (req: Request, res: Response) => {
        const file = files.get(req.path);
        if (file === undefined)
          throw notFound('There is no such file; a page of another version had it.');
        res.locals.isStale = true;
        sendDocument(req, res, file, caching);
      };
      parts.addPath(pattern, get, route);
    },
    redirect: (res, to) => redirect(res.set(BY_LANGUAGE), to),
    notFound: (path, name) => new Problem(404, '', {}, name, [], meantPaths(path, known)),
    answerErrors(isMine, sendOne) {
      const answer = errors.answer(sendOne);
      otherWays.push((error, req, res, next) =>
        isMine(res) ? answer(error, req, res, next) : next(error),
      );
    },
  };
  app.use(refuseMalformedPath);
  app.options(/^/, (_req, res, next) => {
    res.set(ANY_ORIGIN); // documents and errors have it anyway
    next();
  });
  // made when first asked for: few processes are, and OpenAPI takes a start 40 ms
  const descriptions: [RegExp, () => Document][] = [
    [
      /^\/openapi\.json$/,
      () => {
        const publisher = { ...site, title: site.titles.en };
        const description = makeOpenApi(publisher, offers.described, endpoints);
        return renderDocument('en', JSON.stringify(description));
      },
    ],
    [/^\/llms\.txt$/, () => renderDocument('en', makeLlmsText(site), TEXT_KIND)],
  ];
  for (const [path, make] of descriptions) {
    let description: Document | undefined;
    addPath(app, path, (req, res) => {
      description ??= make();
      sendDocument(req, res, description, { maxAge: DESCRIPTION_MAX_AGE });
    });
  }
  app.use(refuseQuery);
  app.use(errors.watch); // what is answered above says nothing about the database
  for (const { route, pattern, media, renderOf } of served) {
    const renderFor = ({ params }: Request, signal?: AbortSignal) =>
      renderOf(params as Record<string, string>, signal);
    const get = async (req: Request, res: Response) => {
      send(req, res, await cache.get(req.path, renderFor(req)));
    };
    /** A file is up to a megabyte, takes long, and is rarely wanted twice. */
    const getFile = async (req: Request, res: Response) => {
      const left = signalOfLeaving(req, res);
      try {
        send(req, res, await cache.renderOnce(renderFor(req, left)));
      } catch (error) {
        if (!left.aborted) throw error;
      }
    };
    addPath(app, pattern, media === 'text/csv' ? getFile : get, route);
  }
  for (const add of routes) add(app, parts);
  addPath(app, /^\/$/, (_req, res) => redirect(res, SHOWCASE));
  app.use(
    (req: Request) => {
      throw unknownPath(req.path, served, known);
    },
    allowAnyOrigin,
    nameNearPlaces(network),
    ...otherWays,
    errors.handle,
  );

  const logAccess = accessLog(log);
  return (req, res) => {
    measure?.(req, res, nothing);
    logAccess(req, res, nothing);
    const kept = isPlainRead(req) ? cache.find(req.url ?? '') : undefined;
    if (kept === undefined) {
      app(req, res);
      return;
    }
    setRoute(res, kept.route);
    sendDocument(req, res, kept.document, kept.cacheHeaders);
  };
}

/** A query chooses nothing: with one the way through Express finds the same document. */
const isPlainRead = ({ method, url = '' }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && !url.includes('?');

const PROBE_MS = 1_000;

/**
 * Is aborted when the client disconnects. A client that closes only its sending side looks the
 * same, until it is sent something: the system of one that has left answers that with a reset, and
 * what is sent next fails. So one that waits is sent an interim response every second, which clients
 * of HTTP/1.1 pass over (RFC 9110, 15.2).
 */
function signalOfLeaving({ socket, httpVersion }: Request, res: Response): AbortSignal {
  const left = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const probe = () => {
    if (httpVersion === '1.1' && !res.headersSent) res.writeProcessing();
  };
  const beginProbing = () => {
    timer = setInterval(probe, PROBE_MS).unref();
  };
  res.once('close', () => {
    socket.off('end', beginProbing);
    clearInterval(timer);
    left.abort();
  });
  if (socket.readableEnded) beginProbing();
  else socket.once('end', beginProbing);
  return left.signal;
}

/** The widget follows it from other sites. */
const redirect = (res: Response, to: string) =>
  void res
    .status(302)
    .set({ ...ANY_ORIGIN, Location: to })
    .end();

/** Headers of an answer that depends on the reader's languages. */
const BY_LANGUAGE = { Vary: 'Accept-Language', 'Cache-Control': 'no-cache' };

/**
 * Rejects with Unavailable until the aggregates were built for the first time: an empty history
 * would be kept by clients.
 */
function awaitFirstBuild(db: ApiDb): () => Promise<void> {
  let isBuilt = false;
  return async () => {
    if (isBuilt) return;
    const { refreshed_at } = await queryRefreshState(db);
    if (refreshed_at === null)
      throw new Unavailable('the aggregates are being built for the first time');
    isBuilt = true;
  };
}
