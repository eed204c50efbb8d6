/** The line that leads to the warnings of a station or region. */
import type { Locale } from '../../contract/endpoints.ts';
import { EXPLORE } from '../../contract/explore.ts';
import { WARNING_WORDS } from '../../serve/warningWords.ts';
import { type Html, html } from './html.ts';

/** `subject`: its path, such as `station/1`. */
export const warningsPath = (locale: Locale, subject: string): string =>
  EXPLORE.regionWarningsFeed.path.replace('{locale}', locale).replace('region/{slug}', subject);

export function warningsLine(locale: Locale, subject: string): Html {
  const { get, how } = WARNING_WORDS[locale];
  return html`<p class="when"><a href="${warningsPath(locale, subject)}"
    type="application/atom+xml">${get}</a> ${how}</p>`;
}
