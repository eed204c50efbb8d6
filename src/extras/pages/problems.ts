/** Problems as pages: a person who follows a wrong link gets a page, a program JSON. */
import type { ErrorRequestHandler, IRouter, Request, Response } from 'express';
import { LOCALES, type Locale } from '../../contract/endpoints.ts';
import { pathOf } from '../../http/middleware.ts';
import { ANY_ORIGIN, notFound, type Problem, truncate } from '../../http/send.ts';
import { nearPlaces } from '../../serve/near.ts';
import { renderPage } from './layout.ts';
import { hasSearch } from './overview.ts';
import { problemPage, type Suggestions } from './problem.ts';
import type { Context } from './views/read.ts';

/**
 * Below the path of a locale everything is for people. `patterns`: the paths that exist, to which a
 * path that means one of them is redirected. Problems of requests with `res.locals.pageLocale` are
 * sent as pages.
 */
export function addProblems(app: IRouter, context: Context, patterns: readonly RegExp[]): void {
  app.get(/^(?!\/[^/]+\/(air-quality-app|explore)\/|\/assets\/)/, (req, res, next) => {
    const own = LOCALES.find((one) => req.path.startsWith(`/${one}/`));
    if (own === undefined && req.accepts(['json', 'html']) !== 'html') return next();
    const locale = own ?? languageOf(req);
    const meant = meantPath(req.path, locale, patterns);
    if (meant !== undefined) return redirect(res, meant);
    res.locals.pageLocale = locale;
    throw notFound('');
  });
  const asPage = context.answerErrors((req, res, problem) =>
    sendPage(context, res.locals.pageLocale, req, res, problem),
  );
  const handle: ErrorRequestHandler = (error, req, res, next) =>
    res.locals.pageLocale === undefined ? next(error) : asPage(error, req, res, next);
  app.use(handle);
}

/** As of all problems, no cache may keep it, and any web page may read it. */
async function sendPage(
  context: Context,
  locale: Locale,
  req: Request,
  res: Response,
  { status, headers }: Problem,
): Promise<void> {
  const path = decodeURIComponent(pathOf(req));
  const suggestions =
    status === 404
      ? await suggest(context, locale, path).catch(() => undefined) // the page does without
      : undefined;
  const { kind, kept } = renderPage(
    context.site,
    problemPage(locale, status, truncate(path), suggestions),
  );
  const body = kept.get('identity') as Buffer;
  res
    .set(ANY_ORIGIN)
    .writeHead(status, [
      ...Object.entries(headers).flat(),
      ...kind.headers,
      ...['Content-Type', kind.type, 'Content-Language', locale],
      ...['Cache-Control', 'no-store', 'Content-Length', String(body.length)],
    ]);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** The places that somebody whose address is wrong may have meant. */
async function suggest(
  { reader, present }: Context,
  locale: Locale,
  path: string,
): Promise<Suggestions> {
  const [network, { titles }] = await Promise.all([reader.network(), reader.titles()]);
  const all = network.regions.map(present(titles[locale], locale).region);
  const stations = network.stations.filter((row) => row.is_listed);
  const name = path.split('/').findLast((part) => part !== '') ?? '';
  const near = await nearPlaces(network, titles, locale, name);
  const isFrame = path.startsWith(`/${locale}/embed/`); // which has no room for it
  return { near, hasSearch: !isFrame && hasSearch({ regions: all, stations }) };
}

/** The language that the reader's browser prefers. */
export const languageOf = (req: Request): Locale =>
  (req.acceptsLanguages([...LOCALES]) || 'en') as Locale;

/** Where it leads may depend on the reader's languages. The widget follows it from other sites. */
export const redirect = (res: Response, to: string) =>
  void res
    .status(302)
    .set({ ...ANY_ORIGIN, Location: to, Vary: 'Accept-Language', 'Cache-Control': 'no-cache' })
    .end();

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
