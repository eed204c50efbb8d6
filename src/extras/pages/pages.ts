/**
 * The pages by their addresses. They are made of what the API answers, and kept as its documents
 * are.
 */
import type { IRouter, Request, Response } from 'express';
import type { Region, Station } from '../../contract/current.ts';
import { LOCALES, type Locale, MAX_STATION_ID, pathPattern } from '../../contract/endpoints.ts';
import type { ExploreAnswer } from '../../contract/explore.ts';
import { addPath, pathOf } from '../../http/middleware.ts';
import { notFound, type sendProblem, truncate } from '../../http/send.ts';
import type { PageParts } from '../../serve/app.ts';
import {
  type CacheHeaders,
  type Document,
  encode,
  renderDocument,
  sendDocument,
} from '../../serve/document.ts';
import { earlier, type Validity, validityOf } from '../../serve/entry.ts';
import { queryLastDays } from '../../serve/lastDays.ts';
import { presenter } from '../../serve/localizedText.ts';
import { ASSETS, assetUrl, FILE_HEADERS } from './assets.ts';
import { docsPage } from './docs.ts';
import { embedPage } from './embed.ts';
import type { Limits } from './health.ts';
import { groundOf, type Page, renderPage, type Site, titleOf } from './layout.ts';
import { nearPlaces } from './near.ts';
import { type Current, type Indices, inWords, type Subject } from './now.ts';
import { formatTime } from './numbers.ts';
import { hasSearch, onlyCity, overviewPage, shownOf } from './overview.ts';
import { isLarge, type ListedStation } from './parts.ts';
import { cardPicture } from './pictures.ts';
import { toPng } from './png.ts';
import { problemPage, type Suggestions } from './problem.ts';
import type { Windows } from './series.ts';
import { regionPage, stationPage } from './subject.ts';
import { leftOut, type Trust } from './trust.ts';

type Values = { locale: Locale; id: number; slug: string };
type RenderedPage = (Validity & { page: Page }) | (Validity & { picture: Buffer });

const HOUR_S = 3_600;
const DOCS = '/{locale}/docs';
const PICTURE = { type: 'image/png', headers: FILE_HEADERS };
/** The documents that frames and pages have in common. */
const OF_STATION = { values: 'station', indices: 'stationNow', trust: 'stationFlags' } as const;
const OF_REGION = { values: 'region', indices: 'regionNow' } as const;

