/** The pages by their addresses. They are made of what the API answers, and kept as its documents are. */
import type { IRouter, Request, Response } from 'express';
import type { PageParts } from '../api/app.ts';
import { presenter } from '../api/current.ts';
import { type CurrentDocuments, earlier, validityOf } from '../api/documents.ts';
import { LOCALES, type Locale, MAX_STATION_ID, pathPattern } from '../contract/endpoints.ts';
import type { Validity } from '../documents/cache.ts';
import { type CacheHeaders, type Document, encode, sendDocument } from '../documents/document.ts';
import { addPath } from '../http/middleware.ts';
import { notFound, type sendProblem } from '../http/send.ts';
import { ASSETS, assetUrl } from './assets.ts';
import { DOCS_PAGE } from './docs.ts';
import { embedPage } from './embed.ts';
import { type Page, renderPage, type Site } from './layout.ts';
import { overviewPage } from './overview.ts';
import { problemPage } from './problem.ts';
import { regionPage, stationPage } from './subject.ts';

type Values = { locale: Locale; id: number; slug: string };
type Rendered = Validity & { page: Page };

const HOUR_S = 3_600;

export function addPages(app: IRouter, site: Site, { urls, documents, reader, answer, firstBuild }: PageParts): void {
  async function readNetwork(locale: Locale) {
    const [network, { titles, ...ofTitles }] = await Promise.all([reader.network(), reader.titles()]);
    const listed = network.stations.filter((row) => row.is_listed);
    return {
      listed,
      regions: network.regions,
      present: presenter(titles[locale], locale, urls),
      validity: earlier(network, ofTitles),
    };
  }

  async function embedded(values: Values, render: CurrentDocuments['station'], path: string): Promise<Rendered> {
    const { document, ...validity } = await render(values);
    return { ...validity, page: embedPage(site, values.locale, path, await contentOf(document)) };
  }

  const PAGES: Record<string, (values: Values) => Promise<Rendered>> = {
    '/{locale}/': async ({ locale }) => {
      const { listed, regions, present, validity } = await readNetwork(locale);
      const list = { stations: listed.map(present.station), regions: regions.map(present.region) };
      return { ...validity, page: overviewPage(site, locale, list) };
    },
    '/{locale}/station/{id}': async (values) => {
      const [{ document, ...validity }, providers] = await Promise.all([documents.station(values), reader.providers()]);
      const page = stationPage(values.locale, await contentOf(document), providers);
      return { ...earlier(validity, validityOf(providers)), page };
    },
    '/{locale}/region/{slug}': async (values) => {
      const { locale, slug } = values;
      const { document, ...validity } = await documents.region(values);
      const { listed, present, validity: ofNetwork } = await readNetwork(locale);
      const stations = listed
        .filter((row) => row.city_slug === slug || row.district_slug === slug)
        .map(present.station);
      return { ...earlier(validity, ofNetwork), page: regionPage(locale, await contentOf(document), stations) };
    },
    '/{locale}/embed/station/{id}': (values) => embedded(values, documents.station, `station/${values.id}`),
    '/{locale}/embed/region/{slug}': (values) => embedded(values, documents.region, `region/${values.slug}`),
  };

  const toOverview = (req: Request, res: Response) => {
    const locale = req.params.locale ?? (req.acceptsLanguages([...LOCALES]) || 'en');
    res
      .status(302)
      .set({ Location: `/${locale}/`, Vary: 'Accept-Language', 'Cache-Control': 'no-cache' })
      .end();
  };
  addPath(app, /^\/$/, toOverview);
  addPath(app, pathPattern('/{locale}'), toOverview, '/');
  for (const [route, render] of Object.entries(PAGES)) {
    const get = async (req: Request, res: Response) => {
      const { locale, id, slug } = req.params as Record<keyof Values, string>;
      const values = { locale: locale as Locale, id: Number(id), slug };
      res.locals.sendProblem = problemSender(site, values.locale, route.includes('/embed/'));
      if (values.id > MAX_STATION_ID) throw notFound('');
      await answer(req, res, async () => {
        await firstBuild();
        const { page, ...validity } = await render(values);
        return { document: renderPage(site, page), ...validity, route };
      });
    };
    addPath(app, pathPattern(route), get, route);
  }

  /** Pages that don't depend on data: sending them says nothing about the database. */
  const addFile = (path: RegExp, find: (req: Request) => Document | undefined, caching: CacheHeaders, route?: string) =>
    addPath(
      app,
      path,
      (req, res) => {
        const file = find(req);
        if (file === undefined) throw notFound('There is no such file; a page of another version had it.');
        res.locals.isStale = true;
        sendDocument(req, res, file, caching);
      },
      route,
    );
  const docs = renderPage(site, DOCS_PAGE);
  addFile(/^\/docs$/, () => docs, { maxAge: HOUR_S });
  const widget = ASSETS.get(assetUrl('widget.js')); // other sites load it, so this address stays
  addFile(/^\/widget\.js$/, () => widget, { maxAge: HOUR_S });
  addFile(/^\/assets\/.+$/, ({ path }) => ASSETS.get(path), { maxAge: 0, isImmutable: true }, '/assets');
  app.get(/^\/([a-z]{2})\/(?!air-quality-app\/|explore\/)/, (req, res, next) => {
    const locale = LOCALES.find((one) => one === req.params[0]);
    if (locale === undefined) return next();
    res.locals.sendProblem = problemSender(site, locale, false);
    throw notFound('');
  });
}

/** Sends a problem as a page. As of all problems, no cache may keep it. */
function problemSender(site: Site, locale: Locale, isEmbeddable: boolean): typeof sendProblem {
  return (req, res, { status, headers }) => {
    const { kind, kept } = renderPage(site, problemPage(locale, status, isEmbeddable));
    const body = kept.get('identity') as Buffer;
    res.writeHead(status, [
      ...Object.entries(headers).flat(),
      ...kind.headers,
      ...['Content-Type', kind.type, 'Content-Language', locale],
      ...['Cache-Control', 'no-store', 'Content-Length', String(body.length)],
    ]);
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}

/** The contents of a document of the API. */
async function contentOf<T>(document: Document): Promise<T> {
  return JSON.parse(String(await encode(document, 'identity')));
}
