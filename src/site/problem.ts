/** What a person sees where there is no page, or no data at the moment. */
import type { Locale } from '../contract/endpoints.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { WORDS } from './words.ts';

export function problemPage(locale: Locale, status: number): Page {
  const words = WORDS[locale];
  const isAway = status === 503;
  const title = isAway ? words.unavailable : words.notFound;
  const text = isAway ? words.unavailableText : words.notFoundText;
  return {
    locale,
    path: '',
    title,
    scripts: [],
    body: html`<h1>${title}</h1><p>${text}</p><p><a href="/${locale}/">${words.overview}</a></p>`,
  };
}
