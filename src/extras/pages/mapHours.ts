/**
 * The map of a parameter and an hour, as the page has it: what can be chosen, the slider and the
 * legends, which the browser puts in their places (`browser/hours.ts`).
 */
import type { Station } from '../../contract/current.ts';
import type { Locale } from '../../contract/endpoints.ts';
import { INDEX_WORDS, type IndexName } from '../../contract/words/indices.ts';
import { formatBare, massText, unitIn } from './format.ts';
import { type Html, html } from './html.ts';
import { LOOKS, MAP_PARAMETERS, type MapParameter, STEPS, scaleOf } from './mapScale.ts';
import { quantityOf } from './now.ts';
import { isLarge, type ListedStation } from './parts.ts';
import { POLLUTANTS } from './scale.ts';
import { WORDS } from './words.ts';

/**
 * Offers the parameters that any of the stations measures now. In a large network the hours of all
 * places would be more than a phone should load.
 */
export function hoursPart(
  locale: Locale,
  index: IndexName,
  stations: readonly ListedStation[],
  network: readonly Station[],
): Html {
  const words = WORDS[locale];
  const measured = MAP_PARAMETERS.filter((key) => stations.some((one) => one[key] !== null));
  if (measured.length === 0 || isLarge(network)) return html``;
  const nameOf = (key: MapParameter) => POLLUTANTS[key] ?? words.temperature;
  const legend = (key: MapParameter) => {
    const scale = scaleOf(key, index);
    const quantity = quantityOf(key);
    const title = [
      `${nameOf(key)}, ${unitIn(locale, quantity.unit)}`,
      massText(locale, quantity),
      ...(scale === 'temperature' ? [] : [INDEX_WORDS[scale].name[locale]]),
    ].filter((text) => text !== '');
    const text = (look: string) =>
      scale === 'temperature' ? stepText(locale, look) : (words as Record<string, string>)[look];
    const chips = LOOKS[scale].map(
      (look) => html`<span class="chip ${look}">${text(look)}</span> `,
    );
    return html`<p class="legend" data-parameter="${key}"><small>${title.join(' · ')}</small>
  <br>${chips}<span class="chip unknown">${words.unknown}</span></p>`;
  };
  return html`<span id="hours" data-index="${index}" data-locale="${locale}"><select
  aria-label="${words.mapShows}"><option value="">${words.indexNow}</option>${measured.map(
    (key) => html`<option value="${key}">${nameOf(key)}</option>`,
  )}</select></span><template id="hour"><span class="hour"><input type="range" min="0" max="23"
  value="23" aria-label="${words.mapHour}"> <output></output></span><div>${measured.map(legend)}
<p class="warning" role="status" hidden>${words.unavailable}</p></div></template>`;
}

/** `0…10`, `> 30`. */
function stepText(locale: Locale, look: string): string {
  const text = (degrees: number) => formatBare(locale, degrees, { unit: '°C', digits: 0 });
  const n = STEPS.findIndex(({ name }) => name === look);
  const [from, to] = [STEPS[n - 1]?.upTo, STEPS[n]?.upTo ?? 0];
  if (from === undefined) return `≤ ${text(to)}`;
  return Number.isFinite(to) ? `${text(from)}…${text(to)}` : `> ${text(from)}`;
}
