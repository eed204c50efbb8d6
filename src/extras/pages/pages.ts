/**
 * The pages by their addresses, a view each. They are made of what the API answers, and kept as its
 * documents are.
 */
import type { IRouter, Request, Response } from 'express';
import { type Locale, MAX_STATION_ID, pathPattern } from '../../contract/endpoints.ts';
import { addPath } from '../../http/middleware.ts';
import { notFound } from '../../http/send.ts';
import type { PageParts } from '../../serve/app.ts';
import { renderDocument } from '../../serve/document.ts';
import { FILE_HEADERS } from './assets.ts';
import { addFiles, DOCS } from './files.ts';
import { renderPage, type Site } from './layout.ts';
import { addProblems, languageOf, redirect } from './problems.ts';
import { regionCard, stationCard } from './views/card.ts';
import { regionEmbed, stationEmbed } from './views/embed.ts';
import { overview } from './views/overview.ts';
import type { Context, Values, View } from './views/read.ts';
import { region } from './views/region.ts';
import { station } from './views/station.ts';

const VIEWS: Readonly<Record<string, View>> = {
  '/{locale}/': overview,
  '/{locale}/station/{id}': station,
  '/{locale}/region/{slug}': region,
  '/{locale}/card/station/{id}.png': stationCard,
  '/{locale}/card/region/{slug}.png': regionCard,
  '/{locale}/embed/station/{id}': stationEmbed,
  '/{locale}/embed/region/{slug}': regionEmbed,
};

export function addPages(app: IRouter, site: Site, parts: PageParts): void {
  const context = { ...parts, site };
  const toOverview = (req: Request, res: Response) => {
    redirect(res, `/${req.params.locale ?? languageOf(req)}/`);
  };
  addPath(app, /^\/$/, toOverview);
  addPath(app, /^\/docs$/, (req, res) => redirect(res, `/${languageOf(req)}/docs`));
  addPath(app, pathPattern('/{locale}'), toOverview, '/');
  for (const [route, view] of Object.entries(VIEWS)) addView(app, context, route, view);
  addFiles(app, site);
  addProblems(app, context, [...Object.keys(VIEWS), DOCS].map(pathPattern));
}

const PICTURE = { type: 'image/png', headers: FILE_HEADERS };

function addView(app: IRouter, context: Context, route: string, view: View): void {
  const get = async (req: Request, res: Response) => {
    const { locale, id, slug } = req.params as Record<keyof Values, string>;
    const values = { locale: locale as Locale, id: Number(id), slug };
    res.locals.pageLocale = values.locale;
    if (values.id > MAX_STATION_ID) throw notFound('');
    await context.answer(req, res, route, async () => {
      await context.firstBuild();
      const { validUntil, version, ...shown } = await view(context, values);
      const document =
        'page' in shown
          ? renderPage(context.site, shown.page)
          : renderDocument(values.locale, shown.picture, PICTURE);
      return { document, validUntil, version };
    });
  };
  addPath(app, pathPattern(route), get, route);
}
