/**
 * The current values of a station or region for other sites: as a page for frames, and in the
 * widget, which shows what is on that page.
 */
import type { Locale } from '../../contract/endpoints.ts';
import { titleIn } from '../../contract/words/siteTitle.ts';
import { html } from './html.ts';
import type { Page, Site } from './layout.ts';
import { type Current, isWaiting, leadPart, measuredAt } from './now.ts';
import { WORDS } from './words.ts';

export function embedPage(site: Site, locale: Locale, path: string, current: Current): Page {
  const words = WORDS[locale];
  const { title, measurement_time: time } = current.values;
  const isOfNow = time !== null && current.verdict.maker === undefined; // else the headline has its hour
  const missing = isWaiting(current) ? words.neverSent : words.nothingRecent;
  return {
    locale,
    path: `embed/${path}`,
    title,
    scripts: ['live'],
    isEmbeddable: true,
    body: html`<div data-live="now"><h1><a href="/${locale}/${path}">${title}</a></h1>
${leadPart(locale, current)}
${current.suspect !== undefined && html`<p class="warning">${current.suspect}</p>`}
<p class="when">${time === null && `${missing} · `}${isOfNow && html`${measuredAt(locale, current.values, time)} · `}<a
  href="/${locale}/">${titleIn(site, locale)}</a></p></div>`,
  };
}