export function addPages(
  app: IRouter,
  site: Site,
  { urls, documents, reader, wholeNetwork, clock, answer, firstBuild }: PageParts,
): void {
  const map = groundOf(site);

  async function readNetwork(locale: Locale) {
    const [network, { titles, ...ofTitles }, providers] = await Promise.all([
      reader.network(),
      reader.titles(),
      reader.providers(locale),
    ]);
    const present = presenter(titles[locale], locale, urls);
    const listed = network.stations
      .filter((row) => row.is_listed)
      .map((row) => ({
        ...present.station(row),
        is_bad_pm: row.is_bad_pm ?? false,
        has_measured: row.has_measured ?? false,
      }));
    const regions = network.regions.map((row) => ({
      ...present.region(row),
      has_measured: row.has_measured ?? false,
    }));
    return {
      list: { providers, stations: listed, regions },
      validity: earlier(earlier(network, ofTitles), validityOf(providers)),
    };
  }

  /** Places with their last 24 hours, and how long these are valid. */
  async function withDays<Place extends Region, Post extends ListedStation>(
    regions: readonly Place[],
    stations: readonly Post[],
  ) {
    const { rows, ...ofDays } = await queryLastDays(wholeNetwork, clock(), {
      regions: regions.map(({ slug }) => slug),
      stations: stations.map(({ id }) => id),
    });
    return {
      regions: regions.map((one) => ({ ...one, day: ofDays.regions[one.slug] })),
      stations: stations.map((one) => ({ ...one, day: ofDays.stations[one.id] })),
      validity: validityOf(rows),
    };
  }

  /** The contents of documents about the same thing, and for how long they are valid together. */
  async function readAll<Contents extends object>(
    values: Values,
    names: { [Key in keyof Contents]: keyof typeof documents },
  ): Promise<Validity & { contents: Contents }> {
    const asked = { ...values, year: 0, from: '', to: '', hour: '' };
    const entries = await Promise.all(
      Object.entries(names).map(async ([key, name]) => {
        const { document, ...validity } = await documents[name as keyof typeof documents](asked);
        return { validity, entry: [key, await contentOf(document)] as const };
      }),
    );
    const contents = Object.fromEntries(entries.map(({ entry }) => entry)) as Contents;
    return { ...entries.map(({ validity }) => validity).reduce(earlier), contents };
  }

  async function readStation(values: Values) {
    type Contents = { values: Station; history: Windows; indices: Indices; trust: Trust };
    const { contents, ...validity } = await readAll<Contents>(values, {
      ...OF_STATION,
      history: 'stationHistory',
    });
    const at = clock();
    const suspect = leftOut(values.locale, contents.trust.flags, at);
    return { subject: { ...contents, at, suspect, flags: contents.trust.flags }, validity };
  }

  async function readRegion(values: Values) {
    type Contents = { values: Region; history: Windows; indices: Indices; limits: Limits };
    const names = { ...OF_REGION, history: 'regionHistory', limits: 'regionLimits' } as const;
    const { contents, ...validity } = await readAll<Contents>(values, names);
    return { subject: { ...contents, at: clock() }, validity };
  }

  async function pageOfStation(values: Values): Promise<RenderedPage> {
    const { locale } = values;
    const [{ subject, validity }, { contents, ...ofNear }, { list, validity: ofNetwork }] =
      await Promise.all([
        readStation(values),
        readAll<{ near: ExploreAnswer<'stationNeighbours'> }>(values, {
          near: 'stationNeighbours',
        }),
        readNetwork(locale),
      ]);
    const near = contents.near.neighbours.flatMap(({ id, distance_km }) => {
      const station = list.stations.find((one) => one.id === id);
      return station === undefined ? [] : [{ ...station, distance_km }];
    });
    const { stations: neighbours, validity: ofDays } = await withDays([], near);
    const { providers } = list;
    return {
      ...earlier(earlier(validity, ofNear), earlier(ofNetwork, ofDays)),
      page: stationPage(locale, subject, { neighbours, map, providers }),
    };
  }

  async function pageOfRegion(values: Values, isAlone: boolean): Promise<RenderedPage> {
    const { locale, slug } = values;
    const { subject, validity } = await readRegion(values);
    const { list, validity: ofNetwork } = await readNetwork(locale);
    const { validity: ofDays, ...places } = await withDays(
      list.regions.filter((one) => 'city_slug' in one && one.city_slug === slug),
      list.stations.filter((one) => one.city_slug === slug || one.district_slug === slug),
    );
    const around = { ...places, providers: list.providers, map };
    const valid = earlier(earlier(validity, ofNetwork), ofDays);
    return { ...valid, page: regionPage(locale, subject, around, isAlone) };
  }

  async function embedded(
    values: Values,
    names: typeof OF_STATION | typeof OF_REGION,
    path: string,
  ) {
    const { contents, ...validity } = await readAll<Current & { trust?: Trust }>(values, names);
    const network = values.slug === undefined ? undefined : await reader.network();
    const region = network?.regions.find(({ slug }) => slug === values.slug);
    const hasMeasured = region?.has_measured ?? undefined;
    const suspect = leftOut(values.locale, contents.trust?.flags ?? [], clock());
    const current = { ...contents, suspect, hasMeasured };
    return {
      ...(network === undefined ? validity : earlier(validity, network)),
      page: embedPage(site, values.locale, path, current),
    };
  }

  async function pictureOf(
    locale: Locale,
    { subject, validity }: { subject: Subject; validity: Validity },
  ): Promise<RenderedPage> {
    if (toPng === undefined) throw notFound('');
    const { title, measurement_time: time } = subject.values;
    const picture = { ...inWords(locale, subject), title, site: titleOf(site, locale) };
    const svg = cardPicture({ ...picture, time: time === null ? '' : formatTime(locale, time) });
    return { ...validity, picture: await toPng(svg) };
  }

  /** The places that somebody whose address is wrong may have meant. */
  async function suggest(locale: Locale, path: string): Promise<Suggestions> {
    const [network, { titles }] = await Promise.all([reader.network(), reader.titles()]);
    const all = network.regions.map(presenter(titles[locale], locale, urls).region);
    const { regions } = shownOf({ regions: all });
    const stations = network.stations.filter((row) => row.is_listed);
    const near = nearPlaces({ regions, stations }, titles, locale, path);
    return { near, hasSearch: hasSearch({ regions: all, stations }) };
  }

  /** Sends a problem as a page. As of all problems, no cache may keep it. */
  const problemSender =
    (locale: Locale): typeof sendProblem =>
    async (req, res, { status, headers }) => {
      const path = decodeURIComponent(pathOf(req));
      const isMissing = status === 404 && !path.startsWith(`/${locale}/embed/`);
      const suggestions = isMissing
        ? await suggest(locale, path).catch(() => undefined) // the page does without
        : undefined;
      const { kind, kept } = renderPage(
        site,
        problemPage(locale, status, truncate(path), suggestions),
      );
      const body = kept.get('identity') as Buffer;
      res.writeHead(status, [
        ...Object.entries(headers).flat(),
        ...kind.headers,
        ...['Content-Type', kind.type, 'Content-Language', locale],
        ...['Cache-Control', 'no-store', 'Content-Length', String(body.length)],
      ]);
      res.end(req.method === 'HEAD' ? undefined : body);
    };

  const PAGES: Record<string, (values: Values) => Promise<RenderedPage>> = {
    '/{locale}/': async (values) => {
      const { list, validity } = await readNetwork(values.locale);
      const only = onlyCity(list);
      if (only !== undefined) return await pageOfRegion({ ...values, slug: only }, true);
      // the list of a larger network leaves stations out
      const isShort = !isLarge(list.stations);
      const { validity: ofDays, ...days } = await withDays(
        list.regions,
        isShort ? list.stations : [],
      );
      const listed = { ...list, ...days, ...(!isShort && { stations: list.stations }) };
      return {
        ...earlier(validity, ofDays),
        page: overviewPage(site, values.locale, listed),
      };
    },
    '/{locale}/station/{id}': pageOfStation,
    '/{locale}/region/{slug}': (values) => pageOfRegion(values, false),
    '/{locale}/card/station/{id}.png': async (values) =>
      await pictureOf(values.locale, await readStation(values)),
    '/{locale}/card/region/{slug}.png': async (values) =>
      await pictureOf(values.locale, await readRegion(values)),
    '/{locale}/embed/station/{id}': (values) =>
      embedded(values, OF_STATION, `station/${values.id}`),
    '/{locale}/embed/region/{slug}': (values) =>
      embedded(values, OF_REGION, `region/${values.slug}`),
  };

  const toOverview = (req: Request, res: Response) => {
    redirect(res, `/${req.params.locale ?? languageOf(req)}/`);
  };
  addPath(app, /^\/$/, toOverview);
  addPath(app, /^\/docs$/, (req, res) => redirect(res, `/${languageOf(req)}/docs`));
  addPath(app, pathPattern('/{locale}'), toOverview, '/');
  for (const [route, render] of Object.entries(PAGES)) {
    const get = async (req: Request, res: Response) => {
      const { locale, id, slug } = req.params as Record<keyof Values, string>;
      const values = { locale: locale as Locale, id: Number(id), slug };
      res.locals.sendProblem = problemSender(values.locale);
      if (values.id > MAX_STATION_ID) throw notFound('');
      await answer(req, res, route, async () => {
        await firstBuild();
        const rendered = await render(values);
        const document =
          'page' in rendered
            ? renderPage(site, rendered.page)
            : renderDocument(values.locale, rendered.picture, PICTURE);
        return { document, validUntil: rendered.validUntil, version: rendered.version };
      });
    };
    addPath(app, pathPattern(route), get, route);
  }

  /** Pages that don't depend on data: sending them says nothing about the database. */
  const addFile = (
    path: RegExp,
    find: (req: Request) => Document | undefined,
    caching: CacheHeaders,
    route?: string,
  ) =>
    addPath(
      app,
      path,
      (req, res) => {
        const file = find(req);
        if (file === undefined)
          throw notFound('There is no such file; a page of another version had it.');
        res.locals.isStale = true;
        sendDocument(req, res, file, caching);
      },
      route,
    );
  const docs = new Map(
    LOCALES.map((locale) => [`/${locale}/docs`, renderPage(site, docsPage(locale))]),
  );
  addFile(pathPattern(DOCS), ({ path }) => docs.get(path), { maxAge: HOUR_S }, DOCS);
  const widget = ASSETS.get(assetUrl('widget.js')); // other sites load it, so this address stays
  addFile(/^\/widget\.js$/, () => widget, { maxAge: HOUR_S });
  addFile(
    /^\/assets\/.+$/,
    ({ path }) => (path === site.ground?.url ? site.ground.document : ASSETS.get(path)),
    { maxAge: 0, isImmutable: true },
    '/assets',
  );
  const patterns = [...Object.keys(PAGES), DOCS].map(pathPattern);
  // a person who follows a wrong link gets a page, a program JSON: below the path of a locale
  // everything is for people
  app.get(/^(?!\/[^/]+\/(air-quality-app|explore)\/|\/assets\/)/, (req, res, next) => {
    const ours = LOCALES.find((one) => req.path.startsWith(`/${one}/`));
    if (ours === undefined && req.accepts(['json', 'html']) !== 'html') return next();
    const locale = ours ?? languageOf(req);
    const meant = meantPath(req.path, locale, patterns);
    if (meant !== undefined) return redirect(res, meant);
    res.locals.sendProblem = problemSender(locale);
    throw notFound('');
  });
}

