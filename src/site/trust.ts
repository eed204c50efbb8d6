/** How far the numbers of a station can be trusted: its PM2.5 sensors beside each other and beside those of stations within 150 m. */
import type { Locale } from '../contract/endpoints.ts';
import { type Html, html } from './html.ts';
import { formatNumber } from './numbers.ts';
import type { Flag } from './suspect.ts';
import { WORDS } from './words.ts';

type SensorAt = { sensor_id: number; station_id: number };
type Pair = {
  x: SensorAt;
  y: SensorAt;
  days: number;
  slope: number | null;
  intercept: number | null;
  r2: number | null;
  rmse: number;
  meets_targets: boolean | null;
};
/** The document of a station's flags. */
export type Trust = { flags: Flag[]; pairs: Pair[] };

/** The report card of each pair. */
export function trustPart(locale: Locale, id: number, { pairs }: Trust): Html {
  const words = WORDS[locale];
  const name = ({ sensor_id: sensor, station_id: station }: SensorAt) =>
    station === id ? html`${sensor}` : html`${sensor} (<a href="/${locale}/station/${station}">${station}</a>)`;
  const number = (value: number | null, digits: number) => (value === null ? '–' : formatNumber(locale, value, digits));
  const meets = (all: boolean | null) => (all === null ? '–' : all ? words.yes : words.no);
  const row = ({ x, y, days, slope, intercept, r2, rmse, meets_targets: all }: Pair) =>
    html`<tr><th scope="row">${name(x)} · ${name(y)}</th><td>${days}</td><td>${number(slope, 2)}</td><td>${number(intercept, 1)}</td><td>${number(r2, 2)}</td><td>${number(rmse, 1)}</td><td>${meets(all)}</td></tr>`;
  return html`<section data-live="trust">${
    pairs.length > 0 &&
    html`<div class="card"><h2>${words.pairs}</h2><p class="soft">${words.pairsNote}</p>
<div class="scroll" tabindex="0" role="group" aria-label="${words.pairs}"><table><thead><tr>${[words.sensors, words.days, words.slope, words.intercept, 'R²', 'RMSE', words.meetsTargets].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${pairs.map(row)}</tbody></table></div></div>`
  }</section>`;
}
