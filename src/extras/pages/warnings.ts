/** The line that leads to the warnings of a station or region. */
import type { Locale } from '../../contract/endpoints.ts';
import { EXPLORE } from '../../contract/explore.ts';
import { type Html, html } from './html.ts';
import { WORDS } from './words.ts';

/** `subject`: its path, such as `station/1`. */
export const warningsPath = (locale: Locale, subject: string): string =>
  EXPLORE.regionWarningsFeed.path.replace('{locale}', locale).replace('region/{slug}', subject);

export function warningsLine(locale: Locale, subject: string): Html {
  const { getWarnings, byWhat } = WORDS[locale];
  return html`<p class="when"><a href="${warningsPath(locale, subject)}"
    type="application/atom+xml">${getWarnings}</a> ${byWhat}</p>`;
}
