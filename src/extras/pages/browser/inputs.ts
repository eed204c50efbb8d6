/**
 * The line under a number of the history: the rules by which it comes about, and links to the hours
 * or readings that it was made of.
 */
import type { Quantity } from '../format.ts';
import { html } from '../html.ts';
import { AQI, dateAfter, formatBucket, type Unit } from '../series.ts';
import { exploreUrl, type Page, partOf, toElement, wordFor } from './page.ts';

/** `show` leads to the inputs of a bucket; one that was chosen is also unfolded. */
export function makeInputs(page: Page) {
  const { words, locale } = page;
  const element = toElement<HTMLDetailsElement>(
    html`<details class="inputs"><summary></summary><p class="rule"></p><p></p></details>`,
  );
  const summary = partOf(element, 'summary');
  function show(quantity: Quantity, unit: Unit, timestamp: string, isChosen = false): void {
    const names = rulesOf(page, quantity, unit);
    summary.textContent = `${words.inputs}: ${wordFor(words, quantity.key)}, ${formatBucket(locale, timestamp, unit)}`;
    partOf(element, '.rule').textContent = names
      .map((name) => wordFor(words, `rule ${name}`))
      .join(' ');
    const links = linksOf(page, unit, timestamp);
    partOf(element, 'p:last-child').innerHTML = html`${links.map(
      ([text, path]) => html`<a href="${exploreUrl(page, path)}">${text}</a> `,
    )}`.text;
    if (!isChosen) return;
    element.open = true;
    summary.focus();
  }
  return { element, show };
}

const isStation = ({ subject }: Page) => subject.startsWith('station/');

function rulesOf(page: Page, { key }: Quantity, unit: Unit): string[] {
  const ofHour = isStation(page) ? ['A1', 'A2'] : ['A3'];
  const ofMean = unit === 'hour' ? ofHour : ['A4'];
  return [
    ...(key === 'rain' ? ['A6'] : ofMean),
    ...(key === 'pm2.5' && unit === 'hour' && isStation(page) ? ['S5'] : []),
    ...(key === 'wind_speed' ? ['A7'] : []), // its direction is drawn with it
    ...(key === AQI.key ? ['aqi'] : []),
  ];
}

/**
 * Texts and paths: a month and a day lead to their hours, a day to its first hour as well, and an
 * hour to its readings or stations.
 */
function linksOf(page: Page, unit: Unit, timestamp: string): [text: string, path: string][] {
  const { words } = page;
  const first = unit === 'month' ? `${timestamp.slice(0, 7)}-01` : timestamp.slice(0, 10);
  const last = unit === 'month' ? dateAfter(dateAfter(first, 'month'), 'day', -1) : first;
  const ofHour = `${isStation(page) ? 'readings' : 'stations'}/${timestamp}.json`;
  if (unit === 'hour')
    return [[isStation(page) ? words.readingsAsJson : words.stationsAsJson, ofHour]];
  const hours: [string, string] = [words.hoursAsCsv, `hours/${first}/${last}.csv`];
  return unit === 'month' ? [hours] : [hours, [words.firstHourAsJson, ofHour]];
}
