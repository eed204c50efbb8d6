/** The page that a person sees where there is no page, or no data at the moment. */
import type { Locale } from '../contract/endpoints.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { WORDS } from './words.ts';

export function problemPage(locale: Locale, status: number, isEmbeddable: boolean): Page {
  const words = WORDS[locale];
  const isMissing = status === 404;
  const title = isMissing ? words.notFound : words.unavailable;
  const text = isMissing ? words.notFoundText : words.unavailableText;
  return {
    locale,
    path: undefined,
    title,
    shape: '',
    scripts: [],
    isEmbeddable,
    body: html`<h1>${title}</h1><p>${text}</p><p><a href="/${locale}/" target="_top">${words.overview}</a></p>`,
  };
}
