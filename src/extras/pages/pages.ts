/**
 * The pages by their addresses, a view each. They are made of what the API answers, and kept as its
 * documents are.
 */
import type { IRouter, Request, Response } from 'express';
import { type Locale, pathPattern } from '../../contract/endpoints.ts';
import type { PageParts } from '../extra.ts';
import { FILE_HEADERS } from './assets.ts';
import { addFiles, DOCS } from './files.ts';
import { renderPage, type Site } from './layout.ts';
import { toPng } from './png.ts';
import { addProblems, languageOf } from './problems.ts';
import { regionCard, stationCard } from './views/card.ts';
import { regionEmbed, stationEmbed } from './views/embed.ts';
import { regionLimits, stationLimits } from './views/limits.ts';
import { overview } from './views/overview.ts';
import type { Values, View } from './views/read.ts';
import { region } from './views/region.ts';
import { station } from './views/station.ts';

const VIEWS: Readonly<Record<string, View>> = {
  '/{locale}/': overview,
  '/{locale}/station/{id}': station,
  '/{locale}/region/{slug}': region,
  '/{locale}/station/{id}/limits': stationLimits,
  '/{locale}/station/{id}/limits/{year}': stationLimits,
  '/{locale}/region/{slug}/limits': regionLimits,
  '/{locale}/region/{slug}/limits/{year}': regionLimits,
  ...(toPng !== undefined && {
    '/{locale}/card/station/{id}.png': stationCard(toPng),
    '/{locale}/card/region/{slug}.png': regionCard(toPng),
  }),
  '/{locale}/embed/station/{id}': stationEmbed,
  '/{locale}/embed/region/{slug}': regionEmbed,
};

export function addPages(app: IRouter, site: Site, parts: PageParts): void {
  const { addPath, redirect } = parts;
  const toOverview = (req: Request, res: Response) => {
    redirect(res, `/${req.params.locale ?? languageOf(req)}/`);
  };
  addPath(/^\/$/, toOverview);
  addPath(/^\/docs$/, (req, res) => redirect(res, `/${languageOf(req)}/docs`));
  addPath(pathPattern('/{locale}'), toOverview, '/');
  for (const [route, view] of Object.entries(VIEWS)) addView(site, parts, route, view);
  addFiles(site, parts);
  addProblems(app, site, parts, [...Object.keys(VIEWS), DOCS].map(pathPattern));
}

const PICTURE = { type: 'image/png', headers: FILE_HEADERS };

function addView(site: Site, parts: PageParts, route: string, view: View): void {
  const get = async (req: Request, res: Response) => {
    const { locale, id, slug, year } = req.params as Record<keyof Values, string | undefined>;
    const values = {
      locale: locale as Locale,
      id: Number(id),
      slug: slug as string,
      ...(year !== undefined && { year: Number(year) }),
    };
    res.locals.pageLocale = values.locale;
    await parts.compose(req, res, route, async (read) => {
      const shown = await view({ site, read, at: parts.clock() }, values);
      return 'page' in shown
        ? renderPage(site, shown.page)
        : { locale: values.locale, text: shown.picture, kind: PICTURE };
    });
  };
  parts.addPath(pathPattern(route), get, route);
}
