/** The current values of a station or region as a page for frames of other sites: what `widget.js` shows, without a script. */
import type { Region, Station } from '../contract/current.ts';
import type { Locale } from '../contract/endpoints.ts';
import { formatValue, PM25 } from './format.ts';
import { html } from './html.ts';
import type { Page, Site } from './layout.ts';
import { chip, stationCategory, strong, timeOf } from './parts.ts';
import { categoryOf } from './scale.ts';
import { WORDS } from './words.ts';

export function embedPage(
  site: Site,
  locale: Locale,
  path: string,
  values: Station | Region,
  suspect: string | undefined,
): Page {
  const words = WORDS[locale];
  const { aqi, title, 'pm2.5': pm25, measurement_time: time, temperature } = values;
  const category = 'status' in values ? stationCategory(values) : categoryOf(aqi);
  const lead =
    suspect !== undefined && aqi !== null
      ? html`<p class="index unknown"><s>${aqi}</s><span>${words.suspect}</span></p>`
      : aqi !== null
        ? html`<p class="index ${category}"><b>${aqi}</b><span>${words[category]}</span></p>`
        : temperature === null || category === 'offline'
          ? html`<p>${chip(words, category, null)}</p>`
          : html`<p class="main">${words.temperature} <b>${formatValue(locale, temperature, { unit: '°C', digits: 1 })}</b></p>`;
  return {
    locale,
    path: `embed/${path}`,
    title,
    shape: '',
    scripts: ['live'],
    isEmbeddable: true,
    body: html`<main id="content" data-live="now"><h1><a href="/${locale}/${path}" target="_top">${title}</a></h1>
<div title="${words.aqiNote}">${lead}
${pm25 !== null && html`<p class="main">PM2.5 ${strong(formatValue(locale, pm25, PM25), suspect !== undefined)}</p>`}</div>
${suspect !== undefined && html`<p class="warning">${suspect}</p>`}
<p><small>${time === null ? words.nothingRecent : timeOf(locale, time)} · <a href="/${locale}/" target="_top">${site.title}</a></small></p></main>
<p id="stale" role="status" hidden data-text="${words.stale}"></p>`,
  };
}