/** The language that the reader's browser prefers. */
const languageOf = (req: Request): Locale => (req.acceptsLanguages([...LOCALES]) || 'en') as Locale;

/** A word in the place of a locale, such as `de` or `pt-br`. */
const LANGUAGE = /^[a-z]{2}(-[a-z]{2})?$/;

/**
 * The page that a wrong path means: in lower case, without a slash at its end, in a language that
 * there is.
 */
function meantPath(path: string, locale: string, patterns: readonly RegExp[]): string | undefined {
  const [first = '', ...others] = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '');
  const rest = others.join('/');
  if (first === 'docs' && rest === '') return '/docs';
  if (!LANGUAGE.test(first)) return undefined;
  const meant = `/${LOCALES.find((one) => one === first) ?? locale}/${rest}`;
  return meant !== path && patterns.some((pattern) => pattern.test(meant)) ? meant : undefined;
}

/** Where it leads may depend on the reader's languages. */
const redirect = (res: Response, to: string) =>
  void res
    .status(302)
    .set({ Location: to, Vary: 'Accept-Language', 'Cache-Control': 'no-cache' })
    .end();

/** The contents of a document of the API. */
async function contentOf<T>(document: Document): Promise<T> {
  return JSON.parse(String(await encode(document, 'identity')));
}
