/** Problems as pages: a person who follows a wrong link gets a page, a program JSON. */
import type { IRouter, Request, Response } from 'express';
import { truncate } from '../../base/printable.ts';
import { LOCALES, type Locale } from '../../contract/endpoints.ts';
import type { PageParts, Read, SentProblem } from '../extra.ts';
import { renderPage, type Site } from './layout.ts';
import { hasSearch } from './overview.ts';
import { problemPage } from './problem.ts';
import { readAll } from './views/read.ts';

/**
 * Below the path of a locale everything is for people. `patterns`: the paths that exist, to which a
 * path that means one of them is redirected. Problems of requests with `res.locals.pageLocale` are
 * sent as pages.
 */
export function addProblems(
  app: IRouter,
  site: Site,
  { read, redirect, notFound, answerErrors }: PageParts,
  patterns: readonly RegExp[],
): void {
  app.get(/^(?!\/[^/]+\/(air-quality-app|explore)\/|\/assets\/)/, (req, res, next) => {
    const own = LOCALES.find((one) => req.path.startsWith(`/${one}/`));
    if (own === undefined && req.accepts(['json', 'html']) !== 'html') return next();
    const locale = own ?? languageOf(req);
    const meant = meantPath(req.path, locale, patterns);
    if (meant !== undefined) return redirect(res, meant);
    res.locals.pageLocale = locale;
    const path = decodeURIComponent(req.path);
    throw notFound(path, nameIn(path));
  });
  answerErrors(
    (res) => res.locals.pageLocale !== undefined,
    (req, res, problem) => sendPage(site, read, req, res, problem),
  );
}

/** The last part of a path. */
const nameIn = (path: string) => path.split('/').findLast((part) => part !== '') ?? '';

/** As of all problems, no cache may keep it. */
async function sendPage(
  site: Site,
  read: Read,
  req: Request,
  res: Response,
  { status, headers, near, meant }: SentProblem,
): Promise<void> {
  const locale: Locale = res.locals.pageLocale;
  const path = decodeURIComponent(req.path);
  const isFrame = path.startsWith(`/${locale}/embed/`); // which has no room for a search
  const isSearched = status === 404 && !isFrame && (await canSearch(read, locale));
  const suggestions = { near, meant, hasSearch: isSearched };
  const { text, kind } = renderPage(site, problemPage(locale, status, truncate(path), suggestions));
  const body = Buffer.from(text);
  res.writeHead(status, [
    ...Object.entries(headers).flat(),
    ...kind.headers,
    ...['Content-Type', kind.type, 'Content-Language', locale],
    ...['Cache-Control', 'no-store', 'Content-Length', String(body.length)],
  ]);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** True if the overview can be searched. The page does without where that cannot be read. */
async function canSearch(read: Read, locale: Locale): Promise<boolean> {
  const reading = readAll({ read }, { locale }, { list: 'stations' });
  return await reading.then(({ list }) => hasSearch(list)).catch(() => false);
}

/** The language that the reader's browser prefers. */
export const languageOf = (req: Request): Locale =>
  (req.acceptsLanguages([...LOCALES]) || 'en') as Locale;

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
