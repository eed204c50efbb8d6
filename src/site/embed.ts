/** The current values of a station or region as a page for frames of other sites: what `widget.js` shows, without a script. */
import type { Region, Station } from '../contract/current.ts';
import type { Locale } from '../contract/endpoints.ts';
import { html } from './html.ts';
import type { Page, Site } from './layout.ts';
import { chip, pm25, stationCategory, timeOf } from './parts.ts';
import { categoryOf } from './scale.ts';
import { WORDS } from './words.ts';

export function embedPage(site: Site, locale: Locale, path: string, values: Station | Region): Page {
  const words = WORDS[locale];
  const category = 'status' in values ? stationCategory(values) : categoryOf(values.aqi);
  return {
    locale,
    path: `embed/${path}`,
    title: values.title,
    scripts: ['live'],
    isEmbeddable: true,
    body: html`<main id="content"><h1><a href="/${locale}/${path}" target="_top">${values.title}</a></h1>
<div class="now"><p title="${words.aqiNote}">${chip(words, category, values.aqi)} ${values['pm2.5'] !== null && pm25(locale, values['pm2.5'])}</p>
<p><small>${values.measurement_time === null ? words.nothingRecent : timeOf(locale, values.measurement_time)} · <a href="/${locale}/" target="_top">${site.title}</a></small></p></div>
<p id="stale" role="status" hidden data-text="${words.stale}"></p></main>`,
  };
}
