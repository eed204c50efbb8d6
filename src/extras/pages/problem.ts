/** The page that a person sees where there is no page, or no data at the moment. */
import type { Locale } from '../../contract/endpoints.ts';
import { fill } from './format.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { WORDS } from './words.ts';

/**
 * Below a locale, the addresses of stations and regions, of which there may be none with this name.
 */
const SUBJECT = /^(embed\/)?(station|region)\/(.+)$/;

export function problemPage(locale: Locale, status: number, path: string): Page {
  const words = WORDS[locale];
  const [, frame, kind, name = ''] = SUBJECT.exec(path.replace(`/${locale}/`, '')) ?? [];
  const isMissing = status === 404;
  const title = isMissing ? words.notFound : words.unavailable;
  const noSubject = kind === 'station' ? words.noStation : words.noRegion;
  const missing = kind === undefined ? words.notFoundText : noSubject;
  return {
    locale,
    path: undefined,
    title,
    scripts: [],
    isEmbeddable: frame !== undefined,
    body: html`<h1>${title}</h1><p>${isMissing ? fill(missing, { name }) : words.unavailableText}</p><p><a href="/${locale}/">${words.overview}</a></p>`,
  };
}
