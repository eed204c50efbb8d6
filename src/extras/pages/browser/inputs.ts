/** The line under a number of the history: links to the hours or readings that it was made of. */
import { html } from '../html.ts';
import { dateAfter, type Unit } from '../series.ts';
import { exploreUrl, type Page, toElement } from './page.ts';

/** `show` leads to the inputs of a bucket, and goes to one that was chosen. */
export function makeInputs(page: Page) {
  const element = toElement(html`<p class="inputs"></p>`);
  function show(unit: Unit, timestamp: string, isChosen = false): void {
    const links = linksOf(page, unit, timestamp).map(
      ([text, path]) => html`<a href="${exploreUrl(page, path)}">${text}</a> `,
    );
    element.innerHTML = html`${links}`.text;
    if (isChosen) element.querySelector('a')?.focus();
  }
  return { element, show };
}

const isStation = ({ subject }: Page) => subject.startsWith('station/');

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
  const hours: [string, string] = [words.hoursForExcel, `excel/${first}/${last}.csv`];
  return unit === 'month' ? [hours] : [hours, [words.firstHourAsJson, ofHour]];
}
